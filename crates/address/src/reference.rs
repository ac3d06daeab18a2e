//! Where a `Location` leads, as seen from the request that it answers (RFC 3986, section 5).

use thiserror::Error;

use crate::authority::host_and_port;
use crate::{Origin, RequestTarget, Scheme, UrlText};

/// Why a reference cannot be followed. Without the query, which may contain a key.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ReferenceError {
    #[error("{0:?} is not http or https")]
    NotHttp(String),
    #[error("{0:?} is not a URL")]
    NotUrl(String),
}

impl RequestTarget {
    /// Where a reference leads that a server gave in answer to a request to this target.
    pub fn resolve(&self, reference: &str) -> Result<Self, ReferenceError> {
        let reference = reference.trim().split('#').next().unwrap_or_default();
        let without_query = || reference.split('?').next().unwrap_or_default().to_owned();
        let not_url = || ReferenceError::NotUrl(without_query());
        let (scheme, rest) = match scheme_of(reference) {
            Some((name, rest)) => match Scheme::from_name(name) {
                Some(scheme) if !scheme.is_grpc() => (scheme, rest),
                _ => return Err(ReferenceError::NotHttp(without_query())),
            },
            None if reference.starts_with("//") => (self.origin.scheme, reference),
            None => return Ok(self.at(reference)),
        };
        let url = UrlText::split(rest.strip_prefix("//").ok_or_else(not_url)?);
        let path = if url.path.is_empty() { "/" } else { url.path };
        let path_and_query = format!("{path}{}", url.query_and_fragment);
        // A user and password in it are the server's idea of who we are.
        if self.origin.scheme == Scheme::Unix && scheme != Scheme::Https && url.host_and_port == self.host_header {
            return Ok(Self {
                host_header: self.host_header.clone(),
                ..Self::new(self.origin.clone(), &path_and_query)
            });
        }
        let authority = url.host_and_port.strip_suffix(':').unwrap_or(url.host_and_port);
        let (host, port) = host_and_port(authority).map_err(|_| not_url())?;
        let scheme = if scheme == Scheme::Unix { Scheme::Http } else { scheme };
        let port = port.unwrap_or(scheme.default_port());
        Ok(Self::new(Origin { scheme, host: host.to_ascii_lowercase(), port }, &path_and_query))
    }

    /// A path on the same server.
    fn at(&self, reference: &str) -> Self {
        let (path, query) = reference.split_at(reference.find('?').unwrap_or(reference.len()));
        let own = self.path();
        let path = if path.is_empty() {
            own.to_owned()
        } else if path.starts_with('/') {
            without_dots(path)
        } else {
            let folder = own.rfind('/').map_or("/", |at| &own[..=at]);
            without_dots(&format!("{folder}{path}"))
        };
        Self { host_header: self.host_header.clone(), ..Self::new(self.origin.clone(), &format!("{path}{query}")) }
    }
}

/// The scheme at the start of a reference, if it has one.
fn scheme_of(reference: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = reference.split_once(':')?;
    let begins = scheme.starts_with(|c: char| c.is_ascii_alphabetic());
    let is_scheme = begins && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
    is_scheme.then_some((scheme, rest))
}

/// RFC 3986, section 5.2.4.
fn without_dots(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let segments: Vec<&str> = path.split('/').skip(1).collect();
    for (index, segment) in segments.iter().enumerate() {
        let is_last = index + 1 == segments.len();
        match *segment {
            "." | ".." => {
                if *segment == ".." {
                    kept.pop();
                }
                if is_last {
                    kept.push("");
                }
            }
            name => kept.push(name),
        }
    }
    format!("/{}", kept.join("/"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn here() -> RequestTarget {
        RequestTarget::new(Origin { scheme: Scheme::Http, host: "h".into(), port: 8000 }, "/v1/chat?a=1")
    }

    fn shown(reference: &str) -> String {
        let target = here().resolve(reference).unwrap();
        format!("{} {} {}", target.origin, target.host_header, target.path_and_query)
    }

    #[test]
    fn a_reference_is_resolved_against_the_request() {
        assert_eq!(shown("/x?y=1#z"), "http://h:8000 h:8000 /x?y=1");
        assert_eq!(shown("x"), "http://h:8000 h:8000 /v1/x");
        assert_eq!(shown("../x/./y/../"), "http://h:8000 h:8000 /x/");
        assert_eq!(shown("?b=2"), "http://h:8000 h:8000 /v1/chat?b=2");
        assert_eq!(shown("//other/x"), "http://other:80 other /x");
        assert_eq!(shown("HTTPS://Other?q"), "https://other:443 other /?q");
        assert_eq!(shown("http://me:pw@[::1]:9/ü b"), "http://[::1]:9 [::1]:9 /%C3%BC%20b");
        assert_eq!(shown("http://other:/x"), "http://other:80 other /x");
    }

    #[test]
    fn what_is_not_http_is_not_followed() {
        assert_eq!(here().resolve("ftp://x/y?key=1"), Err(ReferenceError::NotHttp("ftp://x/y".into())));
        for bad in ["http:/x", "http://[zz/", "http://", "http://h:0/", "http://h:99999", "http://a b/"] {
            assert!(matches!(here().resolve(bad), Err(ReferenceError::NotUrl(_))), "{bad}");
        }
    }

    #[test]
    fn a_unix_socket_stays_one_under_its_own_name() {
        let origin = Origin { scheme: Scheme::Unix, host: "/run/s.sock".into(), port: 0 };
        let here = RequestTarget::new(origin.clone(), "/a");
        assert_eq!(here.resolve("http://localhost/b").unwrap().origin, origin);
        assert_eq!(here.resolve("b").unwrap().without_query(), "unix:/run/s.sock:/b");
        assert_eq!(here.resolve("http://other/b").unwrap().origin.scheme, Scheme::Http);
    }

    #[test]
    fn a_key_in_the_query_is_not_shown() {
        assert_eq!(here().resolve("http://other/x?sig=secret").unwrap().without_query(), "http://other/x");
    }

    proptest! {
        #[test]
        fn any_text_leads_somewhere_or_is_refused(reference in "\\PC{0,60}") {
            if let Ok(target) = here().resolve(&reference) {
                prop_assert!(target.path_and_query.starts_with('/'));
                prop_assert!(target.path_and_query.bytes().all(|b| b.is_ascii_graphic()));
            }
        }
    }
}
