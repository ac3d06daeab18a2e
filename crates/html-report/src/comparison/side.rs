//! One run of a comparison as curves: survival, percentiles and the course over time.

use std::path::Path;

use aiperf_artifact::{ArtifactError, Folder, find_runs};
use aiperf_metrics::Metric;
use aiperf_stats::{Level, Sample, linear};
use serde_json::{Value, json};

use crate::HtmlReportError;
use crate::number::{short, shorts};
use crate::run::{Requests, load, survival};
use crate::time_bins::TimeBins;

const METRICS: [Metric; 3] = [Metric::TimeToFirstToken, Metric::InterTokenLatency, Metric::RequestLatency];
/// Percentiles at which the runs are compared one by one (a shift function).
const PERCENTILES: [f64; 13] = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99];

#[derive(Debug)]
pub(crate) struct SidePicture {
    name: String,
    /// The run that was read, below the folder; empty if it is the folder itself.
    run: String,
    runs: usize,
    pub(crate) input_config: Value,
    curves: Value,
}

impl SidePicture {
    /// Reads the first run of a folder that has records. A folder without any has rows in the table, but no curves.
    pub(crate) fn read(name: &Path, place: &Path) -> Result<Self, HtmlReportError> {
        let runs = find_runs(place)?;
        let mut picture = Self {
            name: name.display().to_string(),
            run: String::new(),
            runs: runs.len(),
            input_config: Value::Null,
            curves: Value::Null,
        };
        let dirs = runs.iter().map(|run| run.dir.as_path()).chain([place]);
        for dir in dirs {
            match Requests::read(&Folder::open(dir)?, &[]) {
                Ok((requests, run)) => {
                    picture.run = dir.strip_prefix(place).unwrap_or(dir).display().to_string();
                    picture.input_config = run.input_config;
                    picture.curves = curves(&requests, run.window);
                    break;
                }
                Err(HtmlReportError::Artifact(ArtifactError::NoRecords { .. } | ArtifactError::Empty { .. })) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(picture)
    }

    pub(crate) fn json(&self) -> Value {
        json!({"name": self.name, "run": self.run, "runs": self.runs, "curves": self.curves})
    }
}

fn curves(requests: &Requests, window: (u64, u64)) -> Value {
    let bins = TimeBins::of(window, requests.len());
    let over_time =
        METRICS.iter().filter_map(|metric| Some((metric.tag().to_owned(), by_slice(requests, *metric, &bins)?)));
    let shifts = METRICS.iter().filter_map(|metric| Some((metric.tag().to_owned(), percentiles(requests, *metric)?)));
    json!({
        "time": {"seconds": short(bins.seconds()), "step": bins.width_s(), "slices": bins.len()},
        "load": load::json(requests, &bins),
        "survival": survival::json(requests),
        "over_time": over_time.collect::<serde_json::Map<_, _>>(),
        "percentiles": shifts.collect::<serde_json::Map<_, _>>(),
    })
}

/// The median and the 99th percentile of the requests sent in each slice.
fn by_slice(requests: &Requests, metric: Metric, bins: &TimeBins) -> Option<Value> {
    let column = requests.column(metric)?;
    let mut slices: Vec<Vec<f64>> = vec![Vec::new(); bins.len()];
    for (span, value) in requests.spans.iter().zip(column) {
        if span.outcome.is_success() && !value.is_nan() {
            slices[bins.index(span.start_ns)].push(*value);
        }
    }
    for slice in &mut slices {
        slice.sort_unstable_by(f64::total_cmp);
    }
    let at = |q: f64| shorts(slices.iter().map(|slice| linear(slice, q).unwrap_or(f64::NAN)));
    Some(json!({"p50": at(0.5), "p99": at(0.99)}))
}

/// Percentile, its value and its 95 % interval.
fn percentiles(requests: &Requests, metric: Metric) -> Option<Value> {
    let series = requests.of_successes(metric);
    let mut sorted = series.clone();
    sorted.sort_unstable_by(f64::total_cmp);
    let thresholds: Vec<f64> = PERCENTILES.iter().filter_map(|q| linear(&sorted, *q)).collect();
    (!thresholds.is_empty()).then_some(())?;
    let sample = Sample::of(&series, &thresholds);
    let points = PERCENTILES.iter().enumerate().filter_map(|(index, q)| {
        let estimate = sample.quantile(&sorted, index, *q, Level::P95)?;
        let (low, high) = estimate.interval.map_or((Value::Null, Value::Null), |it| (short(it.low), short(it.high)));
        Some(json!([q, short(estimate.value), low, high]))
    });
    Some(points.collect())
}
