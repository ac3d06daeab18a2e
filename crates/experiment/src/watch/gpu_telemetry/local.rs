//! Whether a server runs on this machine.

use std::net::{IpAddr, ToSocketAddrs, UdpSocket};

use aiperf_address::{Origin, Scheme};

/// Whether connections to this server stay on this machine. Names are looked up.
pub(super) fn is_local(origin: &Origin) -> bool {
    if origin.scheme == Scheme::Unix || origin.host.eq_ignore_ascii_case("localhost") {
        return true;
    }
    if let Ok(address) = origin.host.parse::<IpAddr>() {
        return is_own(address);
    }
    let found = (origin.host.as_str(), origin.port).to_socket_addrs();
    found.is_ok_and(|mut addresses| addresses.any(|address| is_own(address.ip())))
}

/// Only the own addresses of a machine can be bound.
fn is_own(address: IpAddr) -> bool {
    address.is_loopback() || address.is_unspecified() || UdpSocket::bind((address, 0)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn local(host: &str) -> bool {
        is_local(&Origin { scheme: Scheme::Http, host: host.to_owned(), port: 8000 })
    }

    #[test]
    fn own_addresses_are_told_from_others() {
        assert!(local("localhost") && local("127.0.0.1") && local("::1") && local("0.0.0.0"));
        // An address of the documentation range belongs to no machine.
        assert!(!local("192.0.2.1"));
    }

    #[test]
    fn a_unix_socket_is_local() {
        assert!(is_local(&Origin { scheme: Scheme::Unix, host: "/run/vllm.sock".to_owned(), port: 0 }));
    }
}
