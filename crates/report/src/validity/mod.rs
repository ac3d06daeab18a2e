//! The text of validity notes: what was seen and what to do about it, as JSON, and as rows of the manual.

mod certified;
mod client;
pub(crate) mod json;
mod load;
mod manual;
mod samples;
mod server;
mod tokens;

pub use manual::ValidityManual;

use aiperf_metrics::{LostRecords, ValidityNote};

use aiperf_table::whole;

/// A note for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wording {
    /// What was seen.
    pub(crate) statement: String,
    /// What to do about it.
    pub(crate) advice: String,
}

impl Wording {
    pub(crate) fn of(note: &ValidityNote) -> Self {
        match *note {
            ValidityNote::MaxTokensFieldRefused { field, requests } => server::field_refused(field, requests),
            ValidityNote::ServerNotReady { requests } => server::not_ready(requests),
            ValidityNote::ServerWaitedFor { waited } => server::waited_for(waited),
            ValidityNote::ErrorShare { failed, of } => server::errors(failed, of),
            ValidityNote::RequestsResent { resent, of } => server::resent(resent, of),
            ValidityNote::ClientSaturated(limit) => client::limit(&limit),
            ValidityNote::BeyondCertified { axis, reached, certified } => certified::beyond(axis, &reached, &certified),
            ValidityNote::ClockStepped { step } => server::clock_stepped(step),
            ValidityNote::UserTimestamps { reads } => client::user_timestamps(reads),
            ValidityNote::LateSends { late, of } => client::late_sends(late, of),
            ValidityNote::LateFirstTokens { late, of } => client::late_first_tokens(late, of),
            ValidityNote::MergedChunks { merged, of } => client::merged_chunks(merged, of, note.figure()),
            ValidityNote::RateShortfall { asked, achieved, dropped } => {
                load::rate_shortfall(asked, achieved, dropped, note.figure())
            }
            ValidityNote::ConcurrencyNotReached { asked, reached, why } => {
                load::concurrency_not_reached(asked, reached, why)
            }
            ValidityNote::HiddenWait { from_due, waited, served } => load::hidden_wait(from_due.tag(), waited, served),
            ValidityNote::ReplayDegraded { lag_p99 } => load::replay_degraded(lag_p99, note.threshold()),
            ValidityNote::CeilingReached { delayed, dropped, arrivals } => load::ceiling(delayed, dropped, arrivals),
            ValidityNote::ConnectionsExhausted { waited, of } => load::connections(waited, of),
            ValidityNote::LittlesLawGap { in_flight, per_second, latency_seconds, cause } => {
                load::littles_law(in_flight, per_second, latency_seconds, cause, note.figure())
            }
            ValidityNote::WarmupMissing { requests, first, later } => server::warmup_missing(requests, first, later),
            ValidityNote::NonStationary { drifting, change, client_late } => {
                samples::drift(drifting, change, client_late)
            }
            ValidityNote::SampleFloor { from, samples, needed } => samples::floor(from, samples, needed),
            ValidityNote::NotStreamed { requests, of } => server::not_streamed(&share(requests, of)),
            ValidityNote::ChunksWithSeveralTokens { tokens, chunks } => {
                tokens::several_in_a_chunk(tokens, chunks, note.figure())
            }
            ValidityNote::EventsUndecodable { events, requests, of } => {
                server::undecodable_events(events, &share(requests, of))
            }
            ValidityNote::InputLengthOff { requests, of, average_percent, allowed_percent } => {
                tokens::input_length(&share(requests, of), average_percent, allowed_percent)
            }
            ValidityNote::OutputLengthOff { requests, of, average_percent, allowed_percent, allowed_tokens } => {
                tokens::output_length(&share(requests, of), average_percent, allowed_percent, allowed_tokens)
            }
            ValidityNote::TokenCountsDiffer { requests, of, allowed_percent } => {
                tokens::token_counts(&share(requests, of), allowed_percent)
            }
            ValidityNote::ServerCountsMissing { requests, of } => tokens::server_counts(&share(requests, of)),
            ValidityNote::ServerTokensDiffer { server, client, .. } => {
                server::counted_tokens(server, client, note.figure())
            }
            ValidityNote::ServerFirstTokenDiffers { server, client } => server::first_token(server, client),
            ValidityNote::CacheCountsMissing { requests } => server::cache_counts(requests),
            ValidityNote::RecordsLost(LostRecords { count, are_counted: true }) => Wording::new(
                format!(
                    "{} records could not be written: the records file lacks these requests. This summary includes them.",
                    whole(count)
                ),
                "Free space on the disk, choose another --artifact-dir, or write less (--export-level). Quote this summary; do not compute \
                 anything from the records file.",
            ),
            ValidityNote::RecordsLost(LostRecords { count, are_counted: false }) => Wording::new(
                format!(
                    "{} requests that were sent have no record: this summary was rebuilt from the records and leaves them out. \
                     Its counts and rates are too low.",
                    whole(count)
                ),
                "Use the summary that the run itself wrote, if there is one, or repeat the run.",
            ),
            ValidityNote::RowsLeftOut { rows } => Wording::new(
                format!("{} rows of the data could not be used and were left out.", whole(rows)),
                "See the log: it names the first of them and the reason.",
            ),
        }
    }

    fn new(statement: String, advice: impl Into<String>) -> Self {
        Self { statement, advice: advice.into() }
    }
}

fn share(count: u64, all: u64) -> String {
    let percent = 100.0 * count as f64 / all.max(1) as f64;
    format!("{} of {} requests ({percent:.1}%)", whole(count), whole(all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use aiperf_clock::Nanos;
    use aiperf_metrics::{ClientLimit, GapCause, LimitKind, Metric, ThreadRole, Unreached};

    fn limit(kind: LimitKind) -> ValidityNote {
        let (since, lasted) = (Nanos(2_000_000_000), Nanos(8_500_000_000));
        ValidityNote::ClientSaturated(ClientLimit { kind, figure: 97.5, threshold: 90.0, since, lasted, stolen: None })
    }

    #[test]
    fn every_limit_is_a_sentence_with_its_figure_and_advice() {
        let kinds = [
            LimitKind::WorkerLag,
            LimitKind::ProcessCpu,
            LimitKind::ThreadCpu(ThreadRole::Scheduler),
            LimitKind::ThreadCpu(ThreadRole::Worker),
            LimitKind::RecordQueue,
            LimitKind::RecordsHeldBack,
            LimitKind::ScheduleLag { growing: false },
            LimitKind::ScheduleLag { growing: true },
            LimitKind::Descriptors,
            LimitKind::Ports,
        ];
        for kind in kinds {
            let Wording { statement, advice } = Wording::of(&limit(kind));
            assert!(statement.contains("97.50") && statement.contains("first 2.0 s into the run, for 8.5 s"));
            let limit = ["(limit 90%).", "(limit 90 ms).", "(limit 90 requests)."];
            assert!(limit.iter().any(|end| statement.ends_with(end)), "{statement}");
            assert!(advice.ends_with('.'));
        }
    }

    #[test]
    fn a_client_that_was_stopped_says_for_how_long() {
        let Wording { statement, advice } = Wording::of(&limit(LimitKind::Stalled));
        assert!(
            statement.starts_with("The client was stopped for 8.5 s in all, first 2.0 s into the run"),
            "{statement}"
        );
        assert!(advice.contains("SIGSTOP"), "{advice}");
        let drift = |client_late| {
            let drifting = Metric::RequestLatency;
            Wording::of(&ValidityNote::NonStationary { drifting, change: 0.3, client_late }).advice
        };
        assert!(drift(true).contains("The client itself was stopped") && !drift(false).contains("stopped"));
    }

    #[test]
    fn littles_law_advises_about_what_most_of_the_gap_went_to() {
        let of = |cause| {
            let (in_flight, per_second, latency_seconds) = (1.99, 23.8, 0.04351);
            Wording::of(&ValidityNote::LittlesLawGap { in_flight, per_second, latency_seconds, cause })
        };
        let late = of(GapCause::LateEnd);
        let start = "Little's law: 23.80 req/s × 43.51 ms = 1.04 in flight, observed 1.99;";
        assert!(late.statement.starts_with(start), "{}", late.statement);
        assert!(late.advice.contains("[DONE]") && !late.advice.contains("failed"), "{}", late.advice);
        assert!(of(GapCause::Failures).advice.contains("error summary"));
        assert!(of(GapCause::CutOff).advice.contains("--benchmark-grace-period"));
        assert!(of(GapCause::LateReading).advice.contains("The server is not the cause"));
    }

    #[test]
    fn a_shortfall_points_to_what_happened_to_the_arrivals() {
        let of = |dropped| Wording::of(&ValidityNote::RateShortfall { asked: 50.0, achieved: 37.96, dropped });
        let dropped = of(120);
        assert!(dropped.statement.contains("37.96 requests/s, 24.1% below the 50 requests/s asked for"));
        assert!(dropped.statement.contains("dropped 120 arrivals") && !dropped.advice.contains("schedule_lag"));
        assert!(of(0).advice.contains("schedule_lag") && !of(0).statement.contains("dropped"));
    }

    #[test]
    fn concurrency_that_was_not_reached_says_why() {
        let of = |why| Wording::of(&ValidityNote::ConcurrencyNotReached { asked: 50, reached: 10, why }).statement;
        let start =
            "The requested concurrency was never reached: at most 10 of 50 requests were in flight at once, because ";
        for (why, reason) in [
            (Unreached::FewRequests { sent: 10 }, "only 10 requests were sent."),
            (Unreached::FewSessions { sessions: 1 }, "only 1 session was started, and"),
            (Unreached::Ramp, "the run ended before the ramp did."),
            (Unreached::QuickResponses, "responses ended before the next requests were sent."),
        ] {
            let said = of(why);
            assert!(said.strip_prefix(start).is_some_and(|rest| rest.starts_with(reason)), "{said}");
        }
    }

    #[test]
    fn hidden_waiting_names_the_metric_to_quote() {
        let of = |from_due| Wording::of(&ValidityNote::HiddenWait { from_due, waited: 3_040.0, served: 40.0 });
        let latency = of(Metric::RequestLatencyFromDue);
        assert!(latency.statement.contains("request latency as users see it is 3,040.00 ms"));
        assert!(latency.advice.starts_with("Quote request_latency_from_due."));
        assert!(of(Metric::TimeToFirstTokenFromDue).statement.contains("time to first token as users"));
    }

    #[test]
    fn a_ceiling_says_what_it_did_and_nothing_else() {
        let of = |delayed, dropped| Wording::of(&ValidityNote::CeilingReached { delayed, dropped, arrivals: 1_000 });
        assert!(of(20, 0).statement.contains("it delayed 20 of 1,000 arrivals (2.0%)"));
        assert!(of(0, 5).statement.contains("it dropped 5 of 1,000"));
        assert!(of(20, 5).statement.contains("it delayed 20 and dropped 5 of"));
        assert!(!of(20, 0).advice.contains("ropped"));
    }
}
