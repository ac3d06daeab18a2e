//! What is worked out from all points of a sweep when it is over. Each handler gives the contents of one JSON file.

mod curve_fit;
mod degradation_knee;
mod pareto_export;
mod sla_breach_knee;
mod surface_fit;
#[cfg(test)]
mod tests;

use aiperf_config::{MetricStat, PostProcessHandler};
use aiperf_report::SweepCell;
use serde_json::Value;

/// The contents of the file, or why there are none.
pub(crate) fn process(handler: &PostProcessHandler, cells: &[SweepCell]) -> Result<Value, String> {
    match handler {
        PostProcessHandler::DegradationKnee { of, swept, threshold } => {
            degradation_knee::process(cells, of, swept, *threshold)
        }
        PostProcessHandler::CurveFit { of, swept, r_squared_floor } => {
            curve_fit::process(cells, of, swept, *r_squared_floor)
        }
        PostProcessHandler::SurfaceFit { of, concurrency, osl } => surface_fit::process(cells, of, concurrency, osl),
        PostProcessHandler::SlaBreachKnee { filters, swept } => sla_breach_knee::process(cells, filters, swept),
        PostProcessHandler::ParetoExport { x, y, isl, osl, concurrency } => {
            pareto_export::process(cells, [x, y], [isl, osl, concurrency])
        }
    }
}

/// The last part of a path: what files call a parameter.
fn leaf(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// The finite value that a cell has for a metric.
fn metric(cell: &SweepCell, of: &MetricStat) -> Option<f64> {
    cell.value(&of.metric, &of.stat).filter(|value| value.is_finite())
}

/// A point by the value of a parameter, as a number and as it was written.
struct SweptPoint<'a> {
    at: f64,
    written: &'a Value,
    cell: &'a SweepCell,
}

/// The points that have a number for the parameter, in ascending order of it.
fn by_parameter<'a>(cells: &'a [SweepCell], path: &str) -> Vec<SweptPoint<'a>> {
    let mut points: Vec<SweptPoint<'_>> = cells
        .iter()
        .filter_map(|cell| {
            let written = cell.parameter(path)?;
            Some(SweptPoint { at: written.as_f64()?, written, cell })
        })
        .collect();
    points.sort_by(|a, b| a.at.total_cmp(&b.at));
    points
}

fn nothing_to_show(path: &str, of: &MetricStat) -> String {
    format!(
        "no point has a number for {path} together with {} {}; check both names, and use --streaming for metrics of tokens",
        of.metric, of.stat
    )
}
