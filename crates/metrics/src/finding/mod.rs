//! What the reader of a summary should know before believing its numbers. Here it is found; the words are the report's.

mod field_refusal;
mod rules;

pub use field_refusal::MaxTokensField;
pub use rules::Evidence;

use crate::{ClientLimit, ClientLoad, LoadAxis, Metric, Unit};

/// One thing to know. Each has a figure and the threshold that it passed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Finding {
    /// The server refused the field that carries the number of tokens to generate.
    MaxTokensFieldRefused { field: MaxTokensField, requests: u64 },
    /// The client, not the server, was the limit.
    ClientSaturated(ClientLimit),
    /// The client had more to do than this machine was certified for.
    BeyondCertified { axis: LoadAxis, reached: ClientLoad, certified: ClientLoad },
    /// Counted from when requests were due, latency is much longer than counted from when they were sent: service times
    /// alone leave out the waiting (coordinated omission). Milliseconds, p99.
    HiddenWait { from_due: Metric, waited: f64, served: f64 },
    /// The replay did not keep the shape of its trace. Milliseconds.
    ReplayDegraded { lag_p99: f64 },
    /// The concurrency ceiling kept arrivals back.
    CeilingReached { delayed: u64, dropped: u64, arrivals: u64 },
    /// Parts of responses could not be read.
    EventsUndecodable { events: u64, requests: u64, of: u64 },
    /// Responses are longer or shorter than asked for.
    OutputLengthOff { requests: u64, of: u64, average_percent: f64, allowed_percent: f64, allowed_tokens: f64 },
    /// Client and server count tokens differently.
    TokenCountsDiffer { requests: u64, of: u64, allowed_percent: f64 },
    /// Usage comes without counts of cached tokens.
    CacheCountsMissing { requests: u64 },
    /// Rows of the data that could not be used are not part of what was measured.
    RowsLeftOut { rows: u64 },
}

impl Finding {
    /// As files spell it.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::MaxTokensFieldRefused { .. } => "max_tokens_field_refused",
            Self::ClientSaturated(_) => "client_saturated",
            Self::BeyondCertified { .. } => "beyond_certified_load",
            Self::HiddenWait { .. } => "hidden_wait",
            Self::ReplayDegraded { .. } => "replay_degraded",
            Self::CeilingReached { .. } => "concurrency_ceiling_reached",
            Self::EventsUndecodable { .. } => "undecodable_events",
            Self::OutputLengthOff { .. } => "output_length_off",
            Self::TokenCountsDiffer { .. } => "token_counts_differ",
            Self::CacheCountsMissing { .. } => "cache_counts_missing",
            Self::RowsLeftOut { .. } => "rows_left_out",
        }
    }

    /// What it is about, where one kind of finding can be about several things: a limit, a metric, a field.
    pub fn subject(&self) -> Option<&'static str> {
        match self {
            Self::MaxTokensFieldRefused { field, .. } => Some(field.name()),
            Self::ClientSaturated(limit) => Some(limit.kind.name()),
            Self::BeyondCertified { axis, .. } => Some(axis.name()),
            Self::HiddenWait { from_due, .. } => Some(from_due.tag()),
            _ => None,
        }
    }

    /// In [`Finding::unit`].
    pub fn figure(&self) -> f64 {
        match *self {
            Self::MaxTokensFieldRefused { requests, .. } | Self::CacheCountsMissing { requests } => requests as f64,
            Self::RowsLeftOut { rows } => rows as f64,
            Self::ClientSaturated(limit) => limit.figure,
            Self::BeyondCertified { axis, reached, .. } => reached.on(axis),
            Self::HiddenWait { waited, .. } => waited,
            Self::ReplayDegraded { lag_p99 } => lag_p99,
            Self::CeilingReached { delayed, dropped, arrivals } => share_percent(delayed + dropped, arrivals),
            Self::EventsUndecodable { events, .. } => events as f64,
            Self::OutputLengthOff { requests, of, .. } | Self::TokenCountsDiffer { requests, of, .. } => {
                share_percent(requests, of)
            }
        }
    }

    /// What the figure should have stayed at or below, in the same unit.
    pub fn threshold(&self) -> f64 {
        match *self {
            Self::ClientSaturated(limit) => limit.threshold,
            Self::BeyondCertified { axis, certified, .. } => certified.on(axis),
            Self::HiddenWait { served, .. } => rules::hidden_wait_bound(served),
            Self::ReplayDegraded { .. } => rules::REPLAY_DEGRADED_MS,
            Self::CeilingReached { dropped: 0, .. } => rules::DELAYED_PERCENT,
            _ => 0.0,
        }
    }

    pub const fn unit(&self) -> Unit {
        match self {
            Self::MaxTokensFieldRefused { .. } | Self::CacheCountsMissing { .. } => Unit::Requests,
            Self::EventsUndecodable { .. } | Self::RowsLeftOut { .. } => Unit::Count,
            Self::ClientSaturated(limit) => limit.kind.unit(),
            Self::BeyondCertified { axis, .. } => axis.unit(),
            Self::HiddenWait { .. } | Self::ReplayDegraded { .. } => Unit::Milliseconds,
            Self::CeilingReached { .. } | Self::OutputLengthOff { .. } | Self::TokenCountsDiffer { .. } => {
                Unit::Percent
            }
        }
    }
}

fn share_percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}
