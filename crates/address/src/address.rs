//! The address of a server, as a user gives it.

use std::fmt;

use thiserror::Error;

use crate::authority::host_and_port;
use crate::credentials::Credentials;
use crate::scheme::is_foreign;
use crate::{Origin, RequestTarget, Scheme, UrlText};

/// A base URL, parsed. What was typed is kept, so that messages and files show it unchanged; see `aiperf-redact` for how it is
/// shown without secrets.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Address {
    text: String,
    scheme: Scheme,
    credentials: Option<Credentials>,
    host: String,
    port: Option<u16>,
    path: String,
    query: String,
}

/// Why a text is not the address of a server.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AddressError {
    #[error("the scheme {0}:// is not supported; use http://, https://, grpc:// or grpcs://")]
    Scheme(String),
    #[error("the scheme {0}: is not supported; use http:// or https://")]
    BareScheme(String),
    #[error("a Unix socket is written unix:/run/server.sock, or unix:/run/server.sock:/v1 with a path")]
    Unix,
    #[error("a gRPC server has no path; give its host and port only")]
    GrpcPath,
    #[error("the host is missing; write it like http://localhost:8000")]
    NoHost,
    #[error("{0:?} is not a host name or address; write IPv6 addresses in brackets and names in other scripts as xn--")]
    Host(String),
    #[error("{0:?} after the host makes no sense")]
    AfterHost(String),
    #[error("the port must be 1 to 65535, not {0:?}")]
    Port(String),
}

impl Address {
    /// Reads a URL or `unix:/path`. Text without a scheme gets `default`.
    pub fn parse(text: &str, default: Scheme) -> Result<Self, AddressError> {
        if let Some((socket, rest)) = unix_socket(text)? {
            let rest = UrlText::split(rest);
            return Ok(Self {
                text: text.to_owned(),
                scheme: Scheme::Unix,
                credentials: None,
                host: socket.to_owned(),
                port: None,
                path: rest.path.to_owned(),
                query: rest.query().unwrap_or_default().to_owned(),
            });
        }
        let url = UrlText::split(text);
        let (scheme, text) = if let Some(name) = url.scheme() {
            let scheme = Scheme::from_name(name).ok_or_else(|| AddressError::Scheme(name.to_owned()))?;
            (scheme, text.to_owned())
        } else {
            refuse_foreign_scheme(&url)?;
            (default, format!("{}://{text}", default.name()))
        };
        if scheme.is_grpc() && !(["", "/"].contains(&url.path) && url.query_and_fragment.is_empty()) {
            return Err(AddressError::GrpcPath);
        }
        let (host, port) = host_and_port(url.host_and_port)?;
        Ok(Self {
            text,
            scheme,
            credentials: url.user_info().map(Credentials::from_user_info),
            host: host.to_owned(),
            port,
            path: url.path.to_owned(),
            query: url.query().unwrap_or_default().to_owned(),
        })
    }

    /// The address of a server without a path.
    pub fn of_server(scheme: Scheme, host: &str, port: u16) -> Self {
        let origin = Origin { scheme, host: host.to_owned(), port };
        Self {
            text: origin.to_string(),
            scheme,
            credentials: None,
            host: origin.host,
            port: Some(port),
            path: String::new(),
            query: String::new(),
        }
    }

    /// As it was typed, with its scheme. It may contain a password and keys.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    pub const fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The user and password before the host.
    pub const fn credentials(&self) -> Option<&Credentials> {
        self.credentials.as_ref()
    }

    /// Where connections to this server lead.
    pub fn origin(&self) -> Origin {
        let scheme = self.scheme.carrier();
        Origin { scheme, host: self.host.clone(), port: self.port.unwrap_or(scheme.default_port()) }
    }

    /// Where a request goes whose API has this path. The base path may hold the API's path already, whole or up to its version;
    /// an empty path appends nothing. Nothing that was typed is changed, except that blanks and letters beyond ASCII are
    /// percent-encoded.
    pub fn request_target(&self, api_path: &str) -> RequestTarget {
        let (append, more_query) = api_path.split_once('?').unwrap_or((api_path, ""));
        let mut path_and_query = joined(&self.path, append);
        for query in [self.query.as_str(), more_query].into_iter().filter(|query| !query.is_empty()) {
            path_and_query.push(if path_and_query.contains('?') { '&' } else { '?' });
            path_and_query.push_str(query);
        }
        RequestTarget::new(self.origin(), &path_and_query)
    }
}

/// Without what may be secret.
impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({} {})", self.origin(), self.path)
    }
}

/// `unix:/run/server.sock`, `unix:///run/server.sock`, and either with `:/base/path` after it: the socket and the rest. `None`
/// for other addresses; a host may be called `unix`.
fn unix_socket(url: &str) -> Result<Option<(&str, &str)>, AddressError> {
    let Some(after) = url.get(..5).filter(|scheme| scheme.eq_ignore_ascii_case("unix:")).map(|_| &url[5..]) else {
        return Ok(None);
    };
    if after.starts_with(|c: char| c.is_ascii_digit()) {
        return Ok(None);
    }
    let after = after.strip_prefix("//").unwrap_or(after);
    let (socket, rest) = after.split_once(':').unwrap_or((after, ""));
    let is_path = socket.starts_with('/') && !socket.ends_with('/');
    if !is_path || !(rest.is_empty() || rest.starts_with('/')) {
        return Err(AddressError::Unix);
    }
    Ok(Some((socket, rest)))
}

/// Another protocol's scheme with a bare colon after it. A host may have the name of a scheme, if a port follows.
fn refuse_foreign_scheme(url: &UrlText<'_>) -> Result<(), AddressError> {
    let Some((word, port)) = url.host_and_port.split_once(':').filter(|_| url.user_prefix.is_empty()) else {
        return Ok(());
    };
    let is_port = !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit());
    if !is_port && is_foreign(word) { Err(AddressError::BareScheme(word.to_owned())) } else { Ok(()) }
}

/// Appends the API's path to the base path, which may hold it already, whole or by its version.
fn joined(base_path: &str, append: &str) -> String {
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

    fn address(text: &str) -> Address {
        Address::parse(text, Scheme::Http).unwrap()
    }

    fn error(text: &str) -> AddressError {
        Address::parse(text, Scheme::Http).unwrap_err()
    }

    fn target(text: &str) -> RequestTarget {
        address(text).request_target("/v1/chat/completions")
    }

    fn path(text: &str, api_path: &str) -> String {
        address(text).request_target(api_path).path_and_query
    }

    #[test]
    fn the_path_is_joined_without_doubling_what_the_base_has() {
        let chat = "/v1/chat/completions";
        assert_eq!(path("http://h:8000", chat), "/v1/chat/completions");
        assert_eq!(path("http://h:8000/", chat), "/v1/chat/completions");
        assert_eq!(path("http://h:8000/base/v1/", chat), "/base/v1/chat/completions");
        assert_eq!(path("http://h:8000/v1/chat/completions", chat), "/v1/chat/completions");
        assert_eq!(path("http://h/v1/chat/completions/", chat), "/v1/chat/completions");
        assert_eq!(path("http://h:8000/v1", "/v1/custom/chat"), "/v1/custom/chat");
        assert_eq!(path("http://h/base", "chat"), "/base/chat");
        assert_eq!(path("http://h/redir", "/redir"), "/redir");
        assert_eq!(
            path("http://h/xv1/chat/completions", "v1/chat/completions"),
            "/xv1/chat/completions/v1/chat/completions"
        );
    }

    #[test]
    fn an_empty_path_appends_nothing() {
        assert_eq!(path("http://h/base/", ""), "/base");
        assert_eq!(path("http://h", ""), "/");
    }

    #[test]
    fn the_query_is_kept_as_written() {
        assert_eq!(path("http://h/base?api-version=1&b=2&b=%2F", "/v1/chat"), "/base/v1/chat?api-version=1&b=2&b=%2F");
        assert_eq!(path("http://h?key=a", "/x?y=1"), "/x?key=a&y=1");
        assert_eq!(path("http://h/a#part", "/v1/chat"), "/a/v1/chat");
    }

    #[test]
    fn host_and_port_are_told_apart() {
        let plain = target("localhost:8000");
        let origin = &plain.origin;
        assert_eq!((origin.scheme, origin.host.as_str(), origin.port), (Scheme::Http, "localhost", 8000));
        assert_eq!(plain.host_header, "localhost:8000");
        let tls = target("HTTPS://api.example.com/v1");
        assert_eq!((tls.origin.scheme, tls.origin.port), (Scheme::Https, 443));
        assert_eq!(tls.host_header, "api.example.com");
        let six = target("http://[::1]:9000");
        assert_eq!((six.origin.host.as_str(), six.origin.port, six.host_header.as_str()), ("::1", 9000, "[::1]:9000"));
        assert_eq!(target("http://[::1]").host_header, "[::1]");
        assert_eq!(target("https://h:443/x").host_header, "h");
        assert_eq!(target("data:8000").origin.host, "data", "a host may be called like a scheme");
        assert_eq!(target("http://h:8000/v1").to_string(), "http://h:8000/v1/chat/completions");
    }

    #[test]
    fn grpc_goes_over_http() {
        let grpc = Address::parse("h:8001", Scheme::Grpc).unwrap();
        assert_eq!((grpc.as_str(), grpc.scheme(), grpc.origin().scheme), ("grpc://h:8001", Scheme::Grpc, Scheme::Http));
        assert_eq!(address("grpcs://[::1]:8001/").origin().to_string(), "https://[::1]:8001");
    }

    #[test]
    fn a_unix_socket_may_have_a_base_path_after_it() {
        let plain = target("unix:/run/server.sock");
        let origin = &plain.origin;
        assert_eq!((origin.scheme, origin.host.as_str(), origin.port), (Scheme::Unix, "/run/server.sock", 0));
        assert_eq!((plain.path_and_query.as_str(), plain.host_header.as_str()), ("/v1/chat/completions", "localhost"));
        assert_eq!(plain.to_string(), "unix:/run/server.sock:/v1/chat/completions");
        assert_eq!(target("unix:///run/server.sock"), plain);
        assert_eq!(target("unix:/run/server.sock:/v1"), plain);
        assert_eq!(path("unix:/s.sock:/base?key=a", "/x"), "/base/x?key=a");
        assert_eq!(target("unix:8000").origin.host, "unix");
        for bad in ["unix:run/server.sock", "unix:", "unix:/run/", "unix:/s.sock:v1"] {
            assert_eq!(error(bad), AddressError::Unix, "{bad}");
        }
    }

    #[test]
    fn what_is_not_an_address_is_refused_with_its_reason() {
        assert_eq!(error("ftp://h"), AddressError::Scheme("ftp".into()));
        assert_eq!(error("data:text/plain,x"), AddressError::BareScheme("data".into()));
        assert_eq!(error("grpcs:x"), AddressError::BareScheme("grpcs".into()));
        assert_eq!(error("grpc://x:1/path"), AddressError::GrpcPath);
        assert_eq!((error("http://"), error("http://:80")), (AddressError::NoHost, AddressError::NoHost));
        for port in ["0", "65536", "+1", ""] {
            assert_eq!(error(&format!("http://h:{port}")), AddressError::Port(port.into()));
        }
        assert_eq!(error("http://::1:80"), AddressError::NoHost);
        assert_eq!(error("http://fe80::1"), AddressError::Host("fe80::1".into()));
        assert_eq!(error("http://[::zz]"), AddressError::Host("::zz".into()));
        assert_eq!(error("http://[::1]x"), AddressError::AfterHost("x".into()));
        assert!(error("http://münchen").to_string().contains("xn--"));
    }

    #[test]
    fn a_user_and_password_are_decoded_and_not_shown() {
        let address = address("http://me:p%40ss:w@h/x?api-key=k");
        let credentials = address.credentials().unwrap();
        assert_eq!((credentials.user.as_str(), credentials.password.0.as_str()), ("me", "p@ss:w"));
        assert_eq!(format!("{address:?} {credentials:?}").matches("ss:w").count(), 0);
        assert!(!format!("{address:?}").contains("key"));
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics_and_every_target_is_plain_ascii(base in "\\PC{0,40}", api_path in "\\PC{0,20}") {
            if let Ok(address) = Address::parse(&base, Scheme::Http) {
                let target = address.request_target(&api_path);
                proptest::prop_assert!(target.path_and_query.starts_with('/'));
                proptest::prop_assert!(target.path_and_query.bytes().all(|b| b.is_ascii_graphic()));
                let origin = target.origin;
                proptest::prop_assert!(!origin.host.is_empty() && (origin.port > 0 || origin.scheme == Scheme::Unix));
            }
        }
    }
}
