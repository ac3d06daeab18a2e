//! `outputs.json`: the text of every reply, for `--export-outputs-json`, in the order in which requests were permitted.

mod early;
mod in_order;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use aiperf_metrics::{Flags, Metric, MetricContext, RecordValues};

use self::in_order::{InOrder, OutputPosition};
use crate::records::record::put_json;
use crate::{RecordMetadata, ReportError};

/// The metrics that are written with a text, in the order of the file.
const METRICS: [Metric; 6] = [
    Metric::InputSequenceLength,
    Metric::OutputTokenCount,
    Metric::OutputSequenceLength,
    Metric::RequestLatency,
    Metric::TimeToFirstToken,
    Metric::InterTokenLatency,
];

/// The reply to one request.
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
    context: MetricContext,
    fields: Vec<OutputField>,
    state: Mutex<OutputsState>,
}

/// A metric, and what stands before its value.
#[derive(Debug)]
struct OutputField {
    metric: Metric,
    key: Vec<u8>,
}

#[derive(Debug)]
struct OutputsState {
    file: InOrder,
    failed: bool,
}

impl OutputsFile {
    /// `context`: that of the profiling phase, whose replies alone are written.
    pub fn create(path: &Path, context: &MetricContext) -> Result<Self, ReportError> {
        let mut unsorted = path.as_os_str().to_owned();
        unsorted.push(".unsorted");
        let file = InOrder::create(path, PathBuf::from(unsorted))?;
        Ok(Self {
            path: path.to_owned(),
            fields: METRICS.into_iter().filter(|metric| context.shows(*metric)).map(OutputField::new).collect(),
            context: context.clone(),
            state: Mutex::new(OutputsState { file, failed: false }),
        })
    }

    /// Takes one reply. `scratch` is the calling thread's own buffer. Fails once at most, when the disk first refuses.
    pub fn write(&self, scratch: &mut Vec<u8>, output: &OutputText<'_>) -> Result<(), ReportError> {
        scratch.clear();
        self.encode(scratch, output);
        let metadata = output.metadata;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.failed {
            return Ok(());
        }
        let turn = OutputPosition { number: metadata.session_num, index: metadata.turn_index };
        let written = state.file.put(turn, scratch);
        state.failed = written.is_err();
        written
    }

    /// An object as deep as it stands in the file.
    fn encode(&self, text: &mut Vec<u8>, output: &OutputText<'_>) {
        let metadata = output.metadata;
        text.extend_from_slice(b"{\n      \"session_num\": ");
        put_json(text, &metadata.session_num);
        text.extend_from_slice(b",\n      \"conversation_id\": ");
        put_json(text, &metadata.conversation_id);
        text.extend_from_slice(b",\n      \"turn_index\": ");
        put_json(text, &metadata.turn_index);
        text.extend_from_slice(b",\n      \"x_request_id\": ");
        put_json(text, &metadata.x_request_id);
        text.extend_from_slice(b",\n      \"request_start_ns\": ");
        put_json(text, &metadata.request_start_ns.0);
        text.extend_from_slice(b",\n      \"request_end_ns\": ");
        put_json(text, &metadata.request_end_ns.0);
        text.extend_from_slice(b",\n      \"metrics\": {");
        let mut has_metrics = false;
        for field in &self.fields {
            let Some(value) = output.values.get(field.metric, &self.context) else { continue };
            text.extend_from_slice(if has_metrics { b"," } else { b"" });
            has_metrics = true;
            text.extend_from_slice(&field.key);
            let definition = field.metric.definition();
            let value = definition.show(value);
            if definition.flags.has(Flags::WHOLE) {
                put_json(text, &(value as u64));
            } else {
                put_json(text, &value);
            }
        }
        text.extend_from_slice(if has_metrics { b"\n      }" } else { b"}" });
        text.extend_from_slice(b",\n      \"response_text\": ");
        put_json(text, &output.text);
        text.extend_from_slice(b"\n    }");
    }

    /// Writes what is left, and gives the file its name.
    pub fn finish(self) -> Result<(), ReportError> {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        if state.failed {
            let problem = io::Error::other("it lacks what could not be written during the run");
            return Err(ReportError::write(&self.path, problem));
        }
        state.file.finish()
    }
}

impl OutputField {
    fn new(metric: Metric) -> Self {
        Self { metric, key: format!("\n        \"{}\": ", metric.tag()).into_bytes() }
    }
}
