//! Proxies between us and the servers, and which servers are reached without one.

use std::net::IpAddr;

use crate::{Credentials, Origin, Scheme};

/// A proxy, and who we are to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proxy {
    /// `http`, or `https` if the proxy itself is spoken to under TLS.
    pub origin: Origin,
    pub credentials: Option<Credentials>,
    /// The environment variable that named it.
    pub variable: String,
}

/// The proxies of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Proxies {
    /// For `http` servers.
    pub http: Option<Proxy>,
    /// For `https` servers.
    pub https: Option<Proxy>,
    /// Servers that are reached directly: names with all below them, with or without a port, networks, or `*`.
    pub bypass: Vec<String>,
}

impl Proxies {
    pub fn all(&self) -> impl Iterator<Item = &Proxy> {
        [&self.http, &self.https].into_iter().flatten()
    }

    /// The proxy on the way to this server.
    pub fn of(&self, origin: &Origin) -> Option<&Proxy> {
        let proxy = match origin.scheme.carrier() {
            Scheme::Https => self.https.as_ref()?,
            Scheme::Unix => return None,
            _ => self.http.as_ref()?,
        };
        let bypassed = self.bypass.iter().any(|pattern| covers(pattern, origin));
        (!bypassed).then_some(proxy)
    }
}

/// Python's rule, which the reference follows, and Go's for networks: a host is covered by its own name, by what its name ends in
/// after a dot (with or without a port), and by the network that its address lies in.
fn covers(pattern: &str, origin: &Origin) -> bool {
    let pattern = pattern.trim().to_ascii_lowercase();
    let pattern = pattern.strip_prefix("*.").unwrap_or(&pattern).trim_start_matches('.');
    if pattern.is_empty() {
        return false;
    }
    let host = origin.host.to_ascii_lowercase();
    if let (Some((network, bits)), Ok(address)) = (pattern.split_once('/'), host.parse()) {
        return lies_in(address, network, bits);
    }
    let bare = pattern.trim_start_matches('[').trim_end_matches(']');
    if let (Ok(wanted), Ok(address)) = (bare.parse::<IpAddr>(), host.parse::<IpAddr>()) {
        return wanted == address;
    }
    let host_and_port = origin.host_and_port().to_ascii_lowercase();
    let ends =
        |name: &str, end: &str| name.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    pattern == "*" || ends(&host, bare) || ends(&host_and_port, pattern)
}
/// Whether an address begins with as many bits of the network's.
fn lies_in(address: IpAddr, network: &str, bits: &str) -> bool {
    let Ok(bits) = bits.parse::<u32>() else { return false };
    match (address, network.parse()) {
        (IpAddr::V4(address), Ok(IpAddr::V4(network))) if bits <= 32 => {
            (address.to_bits() ^ network.to_bits()).leading_zeros() >= bits
        }
        (IpAddr::V6(address), Ok(IpAddr::V6(network))) if bits <= 128 => {
            (address.to_bits() ^ network.to_bits()).leading_zeros() >= bits
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(scheme: Scheme, host: &str, port: u16) -> Origin {
        Origin { scheme, host: host.to_owned(), port }
    }

    #[test]
    fn a_server_is_bypassed_by_name_domain_and_port() {
        let bypassed = |pattern: &str, host: &str, port: u16| covers(pattern, &origin(Scheme::Http, host, port));
        assert!(bypassed("example.com", "example.com", 80));
        assert!(bypassed(".example.com", "API.example.com", 80));
        assert!(bypassed("example.com:8000", "api.example.com", 8000));
        assert!(bypassed("*", "anything", 1));
        assert!(bypassed("127.0.0.1", "127.0.0.1", 9) && bypassed("::1", "::1", 9) && bypassed("[::1]:9", "::1", 9));
        assert!(!bypassed("example.com", "badexample.com", 80));
        assert!(!bypassed("example.com:8000", "example.com", 80));
        assert!(!bypassed("", "example.com", 80) && !bypassed(" . ", "example.com", 80));
    }

    #[test]
    fn a_server_is_bypassed_by_its_network() {
        let bypassed = |pattern: &str, host: &str| covers(pattern, &origin(Scheme::Http, host, 80));
        assert!(bypassed("10.0.0.0/8", "10.255.1.2") && bypassed(" 127.0.0.0/8 ", "127.0.0.1"));
        assert!(bypassed("192.168.1.7/32", "192.168.1.7") && bypassed("0.0.0.0/0", "8.8.8.8"));
        assert!(bypassed("fd00::/8", "fd12::1") && bypassed("::1/128", "::1") && bypassed("0:0::1", "::1"));
        assert!(!bypassed("10.0.0.0/8", "11.0.0.1") && !bypassed("10.0.0.0/33", "10.0.0.0"));
        assert!(!bypassed("10.0.0.0/8", "ten.example") && !bypassed("::/0", "10.0.0.1") && !bypassed("a/b", "a"));
        assert!(bypassed("*.example.com", "api.example.com"));
    }

    #[test]
    fn each_scheme_has_its_own_proxy() {
        let proxy =
            |port| Proxy { origin: origin(Scheme::Http, "proxy", port), credentials: None, variable: String::new() };
        let proxies = Proxies { http: Some(proxy(1)), https: Some(proxy(2)), bypass: vec!["near".into()] };
        let port = |scheme, host: &str| proxies.of(&origin(scheme, host, 80)).map(|proxy| proxy.origin.port);
        assert_eq!(port(Scheme::Http, "far"), Some(1));
        assert_eq!(port(Scheme::Https, "far"), Some(2));
        assert_eq!(port(Scheme::Https, "near"), None);
        assert_eq!(port(Scheme::Unix, "/run/far"), None);
    }
}
