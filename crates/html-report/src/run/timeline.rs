//! R10: requests as bars in the lanes of a timeline, and how many were in flight behind them.

use aiperf_protocol::RequestOutcome;
use serde_json::{Value, json};

use crate::column::varint;
use crate::payload::ColumnStore;
use crate::run::requests::Requests;
use crate::time_bins::TimeBins;

/// Bars of a page. Of a larger run every n-th request has one, in the order in which requests were sent.
const MOST_BARS: usize = 40_000;
const NANOS_PER_MICRO: u64 = 1_000;

pub(crate) fn json(requests: &Requests, bins: &TimeBins, store: &mut ColumnStore) -> Value {
    let every = requests.len().div_ceil(MOST_BARS).max(1);
    let (mut starts, mut firsts, mut lengths, mut outcomes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut before = 0;
    let mut bars = 0;
    for row in (0..requests.len()).step_by(every) {
        let span = &requests.spans[row];
        let start = span.start_ns.saturating_sub(bins.start_ns) / NANOS_PER_MICRO;
        varint(start - before, &mut starts);
        before = start;
        let first = requests.first_token_ns(row).map(|first| (first - span.start_ns) / NANOS_PER_MICRO);
        varint(first.map_or(0, |first| first + 1), &mut firsts);
        varint((span.end_ns - span.start_ns) / NANOS_PER_MICRO, &mut lengths);
        outcomes.push(match span.outcome {
            RequestOutcome::Success => 0,
            RequestOutcome::CutOff | RequestOutcome::CancelledOnPurpose => 2,
            _ => 1,
        });
        bars += 1;
    }
    json!({
        "bars": bars,
        "every": every,
        "requests": requests.len(),
        "starts": store.put(&starts),
        "firsts": store.put(&firsts),
        "lengths": store.put(&lengths),
        "outcomes": store.put(&outcomes),
    })
}
