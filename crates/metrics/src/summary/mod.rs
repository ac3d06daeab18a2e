//! Everything a report says of one phase, from its columns.

mod accounting;
mod confidence;
mod cost;
pub(crate) mod energy;
mod genai_perf;
pub(crate) mod network;
pub(crate) mod statistics;
pub(crate) mod totals;
mod window;

pub use accounting::PhaseAccounting;
pub use confidence::{Confidence, IntervalSupport};
pub use energy::{GpuEnergy, GpuVendor};
pub use genai_perf::genai_perf_results;
pub use network::NetworkRtt;
pub use statistics::{Percentile, Stats};
pub use window::PhaseWindow;

use aiperf_clock::{EpochNanos, WallAnchor};
use aiperf_protocol::RequestOutcome;

use self::totals::Totals;
use crate::over_time::parallel::both;
use crate::over_time::time_weighted::{InFlightRows, time_weighted};
use crate::over_time::timeline::Timeline;
use crate::record::columns::Columns;
use crate::record::fact::{Fact, Facts};
use crate::record::formula;
use crate::{Digest, FailureGroup, Flags, Level, Metric, MetricContext, MetricKind, Slo, SteadyState, Undecodable};

/// One metric of a phase, in the unit that is shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MetricResult {
    pub metric: Metric,
    pub stats: Stats,
    /// How sure they are, if that can be said.
    pub confidence: Option<Confidence>,
}

/// How many requests met one objective.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SloResult {
    pub metric: Metric,
    /// In the unit that is shown.
    pub limit: f64,
    /// The limit is a lower one.
    pub at_least: bool,
    pub met: u64,
}

/// A phase in numbers.
#[derive(Debug, Clone)]
pub struct Summary {
    /// In catalogue order; what has no value is not there.
    pub results: Vec<MetricResult>,
    pub failures: Vec<FailureGroup>,
    pub successful: u64,
    /// Without those that the end of the run cut off.
    pub failed: u64,
    pub cut_off: u64,
    pub undecodable: Undecodable,
    /// How many verification steps of speculative decoding accepted 0, 1, 2, ... drafts; empty if no server said so.
    pub spec_decode_acceptance: Vec<u64>,
    /// In the order in which the objectives were given.
    pub slos: Vec<SloResult>,
    pub start: EpochNanos,
    pub end: EpochNanos,
    /// The part of the phase in which nothing drifted, if it was looked for.
    pub steady: Option<SteadyState>,
    /// What validity rules need in addition to the results.
    pub digest: Digest,
}

impl Summary {
    pub fn compute(columns: &Columns, window: &PhaseWindow, context: &MetricContext, anchor: &WallAnchor) -> Self {
        // A phase in which nothing succeeded has no curves.
        let in_flight_rows = (Outcomes::count(columns).successful > 0).then(|| InFlightRows::all(columns));
        let (digest, summary) = both(
            columns.len(),
            || Digest::of(columns, window, context),
            || Self::of_slice(columns, in_flight_rows, window, context, anchor),
        );
        Self { digest, ..summary }
    }

    /// `columns`: the requests that the numbers are about; `in_flight_rows`: those that were in flight in the window.
    pub(crate) fn of_slice(
        columns: &Columns,
        in_flight_rows: Option<InFlightRows<'_>>,
        window: &PhaseWindow,
        context: &MetricContext,
        anchor: &WallAnchor,
    ) -> Self {
        let outcomes = Outcomes::count(columns);
        let mut results = Vec::new();
        let mut totals = Totals::new(&outcomes, window, columns, context, anchor);
        let streamed = context.streaming && context.endpoint.facts().produces_tokens;
        let (curves, (timeline, of_requests)) = both(
            columns.len(),
            || in_flight_rows.map_or_else(Vec::new, |in_flight_rows| time_weighted(&in_flight_rows, window, streamed)),
            || {
                let timeline = context.confidence.map(|level| Timeline::of(columns, level));
                let of_requests = timeline.as_ref().map(|timeline| timeline.records(columns, context));
                (timeline, of_requests)
            },
        );
        let timeline = timeline.as_ref();
        // Intervals of rates, for what is computed from them.
        let mut rates: Vec<(Metric, Confidence)> = Vec::new();
        let mut of_requests = of_requests.into_iter().flatten();
        for metric in Metric::ALL.iter().copied().filter(|metric| context.applies(*metric)) {
            let measured = match metric.definition().kind {
                MetricKind::Record if timeline.is_some() => of_requests.next().flatten(),
                MetricKind::Record => Stats::of(values(metric, columns, context)).map(MeasuredMetric::from),
                MetricKind::RecordList => gaps(columns, timeline),
                _ if metric == Metric::TheoreticalPrefixCacheHit => prefix_hits(columns).map(MeasuredMetric::from),
                MetricKind::Aggregate | MetricKind::Derived => {
                    let stats = totals.get(metric).map(Stats::single);
                    // Phases of different load have no rate in common that an interval could be about.
                    let rate = timeline
                        .filter(|_| !window.is_joined())
                        .and_then(|timeline| timeline.rate(metric, columns, window, context));
                    rates.extend(rate.map(|rate| (metric, rate)));
                    let confidence = rate
                        .or_else(|| energy::confidence(metric, context, window, &rates))
                        .or_else(|| cost::confidence(metric, context, &rates));
                    stats.map(|stats| MeasuredMetric { stats, confidence })
                }
                MetricKind::Network => network::statistics(metric, columns, context).map(MeasuredMetric::from),
                MetricKind::ErrorAdjusted => adjusted(metric, columns, context, &outcomes).map(MeasuredMetric::from),
                MetricKind::TimeWeighted => {
                    curves.iter().find(|curve| curve.0 == metric).map(|curve| MeasuredMetric::from(curve.1))
                }
            };
            let Some(measured) = measured else { continue };
            totals.note(metric, &measured.stats);
            if context.shows(metric) {
                results.push(measured.shown(metric));
            }
        }
        let steady = timeline
            .filter(|_| !window.is_joined())
            .and_then(|timeline| SteadyState::find(columns, timeline, window, context, anchor));
        Self {
            results,
            failures: columns.failure_groups(),
            successful: outcomes.successful,
            failed: outcomes.failed,
            cut_off: outcomes.cut_off,
            undecodable: columns.undecodable(),
            slos: context.slos.iter().map(|slo| objective(slo, columns, context)).collect(),
            spec_decode_acceptance: columns.acceptance().to_vec(),
            start: anchor.epoch(window.start),
            end: anchor.epoch(window.end),
            steady,
            digest: Digest::default(),
        }
    }

    pub fn get(&self, metric: Metric) -> Option<&Stats> {
        self.results.iter().find(|result| result.metric == metric).map(|result| &result.stats)
    }
}

impl MetricResult {
    /// From values in the unit that is shown, in the order of time; `None` when there are none.
    pub fn of(metric: Metric, values: &[f64], level: Option<Level>) -> Option<Self> {
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let stats = Stats::of_sorted(&sorted, 0)?;
        let confidence = level.and_then(|level| Confidence::of(values.iter().copied(), &sorted, &stats, level));
        Some(Self { metric, stats, confidence })
    }
}

/// Statistics in the base unit of a metric.
pub(crate) struct MeasuredMetric {
    pub(crate) stats: Stats,
    pub(crate) confidence: Option<Confidence>,
}

impl From<Stats> for MeasuredMetric {
    fn from(stats: Stats) -> Self {
        Self { stats, confidence: None }
    }
}

impl MeasuredMetric {
    pub(crate) fn shown(&self, metric: Metric) -> MetricResult {
        let show = |value| metric.definition().show(value);
        let confidence = self.confidence.as_ref().map(|confidence| confidence.map(show));
        MetricResult { metric, stats: self.stats.map(show), confidence }
    }
}

/// All gaps between contents.
fn gaps(columns: &Columns, timeline: Option<&Timeline>) -> Option<MeasuredMetric> {
    let mut sorted: Vec<f64> = (0..columns.gap_count()).map(|gap| columns.gap(gap) as f64).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let stats = Stats::of_sorted(&sorted, 0)?;
    let confidence =
        timeline.and_then(|timeline| Confidence::of(timeline.gaps(columns), &sorted, &stats, timeline.level()));
    Some(MeasuredMetric { stats, confidence })
}

/// How the requests of a phase ended.
#[derive(Debug, Default)]
pub(crate) struct Outcomes {
    pub(crate) successful: u64,
    pub(crate) failed: u64,
    pub(crate) overflowed: u64,
    pub(crate) cut_off: u64,
}

impl Outcomes {
    fn count(columns: &Columns) -> Self {
        let mut outcomes = Self::default();
        for row in columns.rows() {
            match row.outcome() {
                Some(RequestOutcome::Success) => outcomes.successful += 1,
                Some(RequestOutcome::CutOff) => outcomes.cut_off += 1,
                other => {
                    outcomes.failed += 1;
                    outcomes.overflowed += u64::from(other == Some(RequestOutcome::ContextOverflow));
                }
            }
        }
        outcomes
    }
}

/// The values of a record metric, in its base unit.
pub(crate) fn values(metric: Metric, columns: &Columns, context: &MetricContext) -> Vec<f64> {
    columns.rows().filter_map(|row| formula::value(metric, &row, context)).collect()
}

/// Blocks found and blocks asked for are as telling as their ratio: they are its sum and its count.
fn prefix_hits(columns: &Columns) -> Option<Stats> {
    let successful = columns.rows().filter(Facts::succeeded);
    let (mut blocks, mut reused) = (0, 0);
    for row in successful {
        blocks += row.fact(Fact::PrefixBlocks).unwrap_or(0);
        reused += row.fact(Fact::PrefixReused).unwrap_or(0);
    }
    let share = (blocks > 0).then(|| reused as f64 / blocks as f64 * 100.0)?;
    Some(Stats { avg: Some(share), count: Some(blocks), sum: Some(reused as f64), ..Stats::default() })
}

fn objective(slo: &Slo, columns: &Columns, context: &MetricContext) -> SloResult {
    let met = values(slo.metric(), columns, context).into_iter().filter(|measured| slo.is_met(*measured)).count();
    SloResult {
        metric: slo.metric(),
        limit: slo.shown_limit(),
        at_least: slo.metric().has(Flags::LARGER),
        met: met as u64,
    }
}

/// Each failed request counts as one that never answered.
fn adjusted(metric: Metric, columns: &Columns, context: &MetricContext, outcomes: &Outcomes) -> Option<Stats> {
    let plain = match metric {
        Metric::AdjRequestLatency => Metric::RequestLatency,
        Metric::AdjTimeToFirstToken => Metric::TimeToFirstToken,
        Metric::AdjInterTokenLatency => Metric::InterTokenLatency,
        Metric::AdjDecodeDuration => Metric::DecodeDuration,
        _ => return None,
    };
    if outcomes.failed == 0 {
        return None;
    }
    Stats::with_infinite(values(plain, columns, context), outcomes.failed)
}
