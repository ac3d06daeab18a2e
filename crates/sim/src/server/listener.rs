//! Listening sockets: one for each serving thread, all on one address.

use std::net::{SocketAddr, TcpListener};

use aiperf_socket::ask_for_stamps;
use socket2::{Domain, Protocol, Socket, Type};

use crate::error::SimError;

/// Connections that may wait to be accepted; the system caps it.
const BACKLOG: i32 = 4096;

/// As many sockets as there are threads. The system spreads connections over them.
pub(crate) fn listen(bind: SocketAddr, threads: u32) -> Result<(Vec<TcpListener>, SocketAddr), SimError> {
    let failed = |source| SimError::Bind { address: bind, source };
    let first = open(bind, threads > 1).map_err(failed)?;
    let address = first.local_addr().map_err(failed)?;
    let mut listeners = vec![first];
    for _ in 1..threads {
        let next = another(&listeners[0], address).map_err(failed)?;
        listeners.push(next);
    }
    Ok((listeners, address))
}

/// A socket for one thread alone.
pub(crate) fn listen_alone(bind: SocketAddr) -> Result<(TcpListener, SocketAddr), SimError> {
    let failed = |source| SimError::Bind { address: bind, source };
    let listener = open(bind, false).map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    Ok((listener, address))
}

/// One more socket on the address of the first.
#[cfg(unix)]
fn another(_first: &TcpListener, address: SocketAddr) -> std::io::Result<TcpListener> {
    open(address, true)
}

/// The same socket once more: this system has no way to spread connections over several.
#[cfg(not(unix))]
fn another(first: &TcpListener, _address: SocketAddr) -> std::io::Result<TcpListener> {
    first.try_clone()
}

fn open(address: SocketAddr, shared: bool) -> std::io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    socket.set_reuse_address(true)?;
    #[cfg(unix)]
    if shared {
        socket.set_reuse_port(true)?;
    }
    #[cfg(not(unix))]
    let _ = shared;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    // Connections have this setting from the socket that accepts them, so that a request that comes before its connection is
    // accepted is stamped too. A system without such stamps leaves the time to the reading thread.
    let _ = ask_for_stamps(&socket);
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}
