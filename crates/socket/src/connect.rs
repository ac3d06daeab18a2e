//! Opens connections that are stamped from their first byte on.

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use aiperf_clock::Mono;
use socket2::{SockRef, TcpKeepalive};
use tokio::net::{TcpSocket, UnixStream};

use crate::source::SourceAddresses;
use crate::stamping::Stamping;
use crate::stream::{Socket, StampedStream};

/// Idle time before the kernel asks whether the peer is still there.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(60);

pub async fn connect_tcp(
    address: SocketAddr,
    sources: &SourceAddresses,
    stamping: &Stamping,
) -> io::Result<StampedStream> {
    let since = Mono::now();
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    sources.bind(&socket, address)?;
    socket.set_nodelay(true)?;
    SockRef::from(&socket).set_tcp_keepalive(&TcpKeepalive::new().with_time(KEEPALIVE_IDLE))?;
    let kernel = stamping.apply(&socket);
    Ok(StampedStream::new(Socket::Tcp(socket.connect(address).await?), kernel, since))
}

/// Streams over Unix sockets are not stamped by any kernel; the reading thread takes the time.
pub async fn connect_unix(path: &Path) -> io::Result<StampedStream> {
    let since = Mono::now();
    Ok(StampedStream::new(Socket::Unix(UnixStream::connect(path).await?), None, since))
}
