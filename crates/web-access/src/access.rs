//! Who may use a web server. On a loopback address every program of this machine may, but no page of another site: the names in
//! `Host` and `Origin` are checked. On any other address every request needs a token.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::Json;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use percent_encoding::percent_decode_str;
use serde_json::json;

/// What differs between servers.
#[derive(Debug, Clone, Copy)]
pub struct AccessRules {
    /// Addresses of pages, which may have the token in their query.
    pub pages: &'static [&'static str],
    /// For probes, which have no token. They answer nothing but `ok`.
    pub open_paths: &'static [&'static str],
    /// Where the token comes from, in words: "that aiperf printed".
    pub token_origin: &'static str,
}

/// Decides about each request to one server.
#[derive(Debug)]
pub struct WebAccess {
    token: Option<String>,
    address: SocketAddr,
    /// The name that the user gave, which requests may use too.
    host: String,
    cookie: String,
    rules: AccessRules,
}

impl WebAccess {
    pub fn new(token: Option<String>, address: SocketAddr, host: &str, rules: AccessRules) -> Self {
        // Cookies do not know ports: each server has a name of its own.
        let cookie = format!("aiperf_token_{}", address.port());
        Self { token, address, host: host.to_owned(), cookie, rules }
    }

    /// Where the page is, for a person to open. It contains the token, if there is one.
    pub fn page_address(&self) -> String {
        let token = self.token.as_ref().map_or_else(String::new, |token| format!("?token={token}"));
        self.page_address_without_token() + &token
    }

    /// Where the page is, for a log that others may read.
    pub fn page_address_without_token(&self) -> String {
        let port = self.address.port();
        let host = if self.address.ip().is_unspecified() {
            aiperf_socket::host_name()
        } else if self.address.is_ipv6() {
            format!("[{}]", self.address.ip())
        } else if self.host.is_empty() {
            self.address.ip().to_string()
        } else {
            self.host.clone()
        };
        format!("http://{host}:{port}/")
    }

    /// Whether the request names this machine. A page that made its own name point to this machine (DNS rebinding) does not. With a
    /// token that is not needed: the browser does not send it under another name.
    fn knows_host(&self, headers: &HeaderMap) -> bool {
        if !self.address.ip().is_loopback() {
            return true;
        }
        let Some(host) = text(headers, &header::HOST).map(name_of) else { return false };
        let is_loopback = host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
        is_loopback || host.eq_ignore_ascii_case("localhost") || host.eq_ignore_ascii_case(&self.host)
    }

    fn has_token(&self, headers: &HeaderMap) -> bool {
        let Some(token) = &self.token else { return true };
        let bearer = text(headers, &header::AUTHORIZATION).and_then(|value| {
            let (scheme, given) = value.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then(|| given.trim())
        });
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let cookie = cookies
            .flat_map(|cookies| cookies.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .find_map(|(name, value)| (name == self.cookie).then_some(value));
        bearer.into_iter().chain(cookie).any(|given| is_same(given, token))
    }

    /// The header that makes a browser send the token from now on, if `query` has it.
    fn cookie_for(&self, query: Option<&str>) -> Option<HeaderValue> {
        let token = self.token.as_deref()?;
        let given = query?.split('&').find_map(|pair| pair.strip_prefix("token="))?;
        let given = percent_decode_str(given).decode_utf8().ok()?;
        is_same(&given, token).then_some(())?;
        HeaderValue::from_str(&format!("{}={token}; Path=/; HttpOnly; SameSite=Lax", self.cookie)).ok()
    }
}

/// Checks each request before its route sees it, and sets the headers that every answer has.
pub async fn check(State(access): State<Arc<WebAccess>>, request: Request, next: Next) -> Response {
    let mut response = match refusal(&access, &request) {
        Some(refusal) => refusal,
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static("default-src 'none'; sandbox"));
    response
}

fn refusal(access: &WebAccess, request: &Request) -> Option<Response> {
    let headers = request.headers();
    if !access.knows_host(headers) {
        let why =
            "This server answers only requests to localhost or a loopback address. Use http://127.0.0.1 with its port.";
        return Some(refuse(StatusCode::FORBIDDEN, why));
    }
    if !is_same_origin(headers) {
        return Some(refuse(StatusCode::FORBIDDEN, "Pages of other sites must not use this server."));
    }
    let path = request.uri().path();
    if access.has_token(headers) || access.rules.open_paths.contains(&path) {
        return None;
    }
    let may_have_token = access.rules.pages.contains(&path) && request.method() == Method::GET;
    let cookie = if may_have_token { access.cookie_for(request.uri().query()) } else { None };
    if let Some(cookie) = cookie {
        let headers = [(header::SET_COOKIE, cookie), (header::LOCATION, HeaderValue::from_static("/"))];
        return Some((StatusCode::SEE_OTHER, headers).into_response());
    }
    let mut answer = refuse(
        StatusCode::UNAUTHORIZED,
        &format!(
            "This server needs the token {}. Open the printed address, which contains it, or send the header \
             `Authorization: Bearer TOKEN`.",
            access.rules.token_origin
        ),
    );
    answer.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"aiperf\""));
    Some(answer)
}

/// An error with a sentence, in the form that the reference uses.
pub fn refuse(status: StatusCode, why: &str) -> Response {
    (status, Json(json!({"detail": why}))).into_response()
}

/// A browser names the page that makes a request, except for plain navigation. It must be a page of this server.
fn is_same_origin(headers: &HeaderMap) -> bool {
    if !headers.contains_key(header::ORIGIN) {
        return true;
    }
    let origin = text(headers, &header::ORIGIN).and_then(|origin| origin.split_once("://"));
    origin.is_some_and(|(scheme, place)| {
        matches!(scheme, "http" | "https") && Some(place) == text(headers, &header::HOST)
    })
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// `Host` without its port and brackets.
fn name_of(host: &str) -> &str {
    if let Some(rest) = host.strip_prefix('[') {
        return rest.split(']').next().unwrap_or_default();
    }
    host.split(':').next().unwrap_or_default()
}

/// Compares in a time that does not depend on where the texts differ.
fn is_same(given: &str, token: &str) -> bool {
    let difference = given.bytes().zip(token.bytes()).fold(0, |difference, (a, b)| difference | (a ^ b));
    given.len() == token.len() && difference == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value))).collect()
    }

    fn access(token: Option<&str>, address: &str) -> WebAccess {
        let address: SocketAddr = address.parse().unwrap();
        let rules = AccessRules { pages: &["/"], open_paths: &[], token_origin: "that aiperf printed" };
        WebAccess::new(token.map(str::to_owned), address, "bench.internal", rules)
    }

    #[test]
    fn the_address_to_open_has_the_token() {
        let remote = access(Some("t"), "10.1.1.1:8090");
        assert_eq!(remote.page_address(), "http://bench.internal:8090/?token=t");
        assert_eq!(remote.page_address_without_token(), "http://bench.internal:8090/");
        assert_eq!(access(None, "[::1]:8090").page_address(), "http://[::1]:8090/");
    }

    #[test]
    fn a_name_that_was_pointed_to_this_machine_is_refused() {
        let local = access(None, "127.0.0.1:8090");
        for host in ["127.0.0.1:8090", "localhost:1", "[::1]:8090", "127.8.9.1", "LOCALHOST", "bench.internal:8090"] {
            assert!(local.knows_host(&headers(&[("host", host)])), "{host}");
        }
        for host in ["evil.example:8090", "10.0.0.1", "localhost.evil.example", "", "127.0.0.1.evil.example"] {
            assert!(!local.knows_host(&headers(&[("host", host)])), "{host}");
        }
        assert!(!local.knows_host(&HeaderMap::new()));
        assert!(access(Some("t"), "10.1.1.1:8090").knows_host(&headers(&[("host", "machine.example")])));
    }

    #[test]
    fn only_pages_of_this_server_may_ask() {
        let host = ("host", "127.0.0.1:8090");
        assert!(is_same_origin(&headers(&[host])));
        assert!(is_same_origin(&headers(&[host, ("origin", "http://127.0.0.1:8090")])));
        for origin in ["http://evil.example", "null", "http://127.0.0.1:9", "file://127.0.0.1:8090"] {
            assert!(!is_same_origin(&headers(&[host, ("origin", origin)])), "{origin}");
        }
    }

    #[test]
    fn a_token_comes_in_a_header_or_a_cookie() {
        let remote = access(Some("secret"), "10.1.1.1:8090");
        assert!(!remote.has_token(&HeaderMap::new()));
        assert!(remote.has_token(&headers(&[("authorization", "Bearer secret")])));
        assert!(remote.has_token(&headers(&[("authorization", "bearer  secret")])));
        assert!(remote.has_token(&headers(&[("cookie", "a=b; aiperf_token_8090=secret")])));
        for wrong in [
            ("authorization", "Bearer secret2"),
            ("authorization", "Basic secret"),
            ("cookie", "aiperf_token_1=secret"),
        ] {
            assert!(!remote.has_token(&headers(&[wrong])), "{wrong:?}");
        }
        assert!(remote.cookie_for(Some("a=1&token=secret")).is_some());
        assert!(remote.cookie_for(Some("token=other")).is_none());
        assert!(access(None, "127.0.0.1:1").has_token(&HeaderMap::new()));
    }
}
