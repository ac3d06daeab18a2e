//! Where a request goes: the base URL of the user and the path of the API, joined as strings so that nothing the user
//! wrote is re-encoded.

use std::fmt;
use std::net::Ipv6Addr;

use aiperf_http::{encoded, shown_url};
use aiperf_protocol::{EndpointKind, unix_socket};
use thiserror::Error;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scheme {
    Http,
    Https,
    /// HTTP over a Unix socket.
    Unix,
}

/// A URL taken apart for a request.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RequestUrl {
    pub scheme: Scheme,
    /// To connect to: a name or an address, IPv6 without brackets; the path of a Unix socket.
    pub host: String,
    /// Zero for a Unix socket.
    pub port: u16,
    /// For the request line; begins with `/`.
    pub path_and_query: String,
    /// For the `Host` header: with brackets round IPv6, and with the port where it is not the scheme's own.
    pub host_header: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum UrlError {
    #[error("--url {0:?} holds white space or control characters; remove or percent-encode them")]
    WhiteSpace(String),
    #[error("--custom-endpoint {0:?} holds white space or control characters; remove or percent-encode them")]
    CustomPath(String),
    #[error(
        "--url {url:?} has the scheme {scheme:?}; only http://, https://, grpc://, grpcs:// and unix: can be benchmarked"
    )]
    Scheme { url: String, scheme: String },
    #[error(
        "--url {0:?} is no Unix socket; write it like unix:/run/server.sock, or unix:/run/server.sock:/v1 with a path"
    )]
    Unix(String),
    #[error("--url {0:?} names no host; write it like http://localhost:8000")]
    NoHost(String),
    #[error(
        "--url {url:?} has the host {host:?}, which is no name or address; IPv6 goes in brackets, other scripts as xn--"
    )]
    Host { url: String, host: String },
    #[error("--url {url:?} has the port {port:?}; it must be between 1 and 65535")]
    Port { url: String, port: String },
    #[error("--url {0:?} holds user name or password; send them with --header 'Authorization:Basic ...' instead")]
    UserInfo(String),
}

impl Scheme {
    pub const fn default_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
            Self::Unix => 0,
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
            Self::Unix => "unix",
        }
    }
}

impl fmt::Display for RequestUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.scheme == Scheme::Unix {
            return write!(f, "unix:{}:{}", self.host, self.path_and_query);
        }
        write!(f, "{}://{}{}", self.scheme.name(), self.host_header, self.path_and_query)
    }
}

/// Schemes that are no host names when nothing but a colon follows them.
const FOREIGN_SCHEMES: [&str; 14] =
    ["data", "file", "ftp", "ftps", "grpc", "grpcs", "javascript", "mailto", "sftp", "ssh", "tcp", "unix", "ws", "wss"];

/// The URL that requests of an endpoint type go to. `custom_path` takes the place of the type's own path; an empty one
/// appends nothing.
pub fn request_url(
    base: &str,
    custom_path: Option<&str>,
    kind: EndpointKind,
    streaming: bool,
) -> Result<RequestUrl, UrlError> {
    let unprintable = |text: &str| text.chars().any(|c| c.is_whitespace() || c.is_control());
    if unprintable(base) {
        return Err(UrlError::WhiteSpace(shown_url(base)));
    }
    if let Some(path) = custom_path.filter(|path| unprintable(path)) {
        return Err(UrlError::CustomPath(shown_url(path)));
    }
    let own_path = custom_path.unwrap_or_else(|| kind.path(streaming));
    let (append, more_query) = own_path.split_once('?').map_or((own_path, ""), |(path, query)| (path, query));
    let joined = |base_path: &str, query: &str| {
        let mut path_and_query = join(base_path, append);
        for query in [query, more_query].into_iter().filter(|query| !query.is_empty()) {
            path_and_query.push(if path_and_query.contains('?') { '&' } else { '?' });
            path_and_query.push_str(query);
        }
        encoded(&path_and_query)
    };
    if let Some((socket, rest)) = unix_socket(base).map_err(|_| UrlError::Unix(shown_url(base)))? {
        let (base_path, query) = rest.split_once('?').unwrap_or((rest, ""));
        let path_and_query = joined(base_path, query);
        let (scheme, host, host_header) = (Scheme::Unix, socket.to_owned(), "localhost".to_owned());
        return Ok(RequestUrl { scheme, host, port: 0, path_and_query, host_header });
    }
    let (scheme, rest) = split_scheme(base)?;
    let rest = rest.split('#').next().unwrap_or(rest);
    let (before_query, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, base_path) = before_query.find('/').map_or((before_query, ""), |at| before_query.split_at(at));
    let (host, port) = split_authority(base, authority)?;
    let path_and_query = joined(base_path, query);

    let bracketed = if host.contains(':') { format!("[{host}]") } else { host.clone() };
    let port = port.unwrap_or(scheme.default_port());
    let host_header = if port == scheme.default_port() { bracketed } else { format!("{bracketed}:{port}") };
    Ok(RequestUrl { scheme, host, port, path_and_query, host_header })
}

fn split_scheme(url: &str) -> Result<(Scheme, &str), UrlError> {
    if let Some((scheme, rest)) = url.split_once("://") {
        return match scheme.to_ascii_lowercase().as_str() {
            "http" | "grpc" => Ok((Scheme::Http, rest)),
            "https" | "grpcs" => Ok((Scheme::Https, rest)),
            _ => Err(UrlError::Scheme { url: shown_url(url), scheme: scheme.to_owned() }),
        };
    }
    if let Some((word, rest)) = url.split_once(':') {
        let foreign = FOREIGN_SCHEMES.contains(&word.to_ascii_lowercase().as_str());
        let is_port = rest.starts_with(|c: char| c.is_ascii_digit());
        if foreign && !is_port {
            return Err(UrlError::Scheme { url: shown_url(url), scheme: word.to_owned() });
        }
    }
    Ok((Scheme::Http, url))
}

fn split_authority(url: &str, authority: &str) -> Result<(String, Option<u16>), UrlError> {
    if authority.contains('@') {
        return Err(UrlError::UserInfo(shown_url(url)));
    }
    let wrong_host = |host: &str| UrlError::Host { url: shown_url(url), host: host.to_owned() };
    let (host, port) = if let Some(inside) = authority.strip_prefix('[') {
        let (address, after) = inside.split_once(']').ok_or_else(|| wrong_host(authority))?;
        address.parse::<Ipv6Addr>().map_err(|_| wrong_host(address))?;
        (address, after.strip_prefix(':').or(after.is_empty().then_some("")).ok_or_else(|| wrong_host(authority))?)
    } else {
        let (host, port) = authority.split_once(':').unwrap_or((authority, ""));
        if host.is_empty() {
            return Err(UrlError::NoHost(shown_url(url)));
        }
        let is_name = host.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_'));
        if !is_name || port.contains(':') {
            return Err(wrong_host(if is_name { authority } else { host }));
        }
        (host, port)
    };
    let port = match port {
        "" => None,
        digits => {
            let all_digits = digits.bytes().all(|b| b.is_ascii_digit());
            let number = digits.parse::<u16>().ok().filter(|port| all_digits && *port > 0);
            Some(number.ok_or_else(|| UrlError::Port { url: shown_url(url), port: digits.to_owned() })?)
        }
    };
    Ok((host.to_owned(), port))
}

/// Appends the API's path to the base path, which may hold it already, whole or by its version.
fn join(base_path: &str, append: &str) -> String {
    let base = base_path.trim_end_matches('/');
    let append = append.trim_start_matches('/');
    let already_there = base.strip_suffix(append).is_some_and(|before| before.ends_with('/'));
    if append.is_empty() || already_there {
        return if base.is_empty() { "/".to_owned() } else { base.to_owned() };
    }
    let append = if base.ends_with("/v1") { append.strip_prefix("v1/").unwrap_or(append) } else { append };
    format!("{base}/{append}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(base: &str) -> RequestUrl {
        request_url(base, None, EndpointKind::Chat, true).unwrap()
    }

    fn path(base: &str, custom: Option<&str>) -> String {
        request_url(base, custom, EndpointKind::Chat, false).unwrap().path_and_query
    }

    fn error(base: &str) -> String {
        request_url(base, None, EndpointKind::Chat, false).unwrap_err().to_string()
    }

    #[test]
    fn the_path_is_joined_without_doubling_what_the_base_has() {
        assert_eq!(path("http://h:8000", None), "/v1/chat/completions");
        assert_eq!(path("http://h:8000/", None), "/v1/chat/completions");
        assert_eq!(path("http://h:8000/base/v1/", None), "/base/v1/chat/completions");
        assert_eq!(path("http://h:8000/v1/chat/completions", None), "/v1/chat/completions");
        assert_eq!(path("http://h/v1/chat/completions/", None), "/v1/chat/completions");
        assert_eq!(path("http://h:8000/v1", Some("/v1/custom/chat")), "/v1/custom/chat");
        assert_eq!(path("http://h/base", Some("chat")), "/base/chat");
        assert_eq!(path("http://h/redir", Some("/redir")), "/redir");
        assert_eq!(
            path("http://h/xv1/chat/completions", Some("v1/chat/completions")),
            "/xv1/chat/completions/v1/chat/completions"
        );
    }

    #[test]
    fn an_empty_custom_path_appends_nothing() {
        assert_eq!(path("http://h/base/", Some("")), "/base");
        assert_eq!(path("http://h", Some("")), "/");
        assert_eq!(request_url("http://h", None, EndpointKind::Raw, false).unwrap().path_and_query, "/");
    }

    #[test]
    fn the_query_is_kept_as_written() {
        assert_eq!(
            path("http://h/base?api-version=1&b=2&b=%2F", None),
            "/base/v1/chat/completions?api-version=1&b=2&b=%2F"
        );
        assert_eq!(path("http://h?key=a", Some("/x?y=1")), "/x?key=a&y=1");
        assert_eq!(path("http://h/a#part", None), "/a/v1/chat/completions");
    }

    #[test]
    fn a_streaming_path_of_its_own_is_used_when_streaming() {
        let kind = EndpointKind::HuggingfaceGenerate;
        assert_eq!(request_url("h", None, kind, true).unwrap().path_and_query, "/generate_stream");
        assert_eq!(request_url("h", None, kind, false).unwrap().path_and_query, "/generate");
    }

    #[test]
    fn host_and_port_are_told_apart() {
        let plain = url("localhost:8000");
        assert_eq!((plain.scheme, plain.host.as_str(), plain.port), (Scheme::Http, "localhost", 8000));
        assert_eq!(plain.host_header, "localhost:8000");
        let tls = url("HTTPS://api.example.com/v1");
        assert_eq!((tls.scheme, tls.port, tls.host_header.as_str()), (Scheme::Https, 443, "api.example.com"));
        let six = url("http://[::1]:9000");
        assert_eq!((six.host.as_str(), six.port, six.host_header.as_str()), ("::1", 9000, "[::1]:9000"));
        assert_eq!(url("http://[::1]").host_header, "[::1]");
        assert_eq!(url("https://h:443/x").host_header, "h");
        assert_eq!(url("data:8000").host, "data", "a host may be called like a scheme");
        assert_eq!(url("http://h:8000/v1").to_string(), "http://h:8000/v1/chat/completions");
    }

    #[test]
    fn a_unix_socket_may_have_a_base_path_after_it() {
        let plain = url("unix:/run/server.sock");
        assert_eq!((plain.scheme, plain.host.as_str(), plain.port), (Scheme::Unix, "/run/server.sock", 0));
        assert_eq!((plain.path_and_query.as_str(), plain.host_header.as_str()), ("/v1/chat/completions", "localhost"));
        assert_eq!(plain.to_string(), "unix:/run/server.sock:/v1/chat/completions");
        assert_eq!(url("unix:///run/server.sock"), plain);
        assert_eq!(url("unix:/run/server.sock:/v1"), plain);
        assert_eq!(path("unix:/s.sock:/base?key=a", Some("/x")), "/base/x?key=a");
        assert_eq!(url("unix:8000").host, "unix");
        assert!(error("unix:run/server.sock").contains("no Unix socket"));
        assert!(error("unix:").contains("no Unix socket"));
        assert!(error("unix:/run/").contains("no Unix socket"));
        assert!(error("unix:/s.sock:v1").contains("no Unix socket"));
    }

    #[test]
    fn what_is_no_address_is_refused_with_its_reason() {
        assert!(error("http://a b").contains("white space"));
        assert!(error("ftp://h").contains("\"ftp\""));
        assert!(error("data:text/plain,x").contains("\"data\""));
        assert!(error("http://").contains("no host"));
        assert!(error("http://:80").contains("no host"));
        assert!(error("http://h:0").contains("between 1 and 65535"));
        assert!(error("http://h:65536").contains("between 1 and 65535"));
        assert!(error("http://h:+1").contains("between 1 and 65535"));
        assert!(error("http://::1:80").contains("no host"));
        assert!(error("http://fe80::1").contains("brackets"));
        assert!(error("http://[::zz]").contains("brackets"));
        assert!(error("http://münchen").contains("xn--"));
        assert!(
            request_url("http://h", Some("/a b"), EndpointKind::Chat, false)
                .unwrap_err()
                .to_string()
                .contains("--custom-endpoint")
        );
    }

    #[test]
    fn a_password_is_refused_and_not_repeated() {
        let text = error("http://user:secret@h/x");
        assert!(text.contains("Authorization") && !text.contains("secret"), "{text}");
        let text = error("http://h:0/v1?api-key=secret");
        assert!(text.contains("65535") && !text.contains("secret"), "{text}");
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics_and_every_result_is_plain_ascii(base in "\\PC{0,40}", custom in proptest::option::of("\\PC{0,20}")) {
            if let Ok(url) = request_url(&base, custom.as_deref(), EndpointKind::Chat, true) {
                proptest::prop_assert!(url.path_and_query.starts_with('/'));
                proptest::prop_assert!(url.path_and_query.bytes().all(|b| b.is_ascii_graphic()));
                proptest::prop_assert!(!url.host.is_empty() && (url.port > 0 || url.scheme == Scheme::Unix));
            }
        }
    }
}
