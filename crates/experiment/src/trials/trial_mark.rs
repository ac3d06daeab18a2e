//! What a complete run says to the others of its command: all that aggregates need of it. The mark is written when all other
//! files of the run are, and is durable; a run without it is made again when the command is resumed.

use std::collections::BTreeMap;
use std::path::Path;

use aiperf_metrics::{Interval, Metric, Percentile, Stats};
use aiperf_protocol::RunEnding;
use aiperf_report::{ArtifactPaths, ReportError, write_durably};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::figures::{Figures, MetricFigures};
use super::order::TrialAssignment;
use super::runner::TrialResult;

const SCHEMA_VERSION: &str = "1.0";

#[derive(Debug, Serialize, Deserialize)]
pub struct TrialMark {
    schema_version: String,
    /// That of the command.
    sweep_id: String,
    cell: usize,
    trial: u32,
    random_seed: Option<u64>,
    /// How long the run took, from its preparation to its last file.
    pub seconds: f64,
    metrics: Vec<MarkedMetric>,
    /// Values of all requests by metric, if the command needs them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    values: BTreeMap<String, Vec<f64>>,
}

#[derive(Debug, Serialize, Deserialize)]
struct MarkedMetric {
    tag: String,
    unit: String,
    stats: Map<String, Value>,
    /// Lower and upper end by statistic.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    confidence: BTreeMap<String, [f64; 2]>,
}

impl TrialMark {
    pub fn new(assignment: &TrialAssignment, result: &TrialResult, seconds: f64) -> Self {
        let values = result.values.iter().map(|(metric, values)| (metric.tag().to_owned(), values.clone()));
        Self {
            schema_version: SCHEMA_VERSION.to_owned(),
            sweep_id: assignment.place.sweep_id.clone(),
            cell: assignment.place.variation.index,
            trial: assignment.place.trial,
            random_seed: assignment.config.random_seed,
            seconds,
            metrics: result.figures.metrics.iter().map(MarkedMetric::of).collect(),
            values: values.collect(),
        }
    }

    /// Writes it into the folder of the run.
    pub fn write(&self, dir: &Path) -> Result<(), ReportError> {
        // Plain data with text keys cannot fail to serialise.
        let text = serde_json::to_vec(self).unwrap_or_default();
        write_durably(&ArtifactPaths::new(dir, None).trial_mark(), &text)
    }

    /// The mark of this very run; `None` if there is none, or one of another run.
    pub fn read(assignment: &TrialAssignment) -> Option<Self> {
        let path = ArtifactPaths::new(&assignment.config.output.dir, None).trial_mark();
        let mark: Self = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
        let place = &assignment.place;
        let is_it = mark.schema_version == SCHEMA_VERSION
            && mark.sweep_id == place.sweep_id
            && mark.cell == place.variation.index
            && mark.trial == place.trial
            && mark.random_seed == assignment.config.random_seed
            && (!assignment.keeps_values || !mark.values.is_empty());
        is_it.then_some(mark)
    }

    /// What the run gave.
    pub fn result(&self) -> TrialResult {
        let values = self.values.iter().filter_map(|(tag, values)| Some((Metric::from_tag(tag)?, values.clone())));
        TrialResult {
            ending: RunEnding::COMPLETED,
            figures: Figures { metrics: self.metrics.iter().map(MarkedMetric::figures).collect() },
            values: values.collect(),
            is_written: true,
        }
    }
}

impl MarkedMetric {
    fn of(figures: &MetricFigures) -> Self {
        let stats = &figures.stats;
        let percentiles = Percentile::ALL.map(|percentile| (percentile.name(), stats.percentile(percentile)));
        let others =
            [("avg", stats.avg), ("min", stats.min), ("max", stats.max), ("std", stats.std), ("sum", stats.sum)];
        let mut all: Map<String, Value> = others
            .into_iter()
            .chain(percentiles)
            .filter_map(|(name, value)| Some((name.to_owned(), to_json(value?))))
            .collect();
        if let Some(count) = stats.count {
            all.insert("count".to_owned(), count.into());
        }
        let confidence =
            figures.intervals.iter().map(|(name, interval)| ((*name).to_owned(), [interval.low, interval.high]));
        Self {
            tag: figures.tag.to_string(),
            unit: figures.unit.to_string(),
            stats: all,
            confidence: confidence.filter(|(_, ends)| ends.iter().all(|end| end.is_finite())).collect(),
        }
    }

    fn figures(&self) -> MetricFigures {
        let get = |name: &str| self.stats.get(name).and_then(from_json);
        let names = ["avg", Percentile::P99.name()];
        // Names of the catalogue need no memory of their own.
        let known = Metric::from_tag(&self.tag);
        let label = known.map(|metric| metric.definition().shown.label()).filter(|label| *label == self.unit);
        let interval = |name| {
            let [low, high] = *self.confidence.get(name)?;
            Some((name, Interval { low, high }))
        };
        MetricFigures {
            tag: known.map_or_else(|| self.tag.clone().into(), |metric| metric.tag().into()),
            unit: label.map_or_else(|| self.unit.clone().into(), Into::into),
            stats: Stats {
                avg: get("avg"),
                percentiles: Percentile::ALL.map(|percentile| get(percentile.name())),
                min: get("min"),
                max: get("max"),
                std: get("std"),
                count: self.stats.get("count").and_then(Value::as_u64),
                sum: get("sum"),
            },
            intervals: names.into_iter().filter_map(interval).collect(),
        }
    }
}

/// JSON has no infinity, so it is written as its name.
fn to_json(value: f64) -> Value {
    if value.is_finite() { json!(value) } else { value.to_string().into() }
}

fn from_json(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.parse().ok())
}
