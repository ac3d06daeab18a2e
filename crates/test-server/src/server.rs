//! The listener, and a thread for each connection.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use rustix::net::sockopt::set_socket_linger;
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::received::{ReceivedRequest, read_request};
use crate::reply::{AfterReply, TestReply};

/// A server on a free port of this machine. It serves until the test ends.
#[derive(Debug)]
pub struct TestServer {
    pub addr: SocketAddr,
    received: Arc<Mutex<Vec<ReceivedRequest>>>,
    secure: bool,
}

/// Says what to reply to a request, given its number from 0 in the order of arrival.
type ReplyTo = dyn Fn(usize, &ReceivedRequest) -> TestReply + Send + Sync;

impl TestServer {
    /// `answer` gets each request with its number, from 0, in the order of arrival.
    pub fn start<R: Into<TestReply>>(answer: impl Fn(usize, &ReceivedRequest) -> R + Send + Sync + 'static) -> Self {
        Self::serve(None, Arc::new(move |number, request| answer(number, request).into()))
    }

    /// As [`TestServer::start`], under TLS.
    pub fn secure<R: Into<TestReply>>(
        tls: Arc<ServerConfig>,
        answer: impl Fn(usize, &ReceivedRequest) -> R + Send + Sync + 'static,
    ) -> Self {
        Self::serve(Some(tls), Arc::new(move |number, request| answer(number, request).into()))
    }

    /// `http://127.0.0.1:...`, or `https://localhost:...`
    pub fn url(&self) -> String {
        if self.secure { format!("https://localhost:{}", self.addr.port()) } else { format!("http://{}", self.addr) }
    }

    /// All requests so far, in order of arrival.
    pub fn received(&self) -> Vec<ReceivedRequest> {
        self.received.lock().unwrap().clone()
    }

    fn serve(tls: Option<Arc<ServerConfig>>, answer: Arc<ReplyTo>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let addr = listener.local_addr().unwrap();
        let received = Arc::new(Mutex::new(Vec::new()));
        let (log, secure) = (Arc::clone(&received), tls.is_some());
        thread::spawn(move || {
            for (index, socket) in listener.incoming().map_while(Result::ok).enumerate() {
                let (log, answer, tls) = (Arc::clone(&log), Arc::clone(&answer), tls.clone());
                // A client that goes away in the middle is what some tests are about.
                thread::spawn(move || serve_connection(&socket, tls, index + 1, &log, &*answer));
            }
        });
        Self { addr, received, secure }
    }
}

trait ReadWrite: Read + Write {}
impl<T: Read + Write> ReadWrite for T {}

fn serve_connection(
    socket: &TcpStream,
    tls: Option<Arc<ServerConfig>>,
    number: usize,
    log: &Mutex<Vec<ReceivedRequest>>,
    answer: &ReplyTo,
) -> io::Result<()> {
    socket.set_nodelay(true)?;
    let mut stream: Box<dyn ReadWrite> = match tls {
        None => Box::new(socket.try_clone()?),
        Some(tls) => Box::new(StreamOwned::new(ServerConnection::new(tls).unwrap(), socket.try_clone()?)),
    };
    while let Some(request) = read_request(&mut stream, number) {
        let index = {
            let mut log = log.lock().unwrap();
            log.push(request.clone());
            log.len() - 1
        };
        let reply = answer(index, &request);
        for (index, bytes) in reply.writes.iter().enumerate() {
            if index > 0 {
                thread::sleep(reply.pause);
            }
            stream.write_all(bytes)?;
            stream.flush()?;
        }
        match reply.after {
            AfterReply::AwaitNext => {}
            AfterReply::Close => return Ok(()),
            AfterReply::Ignore => return io::copy(&mut stream, &mut io::sink()).map(drop),
            // Without waiting for what was sent, a close is a reset.
            AfterReply::Reset => {
                thread::sleep(reply.pause);
                return Ok(set_socket_linger(socket, Some(Duration::ZERO))?);
            }
        }
    }
    Ok(())
}
