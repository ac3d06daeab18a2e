//! How a call ended, as its trailers say.

use std::fmt;

/// The codes that gRPC knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Code {
    Ok,
    Cancelled,
    Unknown,
    InvalidArgument,
    DeadlineExceeded,
    NotFound,
    AlreadyExists,
    PermissionDenied,
    ResourceExhausted,
    FailedPrecondition,
    Aborted,
    OutOfRange,
    Unimplemented,
    Internal,
    Unavailable,
    DataLoss,
    Unauthenticated,
}

impl Code {
    pub const ALL: [Self; 17] = [
        Self::Ok,
        Self::Cancelled,
        Self::Unknown,
        Self::InvalidArgument,
        Self::DeadlineExceeded,
        Self::NotFound,
        Self::AlreadyExists,
        Self::PermissionDenied,
        Self::ResourceExhausted,
        Self::FailedPrecondition,
        Self::Aborted,
        Self::OutOfRange,
        Self::Unimplemented,
        Self::Internal,
        Self::Unavailable,
        Self::DataLoss,
        Self::Unauthenticated,
    ];

    pub const fn number(self) -> u16 {
        self as u16
    }

    /// As the documents of gRPC write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "OK",
            Self::Cancelled => "CANCELLED",
            Self::Unknown => "UNKNOWN",
            Self::InvalidArgument => "INVALID_ARGUMENT",
            Self::DeadlineExceeded => "DEADLINE_EXCEEDED",
            Self::NotFound => "NOT_FOUND",
            Self::AlreadyExists => "ALREADY_EXISTS",
            Self::PermissionDenied => "PERMISSION_DENIED",
            Self::ResourceExhausted => "RESOURCE_EXHAUSTED",
            Self::FailedPrecondition => "FAILED_PRECONDITION",
            Self::Aborted => "ABORTED",
            Self::OutOfRange => "OUT_OF_RANGE",
            Self::Unimplemented => "UNIMPLEMENTED",
            Self::Internal => "INTERNAL",
            Self::Unavailable => "UNAVAILABLE",
            Self::DataLoss => "DATA_LOSS",
            Self::Unauthenticated => "UNAUTHENTICATED",
        }
    }

    /// A number that gRPC does not have is an unknown error, as the protocol demands.
    fn from_text(text: &str) -> Self {
        let number: Option<usize> = text.trim().parse().ok();
        number.and_then(|number| Self::ALL.get(number)).copied().unwrap_or(Self::Unknown)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    pub code: Code,
    pub message: String,
}

impl Status {
    /// From `grpc-status` and `grpc-message`. A call that ended without a status did not end well.
    pub fn read(status: Option<&str>, message: Option<&str>) -> Self {
        let Some(text) = status else {
            let message = "the server ended the call without a status".to_owned();
            return Self { code: Code::Unknown, message };
        };
        let code = Code::from_text(text);
        let mut message = percent_decoded(message.unwrap_or_default());
        if code == Code::Unknown && text.trim() != "2" {
            message = format!("status {text:?}, which gRPC does not have: {message}");
        }
        Self { code, message }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.message.is_empty() {
            return f.write_str(self.code.name());
        }
        write!(f, "{}: {}", self.code.name(), self.message)
    }
}

/// An invalid escape stays as it is, because a message is for people.
fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let escaped = (*first == b'%').then(|| tail.get(..2).and_then(hex)).flatten();
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn hex(digits: &[u8]) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    Some((digit(digits[0])? * 16 + digit(digits[1])?) as u8)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_status_is_read_with_its_message_decoded() {
        let status = Status::read(Some("5"), Some("no model %E2%82%AC%20100%"));
        assert_eq!((status.code, status.message.as_str()), (Code::NotFound, "no model € 100%"));
        assert_eq!(status.to_string(), "NOT_FOUND: no model € 100%");
    }

    #[test]
    fn a_missing_status_and_one_that_does_not_exist_are_unknown() {
        assert_eq!(Status::read(None, Some("x")).code, Code::Unknown);
        let odd = Status::read(Some("99"), None);
        assert!(odd.code == Code::Unknown && odd.message.contains("99"));
    }

    #[test]
    fn numbers_are_those_of_the_protocol() {
        assert!(Code::ALL.iter().enumerate().all(|(number, code)| usize::from(code.number()) == number));
    }

    proptest! {
        #[test]
        fn no_text_panics(status in "\\PC{0,4}", message in "\\PC{0,30}") {
            let _ = Status::read(Some(&status), Some(&message));
        }
    }
}
