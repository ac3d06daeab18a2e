//! Points of one run for charts with two number axes, whatever source they come from.

use super::SingleContext;
use super::label::{axis_label, gpu_unit, metric_of, readable_unit, tag_of, title_of};
use super::request_values::{ACTIVE, THROUGHPUT, column, step_function};
use super::server_values::{during_run, lines};
use crate::preset::{DataSource, MetricRef, Preset};
use crate::run::DetailedRun;

/// One line of points.
#[derive(Debug, Clone)]
pub(super) struct PointLine {
    /// What tells it from other lines; empty if it is the only one.
    pub(super) name: String,
    pub(super) points: Vec<(f64, f64)>,
}

/// The lines of a metric.
#[derive(Debug, Clone)]
pub(super) struct PointLines {
    pub(super) lines: Vec<PointLine>,
    pub(super) x_label: String,
    pub(super) y_label: String,
    /// Without statistic and unit, for legends.
    pub(super) title: String,
    pub(super) unit: String,
    /// Names of the columns of the CSV file.
    pub(super) columns: (String, String),
    /// Each value holds until the next one.
    pub(super) is_step: bool,
}

const TIME: &str = "timestamp_s";

/// The source of a metric: as the preset says, or where a metric of this name is found first.
pub(super) fn source_of(run: &DetailedRun, preset: &Preset, metric: &MetricRef) -> DataSource {
    let is_request_column = || {
        let known = [THROUGHPUT, ACTIVE, "request_number", "timestamp", TIME, "request_start_ns", "request_end_ns"];
        let is_recorded = metric_of(&metric.name).is_some_and(|metric| {
            run.requests.columns.contains_key(&metric) || run.requests.lists.contains_key(&metric)
        });
        known.contains(&metric.name.as_str()) || is_recorded
    };
    let is_gpu = || run.gpu.iter().any(|sample| sample.values.contains_key(&metric.name));
    let is_slice = || run.slices.iter().any(|slice| slice.metrics.contains_key(tag_of(&metric.name)));
    let is_server = || run.server.metrics.contains_key(metric.name.trim_end_matches("_total"));
    if let Some(source) = metric.source.or(preset.source) {
        return source;
    }
    if is_request_column() {
        DataSource::Requests
    } else if is_server() {
        DataSource::ServerMetrics
    } else if is_gpu() {
        DataSource::GpuTelemetry
    } else if is_slice() {
        DataSource::Timeslices
    } else if metric_of(&metric.name).is_some() {
        DataSource::Requests
    } else if is_gpu_name(&metric.name) {
        DataSource::GpuTelemetry
    } else if crate::preset::looks_like_server_metric(&metric.name) {
        DataSource::ServerMetrics
    } else {
        DataSource::Requests
    }
}

fn is_gpu_name(name: &str) -> bool {
    ["nvidia_", "amd_", "gpu_", "dcgm_"].iter().any(|prefix| name.starts_with(prefix))
}

/// The points of a metric over the x of the preset.
pub(super) fn point_lines(
    context: &SingleContext<'_>,
    preset: &Preset,
    metric: &MetricRef,
) -> Result<PointLines, String> {
    let run = context.run;
    let x = preset.x.as_ref().map_or(TIME, |x| x.name.as_str());
    let of_time = |lines: Vec<PointLine>, stat: Option<&str>, unit: &str| PointLines {
        lines,
        x_label: axis_label(TIME, None, "s"),
        y_label: axis_label(&metric.name, stat, unit),
        title: title_of(&metric.name),
        unit: readable_unit(unit),
        columns: (TIME.to_owned(), metric.name.clone()),
        is_step: false,
    };
    match source_of(run, preset, metric) {
        DataSource::Requests if [THROUGHPUT, ACTIVE].contains(&metric.name.as_str()) => {
            let unit = if metric.name == ACTIVE { "" } else { "tokens/s" };
            let points = step_function(run, &metric.name)?;
            Ok(PointLines { is_step: true, ..of_time(vec![PointLine { name: String::new(), points }], None, unit) })
        }
        DataSource::Requests => {
            let ((xs, x_unit), (ys, y_unit)) = (column(run, x)?, column(run, &metric.name)?);
            let points: Vec<(f64, f64)> =
                xs.into_iter().zip(ys).filter(|(x, y)| x.is_finite() && y.is_finite()).collect();
            if points.is_empty() {
                return Err(format!("no request has a value of {}", metric.name));
            }
            let line = PointLine { name: String::new(), points };
            Ok(PointLines {
                x_label: axis_label(x, None, x_unit),
                columns: (x.to_owned(), tag_of(&metric.name).to_owned()),
                ..of_time(vec![line], None, y_unit)
            })
        }
        DataSource::Timeslices => {
            let stat = metric.stat.as_deref().or(preset.stat.as_deref()).unwrap_or("avg");
            let (points, unit) = slice_points(run, &metric.name, stat)?;
            Ok(of_time(vec![PointLine { name: String::new(), points }], Some(stat), &unit))
        }
        DataSource::GpuTelemetry => {
            let points = gpu_means(run, &metric.name)?;
            let line = PointLine { name: String::new(), points };
            let count = run.gpu.iter().map(|sample| (&sample.telemetry_source_url, sample.gpu_index));
            let count = count.collect::<std::collections::BTreeSet<_>>().len();
            let lines = of_time(vec![line], None, gpu_unit(&metric.name));
            let over = if count > 1 { format!(", mean of {count} GPUs") } else { String::new() };
            let unit = Some(&lines.unit).filter(|unit| !unit.is_empty()).map(|unit| format!(" ({unit})"));
            Ok(PointLines { y_label: format!("{}{over}{}", lines.title, unit.unwrap_or_default()), ..lines })
        }
        DataSource::ServerMetrics => {
            let (found, unit) = lines(run, metric, context.downsampling)?;
            let lines = found.into_iter().map(|line| PointLine { name: line.name, points: line.points }).collect();
            Ok(of_time(lines, None, &unit))
        }
        source @ (DataSource::Aggregated | DataSource::ServerMetricsAggregated) => Err(format!(
            "source {} has one number for the whole run; plots of one run need values over time",
            source.name()
        )),
    }
}

/// A statistic of each time slice, at its middle.
pub(super) fn slice_points(run: &DetailedRun, name: &str, stat: &str) -> Result<(Vec<(f64, f64)>, String), String> {
    if run.slices.is_empty() {
        return Err(DataSource::Timeslices.advice().to_owned());
    }
    let tag = tag_of(name);
    let mut unit = String::new();
    let mut points = Vec::new();
    for slice in &run.slices {
        let Some(stats) = slice.metrics.get(tag) else { continue };
        unit.clone_from(&stats.unit);
        if let Some(value) = stats.values.get(stat) {
            let middle = slice.start_ns + slice.end_ns.saturating_sub(slice.start_ns) / 2;
            points.push((run.seconds(middle), value.value));
        }
    }
    if points.is_empty() {
        return Err(format!("no time slice has {stat} of {tag}"));
    }
    Ok((points, unit))
}

/// The mean over all GPUs at each time.
fn gpu_means(run: &DetailedRun, name: &str) -> Result<Vec<(f64, f64)>, String> {
    if run.gpu.is_empty() {
        return Err(DataSource::GpuTelemetry.advice().to_owned());
    }
    let mut samples: Vec<(u64, f64)> =
        run.gpu.iter().filter_map(|sample| Some((sample.timestamp_ns, (*sample.values.get(name)?)?))).collect();
    samples.sort_by_key(|(time, _)| *time);
    let means = samples.chunk_by(|one, other| one.0 == other.0).map(|group| {
        let sum: f64 = group.iter().map(|(_, value)| value).sum();
        (run.seconds(group[0].0), sum / group.len() as f64)
    });
    let means = during_run(run, means.collect());
    if means.is_empty() {
        return Err(format!("the GPU telemetry has no {name} during the run"));
    }
    Ok(means)
}
