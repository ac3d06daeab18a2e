//! From a reply to what is kept of it: the values, the columns, the line of the records file.

use std::hint::black_box;
use std::path::Path;

use aiperf_clock::{EpochNanos, Mono, Nanos};
use aiperf_metrics::{Columns, HttpTiming, MetricContext, Observation, RecordValues, TokenCounts};
use aiperf_protocol::EndpointKind;
use aiperf_report::{Record, RecordMetadata, RecordWriter};

use crate::{BenchOutcome, answer, metadata};

const START: Mono = Mono::from_nanos(900_000_000);

fn observation() -> Result<Observation, Box<dyn std::error::Error>> {
    let exchange = answer::stream_exchange()?;
    let reply = answer::chat().read(answer::body_of(&exchange))?;
    Ok(Observation {
        headers_received: exchange.trace.headers_received,
        chunks: reply.chunks,
        tokens: TokenCounts { input: Some(32), output: Some(100), reasoning: None },
        usage: reply.usage,
        http: Some(HttpTiming::default()),
        requested_output_tokens: Some(100),
        ..Observation::new(START, START + Nanos(1_200_000_000))
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
    let session_num = 12_345;
    RecordMetadata { session_num, ..metadata::of_request([at(0), at(1), at(1_200)], Some(at(50))) }
}
