//! One accepted connection, plain or under TLS.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use rustix::net::sockopt::set_socket_linger;
use rustls::{ServerConfig, ServerConnection};

#[derive(Debug)]
pub(super) struct ServerSocket {
    socket: TcpStream,
    tls: Option<Box<ServerConnection>>,
}

impl ServerSocket {
    pub(super) fn new(socket: TcpStream, tls: Option<&Arc<ServerConfig>>) -> io::Result<Self> {
        let session = |config: &Arc<ServerConfig>| ServerConnection::new(Arc::clone(config)).map_err(io::Error::other);
        Ok(Self { socket, tls: tls.map(session).transpose()?.map(Box::new) })
    }

    /// The next close is a reset.
    pub(super) fn reset_on_close(&self) -> io::Result<()> {
        Ok(set_socket_linger(&self.socket, Some(Duration::ZERO))?)
    }

    pub(super) fn send_no_more(&self) -> io::Result<()> {
        self.socket.shutdown(Shutdown::Write)
    }

    /// Says under TLS that the connection ends.
    pub(super) fn notify_close(&mut self) -> io::Result<()> {
        if let Some(tls) = &mut self.tls {
            tls.send_close_notify();
            tls.write_tls(&mut self.socket)?;
        }
        Ok(())
    }
}

impl Read for ServerSocket {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.tls {
            None => self.socket.read(buffer),
            Some(tls) => rustls::Stream::new(tls.as_mut(), &mut self.socket).read(buffer),
        }
    }
}

impl Write for ServerSocket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.tls {
            None => self.socket.write(bytes),
            Some(tls) => rustls::Stream::new(tls.as_mut(), &mut self.socket).write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.tls {
            None => self.socket.flush(),
            Some(tls) => rustls::Stream::new(tls.as_mut(), &mut self.socket).flush(),
        }
    }
}
