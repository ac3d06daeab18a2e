//! The runs of a board: found in the folders, read once, and read again when their files change.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use aiperf_plot::{DetailedRun, PlotError, ResultFolder, ResultKind, RunMode, SummarisedRun, discover, mode_of};

/// One run that was found.
#[derive(Debug, Clone)]
pub(crate) struct KnownRun {
    /// What pages call it: the same for the same folder.
    pub(crate) id: String,
    pub(crate) found: ResultFolder,
    /// All its files.
    pub(crate) stamp: FolderStamp,
    /// The files that its summary comes from: records that are still written do not change a chart of several runs.
    summary_stamp: FolderStamp,
    /// Its summary, or why it cannot be read.
    pub(crate) summary: Result<Arc<SummarisedRun>, String>,
}

/// Names, sizes and times of the files of a folder: another stamp means that something was written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FolderStamp(Vec<(PathBuf, u64, Option<SystemTime>)>);

impl FolderStamp {
    pub(crate) fn of(folder: &Path) -> Self {
        let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
        let files = entries.filter_map(|entry| {
            let facts = entry.metadata().ok().filter(fs::Metadata::is_file)?;
            Some((entry.path(), facts.len(), facts.modified().ok()))
        });
        let mut files: Vec<_> = files.collect();
        files.sort();
        Self(files)
    }

    /// Without the files that grow while a run goes on.
    fn of_summaries(&self) -> Self {
        let grows = |path: &Path| path.extension().is_some_and(|end| end == "jsonl" || end == "log" || end == "new");
        Self(self.0.iter().filter(|(path, ..)| !grows(path)).cloned().collect())
    }
}

/// All runs of a board at one time.
#[derive(Debug, Clone, Default)]
pub(crate) struct KnownRuns {
    pub(crate) runs: Vec<KnownRun>,
}

impl KnownRuns {
    /// Looks for runs; what has not changed since `before` is not read again. The second part of the result is whether any
    /// summary has changed, or the list of runs.
    pub(crate) fn read(paths: &[PathBuf], gpus: Option<u64>, before: Option<&Self>) -> Result<(Self, bool), PlotError> {
        let found = discover(paths)?;
        let known: HashMap<&Path, &KnownRun> =
            before.into_iter().flat_map(|before| &before.runs).map(|run| (run.found.folder.as_path(), run)).collect();
        let mut is_same = before.is_some_and(|before| before.runs.len() == found.len());
        let runs = found.into_iter().map(|found| {
            let stamp = FolderStamp::of(&found.folder);
            let summary_stamp = stamp.of_summaries();
            let known = known.get(found.folder.as_path()).filter(|known| known.summary_stamp == summary_stamp);
            if let Some(known) = known {
                return KnownRun { stamp, ..(*known).clone() };
            }
            is_same = false;
            let summary = SummarisedRun::load(&found, gpus).map(Arc::new).map_err(|error| error.to_string());
            KnownRun { id: run_id(&found.folder), found, stamp, summary_stamp, summary }
        });
        let runs = Self { runs: runs.collect() };
        Ok((runs, !is_same))
    }

    pub(crate) fn with_id(&self, id: &str) -> Option<&KnownRun> {
        self.runs.iter().find(|run| run.id == id)
    }

    /// Whether the board begins with the requests of one run or with one point for each run.
    pub(crate) fn mode(&self, asked: Option<RunMode>) -> RunMode {
        // Runs that are added later can make the mode that was asked for impossible.
        self.possible_mode(asked).unwrap_or(RunMode::Multi)
    }

    /// The mode, if what was asked for is possible.
    pub(crate) fn possible_mode(&self, asked: Option<RunMode>) -> Result<RunMode, PlotError> {
        let folders: Vec<ResultFolder> = self.runs.iter().map(|run| run.found.clone()).collect();
        mode_of(&folders, asked)
    }
}

impl KnownRun {
    /// Whether it has requests to look at.
    pub(crate) fn has_requests(&self) -> bool {
        matches!(self.found.kind, ResultKind::Run(_) | ResultKind::GenaiPerf(..))
    }
}

/// Runs that were read request by request, the last one first.
#[derive(Debug, Default)]
pub(crate) struct DetailedRuns(Vec<(PathBuf, FolderStamp, Arc<DetailedRun>)>);

/// Requests take memory: only those of the runs that were looked at last are kept.
const KEPT: usize = 3;

impl DetailedRuns {
    pub(crate) fn known(&mut self, run: &KnownRun) -> Option<Arc<DetailedRun>> {
        let at = self.0.iter().position(|(folder, stamp, _)| *folder == run.found.folder && *stamp == run.stamp)?;
        let kept = self.0.remove(at);
        let found = Arc::clone(&kept.2);
        self.0.insert(0, kept);
        Some(found)
    }

    pub(crate) fn keep(&mut self, run: &KnownRun, detailed: Arc<DetailedRun>) {
        self.0.retain(|(folder, ..)| *folder != run.found.folder);
        self.0.insert(0, (run.found.folder.clone(), run.stamp.clone(), detailed));
        self.0.truncate(KEPT);
    }
}

/// A short name for a folder, the same in every process (FNV-1a).
pub(crate) fn run_id(folder: &Path) -> String {
    format!("{:016x}", digest(folder.as_os_str().as_encoded_bytes()))
}

pub(crate) fn digest(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_changed_is_read_again() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let run = dir.path().join(name);
            fs::create_dir_all(&run).unwrap();
            fs::write(run.join("profile_export_aiperf.json"), text).unwrap();
        };
        write("a", "{}");
        let paths = [dir.path().to_owned()];
        let read = |before: Option<&KnownRuns>| KnownRuns::read(&paths, None, before).unwrap();
        let (first, _) = read(None);
        assert!(!read(Some(&first)).1);
        fs::write(dir.path().join("a/profile_export.jsonl"), "{}\n").unwrap();
        let (grown, is_news) = read(Some(&first));
        assert!(!is_news && grown.runs[0].stamp != first.runs[0].stamp, "records alone are no news");
        write("b", "this is not JSON");
        let (second, is_news) = read(Some(&first));
        assert_eq!((second.runs.len(), is_news), (2, true));
        assert_eq!(second.runs[0].id, first.runs[0].id);
        assert!(Arc::ptr_eq(second.runs[0].summary.as_ref().unwrap(), first.runs[0].summary.as_ref().unwrap()));
        assert!(second.runs[1].summary.is_err(), "a run that cannot be read is listed with its problem");
        fs::remove_dir_all(dir.path().join("a")).unwrap();
        assert_eq!(read(Some(&second)).0.runs.len(), 1);
    }
}
