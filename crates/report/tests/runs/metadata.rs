//! Who a request is, in tests and benchmarks.

use aiperf_clock::EpochNanos;
use aiperf_protocol::PhaseKind;
use aiperf_report::RecordMetadata;

/// The first turn of a session. `times`: permission to send, start and end.
pub(crate) fn of_request(times: [EpochNanos; 3], headers_received: Option<EpochNanos>) -> RecordMetadata<'static> {
    let id = "5219784f-3c8e-4993-95d3-24ab4f9a55c8";
    let [credit_issued_ns, request_start_ns, request_end_ns] = times;
    RecordMetadata {
        session_num: 1,
        x_request_id: "4ee3c7bc-5e60-454d-b931-9607af5d9130",
        x_correlation_id: id,
        conversation_id: "session_000001",
        turn_index: 0,
        source_trace_id: None,
        source_outer_idx: None,
        source_inner_idx: None,
        source_kind: None,
        credit_issued_ns,
        request_start_ns,
        request_ack_ns: headers_received,
        request_end_ns,
        worker_id: "worker_0",
        record_processor_id: "record_processor_0",
        benchmark_phase: PhaseKind::Profiling,
        phase_index: 0,
        profiling_index: Some(0),
        phase_name: "profiling",
        phase_kind: PhaseKind::Profiling,
        was_cancelled: false,
        cancellation_time_ns: None,
        context_overflow_skip: false,
        agent_depth: 0,
        parent_correlation_id: None,
        root_correlation_id: id,
        redirects: Vec::new(),
        resent: None,
    }
}
