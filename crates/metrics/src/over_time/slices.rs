//! A phase cut into windows of equal length. A request belongs to the window in which it started, with all it brought;
//! concurrency and rates over time count whatever was in flight in the window.

use aiperf_clock::{EpochNanos, Mono, Nanos, WallAnchor};

use crate::over_time::time_weighted::InFlightRows;
use crate::record::columns::{Columns, GapPlaces};
use crate::record::fact::{Fact, Facts};
use crate::{Metric, MetricContext, PhaseWindow, Summary};

/// One window of a phase.
#[derive(Debug, Clone)]
pub struct Slice {
    pub start: EpochNanos,
    pub end: EpochNanos,
    /// False for the last one when the phase ended within it: it is only as long as the phase.
    pub is_complete: bool,
    pub summary: Summary,
}

/// The windows of a phase in order, each made when it is asked for: there may be many, and each is as large as a
/// summary. None is left out, so that the place of a slice says when it was.
#[derive(Debug)]
pub struct Slices<'a> {
    columns: &'a Columns,
    context: MetricContext,
    anchor: &'a WallAnchor,
    length: Nanos,
    /// Rows by start.
    order: Vec<u32>,
    gap_places: GapPlaces,
    /// How many rows of the order have started.
    started: usize,
    /// Rows that started in earlier windows and may not be over.
    in_flight: Vec<u32>,
    next: Mono,
    end: Mono,
}

impl<'a> Slices<'a> {
    /// The first window begins with the first request, the last ends with the last one.
    pub fn of(columns: &'a Columns, length: Nanos, context: &MetricContext, anchor: &'a WallAnchor) -> Self {
        let rows = u32::try_from(columns.len()).unwrap_or(u32::MAX);
        let mut order: Vec<u32> = (0..rows).collect();
        order.sort_by_key(|row| start(columns, *row));
        let first = order.first().map_or(Mono::from_nanos(0), |row| start(columns, *row));
        let last = order.iter().map(|row| end(columns, *row)).max().unwrap_or(first);
        Self {
            columns,
            // What the GPUs used is known of the whole phase only, and a window is too short to be sure of anything.
            context: MetricContext { gpu_energy: Vec::new(), cost_per_hour: None, confidence: None, ..context.clone() },
            anchor,
            length: Nanos(length.0.max(1)),
            order,
            gap_places: columns.gap_places(),
            started: 0,
            in_flight: Vec::new(),
            next: first,
            end: last,
        }
    }

    fn is_over(&self) -> bool {
        let all_started = self.started == self.order.len();
        self.order.is_empty() || (all_started && self.next >= self.end && self.started > 0)
    }
}

impl Iterator for Slices<'_> {
    type Item = Slice;

    fn next(&mut self) -> Option<Slice> {
        if self.is_over() {
            return None;
        }
        let start_at = self.next;
        let full_end = start_at + self.length;
        self.next = full_end;
        let is_complete = full_end <= self.end;
        // A phase of no length still has a window: its rates are then over nothing, and left out.
        let end_at = if is_complete { full_end } else { self.end.max(start_at) };
        self.in_flight.retain(|row| end(self.columns, *row) > start_at);
        let from = self.started;
        let upto = self.order[from..].partition_point(|row| start(self.columns, *row) < full_end) + from;
        self.started = upto;
        let here = &self.order[from..upto];
        self.in_flight.extend_from_slice(here);
        let requests = self.columns.subset(here, &self.gap_places);
        let in_flight_rows = InFlightRows::some(self.columns, &self.in_flight, &self.gap_places);
        let window = PhaseWindow::new(start_at, end_at);
        let summary = Summary::of_slice(&requests, Some(in_flight_rows), &window, &self.context, self.anchor);
        let (start, end) = (self.anchor.epoch(start_at), self.anchor.epoch(end_at));
        Some(Slice { start, end, is_complete, summary: without_unsliced(summary) })
    }
}

/// Lags of a replay and times since permission to send are of a whole phase, as in the reference.
fn without_unsliced(mut summary: Summary) -> Summary {
    let whole = [
        Metric::CreditToStartLatency,
        Metric::EffectiveLatency,
        Metric::ReplaySchedLagP50,
        Metric::ReplaySchedLagP90,
        Metric::ReplaySchedLagP99,
        Metric::ReplaySchedDegraded,
    ];
    summary.results.retain(|result| !whole.contains(&result.metric));
    summary
}

pub(crate) fn start(columns: &Columns, row: u32) -> Mono {
    Mono::from_nanos(columns.row(row as usize).fact(Fact::Start).unwrap_or(0))
}

pub(crate) fn end(columns: &Columns, row: u32) -> Mono {
    let facts = columns.row(row as usize);
    let span = facts.fact(Fact::End).max(facts.fact(Fact::LastContent)).unwrap_or(0);
    start(columns, row) + Nanos(span)
}

#[cfg(test)]
mod tests {
    use aiperf_clock::EpochNanos;
    use aiperf_protocol::{ContentChunk, EndpointKind};

    use super::*;
    use crate::{Observation, RecordValues, TokenCounts};

    const MS: u64 = 1_000_000;

    fn request(start_ms: u64, end_ms: u64) -> Observation {
        let start = Mono::from_nanos(start_ms * MS);
        let end = Mono::from_nanos(end_ms * MS);
        Observation {
            headers_received: Some(start),
            chunks: vec![ContentChunk {
                at: end,
                has_output: true,
                has_reasoning: false,
                usage_completion_tokens: None,
            }],
            tokens: TokenCounts { input: Some(10), output: Some(4), reasoning: None },
            ..Observation::new(start, end)
        }
    }

    fn slices(requests: &[Observation], length_ms: u64) -> Vec<Slice> {
        let mut columns = Columns::new();
        for seen in requests {
            columns.push(seen, &RecordValues::compute(seen));
        }
        let context = MetricContext::new(EndpointKind::Chat, false);
        let anchor = WallAnchor::at(Mono::from_nanos(0), EpochNanos(0));
        Slices::of(&columns, Nanos(length_ms * MS), &context, &anchor).collect()
    }

    fn average(slice: &Slice, metric: Metric) -> Option<f64> {
        slice.summary.get(metric).and_then(|stats| stats.avg)
    }

    #[test]
    fn a_request_counts_where_it_started_and_is_in_flight_until_it_ends() {
        let slices = slices(&[request(100, 150), request(190, 340), request(320, 360)], 100);
        let counts: Vec<_> = slices.iter().map(|slice| average(slice, Metric::RequestCount)).collect();
        assert_eq!(counts, [Some(2.0), Some(0.0), Some(1.0)], "no slice is left out");
        let concurrency = |index: usize| average(&slices[index], Metric::EffectiveConcurrency).unwrap();
        assert!((concurrency(0) - 0.6).abs() < 1e-9);
        assert!((concurrency(1) - 1.0).abs() < 1e-9);
        assert!((concurrency(2) - (40.0 + 40.0) / 60.0).abs() < 1e-9, "over the time that was left");
        assert_eq!(slices.iter().map(|slice| slice.is_complete).collect::<Vec<_>>(), [true, true, false]);
        assert_eq!((slices[2].start, slices[2].end), (EpochNanos(300 * MS), EpochNanos(360 * MS)));
        assert!((average(&slices[2], Metric::RequestThroughput).unwrap() - 1.0 / 0.06).abs() < 1e-9);
    }

    #[test]
    fn slices_add_up_to_the_phase() {
        let requests: Vec<_> = (0..57).map(|n| request(13 * n, 13 * n + 40)).collect();
        let slices = slices(&requests, 50);
        let total: f64 = slices.iter().filter_map(|slice| average(slice, Metric::RequestCount)).sum();
        assert!((total - 57.0).abs() < 1e-9);
        assert!(slices.windows(2).all(|pair| pair[0].end == pair[1].start));
    }

    #[test]
    fn a_phase_without_requests_has_no_slices() {
        assert!(slices(&[], 100).is_empty());
        assert_eq!(slices(&[request(5, 5)], 100).len(), 1);
    }
}
