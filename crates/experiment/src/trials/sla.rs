//! Limits that a point of a sweep must keep to be feasible.

use aiperf_config::{Experiment, PostProcessHandler, SlaFilter};
use aiperf_metrics::Metric;
use aiperf_report::{SlaBreach, SlaLimit, SweepCell};

use crate::error::RunError;
use crate::prepare::settings;

/// A limit as files have it.
pub(crate) fn limit(filter: &SlaFilter) -> SlaLimit {
    SlaLimit {
        metric: filter.metric.clone(),
        stat: filter.stat.clone(),
        op: filter.op.name(),
        threshold: filter.threshold,
    }
}

/// The limits that a cell does not keep. A cell without a statistic does not keep a limit for it.
pub(crate) fn breaches(cell: &SweepCell, filters: &[SlaFilter]) -> Vec<SlaBreach> {
    let breach = |filter: &SlaFilter| {
        let observed = cell.value(&filter.metric, &filter.stat);
        (!filter.passes(observed)).then(|| SlaBreach { limit: limit(filter), observed })
    };
    filters.iter().filter_map(breach).collect()
}

/// Whether all metrics that limits and handlers name exist. One that runs of this kind do not have is worth a warning.
pub(crate) fn check(experiment: &Experiment) -> Result<(), RunError> {
    let Some(sweep) = &experiment.sweep else { return Ok(()) };
    let mut named: Vec<(&str, &str)> =
        sweep.sla_filters.iter().map(|filter| ("sweep.slaFilters", filter.metric.as_str())).collect();
    let handler = sweep.post_process.as_ref().map(|post_process| &post_process.handler);
    named.extend(handler.iter().flat_map(|handler| metrics(handler)).map(|metric| ("sweep.postProcess", metric)));
    for (field, tag) in named {
        let Some(metric) = Metric::from_tag(tag) else {
            let reason = format!("no metric is called {tag:?}; {}", Metric::advice(tag, |_| true));
            return Err(RunError::Sweep { field, reason });
        };
        for cell in &experiment.cells {
            let context = settings::metric_context(&cell.config, cell.config.phases.profiling())?;
            if !context.shows(metric) {
                let endpoint = context.endpoint.facts().name;
                log::warn!("{field}: runs of endpoint type {endpoint} with these options do not have the metric {tag}");
                return Ok(());
            }
        }
    }
    Ok(())
}

/// The metrics that a handler reads.
fn metrics(handler: &PostProcessHandler) -> Vec<&str> {
    match handler {
        PostProcessHandler::DegradationKnee { of, .. }
        | PostProcessHandler::CurveFit { of, .. }
        | PostProcessHandler::SurfaceFit { of, .. } => vec![&of.metric],
        PostProcessHandler::SlaBreachKnee { filters, .. } => {
            filters.iter().map(|filter| filter.metric.as_str()).collect()
        }
        PostProcessHandler::ParetoExport { x, y, .. } => vec![&x.metric, &y.metric],
    }
}
