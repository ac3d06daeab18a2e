//! Goes where a server sends a request instead of answering it, as the reference's HTTP client does: 303, and 301 and 302
//! after a POST, become a GET without a body; 307 and 308 repeat the request.

mod place;

use std::net::SocketAddr;

use aiperf_clock::Mono;
use aiperf_clock::ReadStamp;
use aiperf_http::is_secret_header;
use bytes::Bytes;
use thiserror::Error;

use self::place::Place;
use crate::client::{Client, Reuse};
use crate::error::TransportError;
use crate::exchange::{Exchange, Trace};
use crate::request::Request;
use crate::watch::Watch;

/// The answer that would lead to request number eleven is not followed.
const MOST_REQUESTS: usize = 10;

/// Ours, made up for this run: it says which requests belong together, not who sends them.
const SESSION_AFFINITY: &str = "x-session-affinity";

/// One redirect that was followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hop {
    pub status: u16,
    /// Where it led, without the query, which may hold a key.
    pub to: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RedirectError {
    #[error("the server redirects more than 9 times; last to {0}")]
    TooMany(String),
    #[error("the server redirects to {0:?}, which is not http or https")]
    NotHttp(String),
    #[error("the server redirects to {0:?}, which is no URL")]
    NoUrl(String),
}

pub(crate) const fn is_redirect(status: Option<u16>) -> bool {
    matches!(status, Some(301 | 302 | 303 | 307 | 308))
}

impl Client {
    /// The exchange has been answered with a redirect. Afterwards it holds the last answer, the times of the first request's
    /// sending and of the last answer's arrival, and the hops between them.
    pub(crate) async fn follow(
        &self,
        request: &Request<'_>,
        reuse: Reuse<'_>,
        exchange: &mut Exchange,
        watch: &dyn Watch,
    ) -> Result<(), TransportError> {
        let first = exchange.trace.clone();
        let mut here = Place::of(request);
        let (mut head, mut body) = (request.head.clone(), request.body.clone());
        while is_redirect(exchange.status) {
            // Without a place to go, the answer stands.
            let Some(location) = exchange.header("location").or_else(|| exchange.header("uri")) else { break };
            let there = here.follow(location)?;
            let status = exchange.status.unwrap_or_default();
            if exchange.redirects.len() + 1 >= MOST_REQUESTS {
                return Err(RedirectError::TooMany(there.shown()).into());
            }
            exchange.redirects.push(Hop { status, to: there.shown() });
            let stranger = there.origin != here.origin;
            let drops_body = status == 303 || (matches!(status, 301 | 302) && head.starts_with(b"POST "));
            head = next_head(&head, &there, stranger, drops_body);
            if drops_body {
                body = Bytes::new();
            }
            let reuse = match reuse {
                // A session's connection leads to the session's server.
                Reuse::Sticky { .. } if there.origin != *request.origin => Reuse::Never,
                same => same,
            };
            exchange.begin_anew();
            let next =
                Request { origin: &there.origin, head, body: body.clone(), message_limit: request.message_limit };
            let sent = self.send_once(&next, reuse, exchange, &Hopping(watch)).await;
            exchange.trace = joined(&first, &exchange.trace);
            sent?;
            head = next.head;
            here = there;
        }
        Ok(())
    }
}

/// The request was sent when it was sent first.
struct Hopping<'a>(&'a dyn Watch);

impl Watch for Hopping<'_> {
    fn sent(&self, _at: Mono) {}

    fn read(&self, stamp: ReadStamp, exchange: &Exchange) {
        self.0.read(stamp, exchange);
    }
}

/// The stages of the first request, but for its answer: that is the last one's. What lies between is waiting.
fn joined(first: &Trace, last: &Trace) -> Trace {
    let address = |last: Option<SocketAddr>, first: Option<SocketAddr>| last.or(first);
    Trace {
        headers_received: last.headers_received,
        head_bytes_received: first.head_bytes_received + last.head_bytes_received,
        local: address(last.local, first.local),
        remote: address(last.remote, first.remote),
        ..first.clone()
    }
}

/// The same request line and headers for another place.
fn next_head(head: &[u8], there: &Place, stranger: bool, drops_body: bool) -> Vec<u8> {
    let mut lines = head.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let method = lines.next().and_then(|line| line.split(|byte| *byte == b' ').next()).unwrap_or_default();
    let method = if drops_body { b"GET" } else { method };
    let mut next = Vec::with_capacity(head.len() + there.path_and_query.len());
    for part in [method, b" ", there.path_and_query.as_bytes(), b" HTTP/1.1\r\n"] {
        next.extend_from_slice(part);
    }
    for line in lines.take_while(|line| !line.is_empty()) {
        let end = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let name = String::from_utf8_lossy(&line[..end]).to_ascii_lowercase();
        if name == "host" {
            next.extend_from_slice(&line[..end]);
            next.extend_from_slice(format!(": {}\r\n", there.host_header).as_bytes());
        } else if !(stranger && is_credential(&name) || drops_body && name == "content-length") {
            next.extend_from_slice(line);
            next.extend_from_slice(b"\r\n");
        }
    }
    next.extend_from_slice(b"\r\n");
    next
}

/// Whether a header tells a server who we are, and so stays with the server that it was meant for.
fn is_credential(lower_case_name: &str) -> bool {
    is_secret_header(lower_case_name) && lower_case_name != SESSION_AFFINITY
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::origin::{Origin, Scheme};

    fn place(location: &str) -> Place {
        let origin = Origin { scheme: Scheme::Http, host: "h".into(), port: 80 };
        let request = Request::post(&origin, "/a", [("Host", "h")], Bytes::new());
        Place::of(&request).follow(location).unwrap()
    }

    const HEAD: &[u8] =
        b"POST /a HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer k\r\nx-api-key: k\r\nX-Session-Affinity: c\r\n\
        Ocp-Apim-Subscription-Key: k\r\nX-Session-Id: s\r\nContent-Type: a/b\r\nContent-Length: 2\r\n\r\n";

    fn text(stranger: bool, drops_body: bool) -> String {
        String::from_utf8(next_head(HEAD, &place("http://other:81/b?c"), stranger, drops_body)).unwrap()
    }

    #[test]
    fn a_request_is_repeated_with_its_headers() {
        let expected = "POST /b?c HTTP/1.1\r\nHost: other:81\r\nAuthorization: Bearer k\r\nx-api-key: k\r\n\
                        X-Session-Affinity: c\r\nOcp-Apim-Subscription-Key: k\r\nX-Session-Id: s\r\n\
                        Content-Type: a/b\r\nContent-Length: 2\r\n\r\n";
        assert_eq!(text(false, false), expected);
    }

    #[test]
    fn keys_do_not_go_to_another_server_and_a_get_has_no_length() {
        let expected = "GET /b?c HTTP/1.1\r\nHost: other:81\r\nX-Session-Affinity: c\r\nContent-Type: a/b\r\n\r\n";
        assert_eq!(text(true, true), expected);
    }
}
