//! From a reply to what is kept of it: the values, the columns, the line of the records file.

use std::hint::black_box;
use std::path::Path;

use aiperf_clock::{EpochNanos, Mono, Nanos};
use aiperf_metrics::{Columns, HttpTiming, MediaFacts, MetricContext, Observation, RecordValues, TokenCounts};
use aiperf_protocol::{Delivery, EndpointKind};
use aiperf_report::{Phase, Record, RecordMetadata, RecordWriter};

use crate::{BenchOutcome, answer};

const START: Mono = Mono::from_nanos(900_000_000);

fn observation() -> Result<Observation, Box<dyn std::error::Error>> {
    let exchange = answer::stream_exchange()?;
    let reply = answer::chat().read(answer::body_of(&exchange))?;
    Ok(Observation {
        due: START,
        credit_issued: START,
        start: START,
        headers_received: exchange.trace.headers_received,
        end: START + Nanos(1_200_000_000),
        chunks: reply.chunks,
        tokens: TokenCounts { input: Some(32), output: Some(100), reasoning: None },
        usage: reply.usage,
        spec_decode: None,
        http: Some(HttpTiming::default()),
        resent: 0,
        failure: None,
        requested_output_tokens: Some(100),
        requested_input_tokens: None,
        undecodable_events: 0,
        delivery: Delivery::Events,
        prefix: None,
        media: MediaFacts::default(),
    })
}

/// The values of a stream of 100 chunks, into the columns.
pub(crate) fn values(times: usize) -> BenchOutcome {
    let seen = observation()?;
    let mut columns = Columns::new();
    for _ in 0..times {
        let values = RecordValues::compute(black_box(&seen));
        columns.push(&seen, &values);
    }
    black_box(columns);
    Ok(())
}

/// The line of a stream of 100 chunks.
pub(crate) fn line(times: usize) -> BenchOutcome {
    let values = RecordValues::compute(&observation()?);
    let context = MetricContext::new(EndpointKind::Chat, true);
    let writer = RecordWriter::create(Path::new("/dev/null"), &[context])?;
    let metadata = metadata();
    let mut scratch = Vec::new();
    for _ in 0..times {
        let record =
            Record { metadata: black_box(&metadata), values: &values, failure: None, spec_decode: None, trace: None };
        writer.write(&mut scratch, &record)?;
    }
    Ok(())
}

fn metadata() -> RecordMetadata<'static> {
    let at = |millis: u64| EpochNanos(1_794_720_417_000_000_123 + millis * 1_000_000);
    RecordMetadata {
        session_num: 12_345,
        x_request_id: "6f2f6d1e-5f6c-4a0b-8f43-7a4f5f0f9a11",
        x_correlation_id: "0b0f4e2c-9a3b-4f7e-8d8f-2d0c4a6c7b22",
        conversation_id: "session_000042",
        turn_index: 0,
        source_trace_id: None,
        source_outer_idx: None,
        source_inner_idx: None,
        source_kind: None,
        credit_issued_ns: at(0),
        request_start_ns: at(1),
        request_ack_ns: Some(at(50)),
        request_end_ns: at(1_200),
        worker_id: "worker_0",
        record_processor_id: "record_processor_0",
        benchmark_phase: Phase::Profiling,
        phase_index: 0,
        profiling_index: Some(0),
        phase_name: "profiling",
        phase_kind: Phase::Profiling,
        was_cancelled: false,
        cancellation_time_ns: None,
        context_overflow_skip: false,
        agent_depth: 0,
        parent_correlation_id: None,
        root_correlation_id: "0b0f4e2c-9a3b-4f7e-8d8f-2d0c4a6c7b22",
        redirects: Vec::new(),
        resent: None,
    }
}
