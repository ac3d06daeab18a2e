//! What each code means, for `docs/validity.md`. The advice is that of the notes themselves, and thresholds come from the
//! rules, so that neither is written twice.

use aiperf_clock::Nanos;
use aiperf_metrics::validity_thresholds::{
    CLOCK_STEP, COLD_START_FACTOR, CONCURRENCY_SHORTFALL_PERCENT, CONNECTION_WAIT_PERCENT, DRIFT_PERCENT,
    HIDDEN_WAIT_FACTOR, HIDDEN_WAIT_MS, INPUT_LENGTH_PERCENT, LEAST_SEND_DELAY, LITTLES_LAW_GAP_PERCENT,
    NOTED_SHARE_PERCENT, RATE_SHORTFALL_PERCENT, REPLAY_LAG_MS, SEND_DELAY_PERCENT, SERVER_TOKENS_PERCENT,
    SERVER_TTFT_MS, SERVER_TTFT_PERCENT, TOKENIZED_PERCENT, TOKENS_PER_CHUNK,
};
use aiperf_metrics::{
    ClientLimit, ClientLoad, GapCause, LateReads, Level, LimitKind, LoadAxis, LostRecords, MaxTokensField, Metric,
    Percentile, ThreadRole, Unreached, ValidityCode, ValidityNote, sample_floor,
};

use super::Wording;

/// One row of the manual.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValidityManual {
    pub meaning: &'static str,
    /// When there is a note, and why then.
    pub threshold: String,
    /// All advice that notes of this code give, each with the subject of the note if there is one.
    pub advice: Vec<(Option<&'static str>, String)>,
}

impl ValidityManual {
    pub fn of(code: ValidityCode) -> Self {
        let mut advice: Vec<(Option<&'static str>, String)> = Vec::new();
        for note in examples(code) {
            let given = Wording::of(&note).advice;
            match advice.iter_mut().find(|(_, known)| *known == given) {
                // The same for several subjects.
                Some((subject, _)) => *subject = None,
                None => advice.push((note.subject(), given)),
            }
        }
        Self { meaning: meaning(code), threshold: threshold(code), advice }
    }
}

/// A note for each piece of advice that a code has.
fn examples(code: ValidityCode) -> Vec<ValidityNote> {
    let (requests, of) = (12, 100);
    match code {
        ValidityCode::MaxTokensFieldRefused => [MaxTokensField::MaxCompletionTokens, MaxTokensField::MaxTokens]
            .map(|field| ValidityNote::MaxTokensFieldRefused { field, requests })
            .into(),
        ValidityCode::ServerNotReady => {
            vec![
                ValidityNote::ServerNotReady { requests },
                ValidityNote::ServerWaitedFor { waited: Nanos(9_000_000_000) },
            ]
        }
        ValidityCode::ErrorShare => vec![ValidityNote::ErrorShare { failed: requests, of }],
        ValidityCode::RequestsResent => vec![ValidityNote::RequestsResent { resent: requests, of }],
        ValidityCode::ClientSaturated => {
            let limit = |kind| ClientLimit {
                kind,
                figure: 99.0,
                threshold: 90.0,
                since: Nanos::ZERO,
                lasted: Nanos(2_000_000_000),
                stolen: None,
            };
            LIMITS.map(|kind| ValidityNote::ClientSaturated(limit(kind))).into()
        }
        ValidityCode::LateSends => vec![ValidityNote::LateSends { late: requests, of }],
        ValidityCode::LateFirstTokens => vec![ValidityNote::LateFirstTokens { late: requests, of }],
        ValidityCode::MergedChunks => vec![ValidityNote::MergedChunks { merged: requests, of }],
        ValidityCode::BeyondCertifiedLoad => {
            let reached = ClientLoad { in_flight: 250, chunks_per_second: 25_000.0, requests_per_second: 2_500.0 };
            let certified = ClientLoad { in_flight: 100, chunks_per_second: 9_000.0, requests_per_second: 90.0 };
            [LoadAxis::InFlight, LoadAxis::ChunkRate, LoadAxis::RequestRate]
                .map(|axis| ValidityNote::BeyondCertified { axis, reached, certified })
                .into()
        }
        ValidityCode::ClockStep => vec![ValidityNote::ClockStepped { step: Nanos(9_000_000) }],
        ValidityCode::UserTimestamps => vec![ValidityNote::UserTimestamps { reads: requests }],
        ValidityCode::RecordsLost => [true, false]
            .map(|are_counted| ValidityNote::RecordsLost(LostRecords { count: requests, are_counted }))
            .into(),
        ValidityCode::RateShortfall => {
            [0, 9].map(|dropped| ValidityNote::RateShortfall { asked: 50.0, achieved: 40.0, dropped }).into()
        }
        ValidityCode::ConcurrencyNotReached => [
            Unreached::FewRequests { sent: 10 },
            Unreached::FewSessions { sessions: 10 },
            Unreached::Ramp,
            Unreached::QuickResponses,
        ]
        .map(|why| ValidityNote::ConcurrencyNotReached { asked: 50, reached: 10, why })
        .into(),
        ValidityCode::ConcurrencyCeilingReached => vec![
            ValidityNote::CeilingReached { delayed: 5, dropped: 5, arrivals: of },
            ValidityNote::ConnectionsExhausted { waited: requests, of },
        ],
        ValidityCode::HiddenWait => [Metric::RequestLatencyFromDue, Metric::TimeToFirstTokenFromDue]
            .map(|from_due| ValidityNote::HiddenWait { from_due, waited: 900.0, served: 90.0 })
            .into(),
        ValidityCode::ReplayDegraded => vec![ValidityNote::ReplayDegraded { lag_p99: 900.0 }],
        ValidityCode::LittlesLawGap => {
            let (in_flight, per_second, latency_seconds) = (4.0, 20.0, 0.1);
            [GapCause::Failures, GapCause::CutOff, GapCause::LateEnd, GapCause::LateReading]
                .map(|cause| ValidityNote::LittlesLawGap { in_flight, per_second, latency_seconds, cause })
                .into()
        }
        ValidityCode::WarmupMissing => vec![ValidityNote::WarmupMissing { requests, first: 900.0, later: 90.0 }],
        ValidityCode::NonStationary => [false, true]
            .map(|client_late| ValidityNote::NonStationary {
                drifting: Metric::RequestLatency,
                change: 0.4,
                client_late,
            })
            .into(),
        ValidityCode::SampleFloor => {
            vec![ValidityNote::SampleFloor { from: Percentile::P90, samples: 13, needed: 368 }]
        }
        ValidityCode::NotStreamed => vec![ValidityNote::NotStreamed { requests, of }],
        ValidityCode::ChunksWithSeveralTokens => {
            vec![ValidityNote::ChunksWithSeveralTokens { tokens: 400, chunks: 100 }]
        }
        ValidityCode::UndecodableEvents => vec![ValidityNote::EventsUndecodable { events: 20, requests, of }],
        ValidityCode::InputLengthOff => {
            let (average_percent, allowed_percent) = (12.0, INPUT_LENGTH_PERCENT);
            vec![ValidityNote::InputLengthOff { requests, of, average_percent, allowed_percent }]
        }
        ValidityCode::OutputLengthOff => vec![ValidityNote::OutputLengthOff {
            requests,
            of,
            average_percent: -30.0,
            allowed_percent: 5.0,
            allowed_tokens: 50.0,
        }],
        ValidityCode::TokenCountsDiffer => {
            vec![ValidityNote::TokenCountsDiffer { requests, of, allowed_percent: 10.0 }]
        }
        ValidityCode::ServerCountsMissing => vec![ValidityNote::ServerCountsMissing { requests, of }],
        ValidityCode::ServerTokensDiffer => {
            vec![ValidityNote::ServerTokensDiffer { server: 1_200, client: 1_000, allowed_percent: 1.0 }]
        }
        ValidityCode::ServerFirstTokenDiffers => {
            vec![ValidityNote::ServerFirstTokenDiffers { server: 50.0, client: 120.0 }]
        }
        ValidityCode::CacheCountsMissing => vec![ValidityNote::CacheCountsMissing { requests }],
        ValidityCode::RowsLeftOut => vec![ValidityNote::RowsLeftOut { rows: requests }],
    }
}

const LIMITS: [LimitKind; 11] = [
    LimitKind::ScheduleLag { growing: false },
    LimitKind::ScheduleLag { growing: true },
    LimitKind::WorkerLag,
    LimitKind::ProcessCpu,
    LimitKind::ThreadCpu(ThreadRole::Scheduler),
    LimitKind::ThreadCpu(ThreadRole::Worker),
    LimitKind::RecordQueue,
    LimitKind::RecordsHeldBack,
    LimitKind::Stalled,
    LimitKind::Descriptors,
    LimitKind::Ports,
];

const fn meaning(code: ValidityCode) -> &'static str {
    match code {
        ValidityCode::MaxTokensFieldRefused => "The server does not support the field that carries the output length.",
        ValidityCode::ServerNotReady => {
            "The first requests could not connect, or the server answered that it was not ready. If the run only had to wait for the \
             server (`--wait-for-model-timeout`), the note is an `info`."
        }
        ValidityCode::ErrorShare => {
            "Requests failed. Latencies cover only the successful requests. Deliberate cancellations do not count."
        }
        ValidityCode::RequestsResent => {
            "Requests were sent again: the server closed a reused connection within 50 ms of the send without sending a byte, or \
             stated that it did not accept the request (HTTP/2 GOAWAY, REFUSED_STREAM). The server saw that many additional requests; \
             latencies include the lost attempts (`http_req_lost`)."
        }
        ValidityCode::ClientSaturated => "The client, not the server, was the limit. There is one note for each limit.",
        ValidityCode::LateSends => {
            "Requests spent a noticeable time in the client before their first byte left: the server got them later than the load \
             asked for. Many requests that start at the same time wait for each other."
        }
        ValidityCode::LateFirstTokens => {
            "The client read first tokens so late that they share the time of a later chunk. Their times to first token are too \
             long, and the server is not the cause."
        }
        ValidityCode::MergedChunks => {
            "The client read chunks so late that they share the time of a later chunk. The gaps between them are lost: \
             `inter_chunk_latency` has values near zero and values that are too long."
        }
        ValidityCode::BeyondCertifiedLoad => {
            "The client carried more load than the self-test of this machine covers. An `info`: a machine without a self-test is not \
             certified for any load."
        }
        ValidityCode::ClockStep => {
            "The wall clock was changed during the run. Durations use another clock; kernel time stamps within the last 250 ms before \
             the change and times of day after it may be wrong by up to the change."
        }
        ValidityCode::UserTimestamps => {
            "The kernel timestamped no read: the system is not Linux, or the connections are Unix sockets. The times of responses are \
             those at which the client read them. An `info`: with a client that is not busy they are the same to some microseconds."
        }
        ValidityCode::RecordsLost => {
            "Requests that were sent have no record in the records file: the disk refused them. The summary of the run itself includes \
             them; a summary that `aiperf report` rebuilds from the file does not. The message says which is the case."
        }
        ValidityCode::RateShortfall => "Requests were sent at a lower rate than the schedule asked for.",
        ValidityCode::ConcurrencyNotReached => {
            "A closed loop never had as many requests in flight as `--concurrency` asked for. Runs that were stopped early have no \
             such note."
        }
        ValidityCode::ConcurrencyCeilingReached => {
            "The concurrency ceiling delayed or dropped arrivals of an open loop, or requests waited for a connection: the load was \
             not the requested one."
        }
        ValidityCode::HiddenWait => {
            "Latency counted from when requests were due is much longer than latency counted from when they were sent (coordinated \
             omission)."
        }
        ValidityCode::ReplayDegraded => "The replay did not keep the timing of its trace.",
        ValidityCode::LittlesLawGap => {
            "Throughput times mean latency is less than the mean number of requests in flight (Little's law): a part of the load is in \
             no latency. The advice names the largest part: failed requests, requests cut off by the end of the run, responses that the \
             server ended late, or a client that read late. Deliberate cancellations do not count."
        }
        ValidityCode::WarmupMissing => {
            "The first requests were much slower than later ones, and there was no warmup: means and tails include the server's start."
        }
        ValidityCode::NonStationary => {
            "Latency or throughput drifts until the end: the run never reached a steady state, so its averages depend on its length."
        }
        ValidityCode::SampleFloor => {
            "Commonly quoted percentiles have too few effective samples; the `subject` is the first of them. An `info`: each of them is \
             also marked (`ci.unsupported`, `*` on the console)."
        }
        ValidityCode::NotStreamed => {
            "Streaming was requested, but responses came as one document each. They have a latency, but no time to first token, no \
             inter-token latency and none of the metrics that follow from the two."
        }
        ValidityCode::ChunksWithSeveralTokens => {
            "Streamed events carry several tokens. `inter_chunk_latency` is then not the time between tokens, and \
             `inter_token_latency` spreads it evenly over tokens that came together."
        }
        ValidityCode::UndecodableEvents => "Parts of responses were not JSON objects and were skipped.",
        ValidityCode::InputLengthOff => "Prompts do not have the requested length.",
        ValidityCode::OutputLengthOff => "Responses do not have the requested length.",
        ValidityCode::TokenCountsDiffer => "Client and server count different numbers of tokens.",
        ValidityCode::ServerCountsMissing => {
            "`--use-server-token-count` was given, but the server reported no usage, or not both counts. These requests are in no token \
             metric."
        }
        ValidityCode::ServerTokensDiffer => {
            "The counters on the servers' metrics pages show another number of generated tokens than the client received. Rates that \
             are taken from those pages are not those of this run alone."
        }
        ValidityCode::ServerFirstTokenDiffers => {
            "The servers' own mean time to first token differs from the client's: part of the latency arises outside the engine."
        }
        ValidityCode::CacheCountsMissing => {
            "Prompts share prefixes, but the reported usage does not count cached prompt tokens."
        }
        ValidityCode::RowsLeftOut => "Rows of the data could not be used (`--skip-bad-rows`).",
    }
}

fn threshold(code: ValidityCode) -> String {
    let any = |why: &str| format!("any; {why}");
    let share = |what: &str| {
        format!("more than {NOTED_SHARE_PERCENT} % of requests {what}; from there on the p99 is one of them")
    };
    let late = LateReads::WAIT.as_millis_f64();
    match code {
        ValidityCode::MaxTokensFieldRefused => any("each is a request that was not served"),
        ValidityCode::ServerNotReady => {
            any("a refused connection or status 502 to 504 before the first successful request began")
        }
        ValidityCode::ErrorShare => share("failed"),
        ValidityCode::RequestsResent => format!(
            "any, as an `info`; a warning above {NOTED_SHARE_PERCENT} % of requests, because from there on the p99 is one of them"
        ),
        ValidityCode::ClientSaturated => {
            "the limits of `client_health` ([client-health.md](client-health.md)), sustained for a second; at once for a client that \
             was stopped, and for descriptors and ports"
                .to_owned()
        }
        ValidityCode::LateSends => share(&format!(
            "have a `client_send_delay` above {} ms and above {SEND_DELAY_PERCENT} % of their time to first token (without \
             streaming: of their latency)",
            Nanos(LEAST_SEND_DELAY).as_millis_f64()
        )),
        ValidityCode::LateFirstTokens => share(&format!(
            "have a first token that was read more than {late} ms after it arrived, together with a later chunk"
        )),
        ValidityCode::MergedChunks => format!(
            "more than {NOTED_SHARE_PERCENT} % of chunks were read more than {late} ms after they arrived, together with a later one; \
             from there on the p1 of the gaps is one of them"
        ),
        ValidityCode::BeyondCertifiedLoad => {
            "the load that the [self-test](selftest.md) certified; rates may exceed it by a tenth".to_owned()
        }
        ValidityCode::ClockStep => {
            format!("{} ms; smaller changes are not visible in any latency", CLOCK_STEP.as_millis_f64())
        }
        ValidityCode::UserTimestamps => "any read, if the kernel stamped none".to_owned(),
        ValidityCode::RateShortfall => format!(
            "more than {RATE_SHORTFALL_PERCENT} % below the schedule, if the lag grew by half a second or more from the first to the \
             last tenth of requests, or if arrivals were dropped; a repetition of the run differs by less"
        ),
        ValidityCode::ConcurrencyNotReached => format!(
            "the most requests in flight at any time are more than {CONCURRENCY_SHORTFALL_PERCENT} % below `--concurrency`; a \
             repetition of the run differs by less"
        ),
        ValidityCode::ConcurrencyCeilingReached => format!(
            "any dropped arrival, more than {NOTED_SHARE_PERCENT} % delayed arrivals, or more than {CONNECTION_WAIT_PERCENT} % of \
             requests that waited over 1 ms for a connection; from there on the p99 is one of them"
        ),
        ValidityCode::HiddenWait => format!(
            "the p99 from due is more than {HIDDEN_WAIT_FACTOR} times that of the service time, and more than {HIDDEN_WAIT_MS} ms \
             above it; this changes the conclusion"
        ),
        ValidityCode::ReplayDegraded => format!("p99 of the lag above {REPLAY_LAG_MS} ms, the limit of AIPerf"),
        ValidityCode::LittlesLawGap => format!(
            "more than {LITTLES_LAW_GAP_PERCENT} % of the time in flight, and 10 ms for each request, without deliberate cancellations; \
             the mean could be off by as much"
        ),
        ValidityCode::WarmupMissing => format!(
            "the median of the first wave (as many as run at once, at most a tenth of the requests) is more than {COLD_START_FACTOR} \
             times that of the later half, above its p99, 50 ms above its median, and 1 % of all waiting; a busy server alone does not \
             cause this"
        ),
        ValidityCode::NonStationary => format!(
            "no steady state ([statistics.md](statistics.md)), and a change of more than {DRIFT_PERCENT} % of the level; less does not \
             matter, however certain it is"
        ),
        ValidityCode::SampleFloor => format!(
            "fewer than {} effective samples for p99 at a level of 95 % (up to p99; rarer percentiles are only marked); with fewer, no \
             two samples enclose it ([statistics.md](statistics.md))",
            sample_floor(0.99, Level::P95)
        ),
        ValidityCode::NotStreamed => any("its first token is in no number"),
        ValidityCode::ChunksWithSeveralTokens => {
            format!("more than {TOKENS_PER_CHUNK} tokens per event on average; another tokenizer counts up to 20 % more")
        }
        ValidityCode::UndecodableEvents => any("their content is in no count"),
        ValidityCode::InputLengthOff => {
            share(&format!("differ by more than {INPUT_LENGTH_PERCENT} % from the requested length"))
        }
        ValidityCode::OutputLengthOff => share(
            "differ by more than `AIPERF_METRICS_OSL_MISMATCH_PCT_THRESHOLD` (5 %) of the requested length or \
             `AIPERF_METRICS_OSL_MISMATCH_MAX_TOKEN_THRESHOLD` (50 tokens), whichever is less",
        ),
        ValidityCode::TokenCountsDiffer => share("differ by more than `AIPERF_METRICS_USAGE_PCT_DIFF_THRESHOLD` (10 %)"),
        ValidityCode::ServerCountsMissing => any("such a request is in no token metric"),
        ValidityCode::ServerTokensDiffer => format!(
            "more than {SERVER_TOKENS_PERCENT}%, or {TOKENIZED_PERCENT}% if the responses have no usage and the client counts itself"
        ),
        ValidityCode::ServerFirstTokenDiffers => format!(
            "more than {SERVER_TTFT_PERCENT}% and {SERVER_TTFT_MS} ms: more than network, HTTP and tokenization usually take"
        ),
        ValidityCode::CacheCountsMissing => any("cache hits are not visible"),
        ValidityCode::RecordsLost => any("numbers that are computed from the file lack them"),
        ValidityCode::RowsLeftOut => any("they are not part of what was measured"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_examples_of_its_own_and_advice_in_whole_sentences() {
        for code in ValidityCode::ALL {
            let examples = examples(code);
            assert!(!examples.is_empty() && examples.iter().all(|note| note.code() == code), "{}", code.name());
            let manual = ValidityManual::of(code);
            assert!(manual.meaning.ends_with('.'), "{}", code.name());
            assert!(manual.advice.iter().all(|(_, advice)| advice.ends_with('.')), "{}: {manual:?}", code.name());
        }
    }

    #[test]
    fn advice_that_differs_names_its_subject() {
        let advice = ValidityManual::of(ValidityCode::ClientSaturated).advice;
        assert!(advice.len() >= 8 && advice.iter().any(|(subject, _)| *subject == Some("stalled")), "{advice:?}");
        assert_eq!(ValidityManual::of(ValidityCode::LateFirstTokens).advice.len(), 1);
    }
}
