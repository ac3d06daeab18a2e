//! `outputs.json`: the text of every reply, for `--export-outputs-json`. Texts go to disk as they come and are put in
//! order at the end, so that none of them stays in memory.

use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use aiperf_metrics::{Metric, MetricContext, RecordValues};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::layout::indented;
use crate::part_file::PartFile;
use crate::{RecordMetadata, ReportError};

/// The metrics that stand beside a text, in the order of the file.
const METRICS: [Metric; 6] = [
    Metric::InputSequenceLength,
    Metric::OutputTokenCount,
    Metric::OutputSequenceLength,
    Metric::RequestLatency,
    Metric::TimeToFirstToken,
    Metric::InterTokenLatency,
];
const DEPTH: usize = 4;

/// What was said in reply to one request.
#[derive(Debug, Clone, Copy)]
pub struct OutputText<'a> {
    pub metadata: &'a RecordMetadata<'a>,
    pub values: &'a RecordValues,
    /// `None` when the request failed.
    pub text: Option<&'a str>,
}

/// Shared by all record threads.
#[derive(Debug)]
pub struct OutputsFile {
    path: PathBuf,
    unsorted: PathBuf,
    context: MetricContext,
    metrics: Vec<Metric>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    out: BufWriter<File>,
    written: u64,
    entries: Vec<Entry>,
    failed: bool,
}

/// Where a text lies in the unsorted file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    session_num: u64,
    turn_index: u32,
    length: u32,
    offset: u64,
}

#[derive(Serialize)]
struct Line<'a> {
    session_num: u64,
    conversation_id: &'a str,
    turn_index: u32,
    x_request_id: &'a str,
    request_start_ns: u64,
    request_end_ns: u64,
    metrics: Map<String, Value>,
    response_text: Option<&'a str>,
}

impl OutputsFile {
    /// `context`: that of the profiling phase, whose replies alone are written.
    pub fn create(path: &Path, context: &MetricContext) -> Result<Self, ReportError> {
        if let Some(dir) = path.parent() {
            fs::create_dir_all(dir).map_err(|source| ReportError::create(dir, source))?;
        }
        let mut unsorted = path.as_os_str().to_owned();
        unsorted.push(".unsorted");
        let unsorted = PathBuf::from(unsorted);
        let file = File::create(&unsorted).map_err(|source| ReportError::create(&unsorted, source))?;
        Ok(Self {
            path: path.to_owned(),
            unsorted,
            metrics: METRICS.into_iter().filter(|metric| context.shows(*metric)).collect(),
            context: context.clone(),
            state: Mutex::new(State { out: BufWriter::new(file), written: 0, entries: Vec::new(), failed: false }),
        })
    }

    /// Takes one reply. Fails once at most, when the disk first refuses.
    pub fn write(&self, output: &OutputText<'_>) -> Result<(), ReportError> {
        let metadata = output.metadata;
        let line = Line {
            session_num: metadata.session_num,
            conversation_id: metadata.conversation_id,
            turn_index: metadata.turn_index,
            x_request_id: metadata.x_request_id,
            request_start_ns: metadata.request_start_ns.0,
            request_end_ns: metadata.request_end_ns.0,
            metrics: self.metrics_of(output.values),
            response_text: output.text,
        };
        let text = indented(&line, DEPTH);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.failed {
            return Ok(());
        }
        if let Err(source) = state.out.write_all(text.as_bytes()) {
            state.failed = true;
            return Err(ReportError::write(&self.path, source));
        }
        let entry = Entry {
            session_num: metadata.session_num,
            turn_index: metadata.turn_index,
            length: text.len() as u32,
            offset: state.written,
        };
        state.entries.push(entry);
        state.written += text.len() as u64;
        Ok(())
    }

    fn metrics_of(&self, values: &RecordValues) -> Map<String, Value> {
        let shown = |metric: &Metric| {
            let definition = metric.definition();
            let value = definition.show(values.get(*metric, &self.context)?);
            let whole = definition.flags.has(aiperf_metrics::Flags::WHOLE);
            let value = if whole { Value::from(value as u64) } else { Value::from(value) };
            Some((definition.tag.to_owned(), value))
        };
        self.metrics.iter().filter_map(shown).collect()
    }

    /// Writes the file in the order in which requests were permitted.
    pub fn finish(self) -> Result<(), ReportError> {
        let State { out, mut entries, .. } = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let flushed = out.into_inner().map_err(|error| ReportError::write(&self.unsorted, error.into_error()));
        drop(flushed?);
        entries.sort_unstable();
        let mut sorted = PartFile::create(&self.path)?;
        if let Err(error) = copy(&self.unsorted, &entries, &mut sorted) {
            sorted.discard();
            return Err(error);
        }
        sorted.finish()?;
        // What it held stands in the file now; if it stays, nothing is wrong but the room it takes.
        let _ = fs::remove_file(&self.unsorted);
        Ok(())
    }
}

fn copy(unsorted: &Path, entries: &[Entry], sorted: &mut PartFile) -> Result<(), ReportError> {
    let failed = |source| ReportError::write(unsorted, source);
    sorted.put(b"{\n  \"schema_version\": \"1.0\",\n  \"data\": [")?;
    let mut source = BufReader::with_capacity(256 * 1024, File::open(unsorted).map_err(failed)?);
    let mut at = 0_u64;
    let mut text = Vec::new();
    let mut before: &[u8] = b"\n    ";
    for entry in entries {
        // Replies come nearly in order, so that most steps stay within the buffer.
        source.seek_relative(entry.offset as i64 - at as i64).map_err(failed)?;
        text.resize(entry.length as usize, 0);
        source.read_exact(&mut text).map_err(failed)?;
        at = entry.offset + u64::from(entry.length);
        sorted.put(before)?;
        sorted.put(&text)?;
        before = b",\n    ";
    }
    sorted.put(if entries.is_empty() { b"]\n}" } else { b"\n  ]\n}" })
}
