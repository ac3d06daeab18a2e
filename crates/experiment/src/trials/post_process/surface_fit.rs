//! A metric over two parameters: a table with one row for each concurrency and one column for each output length.

use aiperf_config::MetricStat;
use aiperf_report::SweepCell;
use serde_json::{Value, json};

use super::metric;

/// Fewer points do not make a surface.
const LEAST_POINTS: usize = 2;

pub(super) fn process(cells: &[SweepCell], of: &MetricStat, concurrency: &str, osl: &str) -> Result<Value, String> {
    let number = |cell: &SweepCell, path: &str| cell.parameter(path).and_then(Value::as_f64);
    let swept: Vec<(f64, f64, &SweepCell)> =
        cells.iter().filter_map(|cell| Some((number(cell, concurrency)?, number(cell, osl)?, cell))).collect();
    if swept.is_empty() {
        return Err(format!("no point has numbers for both {concurrency} and {osl}; check both names"));
    }
    // A latency below zero is a mistake of the measurement.
    let measured = |cell| metric(cell, of).filter(|value| *value >= 0.0);
    let mut points: Vec<(f64, f64, f64)> =
        swept.iter().filter_map(|(at, length, cell)| Some((*at, *length, measured(cell)?))).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let dropped = swept.len() - points.len();
    if dropped > 0 {
        log::warn!("itl_surface_fit: {dropped} of {} points have no usable {} {}", swept.len(), of.metric, of.stat);
    }
    let is_surface = points.len() >= LEAST_POINTS;
    let axis = |pick: fn(&(f64, f64, f64)) -> f64| {
        let mut axis: Vec<f64> = points.iter().filter(|_| is_surface).map(pick).collect();
        axis.sort_by(f64::total_cmp);
        axis.dedup();
        axis
    };
    let (rows, columns) = (axis(|point| point.0), axis(|point| point.1));
    let same = |one: f64, other: f64| one.total_cmp(&other).is_eq();
    let at = |row, column| points.iter().find(|(at, length, _)| same(*at, row) && same(*length, column));
    let row = |row: &f64| columns.iter().map(|column| at(*row, *column).map(|point| point.2)).collect::<Vec<_>>();
    let grid: Vec<Vec<Option<f64>>> = rows.iter().map(row).collect();
    let mut file = json!({
        "swept_metric": of.metric,
        "stat": of.stat,
        "swept_params": [concurrency, osl],
        "raw_points": points
            .iter()
            .map(|(at, length, value)| json!({"concurrency": at, "osl": length, "itl_ms": value}))
            .collect::<Vec<_>>(),
        "surface": {"concurrency_axis": rows, "osl_axis": columns, "itl_grid": grid},
        "surface_fit_failed": !is_surface,
    });
    if !is_surface {
        file["error_reason"] = format!(
            "{} of {} points have a usable {} {}, and a surface needs {LEAST_POINTS}",
            points.len(),
            swept.len(),
            of.metric,
            of.stat
        )
        .into();
    }
    Ok(file)
}
