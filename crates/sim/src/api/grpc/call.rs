//! One gRPC call: its complete request and its answer.

use std::future::poll_fn;
use std::time::Duration;

use aiperf_clock::{Mono, Nanos, StampSource, Timer};
use aiperf_grpc::{GrpcCode, frame};
use bytes::Bytes;
use h2::server::SendResponse;
use h2::{Reason, RecvStream, SendStream};
use http::{HeaderMap, HeaderValue, Response};

use crate::server::connection::{ClientGone, ClientRequest, ClientWatch};
use crate::server::http_request::{BodyLength, Head, MOST_BODY};

#[derive(Debug)]
pub(super) struct GrpcCall {
    pub(super) received: ClientRequest,
    respond: SendResponse<Bytes>,
    /// There once the head of the answer is sent.
    stream: Option<SendStream<Bytes>>,
    /// When the client no longer wants an answer.
    deadline: Option<Mono>,
    /// The failure of the call is an injected fault.
    pub(super) is_injected: bool,
}

/// Why a call ends without its answer.
#[derive(Debug)]
pub(super) enum CallError {
    Gone,
    Refused(GrpcCode, String),
}

impl From<ClientGone> for CallError {
    fn from(_: ClientGone) -> Self {
        Self::Gone
    }
}

impl From<h2::Error> for CallError {
    fn from(_: h2::Error) -> Self {
        Self::Gone
    }
}

impl GrpcCall {
    pub(super) async fn receive(
        request: http::Request<RecvStream>,
        respond: SendResponse<Bytes>,
    ) -> Result<Self, CallError> {
        let first_byte = Mono::now();
        let (parts, mut stream) = request.into_parts();
        let mut body = Vec::new();
        while let Some(part) = stream.data().await {
            let part = part?;
            let _ = stream.flow_control().release_capacity(part.len());
            body.extend_from_slice(&part);
            if body.len() > MOST_BODY {
                return Err(CallError::Gone);
            }
        }
        let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let head = Head {
            method: parts.method.as_str().to_owned(),
            target: parts.uri.path().to_owned(),
            headers: parts.headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect(),
            body: BodyLength::Known(body.len()),
            keep_alive: true,
            chunked_replies: false,
            expects_continue: false,
        };
        let arrival = Mono::now();
        let limit = head.header("grpc-timeout").and_then(timeout);
        let deadline = limit.map(|limit| arrival + Nanos::from(limit));
        let received = ClientRequest { head, body, first_byte, arrival, stamped_by: StampSource::User };
        Ok(Self { received, respond, stream: None, deadline, is_injected: false })
    }

    /// Sends a message, and before the first one the head. The result is the time just before.
    pub(super) fn send(&mut self, message: &[u8]) -> Result<Mono, CallError> {
        let mut body = Vec::with_capacity(message.len() + aiperf_grpc::FRAME_HEAD);
        frame(message, &mut body);
        let before = Mono::now();
        self.open()?.send_data(Bytes::from(body), false)?;
        Ok(before)
    }

    fn open(&mut self) -> Result<&mut SendStream<Bytes>, CallError> {
        if self.stream.is_none() {
            let mut head = Response::new(());
            head.headers_mut().insert("content-type", HeaderValue::from_static("application/grpc"));
            self.stream = Some(self.respond.send_response(head, false)?);
        }
        self.stream.as_mut().ok_or(CallError::Gone)
    }

    /// Sends the status of the call. An answer without messages is only a head.
    pub(super) fn end(&mut self, code: GrpcCode, message: &str) {
        let mut status = HeaderMap::new();
        status.insert("grpc-status", HeaderValue::from(code.number()));
        if let Ok(text) = HeaderValue::from_str(&percent_encoded(message))
            && !message.is_empty()
        {
            status.insert("grpc-message", text);
        }
        // If the client is gone, the error does not matter.
        if let Some(stream) = &mut self.stream {
            let _ = stream.send_trailers(status);
        } else {
            status.insert("content-type", HeaderValue::from_static("application/grpc"));
            let mut head = Response::new(());
            *head.headers_mut() = status;
            let _ = self.respond.send_response(head, true);
        }
    }

    /// Ends the answer without saying how.
    pub(super) fn cut(&mut self) -> Result<(), CallError> {
        Ok(self.open()?.send_data(Bytes::new(), true)?)
    }

    pub(super) fn reset(&mut self) {
        match &mut self.stream {
            Some(stream) => stream.send_reset(Reason::INTERNAL_ERROR),
            None => self.respond.send_reset(Reason::INTERNAL_ERROR),
        }
    }

    /// Waits until `due`, unless the client leaves or its deadline passes.
    pub(super) async fn wait_until(&mut self, timer: &Timer, due: Mono) -> Result<(), CallError> {
        let deadline = self.deadline.filter(|deadline| *deadline < due);
        self.unless_gone(timer.sleep_until(deadline.unwrap_or(due))).await?;
        match deadline {
            None => Ok(()),
            Some(_) => Err(CallError::Refused(
                GrpcCode::DeadlineExceeded,
                "the deadline passed while the model was working".into(),
            )),
        }
    }
}

impl ClientWatch for GrpcCall {
    async fn unless_gone<T>(&mut self, wanted: impl Future<Output = T>) -> Result<T, ClientGone> {
        let Self { respond, stream, .. } = self;
        let gone = poll_fn(|cx| match stream {
            Some(stream) => stream.poll_reset(cx),
            None => respond.poll_reset(cx),
        });
        tokio::select! {
            biased;
            value = wanted => Ok(value),
            _ = gone => Err(ClientGone),
        }
    }
}

/// `grpc-timeout`: digits and a unit.
fn timeout(text: &str) -> Option<Duration> {
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let count: u64 = digits.parse().ok()?;
    Some(match unit {
        "H" => Duration::from_secs(count.checked_mul(3600)?),
        "M" => Duration::from_secs(count.checked_mul(60)?),
        "S" => Duration::from_secs(count),
        "m" => Duration::from_millis(count),
        "u" => Duration::from_micros(count),
        "n" => Duration::from_nanos(count),
        _ => return None,
    })
}

fn percent_encoded(text: &str) -> String {
    let plain = |byte: u8| (byte == b' ' || byte.is_ascii_graphic()) && byte != b'%';
    text.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timeout_has_a_unit() {
        assert_eq!(timeout("50000000n"), Some(Duration::from_millis(50)));
        assert_eq!(timeout("2M"), Some(Duration::from_secs(120)));
        assert_eq!((timeout(""), timeout("5"), timeout("xS"), timeout("1€")), (None, None, None, None));
    }

    #[test]
    fn a_message_is_encoded_for_its_header() {
        assert_eq!(percent_encoded("100% ä"), "100%25 %C3%A4");
    }
}
