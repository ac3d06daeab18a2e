//! The addresses that connections leave from. One address has some 28,000 ports for connections to one server; more
//! connections need more addresses.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use socket2::Socket;

/// Taken in turn by all connections of a run. Without any, the system chooses. Cheap to clone; clones share their turn.
#[derive(Debug, Clone, Default)]
pub struct SourceAddresses {
    ring: Option<Arc<Ring>>,
}

#[derive(Debug)]
struct Ring {
    addresses: Vec<IpAddr>,
    turn: AtomicUsize,
}

impl SourceAddresses {
    pub fn new(addresses: Vec<IpAddr>) -> Self {
        let ring = (!addresses.is_empty()).then(|| Arc::new(Ring { addresses, turn: AtomicUsize::new(0) }));
        Self { ring }
    }

    /// The next one that can reach `to`; `None` leaves the choice to the system.
    fn next(&self, to: SocketAddr) -> io::Result<Option<IpAddr>> {
        let Some(ring) = &self.ring else { return Ok(None) };
        let start = ring.turn.fetch_add(1, Ordering::Relaxed);
        let count = ring.addresses.len();
        let in_turn = (0..count).map(|step| ring.addresses[(start + step) % count]);
        match in_turn.into_iter().find(|address| address.is_ipv4() == to.is_ipv4()) {
            Some(address) => Ok(Some(address)),
            None => Err(io::Error::other(format!("--source-address has no address of the IP version of {}", to.ip()))),
        }
    }

    /// Gives a socket that is about to be connected its address.
    pub(crate) fn bind(&self, socket: &Socket, to: SocketAddr) -> io::Result<()> {
        let Some(address) = self.next(to)? else { return Ok(()) };
        choose_port_when_connecting(socket);
        socket.bind(&SocketAddr::new(address, 0).into()).map_err(|cause| {
            io::Error::new(cause.kind(), format!("--source-address {address} cannot be used on this machine: {cause}"))
        })
    }
}

/// Otherwise a port is taken for the address alone, and not for the pair of addresses, so that two servers share them.
#[cfg(target_os = "linux")]
fn choose_port_when_connecting(socket: &Socket) {
    use nix::sys::socket::{setsockopt, sockopt};
    // A kernel that does not know this (before 4.2) has fewer ports to give.
    let _ = setsockopt(socket, sockopt::IpBindAddressNoPort, &true);
}

#[cfg(not(target_os = "linux"))]
fn choose_port_when_connecting(_socket: &Socket) {}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn addresses_take_turns_and_those_of_the_other_version_are_passed_over() {
        let sources = SourceAddresses::new(vec![ip("127.0.0.2"), ip("::1"), ip("127.0.0.3")]);
        let to = SocketAddr::new(ip("127.0.0.1"), 80);
        let taken: Vec<_> = (0..6).map(|_| sources.clone().next(to).unwrap().unwrap().to_string()).collect();
        assert_eq!(taken, ["127.0.0.2", "127.0.0.3", "127.0.0.3", "127.0.0.2", "127.0.0.3", "127.0.0.3"]);
        assert_eq!(sources.next(SocketAddr::new(ip("::1"), 80)).unwrap(), Some(ip("::1")));
    }

    #[test]
    fn without_addresses_the_system_chooses() {
        let to = SocketAddr::new(ip("127.0.0.1"), 80);
        assert_eq!(SourceAddresses::default().next(to).unwrap(), None);
        assert_eq!(SourceAddresses::new(Vec::new()).next(to).unwrap(), None);
    }

    #[test]
    fn a_server_that_none_of_them_can_reach_is_an_error_that_names_the_option() {
        let sources = SourceAddresses::new(vec![ip("127.0.0.2")]);
        let error = sources.next(SocketAddr::new(ip("::1"), 80)).unwrap_err().to_string();
        assert!(error.contains("--source-address") && error.contains("::1"), "{error}");
    }
}
