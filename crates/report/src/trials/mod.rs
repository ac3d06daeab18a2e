//! What several runs say together: statistics over the trials of a configuration, and over the points of a sweep.

mod collated;
mod confidence;
pub mod names;
mod python;
mod run_config;
mod spread;
mod sweep;

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::folder::part_file::{PartFile, write_whole};
use crate::{ReportError, SummaryFiles, WrittenFile};

use self::names::{AGGREGATE_CSV, AGGREGATE_JSON, COLLATED_JSON, SWEEP_CSV, SWEEP_JSON};
pub use collated::{Collated, CollatedMetric, RunMean};
pub use confidence::{Aggregate, AggregateMetric, Settled};
pub use run_config::RunConfig;
pub use spread::RunSpread;
pub use sweep::{BestCell, ParetoAxes, SlaBreach, SlaLimit, SweepCell, SweepMetric, SweepReport};

/// Where a run stands among others.
#[derive(Debug, Clone, PartialEq)]
pub struct RunPlace {
    /// The same for all runs of one command.
    pub sweep_id: String,
    /// Which repetition of its configuration it is, from 0.
    pub trial: u32,
    /// `run_0001` for the first trial.
    pub label: String,
    pub variation: Variation,
}

/// One point of a sweep; if nothing is swept, all there is.
#[derive(Debug, Clone, PartialEq)]
pub struct Variation {
    pub index: usize,
    /// `phases.profiling.concurrency=2`, or `base`.
    pub label: String,
    /// By path in a configuration file.
    pub values: Map<String, Value>,
}

/// A run that gave no numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedRun {
    pub label: String,
    pub error: String,
}

impl FailedRun {
    fn json(&self) -> Value {
        serde_json::json!({"label": self.label, "error": self.error})
    }
}

/// Where the files over several runs go.
#[derive(Debug, Clone)]
pub struct AggregatePaths {
    folder: PathBuf,
}

impl AggregatePaths {
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

/// Writes the aggregate of one configuration as JSON and CSV.
pub fn write_aggregate(aggregate: &Aggregate, paths: &AggregatePaths) -> SummaryFiles {
    let mut files = SummaryFiles::default();
    put(&mut files, "Aggregate JSON", &paths.file(AGGREGATE_JSON), &indented(&aggregate.json()));
    put(&mut files, "Aggregate CSV", &paths.file(AGGREGATE_CSV), &aggregate.csv());
    files
}

/// Writes what all requests of all trials say together.
pub fn write_collated(collated: &Collated, paths: &AggregatePaths) -> SummaryFiles {
    let mut files = SummaryFiles::default();
    put(&mut files, "Collated JSON", &paths.file(COLLATED_JSON), &indented(&collated.json()));
    files
}

/// Writes the table of a sweep as JSON and CSV.
pub fn write_sweep(sweep: &SweepReport, paths: &AggregatePaths) -> SummaryFiles {
    let mut files = SummaryFiles::default();
    let path = paths.file(SWEEP_JSON);
    let written = PartFile::create(&path).and_then(|mut file| match sweep.write_json(&mut file) {
        Ok(()) => file.finish(),
        Err(error) => {
            file.discard();
            Err(error)
        }
    });
    match written {
        Ok(()) => files.written.push(WrittenFile { label: "Sweep JSON".to_owned(), path }),
        Err(error) => files.failed.push(error),
    }
    put(&mut files, "Sweep CSV", &paths.file(SWEEP_CSV), &sweep.csv());
    files
}

/// Writes what a handler worked out from all points of a sweep.
pub fn write_post_process(value: &Value, name: &str, paths: &AggregatePaths) -> SummaryFiles {
    let mut files = SummaryFiles::default();
    put(&mut files, "Sweep Post-Process JSON", &paths.file(name), &indented(value));
    files
}

fn put(files: &mut SummaryFiles, label: &str, path: &Path, text: &str) {
    match write_whole(path, text.as_bytes()) {
        Ok(()) => files.written.push(WrittenFile { label: label.to_owned(), path: path.to_owned() }),
        Err(error) => files.failed.push(error),
    }
}

fn indented(value: &Value) -> String {
    format!("{value:#}")
}

fn write_json(path: &Path, value: &Value) -> Result<(), ReportError> {
    write_whole(path, indented(value).as_bytes())
}

/// A number as JSON has it; none if it is not finite.
fn number(value: f64) -> Value {
    serde_json::Number::from_f64(value).map_or(Value::Null, Value::Number)
}
