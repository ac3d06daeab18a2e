//! The points of a chart of several runs: one for each run, in groups, in the order of the swept parameter.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::label::axis_label;
use crate::figure::Ink;
use crate::preset::{Classification, ExperimentSide, MetricRef, Preset};
use crate::run::{PER_GPU, RunParameter, ServerMetricKind, StatValue, SummarisedRun};

/// One run in a chart.
#[derive(Debug, Clone)]
pub(super) struct OperatingPoint {
    pub(super) run: String,
    /// The folders that the numbers come from.
    pub(super) folders: Vec<PathBuf>,
    pub(super) label: String,
    pub(super) x: StatValue,
    pub(super) y: StatValue,
    /// How many runs the numbers come from.
    pub(super) runs: u64,
    /// Level of the stored intervals.
    pub(super) level: Option<f64>,
    pub(super) order: Option<f64>,
}

/// The points of a colour, in the order in which they are joined.
#[derive(Debug, Clone)]
pub(super) struct PointGroup {
    pub(super) name: String,
    pub(super) ink: Ink,
    pub(super) points: Vec<OperatingPoint>,
}

/// All points of a chart.
#[derive(Debug)]
pub(super) struct GroupedPoints {
    pub(super) groups: Vec<PointGroup>,
    pub(super) x_label: String,
    pub(super) y_label: String,
    /// `concurrency`, if that is what the texts next to the points are.
    pub(super) label_name: Option<String>,
    pub(super) notes: Vec<String>,
}

pub(super) fn collect(
    preset: &Preset,
    runs: &[&SummarisedRun],
    classes: Option<&Classification>,
) -> Result<GroupedPoints, String> {
    let x_metric = preset.x.as_ref().ok_or("x is missing: a plot of several runs has two metrics")?;
    let mut groups: BTreeMap<(ExperimentSide, String), Vec<OperatingPoint>> = BTreeMap::new();
    let mut labels = None;
    let mut missing: Vec<(String, &str)> = Vec::new();
    for run in runs {
        let (x, y) = match (value(run, x_metric, preset), value(run, &preset.y, preset)) {
            (Ok(x), Ok(y)) => (x, y),
            (Err(reason), _) | (_, Err(reason)) => {
                missing.push((reason, &run.name));
                continue;
            }
        };
        labels.get_or_insert_with(|| (x.1.clone(), y.1.clone()));
        let key = if let Some(classes) = classes {
            let class = classes.of(&run.folder, run.variation.as_deref());
            (class.side, class.group)
        } else {
            let name = preset.group.as_deref().unwrap_or("run_name");
            let group = run.parameter(name).map_or_else(|| format!("no {name}"), ToString::to_string);
            (ExperimentSide::Treatment, group)
        };
        let texts: Vec<String> =
            preset.labels.iter().filter_map(|name| Some(run.parameter(name)?.to_string())).collect();
        groups.entry(key).or_default().push(OperatingPoint {
            run: run.name.clone(),
            folders: vec![run.folder.clone()],
            label: texts.join(", "),
            x: x.0,
            y: y.0,
            runs: run.runs,
            level: run.level,
            order: order(preset, run),
        });
    }
    let Some((x_label, y_label)) = labels else {
        return Err(missing.first().map_or_else(|| "there is no run".to_owned(), |(reason, _)| reason.clone()));
    };
    let mut notes: Vec<String> =
        missing.iter().map(|(reason, name)| format!("{name} is left out: {reason}")).take(3).collect();
    if groups.len() > 8 {
        notes.push(format!("{} groups share 8 colours; group by another column to tell them apart", groups.len()));
    }
    Ok(GroupedPoints {
        groups: coloured(groups, classes.is_some()),
        x_label: preset.x_label.clone().unwrap_or(x_label),
        y_label,
        label_name: Some(preset.labels.join(", ")).filter(|name| !name.is_empty()),
        notes,
    })
}

/// Baselines are grey and come first; the first treatment has a colour of its own.
fn coloured(groups: BTreeMap<(ExperimentSide, String), Vec<OperatingPoint>>, is_classified: bool) -> Vec<PointGroup> {
    let mut treatments = 0;
    let groups = groups.into_iter().enumerate().map(|(index, ((side, name), mut points))| {
        let ink = match (is_classified, side) {
            (false, _) => Ink::Group(index),
            (true, ExperimentSide::Baseline) => Ink::Reference,
            (true, ExperimentSide::Treatment) => {
                treatments += 1;
                if treatments == 1 { Ink::Candidate } else { Ink::Group(treatments - 2) }
            }
        };
        // Points without the parameter come last; those with the same value go from left to right.
        let key = |point: &OperatingPoint| (point.order.is_none(), point.order.unwrap_or_default(), point.x.value);
        points.sort_by(|one, other| {
            let ((one_last, one, one_x), (other_last, other, other_x)) = (key(one), key(other));
            one_last.cmp(&other_last).then(one.total_cmp(&other)).then(one_x.total_cmp(&other_x))
        });
        PointGroup { name, ink, points }
    });
    groups.collect()
}

/// Points are joined in the order of the swept parameter: the first label, or the load.
fn order(preset: &Preset, run: &SummarisedRun) -> Option<f64> {
    let names = preset.labels.first().map(String::as_str).into_iter().chain(["concurrency", "request_rate"]);
    names.filter_map(|name| run.parameter(name)).find_map(RunParameter::number)
}

/// A number of a run and the label of its axis.
fn value(run: &SummarisedRun, metric: &MetricRef, preset: &Preset) -> Result<(StatValue, String), String> {
    let stat = metric.stat.as_deref().or(preset.stat.as_deref()).unwrap_or("avg");
    let tag = super::label::tag_of(&metric.name);
    if let Some(stats) = run.metrics.get(tag) {
        let value = stats.values.get(stat).copied().ok_or_else(|| {
            let known: Vec<&str> = stats.values.keys().map(String::as_str).collect();
            format!("{tag} has no {stat}; it has {}", known.join(", "))
        })?;
        return Ok((value, axis_label(tag, Some(stat), &stats.unit)));
    }
    if let Some(parameter) = run.parameter(&metric.name) {
        let value =
            parameter.number().ok_or_else(|| format!("{} is {parameter}, which is not a number", metric.name))?;
        return Ok((StatValue { value, interval: None, repeats: None }, axis_label(&metric.name, None, "")));
    }
    if let Some(found) = server_value(run, metric) {
        return Ok(found);
    }
    if tag == PER_GPU {
        let has_tokens = run.metrics.contains_key("output_token_throughput");
        return Err(if has_tokens {
            "the number of GPUs is not known: the run has no GPU telemetry; say how many with --gpus N".to_owned()
        } else {
            "the run has no output_token_throughput".to_owned()
        });
    }
    Err(format!("the run has no {}", metric.name))
}

/// Counters: the sum of the rates of all series. Others: the mean of their means.
fn server_value(run: &SummarisedRun, metric: &MetricRef) -> Option<(StatValue, String)> {
    let bare = metric.name.strip_suffix("_total").unwrap_or(&metric.name);
    let stats = run.server_metrics.get(&metric.name).or_else(|| run.server_metrics.get(bare))?;
    let series = stats.series.iter().filter(|series| metric.filter.accepts(&series.endpoint, &series.labels));
    let is_counter = stats.kind == ServerMetricKind::Counter;
    let wanted = metric.stat.as_deref().unwrap_or(if is_counter { "rate" } else { "avg" });
    let estimate = format!("{wanted}_estimate");
    let values: Vec<f64> =
        series.filter_map(|series| series.stats.get(wanted).or_else(|| series.stats.get(&estimate)).copied()).collect();
    if values.is_empty() {
        return None;
    }
    let sum: f64 = values.iter().sum();
    let value = if is_counter { sum } else { sum / values.len() as f64 };
    let unit = if is_counter { format!("{}/s", stats.unit) } else { stats.unit.clone() };
    Some((StatValue { value, interval: None, repeats: None }, axis_label(&metric.name, Some(wanted), &unit)))
}
