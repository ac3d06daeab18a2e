//! What a person can choose from when making a plot: the metrics and parameters that the runs have.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::RunMode;
use crate::plots::{gpu_unit, metric_title, readable_unit};
use crate::preset::{DataSource, PlotType};
use crate::run::{DetailedRun, RunParameter, ServerMetricKind, SummarisedRun, statistic_order};

/// Everything that plots of some runs can show.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PlotChoices {
    pub types: Vec<&'static str>,
    pub metrics: Vec<MetricChoice>,
    /// Parameters for labels and groups: those that differ between the runs come first.
    pub parameters: Vec<String>,
}

/// A metric that the runs have.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MetricChoice {
    pub name: String,
    pub title: String,
    pub unit: String,
    /// The heading that it stands under in a list.
    pub heading: &'static str,
    /// Statistics that can be shown; none if the metric has one value only.
    pub stats: Vec<String>,
    pub source: Option<DataSource>,
}

const LATENCY: &str = "Latency";
const THROUGHPUT: &str = "Throughput";
const COUNTS: &str = "Counts and lengths";
const PARAMETERS: &str = "Parameters of the run";
const REQUESTS: &str = "All requests together";
const SLICES: &str = "Time slices";
const GPU: &str = "GPU";
const SERVER: &str = "Server";

impl PlotChoices {
    /// What charts with one point for each run can show.
    pub fn of_runs(runs: &[&SummarisedRun]) -> Self {
        let mut metrics: BTreeMap<&str, MetricChoice> = BTreeMap::new();
        let mut server: BTreeMap<&str, MetricChoice> = BTreeMap::new();
        let mut parameters: BTreeMap<&str, Vec<&RunParameter>> = BTreeMap::new();
        for run in runs {
            for (tag, stats) in &run.metrics {
                let choice = metrics.entry(tag).or_insert_with(|| MetricChoice::named(tag, &stats.unit, None));
                add_stats(&mut choice.stats, stats.values.keys());
            }
            for (name, stats) in &run.server_metrics {
                let choice = server.entry(name).or_insert_with(|| MetricChoice {
                    heading: SERVER,
                    ..MetricChoice::named(name, &stats.unit, None)
                });
                let usual = if stats.kind == ServerMetricKind::Counter { "rate" } else { "avg" };
                add_stats(&mut choice.stats, [usual.to_owned()].iter());
            }
            for (name, value) in &run.columns {
                parameters.entry(name).or_default().push(value);
            }
        }
        let is_swept = |values: &[&RunParameter]| values.iter().any(|value| *value != values[0]);
        let mut names: Vec<(&str, bool)> =
            parameters.iter().map(|(name, values)| (*name, is_swept(values) && *name != "run_name")).collect();
        names.sort_by_key(|(_, is_swept)| !is_swept);
        let numbers = parameters.iter().filter(|(_, values)| values.iter().all(|value| value.number().is_some()));
        let numbers = numbers.map(|(name, _)| MetricChoice {
            heading: PARAMETERS,
            stats: Vec::new(),
            ..MetricChoice::named(name, "", None)
        });
        let metrics = metrics.into_values().chain(numbers).chain(server.into_values());
        Self {
            types: PlotType::names(RunMode::Multi),
            metrics: sorted(metrics.collect()),
            parameters: names.into_iter().map(|(name, _)| name.to_owned()).collect(),
        }
    }

    /// What charts of the requests of one run can show.
    pub fn of_run(run: &DetailedRun) -> Self {
        let mut metrics = Vec::new();
        let requests = run.requests.columns.keys().chain(run.requests.lists.keys());
        for metric in requests {
            let unit = metric.definition().shown.label();
            metrics.push(MetricChoice::named(metric.tag(), unit, Some(DataSource::Requests)));
        }
        if !run.requests.is_empty() {
            for (name, unit) in [("throughput_tokens_per_sec", "tokens/s"), ("active_requests", "")] {
                let choice = MetricChoice::named(name, unit, Some(DataSource::Requests));
                metrics.push(MetricChoice { heading: REQUESTS, ..choice });
            }
        }
        let mut slices: BTreeMap<&str, MetricChoice> = BTreeMap::new();
        for (tag, stats) in run.slices.iter().flat_map(|slice| &slice.metrics) {
            let choice = slices.entry(tag).or_insert_with(|| MetricChoice {
                heading: SLICES,
                ..MetricChoice::named(tag, &stats.unit, Some(DataSource::Timeslices))
            });
            add_stats(&mut choice.stats, stats.values.keys());
        }
        metrics.extend(slices.into_values());
        let gpu: std::collections::BTreeSet<&str> =
            run.gpu.iter().flat_map(|sample| sample.values.keys()).map(String::as_str).collect();
        metrics.extend(gpu.into_iter().map(|name| MetricChoice {
            heading: GPU,
            ..MetricChoice::named(name, gpu_unit(name), Some(DataSource::GpuTelemetry))
        }));
        metrics.extend(run.server.metrics.iter().map(|(name, series)| MetricChoice {
            heading: SERVER,
            ..MetricChoice::named(
                name,
                series.first().map_or("", |one| one.unit.as_str()),
                Some(DataSource::ServerMetrics),
            )
        }));
        Self { types: PlotType::names(RunMode::Single), metrics: sorted(metrics), parameters: Vec::new() }
    }
}

impl MetricChoice {
    fn named(name: &str, unit: &str, source: Option<DataSource>) -> Self {
        let unit = readable_unit(unit);
        let heading = match unit.as_str() {
            "ms" | "s" | "ns" | "us" => LATENCY,
            unit if unit.contains("/s") => THROUGHPUT,
            _ if name.contains("gpu") => GPU,
            _ => COUNTS,
        };
        Self { name: name.to_owned(), title: metric_title(name), unit, heading, stats: Vec::new(), source }
    }
}

fn add_stats<'a>(known: &mut Vec<String>, found: impl Iterator<Item = &'a String>) {
    for stat in found {
        if !known.contains(stat) {
            known.push(stat.clone());
        }
    }
    known.sort_by(|one, other| statistic_order(one).total_cmp(&statistic_order(other)));
}

/// By heading, then by title.
fn sorted(mut metrics: Vec<MetricChoice>) -> Vec<MetricChoice> {
    let place = |heading: &str| {
        let headings = [LATENCY, THROUGHPUT, COUNTS, PARAMETERS, REQUESTS, SLICES, GPU, SERVER];
        headings.iter().position(|known| *known == heading)
    };
    metrics.sort_by(|one, other| (place(one.heading), &one.title).cmp(&(place(other.heading), &other.title)));
    metrics
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swept_parameters_come_first() {
        let run = |concurrency: f64| SummarisedRun {
            columns: [
                ("model".to_owned(), RunParameter::Text("m".to_owned())),
                ("concurrency".to_owned(), RunParameter::Number(concurrency)),
                ("run_name".to_owned(), RunParameter::Text(format!("c{concurrency}"))),
            ]
            .into(),
            ..SummarisedRun::default()
        };
        let (one, other) = (run(1.0), run(2.0));
        let choices = PlotChoices::of_runs(&[&one, &other]);
        assert_eq!(choices.parameters, ["concurrency", "model", "run_name"]);
        assert_eq!(choices.metrics.iter().map(|metric| metric.name.as_str()).collect::<Vec<_>>(), ["concurrency"]);
        assert!(choices.types.contains(&"pareto") && !choices.types.contains(&"survival"));
    }
}
