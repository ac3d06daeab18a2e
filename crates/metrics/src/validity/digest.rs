//! What the rules need from the records of a phase in addition to its metrics, gathered once when the phase is summarised.

use super::chunking::Chunking;
use super::cold_start::ColdStart;
use super::connections::Waits;
use super::delivery::Deliveries;
use super::input_length::InputLengths;
use super::occupancy::Occupancy;
use super::pacing::Pacing;
use super::send_delays::SendDelays;
use super::server_counts::ServerCounts;
use super::{AskedConcurrency, unready};
use crate::record::columns::Columns;
use crate::{MetricContext, PhaseWindow};

/// Empty for a part of a phase: notes are about whole ones.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Digest {
    pub(super) pacing: Option<Pacing>,
    pub(super) occupancy: Option<Occupancy>,
    pub(super) cold_start: Option<ColdStart>,
    pub(super) chunking: Chunking,
    pub(super) input_lengths: InputLengths,
    pub(super) waits: Waits,
    pub(super) send_delays: SendDelays,
    pub(super) asked_concurrency: Option<AskedConcurrency>,
    pub(super) deliveries: Deliveries,
    pub(super) server_counts: ServerCounts,
    /// Requests that met no server before the first one was served.
    pub(super) unready: u64,
}

impl Digest {
    pub(crate) fn of(columns: &Columns, window: &PhaseWindow, context: &MetricContext) -> Self {
        Self {
            pacing: Pacing::of(columns, context),
            occupancy: Occupancy::of(columns, window),
            cold_start: ColdStart::of(columns, context),
            chunking: Chunking::of(columns, context),
            input_lengths: InputLengths::of(columns),
            waits: Waits::of(columns),
            send_delays: SendDelays::of(columns),
            asked_concurrency: context.asked_concurrency,
            deliveries: Deliveries::of(columns, context),
            server_counts: ServerCounts::of(columns, context),
            unready: unready::before_first_success(columns),
        }
    }
}
