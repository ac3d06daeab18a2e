//! The part of a phase in which nothing drifted, and the metrics of the requests that ended in it.

use aiperf_clock::{EpochNanos, Mono, Nanos, WallAnchor};
use aiperf_stats::steady::{self, RequestSpan, Signal, TimeWindow, Unsteady};

use crate::over_time::parallel::parallel;
use crate::over_time::slices::{end, start};
use crate::over_time::throughput;
use crate::over_time::throughput::Extent;
use crate::over_time::timeline::{MeasureBuffers, Timeline, measure};
use crate::record::columns::Columns;
use crate::record::formula;
use crate::summary::MeasuredMetric;
use crate::{Confidence, ConsoleGroup, Flags, Metric, MetricContext, MetricKind, MetricResult, PhaseWindow, Stats};

/// The tests for drift look at some hundreds of means.
const ENOUGH_POINTS: usize = 20_000;

/// Whether a phase came to rest.
#[derive(Debug, Clone, PartialEq)]
pub struct SteadyState {
    /// The metrics that were watched for drift.
    pub watched: Vec<Metric>,
    pub outcome: Result<SteadyWindow, Unsteady>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct SteadyWindow {
    pub start: EpochNanos,
    pub end: EpochNanos,
    /// From the beginning of the phase.
    pub start_offset: Nanos,
    pub end_offset: Nanos,
    /// Successful requests that ended in it.
    pub requests: u64,
    /// What people look at first, over those requests.
    pub results: Vec<MetricResult>,
}

impl SteadyState {
    /// `None` if nothing succeeded.
    pub(crate) fn find(
        columns: &Columns,
        timeline: &Timeline,
        window: &PhaseWindow,
        context: &MetricContext,
        anchor: &WallAnchor,
    ) -> Option<Self> {
        let seconds = |at: Mono| at.since(window.start).as_secs_f64();
        let rows = timeline.successful();
        if rows.is_empty() {
            return None;
        }
        let latencies = [Metric::TimeToFirstToken, Metric::RequestLatency];
        let watched: Vec<Metric> = latencies.into_iter().filter(|metric| context.applies(*metric)).collect();
        let found = cut(columns, timeline, seconds).and_then(|cut| {
            let ends: Vec<f64> = rows.iter().map(|row| seconds(end(columns, *row))).collect();
            let points = |metric: &Metric| -> Vec<(f64, f64)> {
                let value = |(row, at): (&u32, &f64)| {
                    formula::value(*metric, &columns.row(*row as usize), context).map(|value| (*at, value))
                };
                thinned(rows.iter().zip(&ends).filter_map(value), rows.len())
            };
            let series: Vec<(Metric, Vec<(f64, f64)>)> =
                watched.iter().map(|metric| (*metric, points(metric))).collect();
            let signals: Vec<Signal<'_>> =
                series.iter().map(|(metric, points)| Signal { name: metric.tag(), points }).collect();
            steady::find(cut, &ends, &signals)
        });
        let outcome = found.map(|found| {
            let at = |offset: f64| window.start + Nanos::from_secs_f64(offset.max(0.0));
            let part = PhaseWindow::new(at(found.start), at(found.end));
            measured(columns, timeline, window, &part, context, anchor)
        });
        let watched = watched.into_iter().chain([Metric::RequestThroughput]).collect();
        Some(Self { watched, outcome })
    }
}

/// What is left between ramp-up and drain. All requests count, however they ended.
fn cut(columns: &Columns, timeline: &Timeline, seconds: impl Fn(Mono) -> f64) -> Result<TimeWindow, Unsteady> {
    let request = |row: &u32| RequestSpan { start: seconds(start(columns, *row)), end: seconds(end(columns, *row)) };
    steady::cut(timeline.rows().iter().map(request))
        .map(|cut| cut.window)
        .ok_or(Unsteady::TooShort { left: 0, needed: steady::FEWEST })
}

/// Means of neighbours, if there are more points than the tests could make use of.
fn thinned(points: impl Iterator<Item = (f64, f64)>, count: usize) -> Vec<(f64, f64)> {
    let size = (count / ENOUGH_POINTS).max(1);
    let mut means = Vec::with_capacity(count.min(2 * ENOUGH_POINTS));
    let (mut filled, mut sum) = (0, 0.0);
    for (at, value) in points {
        filled += 1;
        sum += value;
        if filled == size {
            means.push((at, sum / size as f64));
            (filled, sum) = (0, 0.0);
        }
    }
    means
}

fn measured(
    columns: &Columns,
    timeline: &Timeline,
    phase: &PhaseWindow,
    part: &PhaseWindow,
    context: &MetricContext,
    anchor: &WallAnchor,
) -> SteadyWindow {
    let rows = timeline.successful_in(columns, part);
    let level = timeline.level();
    let looked_at = |metric: &Metric| is_looked_at(*metric) && context.shows(*metric);
    let metrics: Vec<Metric> = Metric::ALL.iter().copied().filter(looked_at).collect();
    let results = parallel(&metrics, rows.len(), |metric, room: &mut MeasureBuffers| {
        let measured = if throughput::is_rate(metric) {
            let estimate = throughput::estimate(metric, timeline, columns, (part, Extent::Part), context)?;
            let confidence = Some(Confidence::single(&estimate, level));
            MeasuredMetric { stats: Stats::single(estimate.value), confidence }
        } else {
            measure(metric, rows, columns, context, level, room)?
        };
        Some(measured.shown(metric))
    });
    SteadyWindow {
        start: anchor.epoch(part.start),
        end: anchor.epoch(part.end),
        start_offset: part.start.since(phase.start),
        end_offset: part.end.since(phase.start),
        requests: rows.len() as u64,
        results: results.into_iter().flatten().collect(),
    }
}

/// Rates, and what the main table has of each request.
fn is_looked_at(metric: Metric) -> bool {
    let definition = metric.definition();
    let hidden = metric.has(Flags::INTERNAL) || metric.has(Flags::EXPERIMENTAL) || metric.has(Flags::ERRORS);
    let main = definition.kind == MetricKind::Record && definition.group == ConsoleGroup::Main;
    (main && !hidden) || throughput::is_rate(metric)
}
