//! Finds what an earlier run left in a folder: files whose names the program gives, in the places where it puts them.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::ArtifactPaths;
use crate::folder::paths::{LOGS, PHASES, PLOT_LOG, PLOTS, UNFINISHED_ENDS, with_end};
use crate::trials::names;

/// Folders within that of a run, or of several runs, that are the program's own.
const OWN_FOLDERS: [&str; 6] = ["profile_runs", "aggregate", "sweep_aggregate", PHASES, LOGS, PLOTS];
/// The program never writes a larger summary or a longer record.
const LARGEST_READ: u64 = 64 << 20;

#[derive(Debug, Default)]
pub(super) struct Leftovers {
    /// The mark that says that results are ready comes first, so that nobody takes the rest for whole.
    pub(super) files: Vec<PathBuf>,
    /// Folders that may be empty without them, the deepest first.
    pub(super) folders: Vec<PathBuf>,
}

/// Where a folder stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FolderLevel {
    /// The folder of the command, which may hold folders of others.
    Root,
    /// In a folder that the program made.
    Below,
}

impl Leftovers {
    pub(super) fn find(dir: &Path, kept: &[PathBuf]) -> Self {
        let mut found = Self::default();
        found.enter(dir, FolderLevel::Root);
        let marker = ArtifactPaths::new("", None).ready_marker();
        found.files.sort_by_key(|file| !file.ends_with(&marker));
        let kept: Vec<PathBuf> = kept.iter().filter_map(|path| path.canonicalize().ok()).collect();
        found.files.retain(|file| file.canonicalize().map_or(true, |file| !kept.contains(&file)));
        found
    }

    fn enter(&mut self, dir: &Path, place: FolderLevel) {
        let (files, folders) = entries(dir);
        let own = own_names(dir, place, &files);
        self.files.extend(files.iter().filter(|file| own.contains(*file)).cloned());
        for folder in folders {
            let is_own = match place {
                FolderLevel::Root => OWN_FOLDERS.iter().any(|name| folder.ends_with(name)) || is_point(&folder),
                FolderLevel::Below => true,
            };
            // What was set aside before looks like a point of a sweep if its run was one.
            if is_own && !folder.ends_with(super::PREVIOUS) {
                self.enter(&folder, FolderLevel::Below);
                self.folders.push(folder);
            }
        }
    }
}

/// Whether a folder is that of a point of a sweep: it is the folder of one of several runs, or holds its trials.
fn is_point(folder: &Path) -> bool {
    let varies = |run: &Path| {
        let config = fs::read(ArtifactPaths::new(run, None).run_config())
            .ok()
            .and_then(|text| serde_json::from_slice::<Value>(&text).ok());
        config.is_some_and(|config| config["variation"]["values"].as_object().is_some_and(|values| !values.is_empty()))
    };
    varies(folder) || entries(&folder.join("profile_runs")).1.iter().any(|trial| varies(trial))
}

/// Paths of all files that the program may have written into one folder.
fn own_names(dir: &Path, place: FolderLevel, files: &[PathBuf]) -> BTreeSet<PathBuf> {
    let mut prefixes: BTreeSet<Option<String>> = BTreeSet::from([None]);
    prefixes.extend(files.iter().filter_map(|file| prefix_of(file)).map(Some));
    prefixes.extend(interrupted_prefix(dir).map(Some));
    let mut own: BTreeSet<PathBuf> = names::ALL.iter().map(|name| dir.join(name)).collect();
    if place == FolderLevel::Below && dir.ends_with(LOGS) {
        own.extend(dir.parent().map(|run| ArtifactPaths::new(run, None).log()));
    }
    if place == FolderLevel::Below && dir.ends_with(PLOTS) {
        own.extend(charts(dir, files));
    }
    own.extend(post_process_file(dir));
    own.extend(prefixes.iter().flat_map(|prefix| ArtifactPaths::new(dir, prefix.as_deref()).files()));
    let unfinished: Vec<PathBuf> = own.iter().flat_map(|path| UNFINISHED_ENDS.map(|end| with_end(path, end))).collect();
    own.extend(unfinished);
    own
}

/// The file that a handler made from all points of a sweep; the file of the sweep names it.
fn post_process_file(dir: &Path) -> Option<PathBuf> {
    let sweep: Value = serde_json::from_slice(&fs::read(dir.join(names::SWEEP_JSON)).ok()?).ok()?;
    let name = Path::new(sweep["metadata"]["post_process"]["output_filename"].as_str()?);
    // Nothing outside of this folder.
    name.file_name().map(|name| dir.join(name))
}

/// The files of charts: each has a table of its points next to its pictures.
fn charts(dir: &Path, files: &[PathBuf]) -> Vec<PathBuf> {
    if !dir.join(PLOT_LOG).is_file() {
        return Vec::new();
    }
    let is_chart = |file: &&PathBuf| {
        let is_known = file.extension().is_some_and(|end| end == "png" || end == "svg" || end == "csv");
        is_known && files.contains(&file.with_extension("csv"))
    };
    let named = [dir.join(PLOT_LOG), dir.join("summary.txt")];
    files.iter().filter(is_chart).cloned().chain(named).collect()
}

/// The prefix of a summary or records file that was given one; known by what is in it, since the name may be any.
fn prefix_of(file: &Path) -> Option<String> {
    let stem = file.file_stem()?.to_str()?.to_owned();
    let is_ours = match file.extension()?.to_str()? {
        "json" => is_summary(file),
        "jsonl" => is_records(file),
        _ => false,
    };
    is_ours.then_some(stem)
}

fn is_summary(file: &Path) -> bool {
    let has_room = fs::metadata(file).is_ok_and(|facts| facts.len() <= LARGEST_READ);
    let value = fs::read(file).ok().filter(|_| has_room).and_then(|text| serde_json::from_slice::<Value>(&text).ok());
    value.is_some_and(|value| {
        ["aiperf_version", "benchmark_id", "input_config"].iter().all(|key| value.get(key).is_some())
    })
}

fn is_records(file: &Path) -> bool {
    let mut line = Vec::new();
    let read =
        fs::File::open(file).and_then(|file| BufReader::new(file).take(LARGEST_READ).read_until(b'\n', &mut line));
    let value = read.ok().and_then(|_| serde_json::from_slice::<Value>(&line).ok());
    value.is_some_and(|value| value["metadata"].get("x_request_id").is_some() && value["metrics"].is_object())
}

/// The prefix that a run which was killed early was given.
fn interrupted_prefix(dir: &Path) -> Option<String> {
    let note: Value = serde_json::from_slice(&fs::read(ArtifactPaths::new(dir, None).run_note()).ok()?).ok()?;
    note["input_config"]["artifacts"]["prefix"].as_str().map(ToOwned::to_owned)
}

/// Plain files and folders, each in order. Links, pipes and devices were put there by someone else, to be written to.
fn entries(dir: &Path) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() {
            folders.push(entry.path());
        } else if kind.is_file() {
            files.push(entry.path());
        }
    }
    files.sort();
    folders.sort();
    (files, folders)
}
