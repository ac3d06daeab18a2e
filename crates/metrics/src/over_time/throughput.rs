//! Rates over the time of a phase or of a part of it: what each request brought, at the time it ended.

use aiperf_clock::Mono;
use aiperf_stats::{CountedEvent, Estimate, HeldSlot, RunEnd, TimeSpan, closed_loop_rate, rate};

use crate::over_time::slices::{end, start};
use crate::over_time::timeline::Timeline;
use crate::record::columns::Columns;
use crate::record::fact::Facts;
use crate::record::formula;
use crate::{Metric, MetricContext, PhaseWindow, Sending};

/// The metrics that are amounts per second of D.
pub(crate) const RATES: [Metric; 5] = [
    Metric::RequestThroughput,
    Metric::InputTokenThroughput,
    Metric::OutputTokenThroughput,
    Metric::TotalTokenThroughput,
    Metric::Goodput,
];

/// What the window of a rate is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// The whole phase.
    Phase,
    /// A part of it, with requests in flight at both ends.
    Part,
}

pub(crate) fn is_rate(metric: Metric) -> bool {
    RATES.contains(&metric)
}

/// `None` if the window has no length or the metric is not a rate.
pub(crate) fn estimate(
    metric: Metric,
    timeline: &Timeline,
    columns: &Columns,
    (window, extent): (&PhaseWindow, Extent),
    context: &MetricContext,
) -> Option<Estimate> {
    let parts: &[Metric] = match metric {
        Metric::RequestThroughput => &[],
        Metric::InputTokenThroughput => &[Metric::InputSequenceLength],
        Metric::OutputTokenThroughput => &[Metric::OutputSequenceLength],
        Metric::TotalTokenThroughput => &[Metric::InputSequenceLength, Metric::OutputSequenceLength],
        Metric::Goodput => &[Metric::GoodRequestCount],
        _ => return None,
    };
    let amount = |row: u32| -> f64 {
        let facts = columns.row(row as usize);
        if parts.is_empty() {
            return 1.0;
        }
        parts.iter().filter_map(|part| formula::value(*part, &facts, context)).sum()
    };
    // Of a part of the phase, also before it began.
    let seconds = |at: Mono| (i128::from(at.as_nanos()) - i128::from(window.start.as_nanos())) as f64 / 1e9;
    let span = TimeSpan { start: 0.0, end: window.length().as_secs_f64() };
    if context.open_loop || context.fixed_schedule || context.sending == Sending::Scheduled {
        let rows = timeline.successful_in(columns, window);
        let events = rows.iter().map(|row| CountedEvent { at: seconds(end(columns, *row)), amount: amount(*row) });
        return rate(events, span, timeline.level());
    }
    let in_window = |row: &&u32| end(columns, **row) >= window.start && start(columns, **row) <= window.end;
    let held = timeline.rows().iter().filter(in_window).map(|row| {
        let succeeded = columns.row(*row as usize).succeeded();
        let amount = if succeeded { amount(*row) } else { 0.0 };
        HeldSlot { start: seconds(start(columns, *row)), end: seconds(end(columns, *row)), amount }
    });
    let ends_with = match extent {
        Extent::Part => RunEnd::Inside,
        Extent::Phase if context.sending == Sending::UntilTime => RunEnd::Time,
        Extent::Phase => RunEnd::Count,
    };
    closed_loop_rate(&held.collect::<Vec<_>>(), span, ends_with, timeline.level()).map(|found| found.estimate)
}
