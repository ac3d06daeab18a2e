//! The artifact folder of a run, as far as scenarios look into it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::Value;

/// Counts of requests, once from the summary and once from the records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Accounting {
    pub(crate) sent: u64,
    pub(crate) ok: u64,
    pub(crate) failed: u64,
    pub(crate) cancelled: u64,
    pub(crate) resent: u64,
}

#[derive(Debug)]
pub(crate) struct RunFolder {
    pub(crate) summary: Value,
    records: Vec<Value>,
}

impl RunFolder {
    pub(crate) fn read(dir: &Path) -> anyhow::Result<Self> {
        let path = dir.join("profile_export_aiperf.json");
        let text = fs::read_to_string(&path).with_context(|| format!("no summary at {}", path.display()))?;
        let summary = serde_json::from_str(&text).context("the summary is not JSON")?;
        let text = fs::read_to_string(dir.join("profile_export.jsonl")).context("no records")?;
        let line = |(index, line): (usize, &str)| {
            serde_json::from_str(line).with_context(|| format!("line {} of the records is not JSON", index + 1))
        };
        let records = text.lines().enumerate().map(line).collect::<anyhow::Result<_>>()?;
        Ok(Self { summary, records })
    }

    /// What the summary says of the profiling phase.
    pub(crate) fn stated(&self) -> anyhow::Result<Accounting> {
        let phases = self.summary["phase_accounting"].as_array().context("no phase_accounting")?;
        let phase = phases.iter().find(|phase| phase["phase_name"] == "profiling").context("no profiling phase")?;
        let count = |name: &str| phase[name].as_u64().with_context(|| format!("phase_accounting has no {name}"));
        // `completed` counts answers of any kind, `errors` those of them that failed.
        let (sent, completed, failed) = (count("sent")?, count("completed")?, count("errors")?);
        let ok = completed.checked_sub(failed).context("phase_accounting has more errors than completed requests")?;
        let resent = self.average("resent_request_count").unwrap_or(0.0) as u64;
        Ok(Accounting { sent, ok, failed, cancelled: count("cancelled")?, resent })
    }

    /// The same, counted over the records.
    pub(crate) fn recorded(&self) -> Accounting {
        let mut counts = Accounting { sent: 0, ok: 0, failed: 0, cancelled: 0, resent: 0 };
        for record in self.profiled() {
            counts.sent += 1;
            counts.resent += record["metadata"]["resent"].as_u64().unwrap_or(0);
            if record["metadata"]["was_cancelled"] == true {
                counts.cancelled += 1;
            } else if record.get("error").is_some_and(|error| !error.is_null()) {
                counts.failed += 1;
            } else {
                counts.ok += 1;
            }
        }
        counts
    }

    fn profiled(&self) -> impl Iterator<Item = &Value> {
        self.records.iter().filter(|record| record["metadata"]["phase_name"] == "profiling")
    }

    /// Failed requests by type, cancelled ones not among them.
    pub(crate) fn errors(&self) -> BTreeMap<String, u64> {
        let mut errors = BTreeMap::new();
        for record in self.profiled().filter(|record| record["metadata"]["was_cancelled"] != true) {
            if let Some(kind) = record["error"]["type"].as_str() {
                *errors.entry(kind.to_owned()).or_default() += 1;
            }
        }
        errors
    }

    /// The same as the summary has it, cancelled ones among them.
    pub(crate) fn summed_errors(&self) -> u64 {
        let groups = self.summary["error_summary"].as_array();
        groups.into_iter().flatten().filter_map(|group| group["count"].as_u64()).sum()
    }

    pub(crate) fn error_messages(&self) -> Vec<&str> {
        let messages = self.profiled().filter_map(|record| record["error"]["message"].as_str());
        messages.collect()
    }

    pub(crate) fn average(&self, metric: &str) -> Option<f64> {
        self.summary[metric]["avg"].as_f64()
    }

    pub(crate) fn notes(&self) -> Vec<&str> {
        let notes = self.summary["validity"].as_array();
        notes.into_iter().flatten().filter_map(|note| note["code"].as_str()).collect()
    }
}

/// All plain files below a folder.
pub(crate) fn files_below(dir: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(kind) if kind.is_file() => files.push(entry.path()),
                _ => {}
            }
        }
    }
    files
}
