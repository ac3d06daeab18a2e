//! One side of a comparison: the folder of a run, or of several runs of the same thing.

pub(crate) mod evidence;
pub(crate) mod gpu;
pub(crate) mod known;
mod run;
mod soundness;
mod stated;
pub(crate) mod workload;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use aiperf_artifact::{Folder, GradedAnswer, PREVIOUS, is_run_folder};
use aiperf_metrics::Metric;
use serde_json::Value;

pub use gpu::{GpuQuantity, GpuRowPair};
pub use soundness::Warning;
pub use workload::WorkloadNote;

use crate::selection::Selection;
use crate::side::evidence::{RunEvidence, sources};
use crate::side::gpu::ComparedGpu;
use crate::side::run::ComparedRun;
use crate::{CompareError, Quantity};

#[derive(Debug)]
pub struct Side {
    pub folder: PathBuf,
    pub(crate) runs: Vec<ComparedRun>,
    /// Trials that left nothing to read.
    pub failed_runs: usize,
}

impl Side {
    /// `name`: the folder as the user called it. `asked`: numbers that are needed in addition to the usual ones.
    pub fn open(dir: &Path, name: &Path, asked: &[Quantity]) -> Result<Self, CompareError> {
        match fs::metadata(dir) {
            Err(_) => return Err(CompareError::Missing(name.to_owned())),
            Ok(found) if !found.is_dir() => return Err(CompareError::NoFolder(name.to_owned())),
            Ok(_) => {}
        }
        let wanted = wanted(asked);
        let trials = folders(&dir.join("profile_runs"));
        let (mut runs, mut failed_runs) = (Vec::new(), 0);
        if trials.is_empty() {
            runs.extend(ComparedRun::open(dir, &wanted)?);
        }
        for trial in &trials {
            match ComparedRun::open(trial, &wanted)? {
                Some(run) => runs.push(run),
                None => failed_runs += 1,
            }
        }
        if runs.is_empty() {
            return Err(nothing(dir, name));
        }
        Ok(Self { folder: name.to_owned(), runs, failed_runs })
    }

    pub fn run_count(&self) -> usize {
        self.runs.len()
    }

    /// Of all its runs, if that is known.
    pub fn requests(&self) -> Option<u64> {
        self.runs.iter().map(ComparedRun::requests).sum()
    }

    pub fn has_records(&self) -> bool {
        self.runs.iter().all(ComparedRun::has_records)
    }

    /// Lines of records that could not be read.
    pub fn skipped(&self) -> usize {
        self.runs.iter().map(ComparedRun::skipped).sum()
    }

    /// Why its runs give no verdict. With several runs each is named by its folder.
    pub(crate) fn no_verdict_reasons(&self) -> Vec<String> {
        let names = self.runs.iter().map(|run| run.no_verdict_reason().map(|reason| reason.words()));
        let several = self.run_count() > 1;
        let named = |(index, words): (usize, Option<String>)| {
            words.map(|words| if several { format!("(run {}) {words}", index + 1) } else { words })
        };
        names.enumerate().filter_map(named).collect()
    }

    /// Validity warnings of its runs.
    pub(crate) fn warnings(&self) -> Vec<Warning> {
        Warning::merge(self.runs.iter().map(ComparedRun::warnings))
    }

    pub(crate) fn label(&self) -> String {
        self.folder.display().to_string()
    }

    /// What each of its runs has to say; `None` unless all of them know the number.
    pub(crate) fn evidence(&self, quantity: Quantity) -> Option<Vec<RunEvidence>> {
        self.runs.iter().map(|run| run.evidence(quantity)).collect()
    }

    /// The GPUs that telemetry saw, one by one.
    pub(crate) fn gpus(&self) -> Vec<ComparedGpu> {
        ComparedGpu::all(self.runs.iter().filter_map(ComparedRun::summary))
    }

    /// The summary of its first run.
    pub(crate) fn summary(&self) -> Option<&Value> {
        self.runs.first().and_then(ComparedRun::summary)
    }

    /// The graded answers of each of its runs; `None` unless all of them have some.
    pub(crate) fn graded(&self) -> Option<Vec<&[GradedAnswer]>> {
        self.runs.iter().map(ComparedRun::graded).collect()
    }

    pub(crate) fn input_config(&self) -> Option<&Value> {
        self.runs.first().and_then(ComparedRun::input_config)
    }

    /// Whether a schedule, not the server, said when to send.
    pub(crate) fn is_open_loop(&self) -> bool {
        let paced = |config: &Value| {
            let kind = crate::side::workload::profiling(config)["type"].as_str();
            kind.is_some_and(|kind| kind != "concurrency")
        };
        self.runs.iter().any(|run| run.has(Metric::ScheduleLag) || run.input_config().is_some_and(paced))
    }

    pub(crate) fn has(&self, metric: Metric) -> bool {
        self.runs.iter().all(|run| run.has(metric))
    }
}

fn wanted(asked: &[Quantity]) -> BTreeSet<Metric> {
    let metrics = asked.iter().map(|quantity| quantity.metric).chain(Selection::metrics());
    metrics.flat_map(|metric| [&[metric], sources(metric)].concat()).collect()
}

/// Folders in a folder, sorted; none if there is no such folder.
fn folders(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().filter_map(Result::ok);
    let mut found: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| path.is_dir() && !path.ends_with(PREVIOUS)).collect();
    found.sort();
    found
}

/// Where the run may be that the user meant.
fn nothing(dir: &Path, name: &Path) -> CompareError {
    let is_run = |path: &PathBuf| is_run_folder(path) || path.join("profile_runs").exists();
    let shown = |path: &Path| name.join(path.strip_prefix(dir).unwrap_or(path)).display().to_string();
    let below = folders(dir);
    let trials = below.iter().filter(|path| path.ends_with("profile_runs")).flat_map(|path| folders(path));
    let point = trials.flat_map(|trial| folders(&trial)).find(is_run);
    if let Some(point) = point {
        return CompareError::Sweep { folder: name.to_owned(), example: shown(&point) };
    }
    if Folder::open(dir).is_ok_and(|folder| folder.paths().records().exists()) {
        return CompareError::NoRecords(name.to_owned());
    }
    let inside = below.into_iter().find(is_run).map(|path| shown(&path));
    CompareError::NothingThere { folder: name.to_owned(), inside }
}
