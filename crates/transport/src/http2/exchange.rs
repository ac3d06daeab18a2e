//! One request and its response on a shared connection.

use std::future::poll_fn;
use std::pin::pin;

use aiperf_clock::{Mono, ReadMark};
use bytes::Bytes;
use h2::{Reason, SendStream};
use http::header::{CONNECTION, CONTENT_ENCODING, HOST, HeaderName, TE, TRANSFER_ENCODING, UPGRADE};
use http::uri::{Authority, PathAndQuery, Uri};
use http::{HeaderMap, HeaderValue};

use super::connection::StreamLease;
use super::frame_times::StreamHandle;
use crate::content_coding::ContentCoding;
use crate::error::TransportError;
use crate::exchange::{Exchange, StageSpan};
use crate::grpc::MessageGuard;
use crate::http1::{coding_of, header_text};
use crate::observer::ExchangeObserver;
use crate::request::{Method, Request};

impl StreamLease {
    pub(super) async fn exchange(
        &self,
        request: &Request<'_>,
        exchange: &mut Exchange,
        observer: &dyn ExchangeObserver,
    ) -> Result<(), TransportError> {
        let head = head(request)?;
        let asked = Mono::now();
        exchange.trace.send_start = Some(asked);
        let ready = self.connection.sender.clone().ready().await;
        let mut sender = ready.map_err(|error| self.unsent(&error))?;
        let sent = sender.send_request(head, request.body.is_empty());
        let (response, mut stream) = sent.map_err(|error| self.unsent(&error))?;
        let frames = StreamHandle::open(&self.connection.times, response.stream_id().as_u32());

        let mut response = pin!(response);
        let mut sending = pin!(async {
            send_body(&mut stream, request.body.clone()).await?;
            Ok::<_, h2::Error>(frames.all_sent().await)
        });
        let mut sent = false;
        let answered = loop {
            tokio::select! {
                biased;
                end = &mut sending, if !sent => {
                    sent = true;
                    // A body that the server did not accept is not the failure: its response says why.
                    if let Ok(end) = end {
                        self.note_sent(&frames, asked, end, exchange);
                        observer.sent(end);
                    }
                }
                answered = &mut response => break answered,
            }
        };
        if answered.is_err() && exchange.trace.send_end.is_none() {
            // What was sent of it tells whether the server can have seen it.
            exchange.trace.head_bytes_sent = frames.sent().head_bytes;
        }
        let (parts, mut body) = answered.map_err(|error| self.broken(&error, exchange))?.into_parts();
        exchange.status = Some(parts.status.as_u16());
        exchange.headers = parts.headers.iter().map(header).collect();
        if let Some((stamp, bytes)) = frames.head() {
            exchange.trace.headers_received = Some(stamp.not_before(asked).at);
            exchange.trace.head_bytes_received = bytes;
        }
        let named: Vec<&[u8]> = parts.headers.get_all(CONTENT_ENCODING).iter().map(HeaderValue::as_bytes).collect();
        let coding = coding_of(parts.status.as_u16(), &named.join(&b','), exchange.body_limit)?;
        let mut reader = BodyReader {
            frames: &frames,
            asked,
            coding,
            arrived: 0,
            messages: request.message_limit.map(MessageGuard::new),
        };
        loop {
            // A server may answer while the request is still being sent.
            let part = tokio::select! {
                biased;
                end = &mut sending, if !sent => {
                    sent = true;
                    if let Ok(end) = end {
                        self.note_sent(&frames, asked, end, exchange);
                        observer.sent(end);
                    }
                    continue;
                }
                part = body.data() => part,
            };
            let Some(part) = part else { break };
            let part = part.map_err(|error| self.broken(&error, exchange))?;
            // Only a stream that has ended refuses, and then there is nothing to make room for.
            let _ = body.flow_control().release_capacity(part.len());
            reader.take(&part, exchange, observer)?;
        }
        reader.finish()?;
        let trailers = body.trailers().await.map_err(|error| self.broken(&error, exchange))?;
        exchange.trailers = trailers.iter().flat_map(|trailers| trailers.iter()).map(header).collect();
        Ok(())
    }

    /// The same error as for HTTP/1.1, if there is one.
    fn broken(&self, error: &h2::Error, exchange: &Exchange) -> TransportError {
        match exchange.status {
            None => self.other_protocol().unwrap_or_else(|| broken(error, exchange.status)),
            status => broken(error, status),
        }
    }

    /// The connection ended before the request got onto it.
    fn unsent(&self, error: &h2::Error) -> TransportError {
        match self.other_protocol() {
            Some(other) => other,
            None if error.is_io() || error.is_remote() => TransportError::NotTaken(described(error)),
            None => TransportError::Protocol(error.to_string()),
        }
    }

    /// The error for a server that speaks another protocol than HTTP/2.
    fn other_protocol(&self) -> Option<TransportError> {
        self.connection.times.borrow().other_protocol().map(TransportError::NotHttp2)
    }

    fn note_sent(&self, frames: &StreamHandle, asked: Mono, end: Mono, exchange: &mut Exchange) {
        let (sent, trace) = (frames.sent(), &mut exchange.trace);
        trace.send_end = Some(end);
        trace.head_bytes_sent = sent.head_bytes;
        trace.body_bytes_sent = sent.body_bytes;
        trace.writes = sent.writes;
        // A request beyond the server's stream limit waits until another one ends.
        if let Some(start) = sent.head_at.filter(|_| self.queued) {
            trace.blocked = Some(StageSpan { start: asked, end: start });
            trace.send_start = Some(start);
        }
    }
}

/// Sends the body as fast as the server opens its window.
async fn send_body(stream: &mut SendStream<Bytes>, mut body: Bytes) -> Result<(), h2::Error> {
    while !body.is_empty() {
        stream.reserve_capacity(body.len());
        let Some(room) = poll_fn(|cx| stream.poll_capacity(cx)).await else { return Ok(()) };
        let part = body.split_to(room?.min(body.len()));
        if !part.is_empty() {
            stream.send_data(part, body.is_empty())?;
        }
    }
    Ok(())
}

/// Adds the parts of a body to the exchange, each with the time at which it arrived.
struct BodyReader<'a> {
    frames: &'a StreamHandle,
    asked: Mono,
    coding: Option<ContentCoding>,
    /// Bytes received, before they are decoded.
    arrived: usize,
    messages: Option<MessageGuard>,
}

impl BodyReader<'_> {
    fn take(
        &mut self,
        part: &Bytes,
        exchange: &mut Exchange,
        observer: &dyn ExchangeObserver,
    ) -> Result<(), TransportError> {
        if part.is_empty() {
            return Ok(());
        }
        self.arrived += part.len();
        let before = exchange.body.len();
        match &mut self.coding {
            None => exchange.body.extend_from_slice(part),
            Some(coding) => {
                if let Err(reason) = coding.decode(part, &mut exchange.body) {
                    return exchange.check_length().and(Err(TransportError::Protocol(reason)));
                }
            }
        }
        exchange.check_length()?;
        let Some(stamp) = self.frames.arrival(self.arrived) else {
            return Err(TransportError::Protocol("a part of the body is in no frame".into()));
        };
        let stamp = stamp.not_before(self.asked);
        if exchange.body.len() > before {
            exchange.marks.push(ReadMark::new(exchange.body.len(), stamp));
        }
        observer.read(stamp, exchange);
        self.messages.as_mut().map_or(Ok(()), |messages| messages.check(&exchange.body))
    }

    fn finish(&self) -> Result<(), TransportError> {
        self.coding.as_ref().map_or(Ok(()), |coding| coding.finish().map_err(TransportError::Truncated))
    }
}

fn header((name, value): (&HeaderName, &HeaderValue)) -> (String, String) {
    (name.as_str().to_owned(), header_text(value.as_bytes()))
}

/// The head as HTTP/2 sends it: without the headers that are about an HTTP/1.1 connection.
fn head(request: &Request<'_>) -> Result<http::Request<()>, TransportError> {
    let mut headers = HeaderMap::with_capacity(16);
    let mut host = "";
    for (name, value) in request.headers.iter() {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(unsendable)?;
        let value = value.trim_ascii();
        if name == HOST {
            host = value;
        } else if name == TE && value.eq_ignore_ascii_case("trailers") {
            headers.append(name, HeaderValue::from_static("trailers"));
        } else if ![CONNECTION, TRANSFER_ENCODING, TE, UPGRADE].contains(&name) && name != "keep-alive" {
            headers.append(name, HeaderValue::from_bytes(value.as_bytes()).map_err(unsendable)?);
        }
    }
    let uri = Uri::builder()
        .scheme(if request.origin.scheme.is_secure() { "https" } else { "http" })
        .authority(Authority::try_from(host).map_err(unsendable)?)
        .path_and_query(PathAndQuery::try_from(&*request.target).map_err(unsendable)?)
        .build()
        .map_err(unsendable)?;
    let mut head = http::Request::new(());
    *head.method_mut() = match request.method {
        Method::Get => http::Method::GET,
        Method::Post => http::Method::POST,
        Method::Connect => http::Method::CONNECT,
    };
    *head.uri_mut() = uri;
    *head.headers_mut() = headers;
    Ok(head)
}

fn unsendable(cause: impl std::error::Error + Send + Sync + 'static) -> TransportError {
    TransportError::Send(std::io::Error::other(cause))
}

fn broken(error: &h2::Error, status: Option<u16>) -> TransportError {
    let by_us = !error.is_io() && !error.is_remote();
    if by_us {
        return TransportError::Protocol(error.to_string());
    }
    match status {
        Some(_) => TransportError::Truncated(described(error)),
        None if error.is_io() => TransportError::Disconnected,
        // A GOAWAY reaches only the requests after the last one that the server took (RFC 9113 section 6.8).
        None if error.is_go_away() || error.reason() == Some(Reason::REFUSED_STREAM) => {
            TransportError::NotTaken(described(error))
        }
        None => TransportError::Reset(described(error)),
    }
}

/// What the server did, with its name in HTTP/2.
fn described(error: &h2::Error) -> String {
    let reason = error.reason().map(|reason| format!("{reason:?}")).unwrap_or_default();
    if error.is_go_away() {
        match error.reason() {
            Some(Reason::NO_ERROR) | None => "it is closing the connection (HTTP/2 GOAWAY)".to_owned(),
            Some(_) => format!("it is closing the connection (HTTP/2 GOAWAY, {reason})"),
        }
    } else if error.reason() == Some(Reason::REFUSED_STREAM) {
        "it refused the stream (HTTP/2 REFUSED_STREAM)".to_owned()
    } else if error.is_reset() {
        format!("it reset the stream (HTTP/2 RST_STREAM, {reason})")
    } else if error.is_io() {
        "it closed the connection".to_owned()
    } else {
        error.to_string()
    }
}
