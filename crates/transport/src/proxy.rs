//! Proxies between us and the server: which one a connection goes through, and how it is asked to let us through.

use std::fmt;
use std::future::poll_fn;
use std::io::{self, IoSlice};
use std::net::IpAddr;

use tokio::io::ReadBuf;

use crate::connection::Wire;
use crate::error::TransportError;
use crate::origin::{Origin, Scheme};
use crate::request::Request;

/// An answer to `CONNECT` that is longer than this is none.
const MAX_ANSWER: usize = 16 * 1024;

/// A proxy and what it wants to know us by.
#[derive(Clone, PartialEq, Eq)]
pub struct Proxy {
    /// `http`, or `https` where the way to the proxy is secured itself.
    pub origin: Origin,
    /// Value of `Proxy-Authorization`.
    pub authorization: Option<String>,
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Proxy({})", self.origin)
    }
}

/// The proxies of a run.
#[derive(Debug, Clone, Default)]
pub struct Proxies {
    /// For `http` servers.
    pub http: Option<Proxy>,
    /// For `https` servers.
    pub https: Option<Proxy>,
    /// Servers that are reached directly: names with all below them, with or without a port, networks, or `*`.
    pub bypass: Vec<String>,
}

impl Proxies {
    /// The proxy on the way to this server.
    pub fn of(&self, origin: &Origin) -> Option<&Proxy> {
        let proxy = match origin.scheme {
            Scheme::Http => self.http.as_ref()?,
            Scheme::Https => self.https.as_ref()?,
            Scheme::Unix => return None,
        };
        let bypassed = self.bypass.iter().any(|pattern| covers(pattern, origin));
        (!bypassed).then_some(proxy)
    }
}

/// Python's rule, which the reference goes by, and Go's for networks: a host is covered by its own name, by what its name ends in
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
    let host_and_port =
        if host.contains(':') { format!("[{host}]:{}", origin.port) } else { format!("{host}:{}", origin.port) };
    let bare = pattern.trim_start_matches('[').trim_end_matches(']');
    if let (Ok(wanted), Ok(address)) = (bare.parse::<IpAddr>(), host.parse::<IpAddr>()) {
        return wanted == address;
    }
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

/// The request as a proxy wants it that passes on plain HTTP: with the whole URL, and with our credentials.
pub(crate) fn for_proxy<'a>(request: &Request<'a>, proxy: &Proxy) -> Request<'a> {
    let mut head = request.head.clone();
    if let Some(authorization) = &proxy.authorization {
        head.truncate(head.len() - 2);
        head.extend_from_slice(format!("Proxy-Authorization: {authorization}\r\n\r\n").as_bytes());
    }
    let path = head.iter().position(|byte| *byte == b' ').map_or(0, |at| at + 1);
    let origin = request.origin;
    let url = if origin.port == 80 { format!("http://{}", origin.authority_host()) } else { origin.to_string() };
    head.splice(path..path, url.into_bytes());
    Request { origin, head, body: request.body.clone(), message_limit: request.message_limit }
}

/// Has the proxy open a way to the server. What follows on the wire is between the server and us.
pub(crate) async fn tunnel(wire: &mut Wire, origin: &Origin, proxy: &Proxy) -> Result<(), TransportError> {
    let refused = |reason: String| TransportError::Proxy { proxy: proxy.origin.clone(), status: None, reason };
    let broken = |cause: io::Error| refused(format!("broke off: {cause}"));
    let place = format!("{}:{}", origin.authority_host(), origin.port);
    let mut ask = format!("CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n");
    if let Some(authorization) = &proxy.authorization {
        ask.push_str(&format!("Proxy-Authorization: {authorization}\r\n"));
    }
    ask.push_str("\r\n");
    let mut rest = ask.as_bytes();
    while !rest.is_empty() {
        let count = poll_fn(|cx| wire.poll_write(cx, &[IoSlice::new(rest)])).await.map_err(broken)?;
        if count == 0 {
            return Err(broken(io::ErrorKind::WriteZero.into()));
        }
        rest = &rest[count..];
    }
    poll_fn(|cx| wire.poll_flush(cx)).await.map_err(broken)?;

    let mut answer = Vec::new();
    let mut buffer = [0_u8; 1024];
    loop {
        let mut read = ReadBuf::new(&mut buffer);
        poll_fn(|cx| wire.poll_read(cx, &mut read)).await.map_err(broken)?;
        if read.filled().is_empty() {
            return Err(refused("closed the connection instead of answering CONNECT".into()));
        }
        answer.extend_from_slice(read.filled());
        let mut slots = [httparse::EMPTY_HEADER; 64];
        let mut response = httparse::Response::new(&mut slots);
        match response.parse(&answer) {
            Ok(httparse::Status::Partial) if answer.len() <= MAX_ANSWER => {}
            Ok(httparse::Status::Complete(used)) => {
                let status = response.code.unwrap_or(0);
                if !(200..300).contains(&status) {
                    let reason = format!("answers {status} {}", response.reason.unwrap_or_default());
                    let proxy = proxy.origin.clone();
                    return Err(TransportError::Proxy { proxy, status: Some(status), reason });
                }
                // The server speaks only after us: nothing of it can be here yet.
                return if used == answer.len() { Ok(()) } else { Err(refused("sent more than an answer".into())) };
            }
            Ok(httparse::Status::Partial) => return Err(refused("sends an answer without end".into())),
            Err(error) => return Err(refused(format!("does not speak HTTP: {error}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

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
        let proxy = |port| Proxy { origin: origin(Scheme::Http, "proxy", port), authorization: None };
        let proxies = Proxies { http: Some(proxy(1)), https: Some(proxy(2)), bypass: vec!["near".into()] };
        let port = |scheme, host: &str| proxies.of(&origin(scheme, host, 80)).map(|proxy| proxy.origin.port);
        assert_eq!(port(Scheme::Http, "far"), Some(1));
        assert_eq!(port(Scheme::Https, "far"), Some(2));
        assert_eq!(port(Scheme::Https, "near"), None);
        assert_eq!(port(Scheme::Unix, "/run/far"), None);
    }

    #[test]
    fn a_plain_request_names_the_whole_url_to_the_proxy() {
        let server = origin(Scheme::Http, "h", 8000);
        let request = Request::post(&server, "/p", [("Host", "h:8000")], Bytes::from_static(b"{}"));
        let proxy = Proxy { origin: origin(Scheme::Http, "proxy", 1), authorization: Some("Basic eA==".into()) };
        let text = String::from_utf8(for_proxy(&request, &proxy).head).unwrap();
        let expected = "POST http://h:8000/p HTTP/1.1\r\nHost: h:8000\r\nContent-Length: 2\r\n\
                        Proxy-Authorization: Basic eA==\r\n\r\n";
        assert_eq!(text, expected);
        assert!(!format!("{proxy:?}").contains("eA=="));
    }
}
