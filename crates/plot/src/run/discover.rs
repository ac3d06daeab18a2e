//! Which folders are runs.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use aiperf_artifact::{Folder, PREVIOUS};

use crate::PlotError;

/// Statistics over repeated runs.
pub(super) const AGGREGATE_FILE: &str = "profile_export_aiperf_aggregate.json";
/// The folder of aggregates, next to that of the runs that they stand for.
const AGGREGATES: &str = "aggregate";
pub(super) const TRIALS: &str = "profile_runs";

/// A folder with results.
#[derive(Debug, Clone)]
pub struct ResultFolder {
    pub folder: PathBuf,
    pub kind: ResultKind,
}

/// What a folder with results holds.
#[derive(Debug, Clone)]
pub enum ResultKind {
    /// One run of this program or of AIPerf.
    Run(Folder),
    /// One run of GenAI-Perf, with the path of its summary.
    GenaiPerf(Folder, PathBuf),
    /// Statistics over repeated runs, with the path of the file.
    Aggregate(PathBuf),
}

/// The runs in these folders and below them, sorted by path. Each folder must hold at least one.
pub fn discover(paths: &[PathBuf]) -> Result<Vec<ResultFolder>, PlotError> {
    let mut found = Vec::new();
    let mut entered = HashSet::new();
    for path in paths {
        match fs::metadata(path) {
            Err(source) => return Err(PlotError::Read { path: path.clone(), source }),
            Ok(facts) if !facts.is_dir() => return Err(PlotError::NotAFolder(path.clone())),
            Ok(_) => {}
        }
        let before = (found.len(), entered.len());
        enter(path, &mut found, &mut entered);
        if (found.len(), entered.len()) != before && found.len() == before.0 {
            return Err(PlotError::NoRuns(path.clone()));
        }
    }
    found.sort_by(|one: &ResultFolder, other| one.folder.cmp(&other.folder));
    Ok(found)
}

/// Links are followed, but no folder is entered twice. A folder that cannot be read counts as empty.
fn enter(dir: &Path, found: &mut Vec<ResultFolder>, entered: &mut HashSet<PathBuf>) {
    if !fs::canonicalize(dir).is_ok_and(|real| entered.insert(real)) {
        return;
    }
    if let Some(kind) = kind_of(dir) {
        found.push(ResultFolder { folder: dir.to_owned(), kind });
    }
    let entries = fs::read_dir(dir).into_iter().flatten().filter_map(Result::ok);
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    let has_aggregates = folders.iter().any(|folder| folder.ends_with(AGGREGATES));
    for folder in folders {
        let stands_for = has_aggregates && folder.ends_with(TRIALS);
        if !stands_for && !folder.ends_with(PREVIOUS) {
            enter(&folder, found, entered);
        }
    }
}

fn kind_of(dir: &Path) -> Option<ResultKind> {
    let aggregate = dir.join(AGGREGATE_FILE);
    if aggregate.is_file() {
        return (!repeats_a_run(dir)).then_some(ResultKind::Aggregate(aggregate));
    }
    let folder = Folder::open(dir).ok()?;
    let paths = folder.paths();
    let (has_records, has_summary) = (paths.records().is_file(), paths.summary_json().is_file());
    let is_plain = aiperf_artifact::is_run_folder(dir);
    if (has_records && has_summary) || (is_plain && (has_records || has_summary)) {
        return Some(ResultKind::Run(folder));
    }
    let summary = paths.genai_perf_json();
    summary.is_file().then_some(ResultKind::GenaiPerf(folder, summary))
}

/// `aggregate/NAME` next to the run `NAME` says nothing that the run does not say.
fn repeats_a_run(dir: &Path) -> bool {
    let (Some(name), Some(above)) = (dir.file_name(), dir.parent()) else { return false };
    let sweep = above.parent().filter(|_| above.ends_with(AGGREGATES));
    sweep.and_then(|sweep| cell_folder(sweep, name)).is_some_and(|run| aiperf_artifact::is_run_folder(&run))
}

/// The folder in `dir` of the point whose aggregate has this name. An aggregate may name the values of a point in another order.
pub(super) fn cell_folder(dir: &Path, aggregate: &OsStr) -> Option<PathBuf> {
    let same = dir.join(aggregate);
    if same.is_dir() {
        return Some(same);
    }
    let sorted = |name: &OsStr| {
        let name = name.to_string_lossy().into_owned();
        let mut parts: Vec<String> = name.split("__").map(ToOwned::to_owned).collect();
        parts.sort_unstable();
        parts
    };
    let wanted = sorted(aggregate);
    let entries = fs::read_dir(dir).ok()?.filter_map(Result::ok);
    entries.filter(|entry| sorted(&entry.file_name()) == wanted).map(|entry| entry.path()).find(|path| path.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(dir: &Path, files: &[&str]) {
        for file in files {
            let path = dir.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "{}").unwrap();
        }
    }

    fn names(root: &Path) -> Vec<String> {
        let found = discover(&[root.to_owned()]).unwrap();
        found.iter().map(|run| run.folder.strip_prefix(root).unwrap().display().to_string()).collect()
    }

    #[test]
    fn aggregates_stand_for_their_trials_and_not_for_single_runs() {
        let dir = tempfile::tempdir().unwrap();
        let run = "profile_export_aiperf.json";
        write(dir.path(), &[&format!("a/profile_runs/run_0001/{run}"), &format!("a/aggregate/{AGGREGATE_FILE}")]);
        write(dir.path(), &[&format!("b/concurrency_1/{run}"), &format!("b/aggregate/concurrency_1/{AGGREGATE_FILE}")]);
        let two = ["isl_8__concurrency_1", "aggregate/concurrency_1__isl_8"];
        write(dir.path(), &[&format!("b/{}/{run}", two[0]), &format!("b/{}/{AGGREGATE_FILE}", two[1])]);
        write(dir.path(), &[&format!("c/{run}"), &format!("c/previous/{run}"), "c/plots/summary.txt"]);
        write(
            dir.path(),
            &["d/mine.json", "d/mine.jsonl", "e/profile_export_genai_perf.json", "e/profile_export.json"],
        );
        assert_eq!(names(dir.path()), ["a/aggregate", "b/concurrency_1", "b/isl_8__concurrency_1", "c", "d", "e"]);
        assert_eq!(names(&dir.path().join("a/profile_runs")), ["run_0001"]);
    }

    #[test]
    fn a_folder_without_runs_and_a_file_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        assert!(matches!(discover(&[dir.path().to_owned()]), Err(PlotError::NoRuns(_))));
        write(dir.path(), &["file"]);
        assert!(matches!(discover(&[dir.path().join("file")]), Err(PlotError::NotAFolder(_))));
        assert!(matches!(discover(&[dir.path().join("missing")]), Err(PlotError::Read { .. })));
        assert!(!dir.path().join("missing").exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_that_leads_back_is_entered_once() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), &["a/profile_export_aiperf.json"]);
        std::os::unix::fs::symlink(dir.path(), dir.path().join("a/loop")).unwrap();
        assert_eq!(names(dir.path()), ["a"]);
    }
}
