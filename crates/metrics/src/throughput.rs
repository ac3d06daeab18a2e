//! Rates over the time of a phase or of a part of it: what each request brought, at the time it ended.

use aiperf_stats::{Estimate, Event, Span, rate};

use crate::columns::Columns;
use crate::slices::end;
use crate::{Level, Metric, MetricContext, PhaseWindow, formula};

/// The metrics that are amounts per second of D.
pub(crate) const RATES: [Metric; 5] = [
    Metric::RequestThroughput,
    Metric::InputTokenThroughput,
    Metric::OutputTokenThroughput,
    Metric::TotalTokenThroughput,
    Metric::Goodput,
];

pub(crate) fn is_rate(metric: Metric) -> bool {
    RATES.contains(&metric)
}

/// `rows`: successful requests. `None` where the phase has no length or the metric is no rate.
pub(crate) fn estimate(
    metric: Metric,
    rows: &[u32],
    columns: &Columns,
    window: &PhaseWindow,
    context: &MetricContext,
    level: Level,
) -> Option<Estimate> {
    let parts: &[Metric] = match metric {
        Metric::RequestThroughput => &[],
        Metric::InputTokenThroughput => &[Metric::InputSequenceLength],
        Metric::OutputTokenThroughput => &[Metric::OutputSequenceLength],
        Metric::TotalTokenThroughput => &[Metric::InputSequenceLength, Metric::OutputSequenceLength],
        Metric::Goodput => &[Metric::GoodRequestCount],
        _ => return None,
    };
    let events = rows.iter().map(|row| {
        let facts = columns.row(*row as usize);
        let amount = if parts.is_empty() {
            1.0
        } else {
            parts.iter().filter_map(|part| formula::value(*part, &facts, context)).sum()
        };
        Event { at: end(columns, *row).since(window.start).as_secs_f64(), amount }
    });
    rate(events, Span { start: 0.0, end: window.length().as_secs_f64() }, level)
}
