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

/// What a connection is set to before it is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SocketOptions {
    /// Bytes; `None`: the system sizes it as the connection needs.
    pub receive_buffer: Option<usize>,
    pub send_buffer: Option<usize>,
    /// Quiet time before the kernel asks whether the peer is still there.
    pub keepalive_idle: Duration,
    pub keepalive_interval: Duration,
    /// Questions without an answer that end the connection.
    pub keepalive_count: u32,
    /// How long sent data may stay unacknowledged (Linux).
    pub user_timeout: Option<Duration>,
}

impl Default for SocketOptions {
    fn default() -> Self {
        Self {
            receive_buffer: None,
            send_buffer: None,
            keepalive_idle: Duration::from_secs(60),
            keepalive_interval: Duration::from_secs(30),
            keepalive_count: 1,
            user_timeout: Some(Duration::from_secs(30)),
        }
    }
}

impl SocketOptions {
    fn apply(&self, socket: &TcpSocket) -> io::Result<()> {
        let socket = SockRef::from(socket);
        let keepalive = TcpKeepalive::new()
            .with_time(self.keepalive_idle)
            .with_interval(self.keepalive_interval)
            .with_retries(self.keepalive_count);
        socket.set_tcp_keepalive(&keepalive)?;
        // Sizes beyond what the system allows are cut to it, not refused.
        self.receive_buffer.map_or(Ok(()), |bytes| socket.set_recv_buffer_size(bytes))?;
        self.send_buffer.map_or(Ok(()), |bytes| socket.set_send_buffer_size(bytes))?;
        #[cfg(target_os = "linux")]
        socket.set_tcp_user_timeout(self.user_timeout)?;
        Ok(())
    }
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
    options.apply(&socket)?;
    let kernel = stamping.apply(&socket);
    Ok(StampedStream::new(Socket::Tcp(socket.connect(address).await?), kernel, since))
}

/// Streams over Unix sockets are not stamped by any kernel; the reading thread takes the time.
pub async fn connect_unix(path: &Path) -> io::Result<StampedStream> {
    let since = Mono::now();
    Ok(StampedStream::new(Socket::Unix(UnixStream::connect(path).await?), None, since))
}
