//! What a summary of a million requests costs: `cargo test -p aiperf-metrics --release --test million -- --ignored --nocapture`.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the failure")]

mod phase;

use aiperf_clock::{EpochNanos, Mono, WallAnchor};
use aiperf_metrics::{Columns, HttpTiming, MetricContext, PhaseWindow, RecordValues, Summary};
use phase::{at, request, streaming};

#[test]
#[ignore = "it takes seconds, and its numbers are for people"]
fn a_summary_of_a_million_requests() {
    let mut columns = Columns::new();
    for n in 0..1_000_000_u64 {
        let start = n / 100;
        let noise = n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 54;
        let mut seen = request(start, &[start + 20 + noise % 97, start + 120 + noise]);
        seen.http =
            Some(HttpTiming { reads: 3 + noise % 5, body_bytes_received: 500 + noise, ..HttpTiming::default() });
        columns.push(&seen, &RecordValues::compute(&seen));
    }
    let window = PhaseWindow::new(at(0), at(12_000));
    let anchor = WallAnchor::at(at(0), EpochNanos(0));
    for confidence in [None, streaming().confidence] {
        let context = MetricContext { confidence, ..streaming() };
        let begun = Mono::now();
        let summary = Summary::compute(&columns, &window, &context, &anchor);
        let seconds = Mono::now().since(begun).as_secs_f64();
        println!("{confidence:?}: {seconds:.2} s for {} metrics", summary.results.len());
    }
}
