//! `genai-perf process-export-files`: several runs, made at the same time on several machines, as one.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use aiperf_artifact::{ArtifactError, Folder, RebuildOptions, Rebuilt, rebuild};
use aiperf_metrics::MetricResult;
use aiperf_protocol::EndpointKind;
use aiperf_report::{ArtifactPaths, RunReport, SummaryFiles};
use serde_json::Value;
use thiserror::Error;

/// Where the merged files go, below the artifact folder.
pub(crate) const MERGED: &str = "merged";
/// Machines share neither start nor end, so that what they did in a second adds up.
const ADD_UP: [&str; 5] =
    ["request_throughput", "output_token_throughput", "input_token_throughput", "total_token_throughput", "goodput"];

/// A folder with a folder for each run, and where to put them as one.
#[derive(Debug, PartialEq, Eq)]
pub struct MergeJob {
    pub(crate) input: PathBuf,
    pub(crate) output: PathBuf,
    pub(crate) prefix: Option<String>,
}

impl MergeJob {
    /// The folder that the merged files go to.
    pub fn output(&self) -> &Path {
        &self.output
    }
}

/// The report over all runs, and the files that hold it.
#[derive(Debug)]
pub struct MergedRuns {
    pub report: RunReport,
    pub files: SummaryFiles,
}

#[derive(Debug, Error)]
pub enum MergeError {
    #[error("--input-directory {} cannot be read: {source}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error(
        "--input-directory {} has no folder with a profile_export.jsonl in it; put the artifact folder of each run there",
        path.display()
    )]
    NoRuns { path: PathBuf },
    #[error("cannot write {}: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
}

impl MergeJob {
    /// Writes the files of all runs as one. `version` is this program's own.
    pub fn run(&self, version: &str) -> Result<MergedRuns, MergeError> {
        let parts = self.parts()?;
        let rebuilt = parts
            .iter()
            .map(|part| rebuild(part, &RebuildOptions { genai_perf: true, ..RebuildOptions::default() }, version))
            .collect::<Result<Vec<Rebuilt>, ArtifactError>>()?;
        let paths = ArtifactPaths::new(&self.output, self.prefix.as_deref());
        join_records(&parts, &paths.records()).map_err(|source| MergeError::Write { path: paths.records(), source })?;
        let mut whole = rebuild(&Folder::open(&self.output)?, &asked_as_in(rebuilt.first()), version)?;
        add_up(&mut whole.report.profiling.summary.results, &rebuilt, |part| &part.report.profiling.summary.results);
        if let Some(results) = &mut whole.report.genai_perf {
            add_up(results, &rebuilt, |part| part.report.genai_perf.as_deref().unwrap_or_default());
        }
        if let Some(first) = rebuilt.into_iter().next() {
            whole.report.input_config = first.report.input_config;
            whole.report.cli_command = first.report.cli_command;
        }
        let files = whole.write(&paths);
        Ok(MergedRuns { report: whole.report, files })
    }

    /// The folders below that hold records, by name.
    fn parts(&self) -> Result<Vec<Folder>, MergeError> {
        let unreadable = |source| MergeError::Unreadable { path: self.input.clone(), source };
        let entries = fs::read_dir(&self.input).map_err(unreadable)?;
        let dirs = entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<PathBuf>>>();
        let mut dirs = dirs.map_err(unreadable)?;
        dirs.retain(|dir| dir.is_dir() && *dir != self.output);
        dirs.sort();
        let folders = dirs.iter().map(|dir| Folder::open(dir)).collect::<Result<Vec<Folder>, ArtifactError>>()?;
        let parts: Vec<Folder> = folders.into_iter().filter(|folder| folder.paths().records().exists()).collect();
        if parts.is_empty() {
            return Err(MergeError::NoRuns { path: self.input.clone() });
        }
        Ok(parts)
    }
}

/// Endpoint and objectives of a part hold for the whole.
fn asked_as_in(part: Option<&Rebuilt>) -> RebuildOptions {
    let config = part.map(|part| &part.report.input_config);
    let slos = config.and_then(|config| config["slos"].as_object());
    let limits = |(tag, limit): (&String, &Value)| Some((tag.clone(), limit.as_f64()?));
    RebuildOptions {
        goodput: slos.map(|slos| slos.iter().filter_map(limits).collect()),
        endpoint: config.and_then(|config| EndpointKind::from_name(config["endpoint"]["type"].as_str()?)),
        genai_perf: true,
        ..RebuildOptions::default()
    }
}

/// Sums of the parts take the place of rates over the time of all.
fn add_up(whole: &mut [MetricResult], parts: &[Rebuilt], of_part: impl Fn(&Rebuilt) -> &[MetricResult]) {
    for result in whole.iter_mut().filter(|result| ADD_UP.contains(&result.metric.tag())) {
        let average = |part: &Rebuilt| of_part(part).iter().find(|one| one.metric == result.metric)?.stats.avg;
        result.stats.avg = parts.iter().map(average).sum();
    }
}

fn join_records(parts: &[Folder], path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = File::create(path)?;
    for part in parts {
        io::copy(&mut File::open(part.paths().records())?, &mut file)?;
    }
    Ok(())
}
