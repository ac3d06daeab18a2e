//! One note, with the figure that it is about and the threshold that the figure passed.

use aiperf_clock::Nanos;
use aiperf_stats::steady::MATTERS;

use super::{GapCause, LostRecords, MaxTokensField, NOTED_SHARE_PERCENT, Unreached, ValidityCode};
use super::{chunking, cold_start, connections, evidence, occupancy, pacing, reached};
use crate::{ClientLimit, ClientLoad, LoadAxis, Metric, Percentile, Unit};

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
    /// First chunks were read late together with later ones: their times are those of the later ones.
    LateFirstTokens { late: u64, of: u64 },
    /// Chunks were read late together with later ones of their response: the gaps between them are lost.
    MergedChunks { merged: u64, of: u64 },
    /// The client had more to do than this machine was certified for.
    BeyondCertified { axis: LoadAxis, reached: ClientLoad, certified: ClientLoad },
    /// The wall clock was set during the run: the largest step.
    ClockStepped { step: Nanos },
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
            Self::LateFirstTokens { .. } => ValidityCode::LateFirstTokens,
            Self::MergedChunks { .. } => ValidityCode::MergedChunks,
            Self::BeyondCertified { .. } => ValidityCode::BeyondCertifiedLoad,
            Self::ClockStepped { .. } => ValidityCode::ClockStep,
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
            Self::CacheCountsMissing { .. } => ValidityCode::CacheCountsMissing,
            Self::RowsLeftOut { .. } => ValidityCode::RowsLeftOut,
        }
    }

    pub const fn severity(&self) -> Severity {
        match self {
            Self::ServerWaitedFor { .. }
            | Self::BeyondCertified { .. }
            | Self::SampleFloor { .. }
            | Self::CacheCountsMissing { .. }
            | Self::RowsLeftOut { .. } => Severity::Info,
            // At or below one in a hundred.
            Self::RequestsResent { resent, of } if resent.saturating_mul(100) <= *of => Severity::Info,
            _ => Severity::Warning,
        }
    }

    /// What it is about, where one code can be about several things: a limit, a metric, a field.
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

    /// In [`ValidityNote::unit`].
    pub fn figure(&self) -> f64 {
        match *self {
            Self::MaxTokensFieldRefused { requests, .. }
            | Self::ServerNotReady { requests }
            | Self::CacheCountsMissing { requests } => requests as f64,
            Self::ServerWaitedFor { waited } => waited.as_secs_f64(),
            Self::RowsLeftOut { rows } => rows as f64,
            Self::RecordsLost(lost) => lost.count as f64,
            Self::ClientSaturated(limit) => limit.figure,
            Self::BeyondCertified { axis, reached, .. } => reached.on(axis),
            Self::ClockStepped { step } => step.as_millis_f64(),
            Self::RateShortfall { asked, achieved, .. } => 100.0 * (1.0 - achieved / asked),
            Self::ConcurrencyNotReached { asked, reached, .. } => 100.0 - share_percent(reached, asked),
            Self::HiddenWait { waited, .. } => waited,
            Self::ReplayDegraded { lag_p99 } => lag_p99,
            Self::LittlesLawGap { in_flight, per_second, latency_seconds, .. } => {
                100.0 * (1.0 - per_second * latency_seconds / in_flight)
            }
            Self::WarmupMissing { first, later, .. } => first / later,
            Self::NonStationary { change, .. } => 100.0 * change,
            Self::SampleFloor { samples, .. } => samples as f64,
            Self::ChunksWithSeveralTokens { tokens, chunks } => tokens as f64 / chunks.max(1) as f64,
            Self::CeilingReached { delayed, dropped, arrivals } => share_percent(delayed + dropped, arrivals),
            Self::EventsUndecodable { events, .. } => events as f64,
            Self::LateFirstTokens { late: part, of }
            | Self::MergedChunks { merged: part, of }
            | Self::ConnectionsExhausted { waited: part, of }
            | Self::ErrorShare { failed: part, of }
            | Self::RequestsResent { resent: part, of }
            | Self::InputLengthOff { requests: part, of, .. }
            | Self::OutputLengthOff { requests: part, of, .. }
            | Self::NotStreamed { requests: part, of }
            | Self::ServerCountsMissing { requests: part, of }
            | Self::TokenCountsDiffer { requests: part, of, .. } => share_percent(part, of),
        }
    }

    /// What the figure should have stayed at or below, in the same unit; at or above, where it counts samples.
    pub fn threshold(&self) -> f64 {
        match *self {
            Self::ClientSaturated(limit) => limit.threshold,
            Self::BeyondCertified { axis, certified, .. } => certified.on(axis),
            Self::ClockStepped { .. } => evidence::CLOCK_STEP.as_millis_f64(),
            Self::RateShortfall { .. } => pacing::SHORTFALL_PERCENT,
            Self::ConcurrencyNotReached { .. } => reached::SHORTFALL_PERCENT,
            Self::HiddenWait { served, .. } => evidence::hidden_wait_bound(served),
            Self::ReplayDegraded { .. } => evidence::REPLAY_DEGRADED_MS,
            Self::LittlesLawGap { .. } => occupancy::GAP_PERCENT,
            Self::WarmupMissing { .. } => cold_start::FACTOR,
            Self::NonStationary { .. } => 100.0 * MATTERS,
            Self::SampleFloor { needed, .. } => needed as f64,
            Self::ChunksWithSeveralTokens { .. } => chunking::TOKENS_PER_CHUNK,
            Self::ConnectionsExhausted { .. } => connections::WAITED_PERCENT,
            Self::CeilingReached { dropped: 0, .. }
            | Self::LateFirstTokens { .. }
            | Self::MergedChunks { .. }
            | Self::ErrorShare { .. }
            | Self::RequestsResent { .. }
            | Self::InputLengthOff { .. }
            | Self::OutputLengthOff { .. }
            | Self::TokenCountsDiffer { .. } => NOTED_SHARE_PERCENT,
            Self::MaxTokensFieldRefused { .. }
            | Self::ServerNotReady { .. }
            | Self::ServerWaitedFor { .. }
            | Self::CeilingReached { .. }
            | Self::EventsUndecodable { .. }
            | Self::NotStreamed { .. }
            | Self::ServerCountsMissing { .. }
            | Self::CacheCountsMissing { .. }
            | Self::RecordsLost(_)
            | Self::RowsLeftOut { .. } => 0.0,
        }
    }

    pub const fn unit(&self) -> Unit {
        match self {
            Self::MaxTokensFieldRefused { .. }
            | Self::ServerNotReady { .. }
            | Self::CacheCountsMissing { .. }
            | Self::RecordsLost(_) => Unit::Requests,
            Self::ServerWaitedFor { .. } => Unit::Seconds,
            Self::EventsUndecodable { .. } | Self::RowsLeftOut { .. } | Self::SampleFloor { .. } => Unit::Count,
            Self::ClientSaturated(limit) => limit.kind.unit(),
            Self::BeyondCertified { axis, .. } => axis.unit(),
            Self::HiddenWait { .. } | Self::ReplayDegraded { .. } | Self::ClockStepped { .. } => Unit::Milliseconds,
            Self::WarmupMissing { .. } | Self::ChunksWithSeveralTokens { .. } => Unit::Ratio,
            Self::RateShortfall { .. }
            | Self::LateFirstTokens { .. }
            | Self::MergedChunks { .. }
            | Self::ConcurrencyNotReached { .. }
            | Self::NonStationary { .. }
            | Self::LittlesLawGap { .. }
            | Self::CeilingReached { .. }
            | Self::ConnectionsExhausted { .. }
            | Self::ErrorShare { .. }
            | Self::RequestsResent { .. }
            | Self::InputLengthOff { .. }
            | Self::OutputLengthOff { .. }
            | Self::NotStreamed { .. }
            | Self::ServerCountsMissing { .. }
            | Self::TokenCountsDiffer { .. } => Unit::Percent,
        }
    }
}

pub(super) fn share_percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}
