//! Who a record is and when it happened: the `metadata` object of the per-request files.

use std::num::NonZeroU32;

use aiperf_clock::EpochNanos;
use aiperf_protocol::PhaseKind;
use serde::{Serialize, Serializer};

/// Fields in the order of the file; absent ones are left out.
#[derive(Debug, Clone, Serialize)]
pub struct RecordMetadata<'a> {
    /// Index of the permission to send: counts every turn, from 0 in each phase.
    pub session_num: u64,
    pub x_request_id: &'a str,
    /// The same for all turns of a session.
    pub x_correlation_id: &'a str,
    /// The `session_id` of inputs.json.
    pub conversation_id: &'a str,
    pub turn_index: u32,
    /// The recording that the request replays, and its place in there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_trace_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_outer_idx: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_inner_idx: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_kind: Option<&'static str>,
    #[serde(serialize_with = "epoch")]
    pub credit_issued_ns: EpochNanos,
    #[serde(serialize_with = "epoch")]
    pub request_start_ns: EpochNanos,
    /// Response headers.
    #[serde(serialize_with = "maybe_epoch", skip_serializing_if = "Option::is_none")]
    pub request_ack_ns: Option<EpochNanos>,
    #[serde(serialize_with = "epoch")]
    pub request_end_ns: EpochNanos,
    pub worker_id: &'a str,
    pub record_processor_id: &'a str,
    pub benchmark_phase: PhaseKind,
    pub phase_index: u32,
    /// Not for warmup.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profiling_index: Option<u32>,
    pub phase_name: &'a str,
    pub phase_kind: PhaseKind,
    pub was_cancelled: bool,
    #[serde(serialize_with = "maybe_epoch", skip_serializing_if = "Option::is_none")]
    pub cancellation_time_ns: Option<EpochNanos>,
    pub context_overflow_skip: bool,
    pub agent_depth: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_correlation_id: Option<&'a str>,
    pub root_correlation_id: &'a str,
    /// Redirects that were followed to the answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub redirects: Vec<Redirect<'a>>,
    /// How often it was sent again, because the server had left the connection or did not take the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resent: Option<NonZeroU32>,
}

/// An answer that named another place, and that place.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Redirect<'a> {
    pub status: u16,
    pub url: &'a str,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference to the field")]
pub(crate) fn epoch<S: Serializer>(at: &EpochNanos, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(at.0)
}

#[expect(clippy::ref_option, reason = "serde hands a reference to the field")]
pub(crate) fn maybe_epoch<S: Serializer>(at: &Option<EpochNanos>, serializer: S) -> Result<S::Ok, S::Error> {
    at.map(|at| at.0).serialize(serializer)
}
