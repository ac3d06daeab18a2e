//! A proxy that carries everything to one server, whatever name it is asked for, and keeps the heads of what passes.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use aiperf_test_server::read_head;

/// How the proxy treats its clients.
#[derive(Clone)]
pub(crate) enum ProxyBehaviour {
    Forwarding,
    /// Takes this long to open a way.
    Slow(Duration),
    /// Answers `CONNECT` with this line and nothing else.
    Refusing(&'static str),
    /// Wants to be spoken to under TLS.
    Secure(Arc<rustls::ServerConfig>),
}

pub(crate) struct ProxyServer {
    pub(crate) addr: SocketAddr,
    heads: Arc<Mutex<Vec<String>>>,
}

impl ProxyServer {
    pub(crate) fn start(to: SocketAddr, behaviour: ProxyBehaviour) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let addr = listener.local_addr().unwrap();
        let heads = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&heads);
        thread::spawn(move || {
            for socket in listener.incoming().map_while(Result::ok) {
                let (kept, behaviour) = (Arc::clone(&kept), behaviour.clone());
                thread::spawn(move || match behaviour {
                    ProxyBehaviour::Secure(tls) => carry_secured(socket, &tls, to, &kept),
                    behaviour => carry(socket, to, &behaviour, &kept),
                });
            }
        });
        Self { addr, heads }
    }

    pub(crate) fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }
}

fn carry(mut client: TcpStream, to: SocketAddr, behaviour: &ProxyBehaviour, kept: &Mutex<Vec<String>>) -> Option<()> {
    client.set_nodelay(true).ok()?;
    let (head, rest) = read_head(&mut client)?;
    kept.lock().unwrap().push(String::from_utf8(head.clone()).unwrap());
    let mut server = TcpStream::connect(to).unwrap();
    server.set_nodelay(true).ok()?;
    if head.starts_with(b"CONNECT ") {
        match behaviour {
            ProxyBehaviour::Refusing(line) => {
                return write!(client, "HTTP/1.1 {line}\r\nContent-Length: 0\r\n\r\n").ok();
            }
            ProxyBehaviour::Slow(time) => thread::sleep(*time),
            ProxyBehaviour::Forwarding | ProxyBehaviour::Secure(_) => {}
        }
        client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").ok()?;
    } else {
        server.write_all(&[head, rest].concat()).ok()?;
    }
    let (mut back_from, mut back_to) = (server.try_clone().ok()?, client.try_clone().ok()?);
    thread::spawn(move || {
        let _ = std::io::copy(&mut back_from, &mut back_to);
        let _ = back_to.shutdown(Shutdown::Both);
    });
    let _ = std::io::copy(&mut client, &mut server);
    server.shutdown(Shutdown::Both).ok()
}

/// One thread for both ways, as a TLS session has one state: what comes from either side is passed on as it comes.
fn carry_secured(
    socket: TcpStream,
    tls: &Arc<rustls::ServerConfig>,
    to: SocketAddr,
    kept: &Mutex<Vec<String>>,
) -> Option<()> {
    let session = rustls::ServerConnection::new(Arc::clone(tls)).unwrap();
    let mut client = rustls::StreamOwned::new(session, socket);
    let (head, rest) = read_head(&mut client)?;
    kept.lock().unwrap().push(String::from_utf8(head.clone()).unwrap());
    let mut server = TcpStream::connect(to).unwrap();
    if head.starts_with(b"CONNECT ") {
        client.write_all(b"HTTP/1.1 200 OK\r\n\r\n").ok()?;
    } else {
        server.write_all(&[head, rest].concat()).ok()?;
    }
    let tick = Some(Duration::from_millis(2));
    client.sock.set_read_timeout(tick).ok()?;
    server.set_read_timeout(tick).ok()?;
    let mut buffer = [0; 16 * 1024];
    loop {
        match client.read(&mut buffer) {
            Ok(0) => return None,
            Ok(count) => server.write_all(&buffer[..count]).ok()?,
            Err(error) if is_pause(&error) => {}
            Err(_) => return None,
        }
        match server.read(&mut buffer) {
            Ok(0) => return None,
            Ok(count) => client.write_all(&buffer[..count]).ok()?,
            Err(error) if is_pause(&error) => {}
            Err(_) => return None,
        }
    }
}

fn is_pause(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut)
}
