//! Small phases that the tests of this folder look at.
#![allow(dead_code, reason = "each test file takes what it needs")]
#![allow(clippy::unwrap_used, reason = "in a test a panic is the failure")]

use aiperf_clock::{EpochNanos, Mono, WallAnchor};
use aiperf_metrics::{
    Columns, Failure, Metric, MetricContext, Observation, OverflowSigns, PhaseWindow, RecordValues, RequestOutcome,
    Summary, TokenCounts,
};
use aiperf_protocol::{ContentChunk, EndpointKind};

const MS: u64 = 1_000_000;

pub(crate) fn at(millis: u64) -> Mono {
    Mono::from_nanos(millis * MS)
}

pub(crate) fn request(start: u64, contents: &[u64]) -> Observation {
    let chunk = |millis: &u64| ContentChunk {
        at: at(*millis),
        has_output: true,
        has_reasoning: false,
        usage_completion_tokens: None,
    };
    Observation {
        headers_received: Some(at(start + 1)),
        chunks: contents.iter().map(chunk).collect(),
        tokens: TokenCounts { input: Some(8), output: Some(contents.len() as u64), reasoning: None },
        ..Observation::new(at(start), at(contents.last().copied().unwrap_or(start) + 1))
    }
}

pub(crate) fn failed(start: u64, end: u64, message: &str, cancelled: Option<RequestOutcome>) -> Observation {
    let failure = Failure::new(Some(500), "Internal Server Error".into(), message);
    let failure = match cancelled {
        Some(outcome) => Failure { outcome, ..failure },
        None => failure.recognize_overflow(&OverflowSigns::default()),
    };
    Observation { end: at(end), headers_received: None, failure: Some(failure), ..request(start, &[]) }
}

pub(crate) fn summarize(requests: &[Observation], context: &MetricContext) -> Summary {
    let mut columns = Columns::new();
    for seen in requests {
        columns.push(seen, &RecordValues::compute(seen));
    }
    let window = PhaseWindow::new(at(0), at(1_000));
    Summary::compute(&columns, &window, context, &WallAnchor::at(at(0), EpochNanos(0)))
}

pub(crate) fn streaming() -> MetricContext {
    MetricContext::new(EndpointKind::Chat, true)
}

pub(crate) fn avg(summary: &Summary, metric: Metric) -> Option<f64> {
    summary.get(metric).and_then(|stats| stats.avg)
}
