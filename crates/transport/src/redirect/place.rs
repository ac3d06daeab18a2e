//! Where a `Location` leads, seen from the request that it answers (RFC 3986, section 5).

use std::net::Ipv6Addr;

use aiperf_http::encoded;

use super::RedirectError;
use crate::origin::{Origin, Scheme};
use crate::request::Request;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) origin: Origin,
    /// For the request line; begins with `/`.
    pub(super) path_and_query: String,
    pub(super) host_header: String,
}

impl Place {
    pub(super) fn of(request: &Request<'_>) -> Self {
        let text = String::from_utf8_lossy(&request.head);
        let mut lines = text.lines();
        let path = lines.next().and_then(|line| line.split(' ').nth(1)).unwrap_or("/").to_owned();
        let host = lines.find_map(|line| line.split_once(": ").filter(|(name, _)| name.eq_ignore_ascii_case("host")));
        let host_header = host.map_or("", |(_, value)| value).to_owned();
        Self { origin: request.origin.clone(), path_and_query: path, host_header }
    }

    /// As records show it: without the query.
    pub(super) fn shown(&self) -> String {
        let path = self.path_and_query.split('?').next().unwrap_or_default();
        match self.origin.scheme {
            Scheme::Unix => format!("{}:{path}", self.origin),
            Scheme::Http => format!("http://{}{path}", self.host_header),
            Scheme::Https => format!("https://{}{path}", self.host_header),
        }
    }

    pub(super) fn follow(&self, location: &str) -> Result<Self, RedirectError> {
        let location = location.trim().split('#').next().unwrap_or_default();
        let no_url = || RedirectError::NoUrl(location.split('?').next().unwrap_or_default().to_owned());
        let (scheme, rest) = match scheme_of(location) {
            Some((scheme, rest)) => match scheme.to_ascii_lowercase().as_str() {
                "http" => (Scheme::Http, rest),
                "https" => (Scheme::Https, rest),
                _ => return Err(RedirectError::NotHttp(location.split('?').next().unwrap_or_default().to_owned())),
            },
            None if location.starts_with("//") => (self.origin.scheme, location),
            None => return Ok(self.at(location)),
        };
        let rest = rest.strip_prefix("//").ok_or_else(no_url)?;
        let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        // A user and password are a stranger's idea of who we are.
        let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        let path_and_query = encoded(&if path.starts_with('/') { path.to_owned() } else { format!("/{path}") });
        if self.origin.scheme == Scheme::Unix && scheme != Scheme::Https && authority == self.host_header {
            return Ok(Self { path_and_query, ..self.clone() });
        }
        let (host, port) = host_and_port(authority).ok_or_else(no_url)?;
        let own_port = if scheme == Scheme::Https { 443 } else { 80 };
        let scheme = if scheme == Scheme::Unix { Scheme::Http } else { scheme };
        let origin = Origin { scheme, host: host.to_ascii_lowercase(), port: port.unwrap_or(own_port) };
        let host = origin.authority_host();
        let host_header = if origin.port == own_port { host.into_owned() } else { format!("{host}:{}", origin.port) };
        Ok(Self { origin, path_and_query, host_header })
    }

    /// A path on the same server.
    fn at(&self, location: &str) -> Self {
        let (path, query) = location.split_at(location.find('?').unwrap_or(location.len()));
        let own = self.path_and_query.split('?').next().unwrap_or_default();
        let path = if path.is_empty() {
            own.to_owned()
        } else if path.starts_with('/') {
            without_dots(path)
        } else {
            let folder = own.rfind('/').map_or("/", |at| &own[..=at]);
            without_dots(&format!("{folder}{path}"))
        };
        Self { path_and_query: encoded(&format!("{path}{query}")), ..self.clone() }
    }
}

/// The scheme at the start of a reference, where it has one.
fn scheme_of(location: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = location.split_once(':')?;
    let begins = scheme.starts_with(|c: char| c.is_ascii_alphabetic());
    let is_scheme = begins && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
    is_scheme.then_some((scheme, rest))
}

fn host_and_port(authority: &str) -> Option<(&str, Option<u16>)> {
    let (host, port) = if let Some(inside) = authority.strip_prefix('[') {
        let (address, after) = inside.split_once(']')?;
        address.parse::<Ipv6Addr>().ok()?;
        (address, after.strip_prefix(':').or(after.is_empty().then_some(""))?)
    } else {
        let (host, port) = authority.split_once(':').unwrap_or((authority, ""));
        let is_name = host.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._".contains(&b));
        (Some(host).filter(|host| is_name && !host.is_empty())?, port)
    };
    if port.is_empty() {
        return Some((host, None));
    }
    let number = port.parse::<u16>().ok().filter(|number| *number > 0 && port.bytes().all(|b| b.is_ascii_digit()));
    number.map(|number| (host, Some(number)))
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
    use bytes::Bytes;
    use proptest::prelude::*;

    use super::*;

    fn from(origin: &Origin, location: &str) -> Result<Place, RedirectError> {
        let request = Request::post(origin, "/v1/chat?a=1", [("Host", "h:8000")], Bytes::new());
        Place::of(&request).follow(location)
    }

    fn plain(location: &str) -> Result<Place, RedirectError> {
        from(&Origin { scheme: Scheme::Http, host: "h".into(), port: 8000 }, location)
    }

    fn shown(location: &str) -> String {
        let place = plain(location).unwrap();
        format!("{} {} {}", place.origin, place.host_header, place.path_and_query)
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
    }

    #[test]
    fn what_is_not_http_is_not_followed() {
        assert_eq!(plain("ftp://x/y?key=1"), Err(RedirectError::NotHttp("ftp://x/y".into())));
        for bad in ["http:/x", "http://[zz/", "http://", "http://h:0/", "http://h:99999", "http://a b/"] {
            assert!(matches!(plain(bad), Err(RedirectError::NoUrl(_))), "{bad}");
        }
    }

    #[test]
    fn a_unix_socket_stays_one_under_its_own_name() {
        let origin = Origin { scheme: Scheme::Unix, host: "/run/s.sock".into(), port: 0 };
        let request = Request::post(&origin, "/a", [("Host", "localhost")], Bytes::new());
        let here = Place::of(&request);
        assert_eq!(here.follow("http://localhost/b").unwrap().origin, origin);
        assert_eq!(here.follow("b").unwrap().shown(), "unix:/run/s.sock:/b");
        assert_eq!(here.follow("http://other/b").unwrap().origin.scheme, Scheme::Http);
    }

    #[test]
    fn a_key_in_the_query_is_not_shown() {
        assert_eq!(plain("http://other/x?sig=secret").unwrap().shown(), "http://other/x");
    }

    proptest! {
        #[test]
        fn any_text_leads_somewhere_or_is_refused(location in "\\PC{0,60}") {
            if let Ok(place) = plain(&location) {
                prop_assert!(place.path_and_query.starts_with('/'));
                prop_assert!(place.path_and_query.bytes().all(|b| b.is_ascii_graphic()));
            }
        }
    }
}
