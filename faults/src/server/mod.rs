//! Servers that follow a script, over real sockets of the loopback interface.

mod http1;
mod http2;
mod wire;

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use rustls::ServerConfig;

use crate::step::{Protocol, ScriptStep, ServerScript};
use wire::ServerSocket;

/// How often a server that waits looks whether the scenario is over.
const TICK: Duration = Duration::from_millis(100);

/// A running server. Dropping it ends it.
#[derive(Debug)]
pub(crate) struct ScriptedServer {
    addr: SocketAddr,
    state: Arc<ServerState>,
    /// Connections that keep a queue full.
    _queued: Vec<TcpStream>,
    _held: Option<TcpListener>,
}

/// What the threads of a server share.
#[derive(Debug)]
struct ServerState {
    script: ServerScript,
    tls: Option<Arc<ServerConfig>>,
    addr: SocketAddr,
    served: AtomicU64,
    connections: AtomicU64,
    key_seen: AtomicBool,
    over: AtomicBool,
    listening: AtomicBool,
    gate: Mutex<bool>,
    gate_opened: Condvar,
}

/// Whether a connection goes on after some steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flow {
    GoOn,
    End,
}

/// A request as far as scripts care.
#[derive(Debug)]
struct ReceivedRequest {
    path: String,
    has_key: bool,
}

impl ScriptedServer {
    pub(crate) fn start(script: &ServerScript, tls: Option<Arc<ServerConfig>>) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let addr = listener.local_addr()?;
        let state = Arc::new(ServerState {
            script: script.clone(),
            tls,
            addr,
            served: AtomicU64::new(0),
            connections: AtomicU64::new(0),
            key_seen: AtomicBool::new(false),
            over: AtomicBool::new(false),
            listening: AtomicBool::new(true),
            gate: Mutex::new(false),
            gate_opened: Condvar::new(),
        });
        let (mut queued, mut held) = (Vec::new(), None);
        match script.protocol {
            Protocol::Refused => drop(listener),
            Protocol::FullBacklog => {
                // The kernel takes in one connection more than the queue is long, and answers no other.
                rustix::net::listen(listener.as_fd(), 0)?;
                while let Ok(socket) = TcpStream::connect_timeout(&addr, Duration::from_millis(300)) {
                    queued.push(socket);
                }
                held = Some(listener);
            }
            Protocol::Http | Protocol::Https | Protocol::Http2 | Protocol::Http2Tls => {
                let shared = Arc::clone(&state);
                thread::spawn(move || accept(&listener, &shared));
            }
        }
        Ok(Self { addr, state, _queued: queued, _held: held })
    }

    /// `http://127.0.0.1:port`, or `https://localhost:port`.
    pub(crate) fn url(&self) -> String {
        match self.state.script.protocol {
            Protocol::Https | Protocol::Http2Tls => format!("https://localhost:{}", self.addr.port()),
            _ => format!("http://{}", self.addr),
        }
    }

    pub(crate) fn port(&self) -> u16 {
        self.addr.port()
    }

    /// Requests read whole, to paths that the script does not single out.
    pub(crate) fn served(&self) -> u64 {
        self.state.served.load(Ordering::SeqCst)
    }

    pub(crate) fn connections(&self) -> u64 {
        self.state.connections.load(Ordering::SeqCst)
    }

    pub(crate) fn saw_key(&self) -> bool {
        self.state.key_seen.load(Ordering::SeqCst)
    }

    /// Lets all pass that wait at a gate, now and later.
    pub(crate) fn release(&self) {
        *self.state.gate.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.state.gate_opened.notify_all();
    }
}

impl Drop for ScriptedServer {
    fn drop(&mut self) {
        self.state.over.store(true, Ordering::SeqCst);
        self.state.stop_listening();
        self.release();
    }
}

fn accept(listener: &TcpListener, state: &Arc<ServerState>) {
    for socket in listener.incoming() {
        if !state.listening.load(Ordering::SeqCst) {
            return;
        }
        let Ok(socket) = socket else { continue };
        state.connections.fetch_add(1, Ordering::SeqCst);
        let state = Arc::clone(state);
        // A client that goes away is nothing that a server complains about.
        thread::spawn(move || serve(socket, &state).unwrap_or_default());
    }
}

fn serve(socket: TcpStream, state: &Arc<ServerState>) -> io::Result<()> {
    socket.set_nodelay(true)?;
    socket.set_read_timeout(Some(TICK))?;
    let mut wire = ServerSocket::new(socket, state.tls.as_ref())?;
    match state.script.protocol {
        Protocol::Http2 | Protocol::Http2Tls => http2::serve(&mut wire, state),
        _ => http1::serve(&mut wire, state),
    }
}

impl ServerState {
    fn is_over(&self) -> bool {
        self.over.load(Ordering::SeqCst)
    }

    fn stop_listening(&self) {
        if self.listening.swap(false, Ordering::SeqCst) && self.script.protocol != Protocol::Refused {
            // The thread that accepts wakes up, sees it and lets the port go.
            let _ = TcpStream::connect_timeout(&self.addr, TICK);
        }
    }

    fn listen_again(self: &Arc<Self>, after: Duration) {
        let state = Arc::clone(self);
        thread::spawn(move || {
            thread::sleep(after);
            while !state.is_over() {
                if let Ok(listener) = TcpListener::bind(state.addr) {
                    state.listening.store(true, Ordering::SeqCst);
                    return accept(&listener, &state);
                }
                thread::sleep(TICK);
            }
        });
    }

    fn wait_at_gate(&self) {
        let closed = self.gate.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.gate_opened.wait_while(closed, |open| !*open));
    }

    /// What to do for a request, which counts as served unless its path is singled out.
    fn steps_for(&self, request: &ReceivedRequest, on_connection: u64) -> Vec<ScriptStep> {
        if request.has_key {
            self.key_seen.store(true, Ordering::SeqCst);
        }
        if let Some(steps) = self.script.paths.get(&request.path) {
            return steps.clone();
        }
        let number = 1 + self.served.fetch_add(1, Ordering::SeqCst);
        let script = &self.script;
        if number <= script.good_first {
            return self.good_reply();
        }
        let steps = script.numbered.get(&number).or_else(|| script.on_connection.get(&on_connection));
        steps.or(script.on_request.as_ref()).cloned().unwrap_or_else(|| self.good_reply())
    }

    fn good_reply(&self) -> Vec<ScriptStep> {
        match self.script.protocol {
            Protocol::Http2 | Protocol::Http2Tls => http2::good_reply(),
            _ => vec![ScriptStep::Reply(Box::default())],
        }
    }
}
