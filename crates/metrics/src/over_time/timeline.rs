//! The requests of a phase in the order in which they ended: what follows each other in time depends on each other, and
//! intervals must know.

use crate::over_time::parallel::parallel;
use crate::over_time::slices::end;
use crate::over_time::throughput;
use crate::over_time::throughput::Extent;
use crate::record::columns::{Columns, GapPlaces};
use crate::record::fact::Facts;
use crate::record::formula;
use crate::summary::MeasuredMetric;
use crate::{Confidence, Level, Metric, MetricContext, MetricKind, PhaseWindow, Stats};

#[derive(Debug)]
pub(crate) struct Timeline {
    level: Level,
    /// Rows by end.
    order: Vec<u32>,
    /// Those of them that succeeded.
    successful: Vec<u32>,
    gap_places: GapPlaces,
}

impl Timeline {
    pub(crate) fn of(columns: &Columns, level: Level) -> Self {
        let rows = u32::try_from(columns.len()).unwrap_or(u32::MAX);
        let mut ends: Vec<(u64, u32)> = (0..rows).map(|row| (end(columns, row).as_nanos(), row)).collect();
        ends.sort_unstable();
        let order: Vec<u32> = ends.into_iter().map(|(_, row)| row).collect();
        let successful = order.iter().copied().filter(|row| succeeded(columns, *row)).collect();
        Self { level, order, successful, gap_places: columns.gap_places() }
    }

    pub(crate) fn level(&self) -> Level {
        self.level
    }

    pub(crate) fn rows(&self) -> &[u32] {
        &self.order
    }

    /// Rows of successful requests.
    pub(crate) fn successful(&self) -> &[u32] {
        &self.successful
    }

    /// Those that ended in this time.
    pub(crate) fn successful_in(&self, columns: &Columns, window: &PhaseWindow) -> &[u32] {
        let first = self.successful.partition_point(|row| end(columns, *row) < window.start);
        let after = self.successful.partition_point(|row| end(columns, *row) <= window.end);
        &self.successful[first..after.max(first)]
    }

    /// Every record metric that applies, over the whole phase, in the order of the catalogue.
    pub(crate) fn records(&self, columns: &Columns, context: &MetricContext) -> Vec<Option<MeasuredMetric>> {
        let of_requests = |metric: &Metric| metric.definition().kind == MetricKind::Record && context.applies(*metric);
        let metrics: Vec<Metric> = Metric::ALL.iter().copied().filter(of_requests).collect();
        let measured =
            |metric, room: &mut MeasureBuffers| measure(metric, &self.order, columns, context, self.level, room);
        parallel(&metrics, self.order.len(), measured)
    }

    /// How sure a rate is; `None` if the metric is not a rate.
    pub(crate) fn rate(
        &self,
        metric: Metric,
        columns: &Columns,
        window: &PhaseWindow,
        context: &MetricContext,
    ) -> Option<Confidence> {
        let estimate = throughput::estimate(metric, self, columns, (window, Extent::Phase), context)?;
        Some(Confidence::single(&estimate, self.level))
    }

    /// Gaps between contents, request by request in the order in which those ended.
    pub(crate) fn gaps<'a>(&'a self, columns: &'a Columns) -> impl Iterator<Item = f64> + 'a {
        self.order.iter().flat_map(move |row| self.gap_places.of(columns, *row).map(move |gap| columns.gap(gap) as f64))
    }
}

/// Buffers for the values of one metric after the other.
#[derive(Debug, Default)]
pub(crate) struct MeasureBuffers {
    series: Vec<f64>,
    sorted: Vec<f64>,
}

/// A record metric of these rows, which are in the order of time.
pub(crate) fn measure(
    metric: Metric,
    rows: &[u32],
    columns: &Columns,
    context: &MetricContext,
    level: Level,
    room: &mut MeasureBuffers,
) -> Option<MeasuredMetric> {
    let MeasureBuffers { series, sorted } = room;
    series.clear();
    // At once: growing step by step would end with up to twice the room needed.
    series.reserve_exact(rows.len());
    series.extend(rows.iter().filter_map(|row| formula::value(metric, &columns.row(*row as usize), context)));
    sorted.clone_from(series);
    sorted.sort_unstable_by(f64::total_cmp);
    let stats = Stats::of_sorted(sorted, 0)?;
    let confidence = Confidence::of(series.iter().copied(), sorted, &stats, level);
    Some(MeasuredMetric { stats, confidence })
}

fn succeeded(columns: &Columns, row: u32) -> bool {
    columns.row(row as usize).succeeded()
}
