//! What gRPC adds to an HTTP/2 exchange: the status after the body, and a limit on the size of one message.

use crate::error::TransportError;
use crate::exchange::Exchange;

/// Before each message stand a flag and its length in four bytes.
const FRAME_HEAD: usize = 5;

impl Exchange {
    /// Whether the response is that of a gRPC server.
    pub fn is_grpc(&self) -> bool {
        self.header("content-type").is_some_and(|kind| kind.starts_with("application/grpc"))
    }

    /// `grpc-status`, from the trailers, or from the head of a response that has no body.
    pub fn grpc_status(&self) -> Option<&str> {
        self.trailer_or_header("grpc-status")
    }

    /// `grpc-message`, as sent.
    pub fn grpc_message(&self) -> Option<&str> {
        self.trailer_or_header("grpc-message")
    }

    fn trailer_or_header(&self, name: &str) -> Option<&str> {
        let trailer = self.trailers.iter().find(|(trailer, _)| trailer == name);
        trailer.map(|(_, value)| value.as_str()).or_else(|| self.header(name))
    }
}

/// Checks the messages of a response as they arrive, so that one that is too long is rejected before it fills the memory.
#[derive(Debug)]
pub(crate) struct MessageGuard {
    limit: usize,
    /// Where the next message begins.
    next: usize,
}

impl MessageGuard {
    pub(crate) const fn new(limit: usize) -> Self {
        Self { limit, next: 0 }
    }

    pub(crate) fn check(&mut self, body: &[u8]) -> Result<(), TransportError> {
        while let Some(&[_, a, b, c, d]) = body.get(self.next..self.next + FRAME_HEAD) {
            let length = u32::from_be_bytes([a, b, c, d]) as usize;
            if length > self.limit {
                return Err(TransportError::MessageTooLong { length, limit: self.limit });
            }
            self.next += FRAME_HEAD + length;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn a_call_succeeds_only_with_the_status_after_it() {
        let mut call = Exchange { status: Some(200), ..Exchange::default() };
        call.headers = pairs(&[("content-type", "application/grpc+proto")]);
        assert!(!call.is_success(), "it ended without a status");
        call.trailers = pairs(&[("grpc-status", "0")]);
        assert!(call.is_success());
        call.trailers = pairs(&[("grpc-status", "5"), ("grpc-message", "no%20model")]);
        assert!(!call.is_success());
        assert_eq!((call.grpc_status(), call.grpc_message()), (Some("5"), Some("no%20model")));
        call.trailers.clear();
        call.headers.push(("grpc-status".into(), "12".into()));
        assert_eq!(call.grpc_status(), Some("12"), "of an answer that is only a head");
    }

    #[test]
    fn a_message_over_the_limit_is_given_up_when_its_length_is_known() {
        let mut guard = MessageGuard::new(3);
        let body = [0, 0, 0, 0, 3, 1, 2, 3, 0, 0, 0, 0];
        assert!(guard.check(&body).is_ok());
        let more = [&body[..], &[4]].concat();
        let error = guard.check(&more).unwrap_err();
        assert!(matches!(error, TransportError::MessageTooLong { length: 4, limit: 3 }), "{error}");
    }
}
