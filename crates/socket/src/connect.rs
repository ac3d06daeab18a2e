//! Opens connections that are stamped from their first byte on. A connection that is ready when the call that opens it
//! returns, as on a loopback, is used at once: its request goes out before the thread looks at anything else.

use std::io;
use std::net::SocketAddr;
use std::path::Path;

use aiperf_address::SocketOptions;
use aiperf_clock::Mono;
use socket2::{Domain, Protocol, Socket as NewSocket, TcpKeepalive, Type};
use tokio::net::TcpStream;

use crate::source::SourceAddresses;
use crate::stamping::Stamping;
use crate::stream::{Socket, StampedStream};

fn apply(options: &SocketOptions, socket: &NewSocket) -> io::Result<()> {
    let keepalive = TcpKeepalive::new()
        .with_time(options.keepalive_idle)
        .with_interval(options.keepalive_interval)
        .with_retries(options.keepalive_count);
    socket.set_tcp_keepalive(&keepalive)?;
    // The system cuts sizes beyond what it allows; it does not refuse them.
    options.receive_buffer.map_or(Ok(()), |bytes| socket.set_recv_buffer_size(bytes))?;
    options.send_buffer.map_or(Ok(()), |bytes| socket.set_send_buffer_size(bytes))?;
    #[cfg(target_os = "linux")]
    socket.set_tcp_user_timeout(Some(options.user_timeout))?;
    Ok(())
}

/// Returns at once; the connection is ready, or goes on to be made.
#[cfg(unix)]
fn begin_connecting(socket: &NewSocket, address: SocketAddr) -> io::Result<()> {
    match rustix::net::connect(socket, &address) {
        Ok(()) | Err(rustix::io::Errno::INPROGRESS) => Ok(()),
        Err(refused) => Err(refused.into()),
    }
}

/// Returns at once; the connection is ready, or goes on to be made.
#[cfg(not(unix))]
fn begin_connecting(socket: &NewSocket, address: SocketAddr) -> io::Result<()> {
    match socket.connect(&address.into()) {
        Err(refused) if refused.kind() != io::ErrorKind::WouldBlock => Err(refused),
        _ => Ok(()),
    }
}

#[cfg(target_os = "linux")]
fn new_socket(domain: Domain) -> io::Result<NewSocket> {
    NewSocket::new(domain, Type::STREAM.nonblocking(), Some(Protocol::TCP))
}

#[cfg(not(target_os = "linux"))]
fn new_socket(domain: Domain) -> io::Result<NewSocket> {
    let socket = NewSocket::new(domain, Type::STREAM, Some(Protocol::TCP))?;
    socket.set_nonblocking(true)?;
    Ok(socket)
}

pub async fn connect_tcp(
    address: SocketAddr,
    sources: &SourceAddresses,
    options: &SocketOptions,
    stamping: &Stamping,
) -> io::Result<StampedStream> {
    let since = Mono::now();
    let socket = new_socket(Domain::for_address(address))?;
    sources.bind(&socket, address)?;
    socket.set_tcp_nodelay(true)?;
    apply(options, &socket)?;
    let kernel = stamping.apply(&socket);
    begin_connecting(&socket, address)?;
    let stream = TcpStream::from_std(socket.into())?;
    // On a loopback the handshake is over by now, although the call said that it goes on. Only a connected socket has a peer.
    if stream.peer_addr().is_err() {
        stream.writable().await?;
        if let Some(refused) = stream.take_error()? {
            return Err(refused);
        }
    }
    Ok(StampedStream::new(Socket::Tcp(stream), kernel, since))
}

/// Streams over Unix sockets are not stamped by any kernel; the reading thread takes the time.
#[cfg(unix)]
pub async fn connect_unix(path: &Path) -> io::Result<StampedStream> {
    let since = Mono::now();
    Ok(StampedStream::new(Socket::Unix(tokio::net::UnixStream::connect(path).await?), None, since))
}

/// Fails: this platform has no Unix sockets.
#[cfg(not(unix))]
pub async fn connect_unix(_path: &Path) -> io::Result<StampedStream> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "this platform has no Unix sockets"))
}
