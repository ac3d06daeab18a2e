//! Advice about failed requests.

use aiperf_metrics::{Failure, Shortage, Summary};
use aiperf_protocol::{FailureKind, RequestOutcome};

/// What advice needs to know in addition to the failures.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Hints {
    /// Models that the server lists; filled only if it did not know the model of the run.
    pub(crate) models: Vec<String>,
    /// The last `Retry-After` of the server.
    pub(crate) retry_after: Option<String>,
    /// Connections do not use TLS.
    pub(crate) is_plain: bool,
}

/// Whether most requests failed because the server did not know the path or the model.
pub(crate) fn is_unknown_model(summary: &Summary) -> bool {
    let most = summary.failures.iter().max_by_key(|group| group.count);
    summary.successful == 0 && most.is_some_and(|group| group.failure.code == Some(404))
}

/// What the user can do about a failure; empty if its message says that already.
pub(crate) fn advice(failure: &Failure, hints: &Hints) -> String {
    let plain = match failure.shortage {
        Some(Shortage::Descriptors) => "Raise the limit of this shell (ulimit -n), or lower the load.",
        Some(Shortage::Ports) => "Reuse connections (--connection-reuse-strategy pooled), or lower the load.",
        None if failure.outcome == RequestOutcome::CancelledOnPurpose => {
            "Lower --request-cancellation-rate, or raise --request-cancellation-delay."
        }
        None => return advice_by_kind(failure, hints),
    };
    plain.to_owned()
}

fn advice_by_kind(failure: &Failure, hints: &Hints) -> String {
    let plain = match &failure.kind {
        FailureKind::Connect => "Is the server running? Check --url.",
        FailureKind::Resolve => "Check the host name in --url.",
        // Their messages say what to do.
        FailureKind::Certificate | FailureKind::Tls => "",
        FailureKind::Disconnected if hints.is_plain => {
            "Check the server's log. If it expects TLS on this port, use an https:// URL."
        }
        FailureKind::Disconnected => "Check the server's log.",
        FailureKind::Timeout => "Raise --request-timeout-seconds, or lower the load.",
        FailureKind::InvalidAnswer => {
            "Check --endpoint-type and --custom-endpoint: the answers do not belong to this endpoint type."
        }
        _ => return advice_by_status(failure, hints),
    };
    plain.to_owned()
}

fn advice_by_status(failure: &Failure, hints: &Hints) -> String {
    let plain = match failure.code {
        Some(400) if hints.is_plain && failure.message.contains("HTTPS") => "Use an https:// URL.",
        Some(401 | 403) => "Check --api-key.",
        Some(404) => return unknown_path_or_model(&hints.models),
        Some(429) => return too_many_requests(hints.retry_after.as_deref()),
        Some(499) => "Give the run more time (--benchmark-duration, --benchmark-grace-period).",
        _ => "The error summary lists all errors.",
    };
    plain.to_owned()
}

fn unknown_path_or_model(models: &[String]) -> String {
    /// A longer list does not help to find the right one.
    const SHOWN: usize = 10;
    let known = "Check --url, --custom-endpoint and --model: the server does not know the path or the model.";
    if models.is_empty() {
        return known.to_owned();
    }
    let more = if models.len() > SHOWN { format!(" and {} more", models.len() - SHOWN) } else { String::new() };
    let shown: Vec<&str> = models.iter().take(SHOWN).map(String::as_str).collect();
    format!("{known} It serves {}{more}.", shown.join(", "))
}

fn too_many_requests(retry_after: Option<&str>) -> String {
    let lower = "The server limits the rate: lower --request-rate or --concurrency.";
    match retry_after {
        Some(wait) if wait.bytes().all(|byte| byte.is_ascii_digit()) => {
            format!("{lower} It asks for a pause of {wait} s (Retry-After).")
        }
        Some(wait) => format!("{lower} It asks for a pause until {wait} (Retry-After)."),
        None => lower.to_owned(),
    }
}

/// A remark about rate-limited requests in a run in which others succeeded.
pub(crate) fn rate_limit_remark(summary: &Summary, hints: &Hints) -> Option<String> {
    let refused: u64 =
        summary.failures.iter().filter(|group| group.failure.code == Some(429)).map(|group| group.count).sum();
    let of = summary.successful + summary.failed;
    let remark = || format!("429: {refused} of {of} requests. {}", too_many_requests(hints.retry_after.as_deref()));
    (refused > 0 && summary.successful > 0).then(remark)
}

/// What happened, followed by advice, as sentences.
pub(crate) fn joined(what: &str, advice: &str) -> String {
    let end = if what.ends_with(['.', '?', '!']) { "" } else { "." };
    if advice.is_empty() { format!("{what}{end}") } else { format!("{what}{end} {advice}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(code: Option<u16>, kind: &str, message: &str) -> Failure {
        Failure::new(code, kind.into(), message)
    }

    #[test]
    fn advice_does_not_double_punctuation_or_what_the_message_says() {
        let certificate = failure(None, "ClientConnectorCertificateError", "");
        assert_eq!(joined("use --insecure", &advice(&certificate, &Hints::default())), "use --insecure.");
        let tls = failure(None, "ClientConnectorSSLError", "");
        assert_eq!(
            joined("is its URL http:// instead?", &advice(&tls, &Hints::default())),
            "is its URL http:// instead?"
        );
        assert_eq!(joined("it is so?", "Do that."), "it is so? Do that.");
    }

    #[test]
    fn a_server_that_limits_the_rate_and_says_until_when_is_quoted() {
        let limited = failure(Some(429), "Too Many Requests", "");
        let hints = |wait: &str| Hints { retry_after: Some(wait.to_owned()), ..Hints::default() };
        assert!(advice(&limited, &hints("5")).ends_with("It asks for a pause of 5 s (Retry-After)."));
        assert!(advice(&limited, &hints("Fri, 13 Nov 2026 10:00:00 GMT")).contains("until Fri, 13 Nov"));
        assert!(advice(&limited, &Hints::default()).contains("--request-rate"));
    }

    #[test]
    fn the_models_of_a_server_are_named_where_the_asked_one_is_unknown() {
        let unknown = failure(Some(404), "Not Found", "");
        let models: Vec<String> = (0..12).map(|index| format!("m{index}")).collect();
        let said = advice(&unknown, &Hints { models, ..Hints::default() });
        assert!(said.ends_with("It serves m0, m1, m2, m3, m4, m5, m6, m7, m8, m9 and 2 more."), "{said}");
        assert!(!advice(&unknown, &Hints::default()).contains("serves"));
    }

    #[test]
    fn a_plain_request_to_a_tls_port_is_told_so() {
        let hints = Hints { is_plain: true, ..Hints::default() };
        let refused = failure(Some(400), "Bad Request", "Client sent an HTTP request to an HTTPS server.");
        assert!(advice(&refused, &hints).contains("https://"));
        assert!(advice(&failure(None, "ServerDisconnectedError", ""), &hints).contains("https://"));
        assert!(!advice(&failure(None, "ServerDisconnectedError", ""), &Hints::default()).contains("https://"));
    }
}
