//! How a call ended, from its trailers.

use std::fmt;

use percent_encoding::percent_decode_str;

/// The status codes of gRPC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GrpcCode {
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

impl GrpcCode {
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
pub struct GrpcStatus {
    pub code: GrpcCode,
    pub message: String,
}

impl GrpcStatus {
    /// From `grpc-status` and `grpc-message`. A call that ended without a status did not end well.
    pub fn read(status: Option<&str>, message: Option<&str>) -> Self {
        let Some(text) = status else {
            let message = "the server ended the call without a status".to_owned();
            return Self { code: GrpcCode::Unknown, message };
        };
        let code = GrpcCode::from_text(text);
        // Text that is not a valid escape stays as it is: a message is for people.
        let mut message = percent_decode_str(message.unwrap_or_default()).decode_utf8_lossy().into_owned();
        if code == GrpcCode::Unknown && text.trim() != "2" {
            message = format!("unknown status {text:?}: {message}");
        }
        Self { code, message }
    }
}

impl fmt::Display for GrpcStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.message.is_empty() {
            return f.write_str(self.code.name());
        }
        write!(f, "{}: {}", self.code.name(), self.message)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_status_is_read_with_its_message_decoded() {
        let status = GrpcStatus::read(Some("5"), Some("no model %E2%82%AC%20100%"));
        assert_eq!((status.code, status.message.as_str()), (GrpcCode::NotFound, "no model € 100%"));
        assert_eq!(status.to_string(), "NOT_FOUND: no model € 100%");
    }

    #[test]
    fn a_missing_status_and_one_that_does_not_exist_are_unknown() {
        assert_eq!(GrpcStatus::read(None, Some("x")).code, GrpcCode::Unknown);
        let odd = GrpcStatus::read(Some("99"), None);
        assert!(odd.code == GrpcCode::Unknown && odd.message.contains("99"));
    }

    #[test]
    fn numbers_are_those_of_the_protocol() {
        assert!(GrpcCode::ALL.iter().enumerate().all(|(number, code)| usize::from(code.number()) == number));
    }

    proptest! {
        #[test]
        fn no_text_panics(status in "\\PC{0,4}", message in "\\PC{0,30}") {
            let _ = GrpcStatus::read(Some(&status), Some(&message));
        }
    }
}
