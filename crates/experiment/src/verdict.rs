//! How a run ended, in one sentence.

use aiperf_engine::StopReason;
use aiperf_metrics::{Cancellation, Failure, FailureGroup, Shortage, Summary};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// At least one request succeeded and all that was asked for was done.
    Complete,
    /// The user stopped it; what had finished is in the files.
    Cancelled,
    /// Too many requests failed, or the client itself did, and the run was ended for it.
    GivenUp(String),
    /// Ran to its end with results, but not to what was asked for: it did not become steady, for example.
    Unmet(String),
    /// Not one request succeeded. The sentence says what stood in the way.
    NothingSucceeded(String),
}

impl Verdict {
    pub(crate) fn of(profiling: &Summary, warmup: Option<&Summary>, stopped: Option<StopReason>) -> Self {
        match stopped {
            Some(StopReason::Interrupt) => return Self::Cancelled,
            Some(StopReason::FailedRequests) => {
                let (failed, all) = (profiling.failed, profiling.failed + profiling.successful);
                return Self::GivenUp(format!(
                    "{failed} of {all} requests failed, more than --failed-request-threshold allows. The error summary \
                     lists them all."
                ));
            }
            Some(StopReason::FailedWarmup) => {
                let failures = warmup.map_or(&[][..], |summary| summary.failures.as_slice());
                let failure = failures.first().map(|group| &group.failure);
                let why = failure.map_or("no answer", |failure| first_line(&failure.message));
                let advice = match failure {
                    Some(failure) if failure.is_context_overflow => {
                        "Leave longer sessions out by --max-context-length."
                    }
                    Some(failure) => advice(failure),
                    None => "Raise --agentic-warmup-grace-period.",
                };
                return Self::GivenUp(format!(
                    "the warmup failed: a recorded session could not be brought to the point where it goes on ({why}). {advice}"
                ));
            }
            Some(StopReason::Defect) => {
                return Self::GivenUp(
                    "a worker thread of aiperf panicked, and the run was ended for it; what had finished is in the files. \
                     This is a defect of aiperf: please report it with the message above."
                        .to_owned(),
                );
            }
            None => {}
        }
        if profiling.successful > 0 {
            return Self::Complete;
        }
        // With nothing in profiling, the warmup may know why.
        let failures = if profiling.failures.is_empty() {
            warmup.map_or(&[][..], |summary| summary.failures.as_slice())
        } else {
            profiling.failures.as_slice()
        };
        Self::NothingSucceeded(sentence(failures, profiling.failed + profiling.cut_off))
    }

    /// A run that went well has failed all the same if what was asked for was not reached.
    pub(crate) fn unless(self, unmet: Option<String>) -> Self {
        match (self, unmet) {
            (Self::Complete, Some(why)) => Self::Unmet(why),
            (verdict, _) => verdict,
        }
    }
}

fn sentence(failures: &[FailureGroup], requests: u64) -> String {
    let Some(most) = failures.iter().max_by_key(|group| group.count) else {
        return "no request was finished: give the run more time (--benchmark-duration, --benchmark-grace-period)"
            .to_owned();
    };
    let failure = &most.failure;
    let subject =
        if requests == 1 { "the only request failed".to_owned() } else { format!("all {requests} requests failed") };
    let what = match failure.code {
        Some(code) => format!("{code} {}: {}", failure.kind, first_line(&failure.message)),
        None => first_line(&failure.message).to_owned(),
    };
    format!("{subject}; {what}. {}", advice(failure))
}

/// What to do about it.
fn advice(failure: &Failure) -> &'static str {
    let on_purpose = failure.cancelled == Some(Cancellation::OnPurpose);
    match failure.shortage {
        Some(Shortage::Descriptors) => return "Raise the limit of this shell (ulimit -n), or lower --concurrency.",
        Some(Shortage::Ports) => {
            return "Let connections be used again (--connection-reuse-strategy pooled), or lower the load.";
        }
        None => {}
    }
    match failure.kind.as_str() {
        _ if on_purpose => "Lower --request-cancellation-rate, or raise --request-cancellation-delay.",
        "ClientConnectorError" => "Is the server running, and is --url right?",
        "ClientConnectorDNSError" => "Check the host name in --url.",
        "ClientConnectorCertificateError" => {
            "Add its authority with SSL_CERT_FILE, or set AIPERF_HTTP_SSL_VERIFY=false."
        }
        "TimeoutError" => "Raise --request-timeout-seconds, or lower the load.",
        "InvalidInferenceResultError" => {
            "Check --endpoint-type and --custom-endpoint: the answers are not of that kind."
        }
        _ => match failure.code {
            Some(401 | 403) => "Check --api-key.",
            Some(404) => "Check --url, --custom-endpoint and --model: the server does not know the path or the model.",
            Some(499) => "Give the run more time (--benchmark-duration, --benchmark-grace-period).",
            _ => "The error summary lists them all.",
        },
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default().trim_end_matches('.')
}
