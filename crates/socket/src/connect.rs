//! Opens connections that are stamped from their first byte on.

use std::io;
use std::net::SocketAddr;
use std::path::Path;

use aiperf_address::SocketOptions;
use aiperf_clock::Mono;
use socket2::{SockRef, TcpKeepalive};
use tokio::net::{TcpSocket, UnixStream};

use crate::source::SourceAddresses;
use crate::stamping::Stamping;
use crate::stream::{Socket, StampedStream};

fn apply(options: &SocketOptions, socket: &TcpSocket) -> io::Result<()> {
    let socket = SockRef::from(socket);
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

pub async fn connect_tcp(
    address: SocketAddr,
    sources: &SourceAddresses,
    options: &SocketOptions,
    stamping: &Stamping,
) -> io::Result<StampedStream> {
    let since = Mono::now();
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    sources.bind(&socket, address)?;
    socket.set_nodelay(true)?;
    apply(options, &socket)?;
    let kernel = stamping.apply(&socket);
    Ok(StampedStream::new(Socket::Tcp(socket.connect(address).await?), kernel, since))
}

/// Streams over Unix sockets are not stamped by any kernel; the reading thread takes the time.
pub async fn connect_unix(path: &Path) -> io::Result<StampedStream> {
    let since = Mono::now();
    Ok(StampedStream::new(Socket::Unix(UnixStream::connect(path).await?), None, since))
}
