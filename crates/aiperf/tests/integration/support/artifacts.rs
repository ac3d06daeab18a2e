//! The files of a run, as a script would read them.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

/// The folder of a run.
pub(crate) struct Artifacts {
    // Removes everything when dropped.
    _folder: TempDir,
    dir: PathBuf,
}

impl Artifacts {
    pub(crate) fn new(folder: TempDir, dir: &Path) -> Self {
        Self { dir: folder.path().join(dir), _folder: folder }
    }

    pub(crate) fn exists(&self) -> bool {
        self.dir.exists()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    pub(crate) fn text(&self, name: &str) -> String {
        let path = self.path(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    pub(crate) fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.text(name)).unwrap()
    }

    pub(crate) fn lines(&self, name: &str) -> Vec<Value> {
        let text = self.text(name);
        assert!(text.is_empty() || text.ends_with('\n'), "{name} ends in the middle of a line");
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Names of all files, folders within included, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        let mut folders = vec![self.dir.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    names.push(path.strip_prefix(&self.dir).unwrap().to_str().unwrap().to_owned());
                }
            }
        }
        names.sort();
        names
    }

    pub(crate) fn summary(&self) -> Value {
        self.json("profile_export_aiperf.json")
    }

    /// One statistic of one metric of the summary.
    pub(crate) fn stat(&self, tag: &str, stat: &str) -> f64 {
        self.summary()[tag][stat].as_f64().unwrap_or_else(|| panic!("the summary has no {stat} of {tag}"))
    }

    pub(crate) fn average(&self, tag: &str) -> f64 {
        self.stat(tag, "avg")
    }

    pub(crate) fn has_metric(&self, tag: &str) -> bool {
        self.summary().get(tag).is_some()
    }

    /// What the summary says of the requests and sessions of a phase.
    pub(crate) fn accounting(&self, phase: &str) -> Value {
        let summary = self.summary();
        let phases = summary["phase_accounting"].as_array().unwrap();
        phases.iter().find(|entry| entry["phase_name"] == phase).unwrap_or_else(|| panic!("no {phase} phase")).clone()
    }

    /// One number of [`Self::accounting`] of the profiling phase.
    pub(crate) fn counted(&self, name: &str) -> u64 {
        self.accounting("profiling")[name].as_u64().unwrap_or_else(|| panic!("no {name}"))
    }

    /// Codes of the validity notes of the summary.
    pub(crate) fn notes(&self) -> Vec<String> {
        let summary = self.summary();
        let notes = summary["validity"].as_array().unwrap();
        notes.iter().map(|note| note["code"].as_str().unwrap().to_owned()).collect()
    }

    /// The profiling records, in the order in which they were sent.
    pub(crate) fn profiled(&self) -> Vec<Record> {
        self.records().into_iter().filter(|record| record.word("phase_name") == "profiling").collect()
    }

    /// When each profiling request was due, in seconds since the phase began, in the order in which they were sent.
    pub(crate) fn due(&self) -> Vec<f64> {
        let start = self.accounting("profiling")["start_ns"].as_u64().unwrap();
        let due = |record: &Record| {
            let lag = (record.metric("schedule_lag") * 1e6).round() as i64;
            (record.number("request_start_ns") as i64 - lag - start as i64) as f64 / 1e9
        };
        self.profiled().iter().map(due).collect()
    }

    /// The records in the order in which they were sent.
    pub(crate) fn records(&self) -> Vec<Record> {
        self.records_of("profile_export.jsonl")
    }

    pub(crate) fn raw_records(&self) -> Vec<Record> {
        self.records_of("profile_export_raw.jsonl")
    }

    fn records_of(&self, name: &str) -> Vec<Record> {
        let mut records: Vec<_> = self.lines(name).into_iter().map(Record).collect();
        records.sort_by_key(|record| (record.meta("phase_index").as_u64(), record.number("session_num")));
        records
    }

    /// `session_id` and payloads of inputs.json.
    pub(crate) fn inputs(&self) -> Vec<(String, Vec<Value>)> {
        let inputs = self.json("inputs.json");
        let sessions = inputs["data"].as_array().unwrap();
        let read = |session: &Value| {
            (session["session_id"].as_str().unwrap().to_owned(), session["payloads"].as_array().unwrap().clone())
        };
        sessions.iter().map(read).collect()
    }
}

/// One line of a file with a line for each request.
#[derive(Debug)]
pub(crate) struct Record(pub(crate) Value);

impl Record {
    /// A field of the metadata; null where there is none.
    pub(crate) fn meta(&self, name: &str) -> &Value {
        &self.0["metadata"][name]
    }

    pub(crate) fn word(&self, name: &str) -> &str {
        self.meta(name).as_str().unwrap_or_else(|| panic!("no {name} in {self:?}"))
    }

    pub(crate) fn number(&self, name: &str) -> u64 {
        self.meta(name).as_u64().unwrap_or_else(|| panic!("no {name} in {self:?}"))
    }

    pub(crate) fn value(&self, tag: &str) -> Option<f64> {
        self.0["metrics"][tag]["value"].as_f64()
    }

    /// A metric that must be there.
    pub(crate) fn metric(&self, tag: &str) -> f64 {
        self.value(tag).unwrap_or_else(|| panic!("no {tag} in {self:?}"))
    }

    pub(crate) fn failed(&self) -> bool {
        self.0.get("error").is_some()
    }

    /// `code` (null where there is none) and `type` of the error.
    pub(crate) fn error(&self) -> (Option<u64>, &str) {
        let error = &self.0["error"];
        (error["code"].as_u64(), error["type"].as_str().unwrap_or_else(|| panic!("no error in {self:?}")))
    }

    pub(crate) fn was_cancelled(&self) -> bool {
        self.meta("was_cancelled").as_bool().unwrap()
    }
}
