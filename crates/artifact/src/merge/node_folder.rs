//! One of the folders that are merged: who sent its requests, and its records, read on a thread of its own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{Scope, ScopedJoinHandle};

use serde_json::{Map, Value, json};

use super::batch::{self, BatchSender, Lines, NodeLine};
use super::node_facts::{self, NodeClock};
use super::node_fields::NodeFields;
use super::request_ids::RequestKey;
use crate::line::{LineMetadata, LineReader, RecordLine};
use crate::lines::each_line;
use crate::origin::RunOrigin;
use crate::perf_analyzer::{self, PerfAnalyzerRequest};
use crate::records::{ContextOf, Records};
use crate::{ArtifactError, Folder};

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

/// What the reader of a folder found.
#[derive(Debug, Default)]
pub(super) struct ReadFolder {
    /// Lines that could not be read.
    pub(super) unreadable: u64,
    /// All records, if they were asked for.
    pub(super) records: Records,
    /// The ids of all requests, in 64 bits each and sorted, if records were asked for.
    pub(super) ids: Vec<u64>,
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
        if !self.phases.contains_key(&*line.phase) {
            let first = PhaseExtent { first_ns: u64::MAX, end_ns: 0, records: 0, failed: 0, cancelled: 0 };
            self.phases.insert(line.phase.to_string(), first);
        }
        let Some(phase) = self.phases.get_mut(&*line.phase) else { return };
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

    /// Starts to read. With `context_of`, the thread makes columns of the records, too.
    pub(super) fn start<'scope, 'env>(
        &'env self,
        scope: &'scope Scope<'scope, 'env>,
        context_of: Option<&'env ContextOf<'env>>,
    ) -> (ScopedJoinHandle<'scope, Result<ReadFolder, ArtifactError>>, Lines) {
        let (sender, lines) = batch::connect();
        let mut reader = FolderReader {
            folder: self,
            context_of,
            reader: LineReader::default(),
            length: self.records_path().metadata().map_or(0, |file| file.len()),
            to: sender,
            phase: Arc::from("profiling"),
            found: ReadFolder::default(),
            refused: None,
        };
        let read = move || {
            reader.read()?;
            reader.found.ids.sort_unstable();
            Ok(reader.found)
        };
        (scope.spawn(read), lines)
    }
}

/// Reads the records of one folder.
struct FolderReader<'a> {
    folder: &'a NodeFolder,
    context_of: Option<&'a ContextOf<'a>>,
    reader: LineReader,
    /// Bytes of all lines.
    length: u64,
    to: BatchSender,
    /// The name of the phase of the line before: mostly that of the next one.
    phase: Arc<str>,
    found: ReadFolder,
    /// Why records cannot be made into columns.
    refused: Option<ArtifactError>,
}

impl FolderReader<'_> {
    fn read(&mut self) -> Result<(), ArtifactError> {
        let path = self.folder.records_path();
        if path.exists() {
            each_line(&path, |_, text, _| self.put(text))?;
        } else if let Some(requests) = perf_analyzer::requests(&self.folder.folder)? {
            for (number, request) in requests.iter().enumerate() {
                self.put(line_of(number, request).to_string().as_bytes());
            }
        } else {
            return Err(self.folder.folder.no_records());
        }
        self.to.send();
        self.refused.take().map_or(Ok(()), Err)
    }

    /// Whether to go on.
    fn put(&mut self, text: &[u8]) -> bool {
        let Ok(mut line) = self.reader.read(text) else {
            self.found.unreadable += 1;
            return true;
        };
        let metadata = &mut line.metadata;
        let clock = &self.folder.clock;
        // A record keeps its durations: all of its times move by the same offset. One that was merged before has moved already.
        let (place, offset) = (clock.place(metadata.request_end_ns), clock.offset_at(metadata.request_end_ns));
        if metadata.node.is_some() {
            self.to.text().extend_from_slice(text);
        } else {
            self.folder.fields[place].append(text, -offset, self.to.text());
            move_times(metadata, -offset);
        }
        let id = metadata.x_request_id.as_deref().map(RequestKey::of);
        if let Some(context_of) = self.context_of {
            self.found.ids.extend(id.map(RequestKey::short));
            self.refused = self.found.records.add(&line, context_of).err();
            self.found.records.note_length(text.len(), self.length);
        }
        let line = self.node_line(&line, id);
        self.to.end_line(line) && self.refused.is_none()
    }

    fn node_line(&mut self, line: &RecordLine, id: Option<RequestKey>) -> NodeLine {
        let metadata = &line.metadata;
        let phase = metadata.phase_name.as_deref().or(metadata.benchmark_phase.as_deref()).unwrap_or("profiling");
        if *self.phase != *phase {
            self.phase = Arc::from(phase);
        }
        NodeLine {
            end_ns: metadata.request_end_ns,
            first_ns: metadata.credit_issued_ns.unwrap_or(metadata.request_start_ns),
            id,
            phase: Arc::clone(&self.phase),
            failed: line.error.is_some(),
            cancelled: metadata.was_cancelled,
        }
    }
}

fn move_times(metadata: &mut LineMetadata, nanos: i64) {
    let moved = |time: u64| time.saturating_add_signed(nanos);
    metadata.request_start_ns = moved(metadata.request_start_ns);
    metadata.request_end_ns = moved(metadata.request_end_ns);
    metadata.credit_issued_ns = metadata.credit_issued_ns.map(moved);
    metadata.request_ack_ns = metadata.request_ack_ns.map(moved);
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
