//! Turns finished requests and counters into the numbers of a snapshot. Times come in as arguments: nothing here reads a clock.

mod client_load;
mod errors;
mod histogram;
mod phase_statistics;
mod phases;
mod seconds;
mod server_rates;

pub(crate) use client_load::ClientLoadWindow;
pub(crate) use errors::ErrorList;
pub use histogram::{ERROR_OF_PERCENTILES, LogHistogram};
pub(crate) use phase_statistics::PhaseStatistics;
pub(crate) use phases::PhaseList;
pub use seconds::WINDOW;
pub(crate) use server_rates::ServerRates;

use aiperf_clock::Mono;
use aiperf_metrics::{Observation, RecordValues};
use aiperf_protocol::RequestOutcome;

/// Longest part of an error message that is kept.
const EXCERPT: usize = 300;

/// One finished request on its way from a record thread to the aggregation.
#[derive(Debug, Clone)]
pub(crate) struct RequestSample {
    pub(crate) phase_index: usize,
    pub(crate) end: Mono,
    pub(crate) outcome: RequestOutcome,
    pub(crate) values: RecordValues,
    pub(crate) error: Option<Box<ErrorText>>,
}

/// What a failed request said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ErrorText {
    pub(crate) status: Option<u16>,
    pub(crate) kind: String,
    pub(crate) excerpt: String,
}

impl RequestSample {
    pub(crate) fn new(phase_index: usize, observation: &Observation, values: &RecordValues) -> Self {
        let error = observation.failure.as_ref().filter(|failure| failure.outcome.is_failure()).map(|failure| {
            let excerpt = failure.message.split_whitespace().collect::<Vec<_>>().join(" ");
            Box::new(ErrorText {
                status: failure.code,
                kind: failure.kind.name().to_owned(),
                excerpt: excerpt.chars().take(EXCERPT).collect(),
            })
        });
        Self { phase_index, end: observation.end, outcome: observation.outcome(), values: values.clone(), error }
    }
}
