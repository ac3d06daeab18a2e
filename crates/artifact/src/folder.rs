//! What lies in a folder: the prefix of its files, and which of them are there.

use std::fs;
use std::path::{Path, PathBuf};

use aiperf_report::{ArtifactPaths, PREVIOUS};
use serde_json::Value;

use crate::ArtifactError;
use crate::collection::stands_alone;

/// Ends of names of files of the reference that are neither records nor summaries.
const REFERENCE_ENDS: [&str; 3] = ["_server_metrics.jsonl", "_server_metrics.json", "_export.jsonl"];
/// Names of further files of the reference and of GenAI-Perf.
const REFERENCE_FILES: [&str; 3] = ["checkpoint.json", "server_metrics_export.json", "server_metrics_export.jsonl"];

/// Whether a name is that of a file of a run that has another end than records and summary.
fn is_companion(name: &str) -> bool {
    let (plain, prefixed) = (ArtifactPaths::new("", None), ArtifactPaths::new("", Some("")));
    let fixed = [plain.inputs(), plain.outputs(), plain.phase_manifest(), plain.run_config()];
    let ends = [
        prefixed.raw(),
        prefixed.network_latency(),
        prefixed.gpu_telemetry(),
        prefixed.accuracy(),
        prefixed.timeslices_json(),
        prefixed.genai_perf_json(),
    ];
    fixed.iter().any(|file| file == Path::new(name))
        || REFERENCE_FILES.contains(&name)
        || ends.iter().filter_map(|end| end.to_str()).chain(REFERENCE_ENDS).any(|end| name.ends_with(end))
}

/// The folder of one run.
#[derive(Debug, Clone)]
pub struct Folder {
    paths: ArtifactPaths,
    prefix: Option<String>,
}

impl Folder {
    /// Finds out the prefix of its files.
    pub fn open(dir: &Path) -> Result<Self, ArtifactError> {
        let names = names(dir)?;
        let with_prefix = |prefix: Option<&str>| Self {
            paths: ArtifactPaths::new(dir, prefix),
            prefix: prefix.map(ToOwned::to_owned),
        };
        let plain = with_prefix(None);
        if [plain.paths.records(), plain.paths.summary_json()].iter().any(|file| file.is_file()) {
            return Ok(plain);
        }
        let ours = |name: &&String| !name.starts_with('.') && !is_companion(name);
        let is_other = |name: &&String| stands_alone(&dir.join(name));
        let stem = |name: &String, suffix| name.strip_suffix(suffix).map(ToOwned::to_owned);
        let mut prefixes: Vec<String> = names
            .iter()
            .filter(ours)
            .filter(|name| !is_other(name))
            .filter_map(|name| stem(name, ".jsonl").or_else(|| stem(name, ".json")))
            .collect();
        prefixes.sort();
        prefixes.dedup();
        match prefixes.as_slice() {
            [] => Ok(with_prefix(None)),
            [prefix] => Ok(with_prefix(Some(prefix))),
            _ => Err(ArtifactError::SeveralPrefixes { folder: dir.to_owned(), prefixes }),
        }
    }

    pub fn paths(&self) -> &ArtifactPaths {
        &self.paths
    }

    /// The same names in another folder.
    pub fn names_in(&self, dir: &Path) -> ArtifactPaths {
        ArtifactPaths::new(dir, self.prefix.as_deref())
    }

    pub(crate) fn dir(&self) -> &Path {
        self.paths.dir()
    }

    /// A file as findings name it.
    pub(crate) fn name(&self, path: &Path) -> String {
        path.strip_prefix(self.dir()).unwrap_or(path).display().to_string()
    }

    /// A JSON file; `None` when it is not there or is not JSON.
    pub(crate) fn json(path: &Path) -> Option<Value> {
        serde_json::from_slice(&fs::read(path).ok()?).ok()
    }

    /// All files that a run may leave in the folder itself, whether they are there or not.
    pub(crate) fn own_files(&self) -> Vec<PathBuf> {
        [self.paths.files(), self.paths.unfinished_files()].concat()
    }

    pub(crate) fn no_records(&self) -> ArtifactError {
        let below = |name: &str| {
            let entries = fs::read_dir(self.dir().join(name)).ok()?;
            let mut found: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
            found.sort();
            found.retain(|path| !path.ends_with(PREVIOUS));
            found.into_iter().find(|path| ArtifactPaths::new(path, None).records().exists())
        };
        let inside = below("profile_runs").or_else(|| below(""));
        ArtifactError::NoRecords {
            folder: self.dir().to_owned(),
            inside: inside.map(|path| path.display().to_string()),
        }
    }

    /// Names of all files of the folder itself, sorted.
    pub(crate) fn names(&self) -> Result<Vec<String>, ArtifactError> {
        names(self.dir())
    }
}

fn names(dir: &Path) -> Result<Vec<String>, ArtifactError> {
    let entries = fs::read_dir(dir).map_err(ArtifactError::read(dir))?;
    let mut names: Vec<String> = entries
        .filter_map(Result::ok)
        .filter(|entry| entry.path().is_file())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    Ok(names)
}
