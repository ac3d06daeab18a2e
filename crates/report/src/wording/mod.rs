//! What findings say in words: what was seen, and what to do about it.

mod certified;
mod client;

use aiperf_metrics::{Finding, MaxTokensField};

use crate::console::number::{grouped, whole};

/// A finding for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wording {
    /// What was seen.
    pub statement: String,
    /// What to do about it.
    pub advice: String,
}

impl Wording {
    pub fn of(finding: &Finding) -> Self {
        match *finding {
            Finding::MaxTokensFieldRefused { field, requests } => field_refused(field, requests),
            Finding::ClientSaturated(limit) => client::limit(&limit),
            Finding::BeyondCertified { axis, reached, certified } => certified::beyond(axis, &reached, &certified),
            Finding::HiddenWait { from_due, waited, served } => hidden_wait(from_due.tag(), waited, served),
            Finding::ReplayDegraded { lag_p99 } => replay_degraded(lag_p99, finding.threshold()),
            Finding::CeilingReached { delayed, dropped, arrivals } => ceiling(delayed, dropped, arrivals),
            Finding::EventsUndecodable { events, requests, of } => undecodable_events(events, &share(requests, of)),
            Finding::OutputLengthOff { requests, of, average_percent, allowed_percent, allowed_tokens } => {
                let off = share(requests, of);
                output_length(&off, average_percent, allowed_percent, allowed_tokens)
            }
            Finding::TokenCountsDiffer { requests, of, allowed_percent } => {
                token_counts(&share(requests, of), allowed_percent)
            }
            Finding::CacheCountsMissing { requests } => cache_counts(requests),
            Finding::RowsLeftOut { rows } => Wording::new(
                format!("{} rows of the data could not be used and were left out.", whole(rows)),
                "The log names the first of them, and what is wrong with them.",
            ),
        }
    }

    fn new(statement: String, advice: impl Into<String>) -> Self {
        Self { statement, advice: advice.into() }
    }
}

fn field_refused(field: MaxTokensField, requests: u64) -> Wording {
    let advice = match field {
        MaxTokensField::MaxCompletionTokens => "Send max_tokens instead: --use-legacy-max-tokens.",
        MaxTokensField::MaxTokens => "It takes max_completion_tokens: leave --use-legacy-max-tokens out.",
    };
    let count = whole(requests);
    Wording::new(format!("The server does not take the field {}: it refused {count} requests.", field.name()), advice)
}

fn hidden_wait(tag: &str, waited: f64, served: f64) -> Wording {
    let what = if tag.starts_with("time") { "time to first token" } else { "request latency" };
    Wording::new(
        format!(
            "The server stalled or the client waited: {what} as users would see it is {} ms (p99, from when requests \
             were due), not {} ms (from when they were sent).",
            grouped(waited),
            grouped(served)
        ),
        format!(
            "Quote {tag}. How long requests waited before they were sent is schedule_lag; if the concurrency ceiling \
             held them back, raise --concurrency to see the server's own queue instead."
        ),
    )
}

fn replay_degraded(lag: f64, threshold: f64) -> Wording {
    Wording::new(
        format!(
            "The replay did not keep the shape of its trace: its lag has a p99 of {} ms, above {} ms.",
            grouped(lag),
            grouped(threshold)
        ),
        "Raise or leave out --concurrency, stretch the trace, or give the client more processors; schedule_lag has the \
         lag of each request.",
    )
}

fn ceiling(delayed: u64, dropped: u64, arrivals: u64) -> Wording {
    let kept = match (delayed, dropped) {
        (delayed, 0) => format!("delayed {}", whole(delayed)),
        (0, dropped) => format!("dropped {}", whole(dropped)),
        (delayed, dropped) => format!("delayed {} and dropped {}", whole(delayed), whole(dropped)),
    };
    let percent = 100.0 * (delayed + dropped) as f64 / arrivals.max(1) as f64;
    let where_to_look = match (delayed, dropped) {
        (_, 0) => "What the delayed ones waited is in schedule_lag and in the *_from_due metrics.",
        (0, _) => "Dropped arrivals are in no metric.",
        _ => "What the delayed ones waited is in schedule_lag and in the *_from_due metrics; dropped ones are in none.",
    };
    Wording::new(
        format!(
            "The concurrency ceiling was reached: it {kept} of {} arrivals ({percent:.1}%), so that the load was not \
             the one asked for.",
            whole(arrivals)
        ),
        format!("Raise --concurrency or leave it out to keep the rate. {where_to_look}"),
    )
}

fn undecodable_events(events: u64, of: &str) -> Wording {
    let what = if events == 1 { "1 event".to_owned() } else { format!("{} events", whole(events)) };
    Wording::new(
        format!(
            "{what} of responses could not be read and {}: {of}.",
            if events == 1 { "was passed over" } else { "were passed over" }
        ),
        "What they said is in no count. The raw export (--export-level raw) has them as they came; a server that sends JSON has none.",
    )
}

fn output_length(off: &str, average: f64, percent: f64, tokens: f64) -> Wording {
    Wording::new(
        format!(
            "Output lengths are not as asked: {off}, by {average:+.1}% on average over all. A difference above {percent}% \
             of the length asked for or {tokens} tokens, whichever is less, counts."
        ),
        "Servers stop at their end-of-sequence token. To make them go on: --extra-inputs ignore_eos:true (vLLM, \
         TensorRT-LLM) or --extra-inputs min_tokens:<N> (vLLM, TensorRT-LLM, SGLang). If the tokenizers differ instead: \
         --use-server-token-count. Per request: osl_mismatch_diff_pct in the records file.",
    )
}

fn token_counts(off: &str, percent: f64) -> Wording {
    Wording::new(
        format!("Token counts of client and server differ by more than {percent}%: {off}."),
        "The tokenizer here may not be the server's: give the right one with --tokenizer, or take the server's counts \
         with --use-server-token-count. Per request: the usage_*_diff_pct metrics in the records file.",
    )
}

fn cache_counts(requests: u64) -> Wording {
    let count = whole(requests);
    Wording::new(
        format!("The server's usage ({count} requests) has no count of cached prompt tokens: cache hits do not show."),
        "Ask for it when the server is started: --enable-prompt-tokens-details (vLLM) or --enable-cache-report (SGLang).",
    )
}

fn share(count: u64, all: u64) -> String {
    let percent = 100.0 * count as f64 / all.max(1) as f64;
    format!("{} of {} requests ({percent:.1}%)", whole(count), whole(all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use aiperf_clock::Nanos;
    use aiperf_metrics::{ClientLimit, LimitKind, Metric, ThreadRole};

    fn limit(kind: LimitKind) -> Finding {
        let (since, lasted) = (Nanos(2_000_000_000), Nanos(8_500_000_000));
        Finding::ClientSaturated(ClientLimit { kind, figure: 97.5, threshold: 90.0, since, lasted })
    }

    #[test]
    fn every_finding_is_a_sentence_with_its_figure_and_advice() {
        let kinds = [
            LimitKind::WorkerLag,
            LimitKind::ProcessCpu,
            LimitKind::ThreadCpu(ThreadRole::Conductor),
            LimitKind::ThreadCpu(ThreadRole::Worker),
            LimitKind::RecordQueue,
            LimitKind::ScheduleLag { growing: false },
            LimitKind::ScheduleLag { growing: true },
            LimitKind::Descriptors,
        ];
        for kind in kinds {
            let Wording { statement, advice } = Wording::of(&limit(kind));
            assert!(statement.contains("97.50") && statement.contains("first 2.0 s into the run, for 8.5 s"));
            assert!(statement.ends_with("(limit 90%).") || statement.ends_with("(limit 90 ms)."), "{statement}");
            assert!(advice.ends_with('.'));
        }
    }

    #[test]
    fn hidden_waiting_names_the_metric_to_quote() {
        let of = |from_due| Wording::of(&Finding::HiddenWait { from_due, waited: 3_040.0, served: 40.0 });
        let latency = of(Metric::RequestLatencyFromDue);
        assert!(latency.statement.contains("request latency as users would see it is 3,040.00 ms"));
        assert!(latency.advice.starts_with("Quote request_latency_from_due."));
        assert!(of(Metric::TimeToFirstTokenFromDue).statement.contains("time to first token as users"));
    }

    #[test]
    fn a_ceiling_says_what_it_did_and_nothing_else() {
        let of = |delayed, dropped| Wording::of(&Finding::CeilingReached { delayed, dropped, arrivals: 1_000 });
        assert!(of(20, 0).statement.contains("it delayed 20 of 1,000 arrivals (2.0%)"));
        assert!(of(0, 5).statement.contains("it dropped 5 of 1,000"));
        assert!(of(20, 5).statement.contains("it delayed 20 and dropped 5 of"));
        assert!(!of(20, 0).advice.contains("ropped"));
    }
}
