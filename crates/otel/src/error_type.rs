//! `error.type`: a small set of words for all failures, so that they can be counted by kind.

use aiperf_metrics::{Failure, FailureKind};

/// The word for a failure.
pub(crate) fn of(failure: &Failure) -> &'static str {
    match (&failure.kind, failure.code) {
        (FailureKind::Cancelled, _) => "cancelled",
        (FailureKind::Timeout | FailureKind::SendTimeout, _) => "timeout",
        (FailureKind::InvalidAnswer | FailureKind::IncompleteStream | FailureKind::InvalidResponse, _) => "parse_error",
        (_, Some(400..=499)) => "http_4xx",
        (_, Some(500..=599)) => "http_5xx",
        _ => "_OTHER",
    }
}

#[cfg(test)]
mod tests {
    use aiperf_metrics::RequestOutcome;

    use super::*;

    #[test]
    fn failures_have_few_words() {
        let word = |code, kind| of(&Failure::new(code, kind, "x"));
        assert_eq!(word(Some(404), FailureKind::Other("Not Found".into())), "http_4xx");
        assert_eq!(word(Some(503), FailureKind::Other("Unavailable".into())), "http_5xx");
        assert_eq!(word(None, FailureKind::Timeout), "timeout");
        assert_eq!(word(Some(200), FailureKind::InvalidAnswer), "parse_error");
        assert_eq!(word(None, FailureKind::Connect), "_OTHER");
        assert_eq!(of(&Failure::cancelled(RequestOutcome::CutOff, "x")), "cancelled");
    }
}
