//! Validity notes: their stable names, what each carries, and the figure with the threshold that it passed.

use aiperf_clock::Nanos;

use super::thresholds::{
    CLOCK_STEP, COLD_START_FACTOR, CONCURRENCY_SHORTFALL_PERCENT, CONNECTION_WAIT_PERCENT, DRIFT_PERCENT,
    LITTLES_LAW_GAP_PERCENT, NOTED_SHARE_PERCENT, RATE_SHORTFALL_PERCENT, REPLAY_LAG_MS, SERVER_TTFT_PERCENT,
    TOKENS_PER_CHUNK,
};
use super::{GapCause, LostRecords, MaxTokensField, Unreached, evidence};
use crate::{ClientLimit, ClientLoad, LoadAxis, Metric, Percentile, Unit};

/// Each row: code, name in files, and whether records alone tell it or only the run itself.
macro_rules! codes {
    ($($code:ident $name:literal $known_from:ident;)*) => {
        /// What kind of note it is: what files, `--strict` and the documentation call it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum ValidityCode { $($code),* }

        impl ValidityCode {
            /// In the order in which notes are worth reading.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$code),*];

            /// As files and `--strict` spell it.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$code => $name),* }
            }

            const fn known_from(self) -> KnownFrom {
                match self { $(Self::$code => KnownFrom::$known_from),* }
            }
        }
    };
}

codes! {
    MaxTokensFieldRefused "max_tokens_field_refused" Records;
    ServerNotReady "server_not_ready" Run;
    ErrorShare "error_share" Records;
    RequestsResent "requests_resent" Records;
    ClientSaturated "client_saturated" Run;
    LateSends "late_sends" Records;
    LateFirstTokens "late_first_tokens" Run;
    MergedChunks "merged_chunks" Run;
    BeyondCertifiedLoad "beyond_certified_load" Run;
    ClockStep "clock_step" Run;
    UserTimestamps "user_timestamps" Run;
    RecordsLost "records_lost" Run;
    RateShortfall "rate_shortfall" Run;
    ConcurrencyNotReached "concurrency_not_reached" Run;
    ConcurrencyCeilingReached "concurrency_ceiling_reached" Run;
    HiddenWait "hidden_wait" Records;
    ReplayDegraded "replay_degraded" Records;
    LittlesLawGap "littles_law_gap" Records;
    WarmupMissing "warmup_missing" Records;
    NonStationary "non_stationary" Records;
    SampleFloor "sample_floor" Records;
    NotStreamed "not_streamed" Records;
    ChunksWithSeveralTokens "chunks_with_several_tokens" Records;
    UndecodableEvents "undecodable_events" Run;
    InputLengthOff "input_length_off" Run;
    OutputLengthOff "output_length_off" Records;
    TokenCountsDiffer "token_counts_differ" Records;
    ServerCountsMissing "server_counts_missing" Records;
    ServerTokensDiffer "server_tokens_differ" Run;
    ServerFirstTokenDiffers "server_first_token_differs" Run;
    CacheCountsMissing "cache_counts_missing" Run;
    RowsLeftOut "rows_left_out" Run;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KnownFrom {
    Records,
    Run,
}

impl ValidityCode {
    /// Hyphens and case do not matter.
    pub fn from_name(name: &str) -> Option<Self> {
        let wanted = name.trim().to_lowercase().replace('-', "_");
        Self::ALL.into_iter().find(|code| code.name() == wanted)
    }

    /// Whether records alone tell, so that a summary that is rebuilt from them needs no earlier one for it.
    pub const fn follows_from_records(self) -> bool {
        matches!(self.known_from(), KnownFrom::Records)
    }
}

/// How much a note weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Good to know; the numbers stand.
    Info,
    /// Some number is not what its reader takes it for.
    Warning,
}

impl Severity {
    /// As files spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
        }
    }
}

/// One thing to know before believing a summary.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ValidityNote {
    /// The server refused the field that carries the number of tokens to generate.
    MaxTokensFieldRefused { field: MaxTokensField, requests: u64 },
    /// The first requests met no server, or one that was not ready.
    ServerNotReady { requests: u64 },
    /// The run waited for the server before its first request.
    ServerWaitedFor { waited: Nanos },
    /// Requests failed, other than by cancellation on purpose.
    ErrorShare { failed: u64, of: u64 },
    /// Requests were sent again that the server had left without an answer.
    RequestsResent { resent: u64, of: u64 },
    /// The client, not the server, was the limit.
    ClientSaturated(ClientLimit),
    /// Requests spent a noticeable time in the client before their first byte left.
    LateSends { late: u64, of: u64 },
    /// First chunks were read late together with later ones: their times are those of the later ones.
    LateFirstTokens { late: u64, of: u64 },
    /// Chunks were read late together with later ones of their response: the gaps between them are lost.
    MergedChunks { merged: u64, of: u64 },
    /// The client had more to do than this machine was certified for.
    BeyondCertified { axis: LoadAxis, reached: ClientLoad, certified: ClientLoad },
    /// The wall clock was set during the run: the largest step.
    ClockStepped { step: Nanos },
    /// The system stamped no read: the times of responses are those at which a thread read them.
    UserTimestamps { reads: u64 },
    /// Requests have no record in the records file.
    RecordsLost(LostRecords),
    /// Requests were sent at a lower rate than asked for. `dropped`: arrivals that the concurrency ceiling left out.
    RateShortfall { asked: f64, achieved: f64, dropped: u64 },
    /// Fewer requests were in flight than the closed loop was asked to keep there, at any time.
    ConcurrencyNotReached { asked: u64, reached: u64, why: Unreached },
    /// The concurrency ceiling kept arrivals back.
    CeilingReached { delayed: u64, dropped: u64, arrivals: u64 },
    /// Requests waited for a connection, of which no more were allowed.
    ConnectionsExhausted { waited: u64, of: u64 },
    /// Counted from when requests were due, latency is much longer than counted from when they were sent: service times
    /// alone leave out the waiting (coordinated omission). Milliseconds, p99.
    HiddenWait { from_due: Metric, waited: f64, served: f64 },
    /// The replay did not keep the shape of its trace. Milliseconds.
    ReplayDegraded { lag_p99: f64 },
    /// Throughput times latency does not explain how many requests were in flight.
    LittlesLawGap { in_flight: f64, per_second: f64, latency_seconds: f64, cause: GapCause },
    /// The first requests were much slower than later ones, and nothing warmed the server up. Milliseconds.
    WarmupMissing { requests: u64, first: f64, later: f64 },
    /// A metric drifts to the end of the run, by this share of its level. `client_late`: the client itself was stopped
    /// or read late, which alone can make it drift.
    NonStationary { drifting: Metric, change: f64, client_late: bool },
    /// Percentiles from `from` on rest on fewer independent samples than they need; `needed` by the rarest, p99.
    SampleFloor { from: Percentile, samples: u64, needed: u64 },
    /// Responses to streaming requests came as one document each.
    NotStreamed { requests: u64, of: u64 },
    /// Events carry more than one token each, on average.
    ChunksWithSeveralTokens { tokens: u64, chunks: u64 },
    /// Parts of responses could not be read.
    EventsUndecodable { events: u64, requests: u64, of: u64 },
    /// Prompts are longer or shorter than asked for.
    InputLengthOff { requests: u64, of: u64, average_percent: f64, allowed_percent: f64 },
    /// Responses are longer or shorter than asked for.
    OutputLengthOff { requests: u64, of: u64, average_percent: f64, allowed_percent: f64, allowed_tokens: f64 },
    /// Client and server count tokens differently.
    TokenCountsDiffer { requests: u64, of: u64, allowed_percent: f64 },
    /// The server's token counts were asked for, and it gave none, or not all.
    ServerCountsMissing { requests: u64, of: u64 },
    /// The servers' own counters of generated tokens differ from what the client counted.
    ServerTokensDiffer { server: u64, client: u64, allowed_percent: f64 },
    /// The servers' own mean time to first token differs from the client's. Milliseconds.
    ServerFirstTokenDiffers { server: f64, client: f64 },
    /// Usage comes without counts of cached tokens.
    CacheCountsMissing { requests: u64 },
    /// Rows of the data that could not be used are not part of what was measured.
    RowsLeftOut { rows: u64 },
}

impl ValidityNote {
    pub const fn code(&self) -> ValidityCode {
        match self {
            Self::MaxTokensFieldRefused { .. } => ValidityCode::MaxTokensFieldRefused,
            Self::ServerNotReady { .. } | Self::ServerWaitedFor { .. } => ValidityCode::ServerNotReady,
            Self::ErrorShare { .. } => ValidityCode::ErrorShare,
            Self::RequestsResent { .. } => ValidityCode::RequestsResent,
            Self::ClientSaturated(_) => ValidityCode::ClientSaturated,
            Self::LateSends { .. } => ValidityCode::LateSends,
            Self::LateFirstTokens { .. } => ValidityCode::LateFirstTokens,
            Self::MergedChunks { .. } => ValidityCode::MergedChunks,
            Self::BeyondCertified { .. } => ValidityCode::BeyondCertifiedLoad,
            Self::ClockStepped { .. } => ValidityCode::ClockStep,
            Self::UserTimestamps { .. } => ValidityCode::UserTimestamps,
            Self::RecordsLost(_) => ValidityCode::RecordsLost,
            Self::RateShortfall { .. } => ValidityCode::RateShortfall,
            Self::ConcurrencyNotReached { .. } => ValidityCode::ConcurrencyNotReached,
            Self::CeilingReached { .. } | Self::ConnectionsExhausted { .. } => ValidityCode::ConcurrencyCeilingReached,
            Self::HiddenWait { .. } => ValidityCode::HiddenWait,
            Self::ReplayDegraded { .. } => ValidityCode::ReplayDegraded,
            Self::LittlesLawGap { .. } => ValidityCode::LittlesLawGap,
            Self::WarmupMissing { .. } => ValidityCode::WarmupMissing,
            Self::NonStationary { .. } => ValidityCode::NonStationary,
            Self::SampleFloor { .. } => ValidityCode::SampleFloor,
            Self::NotStreamed { .. } => ValidityCode::NotStreamed,
            Self::ChunksWithSeveralTokens { .. } => ValidityCode::ChunksWithSeveralTokens,
            Self::EventsUndecodable { .. } => ValidityCode::UndecodableEvents,
            Self::InputLengthOff { .. } => ValidityCode::InputLengthOff,
            Self::OutputLengthOff { .. } => ValidityCode::OutputLengthOff,
            Self::TokenCountsDiffer { .. } => ValidityCode::TokenCountsDiffer,
            Self::ServerCountsMissing { .. } => ValidityCode::ServerCountsMissing,
            Self::ServerTokensDiffer { .. } => ValidityCode::ServerTokensDiffer,
            Self::ServerFirstTokenDiffers { .. } => ValidityCode::ServerFirstTokenDiffers,
            Self::CacheCountsMissing { .. } => ValidityCode::CacheCountsMissing,
            Self::RowsLeftOut { .. } => ValidityCode::RowsLeftOut,
        }
    }

    pub const fn severity(&self) -> Severity {
        match self {
            Self::ServerWaitedFor { .. }
            | Self::BeyondCertified { .. }
            | Self::UserTimestamps { .. }
            | Self::SampleFloor { .. }
            | Self::ServerFirstTokenDiffers { .. }
            | Self::CacheCountsMissing { .. }
            | Self::RowsLeftOut { .. } => Severity::Info,
            // At or below one in a hundred.
            Self::RequestsResent { resent, of } if resent.saturating_mul(100) <= *of => Severity::Info,
            _ => Severity::Warning,
        }
    }

    /// What it is about, if one code can be about several things: a limit, a metric, a field.
    pub fn subject(&self) -> Option<&'static str> {
        match self {
            Self::MaxTokensFieldRefused { field, .. } => Some(field.name()),
            Self::ServerNotReady { .. } => Some("first_requests"),
            Self::ServerWaitedFor { .. } => Some("wait_for_model"),
            Self::ClientSaturated(limit) => Some(limit.kind.name()),
            Self::BeyondCertified { axis, .. } => Some(axis.name()),
            Self::HiddenWait { from_due, .. } => Some(from_due.tag()),
            Self::NonStationary { drifting, .. } => Some(drifting.tag()),
            Self::SampleFloor { from, .. } => Some(from.name()),
            Self::CeilingReached { .. } => Some("concurrency"),
            Self::ConnectionsExhausted { .. } => Some("connections"),
            _ => None,
        }
    }

    /// What was seen, in [`ValidityNote::unit`].
    pub fn figure(&self) -> f64 {
        self.measure().figure
    }

    /// What the figure should have stayed at or below, in the same unit; at or above, if it counts samples.
    pub fn threshold(&self) -> f64 {
        self.measure().threshold
    }

    pub fn unit(&self) -> Unit {
        self.measure().unit
    }

    fn measure(&self) -> Measure {
        match *self {
            Self::MaxTokensFieldRefused { requests, .. }
            | Self::ServerNotReady { requests }
            | Self::CacheCountsMissing { requests } => Measure::any(requests, Unit::Requests),
            Self::RecordsLost(lost) => Measure::any(lost.count, Unit::Requests),
            Self::EventsUndecodable { events, .. } => Measure::any(events, Unit::Count),
            Self::RowsLeftOut { rows: count } | Self::UserTimestamps { reads: count } => {
                Measure::any(count, Unit::Count)
            }
            Self::ServerWaitedFor { waited } => Measure::above(0.0, waited.as_secs_f64(), Unit::Seconds),
            Self::ClientSaturated(limit) => Measure::above(limit.threshold, limit.figure, limit.kind.unit()),
            Self::BeyondCertified { axis, reached, certified } => {
                Measure::above(certified.on(axis), reached.on(axis), axis.unit())
            }
            Self::ClockStepped { step } => Measure::millis_above(CLOCK_STEP.as_millis_f64(), step.as_millis_f64()),
            Self::HiddenWait { waited, served, .. } => {
                Measure::millis_above(evidence::hidden_wait_bound(served), waited)
            }
            Self::ReplayDegraded { lag_p99 } => Measure::millis_above(REPLAY_LAG_MS, lag_p99),
            Self::WarmupMissing { first, later, .. } => Measure::above(COLD_START_FACTOR, first / later, Unit::Ratio),
            Self::ChunksWithSeveralTokens { tokens, chunks } => {
                Measure::above(TOKENS_PER_CHUNK, tokens as f64 / chunks.max(1) as f64, Unit::Ratio)
            }
            Self::SampleFloor { samples, needed, .. } => Measure::above(needed as f64, samples as f64, Unit::Count),
            Self::RateShortfall { asked, achieved, .. } => {
                Measure::percent_above(RATE_SHORTFALL_PERCENT, 100.0 * (1.0 - achieved / asked))
            }
            Self::ConcurrencyNotReached { asked, reached, .. } => {
                Measure::percent_above(CONCURRENCY_SHORTFALL_PERCENT, 100.0 - share_percent(reached, asked))
            }
            Self::LittlesLawGap { in_flight, per_second, latency_seconds, .. } => {
                let told = per_second * latency_seconds / in_flight;
                Measure::percent_above(LITTLES_LAW_GAP_PERCENT, 100.0 * (1.0 - told))
            }
            Self::ServerTokensDiffer { server, client, allowed_percent } => {
                let apart = 100.0 * (server as f64 / client.max(1) as f64 - 1.0).abs();
                Measure::percent_above(allowed_percent, apart)
            }
            Self::ServerFirstTokenDiffers { server, client } => {
                let apart = 100.0 * (server / client - 1.0).abs();
                Measure::percent_above(SERVER_TTFT_PERCENT, apart)
            }
            Self::NonStationary { change, .. } => Measure::percent_above(DRIFT_PERCENT, 100.0 * change),
            Self::ConnectionsExhausted { waited, of } => {
                Measure::percent_above(CONNECTION_WAIT_PERCENT, share_percent(waited, of))
            }
            Self::CeilingReached { delayed, dropped, arrivals } => {
                // A dropped arrival is in no number, so that even one counts.
                let threshold = if dropped == 0 { NOTED_SHARE_PERCENT } else { 0.0 };
                Measure::percent_above(threshold, share_percent(delayed + dropped, arrivals))
            }
            Self::NotStreamed { requests: part, of } | Self::ServerCountsMissing { requests: part, of } => {
                Measure::percent_above(0.0, share_percent(part, of))
            }
            Self::LateSends { late: part, of }
            | Self::LateFirstTokens { late: part, of }
            | Self::MergedChunks { merged: part, of }
            | Self::ErrorShare { failed: part, of }
            | Self::RequestsResent { resent: part, of }
            | Self::InputLengthOff { requests: part, of, .. }
            | Self::OutputLengthOff { requests: part, of, .. }
            | Self::TokenCountsDiffer { requests: part, of, .. } => {
                Measure::percent_above(NOTED_SHARE_PERCENT, share_percent(part, of))
            }
        }
    }
}

/// A figure and the threshold that it passed.
#[derive(Debug, Clone, Copy)]
struct Measure {
    figure: f64,
    threshold: f64,
    unit: Unit,
}

impl Measure {
    const fn above(threshold: f64, figure: f64, unit: Unit) -> Self {
        Self { figure, threshold, unit }
    }

    const fn millis_above(threshold: f64, figure: f64) -> Self {
        Self::above(threshold, figure, Unit::Milliseconds)
    }

    const fn percent_above(threshold: f64, figure: f64) -> Self {
        Self::above(threshold, figure, Unit::Percent)
    }

    /// A count of which even one is too many.
    const fn any(count: u64, unit: Unit) -> Self {
        Self::above(0.0, count as f64, unit)
    }
}

pub(super) fn share_percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_listed_once_in_its_place_and_found_by_its_name() {
        for (place, code) in ValidityCode::ALL.into_iter().enumerate() {
            assert_eq!(code as usize, place);
            assert_eq!(ValidityCode::from_name(code.name()), Some(code));
            assert_eq!(ValidityCode::from_name(&code.name().to_uppercase().replace('_', "-")), Some(code));
        }
        assert_eq!(ValidityCode::from_name("no_such"), None);
    }
}
