//! One of the folders that are merged: who sent its requests, and its records, read on a thread of its own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Scope, ScopedJoinHandle};

use serde_json::{Map, Value, json};

use super::line_head::{LineHead, NodeFields, shifted};
use super::node_facts::{self, NodeClock};
use super::request_ids::RequestKey;
use crate::origin::RunOrigin;
use crate::perf_analyzer::{self, PerfAnalyzerRequest};
use crate::records::each_line;
use crate::{ArtifactError, Folder};

/// Lines that go from a reader to the writer at once, and how many such batches may wait: memory does not grow with the records.
const BATCH: usize = 512;
const BATCHES: usize = 4;

pub(super) struct NodeFolder {
    pub(super) name: String,
    pub(super) origin: RunOrigin,
    folder: Folder,
    /// What its records get, for each segment of its clock.
    fields: Vec<NodeFields>,
    /// How far its clock is ahead of that of the others.
    pub(super) clock: NodeClock,
    /// What is known of the node.
    pub(super) facts: Value,
    /// A coordinator has collected it: it may have no record.
    pub(super) is_collected: bool,
}

/// A record on its way to the merged file.
pub(super) struct NodeLine {
    pub(super) end_ns: u64,
    pub(super) id: Option<RequestKey>,
    pub(super) text: Vec<u8>,
    phase: String,
    first_ns: u64,
    failed: bool,
    cancelled: bool,
}

/// What is known of one of the merged folders.
#[derive(Debug, Clone, Default)]
pub struct MergedNode {
    pub name: String,
    pub folder: PathBuf,
    /// The machine, if the folder says so.
    pub host: Option<String>,
    pub address: Option<String>,
    /// Largest error of the times of its records relative to those of the other nodes; `None` if it was not measured.
    pub clock_bound_ns: Option<u64>,
    /// Records in the merged file.
    pub records: u64,
    pub failed: u64,
    /// Records that another folder, or this one, has already.
    pub duplicates: u64,
    /// Lines that could not be read.
    pub unreadable: u64,
    pub(super) phases: BTreeMap<String, PhaseExtent>,
}

/// From the first permission to send until the last end, with the counts of a phase.
#[derive(Debug, Clone, Copy)]
pub(super) struct PhaseExtent {
    pub(super) first_ns: u64,
    pub(super) end_ns: u64,
    pub(super) records: u64,
    pub(super) failed: u64,
    pub(super) cancelled: u64,
}

impl MergedNode {
    pub(super) fn add(&mut self, line: &NodeLine) {
        self.records += 1;
        self.failed += u64::from(line.failed);
        if !self.phases.contains_key(&line.phase) {
            let first = PhaseExtent { first_ns: u64::MAX, end_ns: 0, records: 0, failed: 0, cancelled: 0 };
            self.phases.insert(line.phase.clone(), first);
        }
        let Some(phase) = self.phases.get_mut(&line.phase) else { return };
        phase.first_ns = phase.first_ns.min(line.first_ns);
        phase.end_ns = phase.end_ns.max(line.end_ns);
        phase.records += 1;
        phase.failed += u64::from(line.failed && !line.cancelled);
        phase.cancelled += u64::from(line.cancelled);
    }
}

impl NodeFolder {
    /// `place`: where it stands among the folders.
    pub(super) fn open(dir: &Path, place: usize) -> Result<Self, ArtifactError> {
        let folder = Folder::open(dir)?;
        let origin = RunOrigin::find(&folder);
        let collected = node_facts::find(&folder);
        let is_collected = collected.is_some();
        let node = collected.or_else(|| origin.object("node")).unwrap_or_default();
        let name = match node["index"].as_u64() {
            Some(index) => format!("node-{index}"),
            None => {
                dir.file_name().map_or_else(|| format!("folder-{place}"), |name| name.to_string_lossy().into_owned())
            }
        };
        let mut fields = Map::new();
        fields.insert("node".to_owned(), name.clone().into());
        let address = if node["address"].is_string() { &node["address"] } else { &node["host"] };
        if address.is_string() {
            fields.insert("node_address".to_owned(), address.clone());
        }
        let clock = NodeClock::of(&node);
        let mut of_segments: Vec<NodeFields> = clock
            .segments()
            .iter()
            .map(|segment| {
                let mut fields = fields.clone();
                fields.insert("clock_bound_ns".to_owned(), segment.bound_ns.into());
                NodeFields::new(fields)
            })
            .collect();
        if of_segments.is_empty() {
            of_segments.push(NodeFields::new(fields));
        }
        Ok(Self { name, origin, folder, fields: of_segments, clock, facts: node, is_collected })
    }

    pub(super) fn dir(&self) -> &Path {
        self.folder.paths().dir()
    }

    pub(super) fn records_path(&self) -> PathBuf {
        self.folder.paths().records()
    }

    pub(super) fn summary(&self) -> MergedNode {
        let text = |key: &str| self.facts[key].as_str().map(ToOwned::to_owned);
        MergedNode {
            name: self.name.clone(),
            folder: self.dir().to_owned(),
            host: text("host"),
            address: text("address"),
            clock_bound_ns: self.clock.bound(),
            ..MergedNode::default()
        }
    }

    /// Starts to read. The thread returns how many lines could not be read.
    pub(super) fn start<'scope, 'env>(
        &'env self,
        scope: &'scope Scope<'scope, 'env>,
    ) -> (ScopedJoinHandle<'scope, Result<u64, ArtifactError>>, Receiver<Vec<NodeLine>>) {
        let (sender, receiver) = sync_channel(BATCHES);
        (scope.spawn(move || self.read(&sender)), receiver)
    }

    fn read(&self, to: &SyncSender<Vec<NodeLine>>) -> Result<u64, ArtifactError> {
        let mut batch = Vec::with_capacity(BATCH);
        let mut unreadable = 0;
        let mut put = |text: &[u8]| {
            match self.line(text) {
                Some(line) => batch.push(line),
                None => unreadable += 1,
            }
            batch.len() < BATCH || to.send(std::mem::replace(&mut batch, Vec::with_capacity(BATCH))).is_ok()
        };
        let path = self.records_path();
        if path.exists() {
            each_line(&path, |_, text, _| put(text))?;
        } else if let Some(requests) = perf_analyzer::requests(&self.folder)? {
            for (number, request) in requests.iter().enumerate() {
                put(line_of(number, request).to_string().as_bytes());
            }
        } else {
            return Err(self.folder.no_records());
        }
        let _ = to.send(batch);
        Ok(unreadable)
    }

    fn line(&self, text: &[u8]) -> Option<NodeLine> {
        let LineHead { metadata, error } = serde_json::from_slice(text).ok()?;
        // A record keeps its durations: all of its times move by the same offset.
        let (place, offset) =
            (self.clock.place(metadata.request_end_ns), self.clock.offset_at(metadata.request_end_ns));
        let own_time = |nanos: u64| nanos.saturating_add_signed(-offset);
        let moved = |text: Vec<u8>| shifted(text, -offset);
        Some(NodeLine {
            end_ns: own_time(metadata.request_end_ns),
            id: metadata.x_request_id.as_deref().map(RequestKey::of),
            text: if metadata.has_node() { text.to_vec() } else { moved(self.fields[place].put_into(text)) },
            phase: metadata.phase().to_owned(),
            first_ns: own_time(metadata.credit_issued_ns.unwrap_or(metadata.request_start_ns)),
            failed: error.is_some(),
            cancelled: metadata.was_cancelled,
        })
    }
}

/// A record of GenAI-Perf's measuring program as a line of ours. It has no ids, so that no two are the same.
fn line_of(number: usize, request: &PerfAnalyzerRequest) -> Value {
    let millis = |nanos: u64| nanos as f64 / 1e6;
    let (start, responses) = (request.timestamp, &request.response_timestamps);
    let end = responses.last().copied().unwrap_or(start);
    let mut line = json!({
        "metadata": {
            "session_num": number,
            "request_start_ns": start,
            "request_end_ns": end,
            "benchmark_phase": "profiling",
            "phase_name": "profiling",
            "was_cancelled": false,
        },
        "metrics": {},
    });
    if responses.is_empty() {
        line["error"] = json!({"message": "no response was recorded", "type": "NoResponse"});
        return line;
    }
    line["metrics"]["request_latency"] = json!({"value": millis(end.saturating_sub(start)), "unit": "ms"});
    if let [first, _, ..] = responses[..] {
        line["metrics"]["time_to_first_token"] = json!({"value": millis(first.saturating_sub(start)), "unit": "ms"});
    }
    line
}
