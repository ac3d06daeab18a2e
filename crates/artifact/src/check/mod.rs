//! Whether everything in a folder is whole and agrees: each file by itself, all of them with the records, and the
//! statistics with what the records give.

mod accuracy;
mod companions;
mod genai_perf;
mod lines;
mod slices;
mod summary;
mod table;

use aiperf_metrics::Summary;
use serde_json::Value;

use crate::rebuild::{RebuildOptions, rebuild};
use crate::schema::{Shape, Shapes};
use crate::{ArtifactError, Finding, Folder};

use self::lines::SeenRecords;

/// Number of findings of one kind that are listed one by one.
const LISTED: usize = 10;

/// What a check found.
#[derive(Debug, Default)]
pub struct Checked {
    pub runs: usize,
    pub records: u64,
    /// Files that were looked at.
    pub files: usize,
    pub findings: Vec<Finding>,
    /// What is missing because the run did not reach its end, which nothing can repair; the folder is whole as far as it can be.
    pub explained: Vec<Finding>,
    /// Files that this program did not write, and were not looked at.
    pub others: Vec<String>,
}

/// All that checks share.
struct FolderCheck<'a> {
    folder: &'a Folder,
    shapes: Shapes,
    summary: Option<Value>,
    /// What the records say, if there are any.
    seen: Option<SeenRecords>,
    recomputed: Option<Summary>,
    /// The run did not reach its end, and its summary was made from its records.
    was_killed: bool,
    files: usize,
    findings: Vec<Finding>,
    explained: Vec<Finding>,
}

/// Checks a folder. `version` is this program's own.
pub fn check(folder: &Folder, version: &str) -> Result<Checked, ArtifactError> {
    let shapes = Shapes::load();
    let paths = folder.paths();
    let (has_records, has_summary) = (paths.records().exists(), paths.summary_json().exists());
    if !has_records && !has_summary {
        return Err(folder.no_records());
    }
    let was_killed = Folder::json(&paths.summary_json())
        .is_some_and(|summary| summary["rebuilt"].is_object() && summary["is_complete"] == false);
    let mut checks = FolderCheck {
        folder,
        shapes,
        summary: None,
        seen: None,
        recomputed: None,
        was_killed,
        files: 0,
        findings: Vec::new(),
        explained: Vec::new(),
    };
    checks.leftovers()?;
    if has_records {
        checks.records()?;
        match rebuild(folder, &RebuildOptions::default(), version) {
            Ok(rebuilt) => checks.recomputed = Some(rebuilt.report.profiling.summary),
            Err(ArtifactError::Empty { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    checks.summary();
    checks.companions()?;
    checks.slices();
    checks.table();
    let records = checks.seen.as_ref().map_or(0, |seen| seen.count);
    let FolderCheck { files, findings, explained, .. } = checks;
    Ok(Checked { runs: 1, records, files, findings, explained, others: Vec::new() })
}

impl FolderCheck<'_> {
    fn find(&mut self, file: &str, problem: impl Into<String>) {
        self.findings.push(Finding::of(file, problem));
    }

    /// Files that a killed run could not complete are not reported as faults of its folder.
    fn find_unless_killed(&mut self, found: Finding) {
        if self.was_killed {
            let problem = format!("{}; the run was ended between its writes", found.problem);
            self.explained.push(Finding { problem, ..found });
        } else {
            self.findings.push(found);
        }
    }

    /// The first of many findings, and how many there are beyond.
    fn find_some(&mut self, file: &str, found: Vec<Finding>) {
        let more = found.len().saturating_sub(LISTED);
        self.findings.extend(found.into_iter().take(LISTED));
        if more > 0 {
            self.find(file, format!("and {more} more of this kind"));
        }
    }

    /// A JSON file in one piece, of the right shape; `None` when it is not there.
    fn whole(&mut self, path: &std::path::Path, shape: Shape) -> Option<Value> {
        let name = self.folder.name(path);
        if !path.exists() {
            return None;
        }
        self.files += 1;
        let text = std::fs::read(path).map_err(|error| error.to_string());
        let value = text.and_then(|text| serde_json::from_slice(&text).map_err(|error| error.to_string()));
        match value {
            Ok(value) => {
                if let Some(problem) = self.shapes.problem(shape, &value) {
                    self.find(&name, problem);
                }
                Some(value)
            }
            Err(error) => {
                self.find(&name, format!("cannot be read: {error}"));
                None
            }
        }
    }

    /// What is only there while a run goes on, or was killed.
    fn leftovers(&mut self) -> Result<(), ArtifactError> {
        let paths = self.folder.paths();
        let note = self.folder.name(&paths.run_note());
        self.whole(&paths.run_note(), Shape::RunNote);
        for name in self.folder.names()? {
            let end = name.rsplit('.').next().unwrap_or_default();
            if name == note {
                self.find(
                    &name,
                    "the run did not reach its end; `aiperf report` rebuilds its summaries from its records",
                );
            } else if ["part", "unsorted"].contains(&end) {
                self.find(&name, "a file that was not finished");
            }
        }
        Ok(())
    }
}
