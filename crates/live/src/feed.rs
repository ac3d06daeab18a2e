//! What the run gives to the live model.

use std::fmt::Debug;
use std::sync::Arc;

use aiperf_clock::{EpochNanos, Mono};
use aiperf_metrics::{MetricContext, Observation, RecordValues};
use aiperf_protocol::PhaseKind;
use serde_json::Value;

use crate::snapshot::{CapacityProgress, NodeHealth, ServerHeadline};

/// One finished request, with everything that is known about it. The failure message has no secrets in it.
#[derive(Debug, Clone, Copy)]
pub struct FinishedRequest<'a> {
    pub phase: PhaseKind,
    pub phase_index: usize,
    pub observation: &'a Observation,
    pub values: &'a RecordValues,
    /// Context of the request's phase.
    pub context: &'a MetricContext,
    /// The number of the request in its phase.
    pub session_num: u64,
    pub x_request_id: &'a str,
    pub x_correlation_id: &'a str,
    pub conversation_id: &'a str,
    pub turn_index: usize,
    pub worker: usize,
    pub record_processor: usize,
    pub credit_issued: EpochNanos,
    pub start: EpochNanos,
    pub end: EpochNanos,
}

/// Gets every finished request, on the record threads: it must not wait.
pub trait RequestConsumer: Send + Sync + Debug {
    fn finished(&self, request: &FinishedRequest<'_>);

    /// All requests of the run are in, and its summary is about to be written. May wait within a limit of its own.
    fn all_finished(&self) -> ConsumerReport {
        ConsumerReport::default()
    }
}

/// What a consumer says about its work, for the summary of the run.
#[derive(Debug, Clone, Default)]
pub struct ConsumerReport {
    /// An object of the summary document, by its name.
    pub section: Option<(&'static str, Value)>,
    /// Sentences for the console.
    pub remarks: Vec<String>,
}

/// Counters of the run that the live model reads five times a second; reading them blocks nobody.
pub trait RunGauges: Send + Sync + Debug {
    fn read(&self) -> GaugeReading;
}

#[derive(Debug, Clone, Default)]
pub struct GaugeReading {
    /// The current phase and when it began.
    pub phase: Option<(usize, Mono)>,
    pub sent: u64,
    pub returned: u64,
    /// Requests that the phase will send, if that is known.
    pub expected: Option<u64>,
    /// When the phase stopped sending, if it has.
    pub sending_ended: Option<Mono>,
    pub sessions_sent: u64,
    pub sessions_completed: u64,
    /// Records of all phases that are done.
    pub recorded: u64,
    /// Changes whenever something arrives from a server.
    pub signs_of_life: u64,
    pub note: Option<String>,
    /// How far a search for a capacity is.
    pub capacity: Option<Arc<CapacityProgress>>,
    /// What the server's metrics page showed last. Counters have the unit of their rate: the live model turns them into rates.
    pub server: Vec<ServerHeadline>,
    /// The nodes that send the run, if there are several.
    pub nodes: Vec<NodeHealth>,
}
