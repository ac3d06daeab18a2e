//! A folder with whatever the program left in it and below: single runs, repeated ones, sweeps, and files next to them. Each
//! file is checked by itself, each run with its records, and what is said over several runs with what the runs say.

mod aggregate;
mod collated;
mod comparison;
mod inventory;
mod loose;
mod order;
mod sweep;

use std::path::{Path, PathBuf};

use serde_json::Value;

use self::inventory::Inventory;
pub use self::inventory::is_run_folder;
use self::loose::FileKind;
pub use self::loose::stands_alone;
use crate::check::{Checked, check};
use crate::schema::{Shape, Shapes};
use crate::{ArtifactError, Finding, Folder};

/// Number of findings of one kind that are listed one by one.
const LISTED: usize = 10;
/// Numbers are the same to this share of their size.
const SAME: f64 = 1e-9;

/// What the checks of one collection share.
struct CollectionCheck<'a> {
    root: &'a Path,
    shapes: Shapes,
    runs: Vec<RunSummary>,
    aggregates: Vec<Aggregated>,
    files: usize,
    findings: Vec<Finding>,
}

/// One run, with what other files say about it.
struct RunSummary {
    folder: PathBuf,
    summary: Value,
}

/// A file of statistics over runs.
struct Aggregated {
    /// The folder that its runs lie below.
    experiment: PathBuf,
    value: Value,
}

/// Checks a folder and all below. `version` is this program's own.
pub fn check_all(root: &Path, version: &str) -> Result<Checked, ArtifactError> {
    let inventory = Inventory::take(root)?;
    if inventory.runs.is_empty() && inventory.loose.is_empty() {
        return check(&Folder::open(root)?, version);
    }
    let mut checks = CollectionCheck::new(root);
    let mut checked = Checked { others: inventory.others, ..Checked::default() };
    for dir in &inventory.runs {
        let folder = Folder::open(dir)?;
        match check(&folder, version) {
            Ok(run) => {
                checked.records += run.records;
                checks.files += run.files;
                let found: Vec<Finding> = run.findings.into_iter().map(|found| checks.below(dir, found)).collect();
                checks.findings.extend(found);
                checked.explained.extend(run.explained.into_iter().map(|found| checks.below(dir, found)));
            }
            Err(ArtifactError::NoRecords { .. }) => checks.find(dir, "a run that left neither records nor a summary"),
            Err(error) => return Err(error),
        }
        let summary = Folder::json(&folder.paths().summary_json()).unwrap_or_default();
        checks.runs.push(RunSummary { folder: dir.clone(), summary });
    }
    // What stands over runs is read before what stands over that.
    let mut loose = inventory.loose;
    loose.sort_by_key(|(_, kind)| *kind);
    for (path, kind) in &loose {
        checks.file(path, *kind);
    }
    checked.runs = inventory.runs.len();
    checked.files = checks.files;
    checked.findings = checks.findings;
    Ok(checked)
}

/// The folders of runs in a folder and below, in order.
pub(crate) fn run_folders(root: &Path) -> Result<Vec<PathBuf>, ArtifactError> {
    Ok(Inventory::take(root)?.runs)
}

/// Checks one file that stands for itself: a comparison, the analysis of a trace. `None` if it is of no such kind.
pub fn check_file(path: &Path) -> Result<Option<Checked>, ArtifactError> {
    std::fs::metadata(path).map_err(ArtifactError::read(path))?;
    let Some(kind) = FileKind::of(path) else { return Ok(None) };
    let mut checks = CollectionCheck::new(path.parent().unwrap_or(path));
    checks.file(path, kind);
    Ok(Some(Checked { files: checks.files, findings: checks.findings, ..Checked::default() }))
}

impl<'a> CollectionCheck<'a> {
    fn new(root: &'a Path) -> Self {
        Self { root, shapes: Shapes::load(), runs: Vec::new(), aggregates: Vec::new(), files: 0, findings: Vec::new() }
    }

    fn file(&mut self, path: &Path, kind: FileKind) {
        self.files += 1;
        match kind {
            FileKind::Aggregate => self.aggregate(path),
            FileKind::Collated => self.collated(path),
            FileKind::Sweep => self.sweep(path),
            FileKind::Comparison => self.comparison(path),
            FileKind::Shaped(shape) => {
                if let Some(value) = self.json(path, shape) {
                    self.ordered(path, &value);
                }
            }
            FileKind::Checkpoint => self.checkpoint(path),
            FileKind::AnalysisTable => self.analysis_table(path),
            FileKind::Companion => {
                let whole = path.with_extension("json");
                if !whole.exists() {
                    self.find(&whole, "missing, though there is a table of it");
                }
            }
            FileKind::Unreadable => {
                self.json(path, Shape::Comparison);
            }
        }
    }

    /// A file as findings name it.
    fn name(&self, path: &Path) -> String {
        path.strip_prefix(self.root).unwrap_or(path).display().to_string()
    }

    fn find(&mut self, path: &Path, problem: impl Into<String>) {
        self.findings.push(Finding::of(&self.name(path), problem));
    }

    /// A finding of a run below this folder.
    fn below(&self, dir: &Path, found: Finding) -> Finding {
        Finding { file: self.name(&dir.join(&found.file)), ..found }
    }

    /// The first of many problems of one file, and how many there are beyond.
    fn find_some(&mut self, path: &Path, problems: Vec<String>) {
        let more = problems.len().saturating_sub(LISTED);
        for problem in problems.into_iter().take(LISTED) {
            self.find(path, problem);
        }
        if more > 0 {
            self.find(path, format!("and {more} more of this kind"));
        }
    }

    /// A JSON file; what is wrong with its shape is a finding. `None` if it cannot be read or is of another shape, so that
    /// nothing more can be said of it.
    fn json(&mut self, path: &Path, shape: Shape) -> Option<Value> {
        let text = std::fs::read(path).map_err(|error| error.to_string());
        match text.and_then(|text| serde_json::from_slice::<Value>(&text).map_err(|error| error.to_string())) {
            Err(error) => {
                self.find(path, format!("cannot be read: {error}"));
                None
            }
            Ok(value) => match self.shapes.problem(shape, &value) {
                Some(problem) => {
                    self.find(path, problem);
                    None
                }
                None => Some(value),
            },
        }
    }

    /// Least, middle and most of every statistic in a file are in order.
    fn ordered(&mut self, path: &Path, value: &Value) {
        self.find_some(path, order::disorder(value));
    }

    /// Runs below a folder.
    fn runs_below(&self, folder: &Path) -> impl Iterator<Item = &RunSummary> {
        self.runs.iter().filter(move |run| run.folder.starts_with(folder))
    }
}

/// Whether two numbers differ by more than rounding.
fn differ(one: f64, other: f64) -> bool {
    (one - other).abs() > SAME * one.abs().max(other.abs())
}
