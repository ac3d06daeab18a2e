//! Follows redirects, as the reference's HTTP client does: 303, and 301 and 302 after a POST, become a GET without a body; 307 and
//! 308 repeat the request.

use std::net::SocketAddr;

use aiperf_address::{ConnectionUse, ReferenceError, RequestTarget};
use aiperf_clock::{Mono, ReadStamp};
use aiperf_redact::is_secret_header;
use bytes::Bytes;
use thiserror::Error;

use crate::client::Client;
use crate::error::TransportError;
use crate::exchange::{Exchange, ExchangeTrace};
use crate::headers::RequestHeaders;
use crate::observer::ExchangeObserver;
use crate::request::{Method, Request};

/// The response that would lead to request number eleven is not followed.
const MOST_REQUESTS: usize = 10;

/// A header of ours, made up for this run: it says which requests belong together, not who sends them.
const SESSION_AFFINITY: &str = "x-session-affinity";

/// One redirect that was followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hop {
    pub status: u16,
    /// Where it led, without the query, which may contain a key.
    pub to: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RedirectError {
    #[error("the server redirects more than 9 times; last to {0}")]
    TooMany(String),
    #[error("the server redirects to {0:?}, which is not http or https")]
    NotHttp(String),
    #[error("the server redirects to {0:?}, which is not a URL")]
    NotUrl(String),
}

impl From<ReferenceError> for RedirectError {
    fn from(error: ReferenceError) -> Self {
        match error {
            ReferenceError::NotHttp(reference) => Self::NotHttp(reference),
            ReferenceError::NotUrl(reference) => Self::NotUrl(reference),
        }
    }
}

pub(crate) const fn is_redirect(status: Option<u16>) -> bool {
    matches!(status, Some(301 | 302 | 303 | 307 | 308))
}

impl Client {
    /// The exchange has been answered with a redirect. Afterwards it contains the last response, the times of the first request's
    /// sending and of the last response's arrival, and the hops between them.
    pub(crate) async fn follow(
        &self,
        request: &Request<'_>,
        reuse: ConnectionUse<'_>,
        exchange: &mut Exchange,
        observer: &dyn ExchangeObserver,
    ) -> Result<(), TransportError> {
        let first = exchange.trace.clone();
        let mut here = target_of(request);
        let (mut method, mut headers, mut body) = (request.method, request.headers.clone(), request.body.clone());
        while is_redirect(exchange.status) {
            // Without a place to go, this response is the last.
            let Some(location) = exchange.header("location").or_else(|| exchange.header("uri")) else { break };
            let there = here.resolve(location).map_err(RedirectError::from)?;
            let status = exchange.status.unwrap_or_default();
            if exchange.redirects.len() + 1 >= MOST_REQUESTS {
                return Err(RedirectError::TooMany(there.without_query()).into());
            }
            exchange.redirects.push(Hop { status, to: there.without_query() });
            let drops_body = status == 303 || (matches!(status, 301 | 302) && method == Method::Post);
            headers = headers_for(&there, &headers, there.origin != here.origin, drops_body);
            if drops_body {
                (method, body) = (Method::Get, Bytes::new());
            }
            let reuse = match reuse {
                // A session's connection leads to the session's server.
                ConnectionUse::Sticky { .. } if there.origin != *request.origin => ConnectionUse::Never,
                same => same,
            };
            exchange.begin_again();
            let next = Request {
                body: body.clone(),
                message_limit: request.message_limit,
                ..Request::new(&there.origin, method, &there.path_and_query, headers)
            };
            let sent = self.send_once(&next, reuse, exchange, &AfterFirst(observer)).await;
            exchange.trace = joined(&first, &exchange.trace);
            sent?;
            headers = next.headers;
            here = there;
        }
        Ok(())
    }
}

/// Observes the requests after the first: the request counts as sent when it was sent first.
struct AfterFirst<'a>(&'a dyn ExchangeObserver);

impl ExchangeObserver for AfterFirst<'_> {
    fn sent(&self, _at: Mono) {}

    fn read(&self, stamp: ReadStamp, exchange: &mut Exchange) {
        self.0.read(stamp, exchange);
    }
}

/// The stages of the first request with the response of the last. What lies between is waiting.
fn joined(first: &ExchangeTrace, last: &ExchangeTrace) -> ExchangeTrace {
    let address = |last: Option<SocketAddr>, first: Option<SocketAddr>| last.or(first);
    ExchangeTrace {
        headers_received: last.headers_received,
        head_bytes_received: first.head_bytes_received + last.head_bytes_received,
        local: address(last.local, first.local),
        remote: address(last.remote, first.remote),
        ..first.clone()
    }
}

fn target_of(request: &Request<'_>) -> RequestTarget {
    RequestTarget {
        origin: request.origin.clone(),
        path_and_query: request.target.clone().into_owned(),
        host_header: request.headers.get("host").unwrap_or_default().to_owned(),
    }
}

/// The same headers for another target.
fn headers_for(
    there: &RequestTarget,
    headers: &RequestHeaders,
    is_other_origin: bool,
    drops_body: bool,
) -> RequestHeaders {
    let is_kept = |name: &str| {
        !(is_other_origin && is_credential(name) || drops_body && name.eq_ignore_ascii_case("content-length"))
    };
    let kept = headers.iter().filter(|(name, _)| is_kept(name));
    kept.map(
        |(name, value)| if name.eq_ignore_ascii_case("host") { (name, &*there.host_header) } else { (name, value) },
    )
    .collect()
}

/// Whether a header tells a server who we are. Such a header goes only to the server that it was meant for.
fn is_credential(name: &str) -> bool {
    is_secret_header(name) && !name.eq_ignore_ascii_case(SESSION_AFFINITY)
}

#[cfg(test)]
mod tests {
    use aiperf_address::{Address, Scheme};

    use super::*;

    fn lines(is_other_origin: bool, drops_body: bool) -> String {
        let there = Address::parse("http://other:81", Scheme::Http).unwrap().request_target("/b?c");
        let headers = RequestHeaders::from_iter([
            ("Host", "h"),
            ("Authorization", "Bearer k"),
            ("x-api-key", "k"),
            ("X-Session-Affinity", "c"),
            ("Ocp-Apim-Subscription-Key", "k"),
            ("X-Session-Id", "s"),
            ("Content-Type", "a/b"),
            ("Content-Length", "2"),
        ]);
        let next = headers_for(&there, &headers, is_other_origin, drops_body);
        String::from_utf8(next.lines().to_vec()).unwrap()
    }

    #[test]
    fn a_request_is_repeated_with_its_headers() {
        let expected = "Host: other:81\r\nAuthorization: Bearer k\r\nx-api-key: k\r\n\
                        X-Session-Affinity: c\r\nOcp-Apim-Subscription-Key: k\r\nX-Session-Id: s\r\n\
                        Content-Type: a/b\r\nContent-Length: 2\r\n";
        assert_eq!(lines(false, false), expected);
    }

    #[test]
    fn keys_do_not_go_to_another_server_and_a_get_has_no_length() {
        assert_eq!(lines(true, true), "Host: other:81\r\nX-Session-Affinity: c\r\nContent-Type: a/b\r\n");
    }
}
