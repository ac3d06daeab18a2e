//! The per-request file: one line as each request ends.

use std::iter;
use std::path::Path;

use aiperf_metrics::{Failure, Flags, Metric, MetricContext, MetricKind, RecordValues};
use serde::Serialize;
use serde::ser::SerializeMap;

use crate::records::lines::{LineFile, LineHandle, LineTotals};
use crate::records::spec_decode::SpecDecodeRecord;
use crate::{RecordMetadata, ReportError, TraceData};

/// What is written of one request.
#[derive(Debug, Clone, Copy)]
pub struct Record<'a> {
    pub metadata: &'a RecordMetadata<'a>,
    pub values: &'a RecordValues,
    pub failure: Option<&'a Failure>,
    pub trace: Option<&'a TraceData<'a>>,
    pub spec_decode: Option<SpecDecodeRecord<'a>>,
}

/// Shared by all record threads.
#[derive(Debug)]
pub struct RecordWriter {
    lines: LineFile,
    /// In order of `phase_index`.
    phases: Vec<PhaseFields>,
}

/// What lines of one phase hold: a warmup may be paced otherwise than what follows it.
#[derive(Debug)]
struct PhaseFields {
    context: MetricContext,
    fields: Vec<MetricField>,
}

/// A metric's place on the line; the text around its value never changes.
#[derive(Debug)]
struct MetricField {
    metric: Metric,
    before: Vec<u8>,
    after: Vec<u8>,
}

impl MetricField {
    fn new(metric: Metric) -> Self {
        let definition = metric.definition();
        let before = format!("\"{}\":{{\"value\":", definition.tag).into_bytes();
        let after = format!(",\"unit\":\"{}\"}}", definition.shown.label()).into_bytes();
        Self { metric, before, after }
    }
}

impl RecordWriter {
    /// `phases`: the context of each phase, in order of `phase_index`; the last one is that of all that follow.
    pub fn create(path: &Path, phases: &[MetricContext]) -> Result<Self, ReportError> {
        let fields = |context: &MetricContext| PhaseFields {
            context: context.clone(),
            fields: context.record_metrics().into_iter().map(MetricField::new).collect(),
        };
        Ok(Self { lines: LineFile::create(path)?, phases: phases.iter().map(fields).collect() })
    }

    /// Writes one line. `scratch` is the calling thread's own buffer, kept between calls. Fails once at most, when the
    /// disk first refuses; later losses are counted.
    pub fn write(&self, scratch: &mut Vec<u8>, record: &Record<'_>) -> Result<(), ReportError> {
        scratch.clear();
        self.encode(scratch, record);
        self.lines.append(scratch)
    }

    /// For whoever must bring the lines to disk without waiting for the run.
    pub fn handle(&self) -> LineHandle {
        self.lines.handle()
    }

    /// Flushes and says how many lines reached the file. Dropping the writer flushes too.
    pub fn finish(self) -> LineTotals {
        self.lines.finish()
    }

    fn encode(&self, line: &mut Vec<u8>, record: &Record<'_>) {
        line.extend_from_slice(b"{\"metadata\":");
        put_json(line, record.metadata);
        line.extend_from_slice(b",\"metrics\":{");
        let index = record.metadata.phase_index as usize;
        if let Some(phase) = self.phases.get(index).or(self.phases.last()) {
            phase.encode(line, record.values);
        }
        line.push(b'}');
        if let Some(trace) = record.trace {
            line.extend_from_slice(b",\"trace_data\":");
            put_json(line, trace);
        }
        if let Some(spec_decode) = &record.spec_decode {
            line.extend_from_slice(b",\"spec_decode_acceptance\":");
            put_json(line, spec_decode);
        }
        if let Some(failure) = record.failure {
            line.extend_from_slice(b",\"error\":");
            put_json(line, &ErrorDetails(failure));
        }
        line.extend_from_slice(b"}\n");
    }
}

impl PhaseFields {
    fn encode(&self, line: &mut Vec<u8>, values: &RecordValues) {
        let mut separator: &[u8] = b"";
        for field in &self.fields {
            let before = line.len();
            line.extend_from_slice(separator);
            if self.encode_metric(line, field, values) {
                separator = b",";
            } else {
                line.truncate(before);
            }
        }
    }

    /// Whether the record has the metric; if not, what was put on the line is to be taken back.
    fn encode_metric(&self, line: &mut Vec<u8>, field: &MetricField, values: &RecordValues) -> bool {
        let definition = field.metric.definition();
        line.extend_from_slice(&field.before);
        if definition.kind == MetricKind::RecordList {
            if values.gaps().is_empty() {
                return false;
            }
            line.push(b'[');
            for (index, gap) in values.gaps().iter().enumerate() {
                if index > 0 {
                    line.push(b',');
                }
                put_json(line, &definition.show(*gap as f64));
            }
            line.push(b']');
        } else {
            let Some(value) = values.get(field.metric, &self.context) else { return false };
            if definition.flags.has(Flags::WHOLE) {
                put_json(line, &(value as u64));
            } else {
                put_json(line, &definition.show(value));
            }
        }
        line.extend_from_slice(&field.after);
        true
    }
}

/// A failure as files spell it: `code` (if any), `type`, `message`; without a code also `cause` (if known) and
/// `cause_chain`, the types from the failure down to its cause.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ErrorDetails<'a>(pub(crate) &'a Failure);

impl Serialize for ErrorDetails<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some(code) = self.0.code {
            map.serialize_entry("code", &code)?;
        }
        map.serialize_entry("type", self.0.kind.name())?;
        map.serialize_entry("message", &self.0.message)?;
        if let Some(cause) = &self.0.cause {
            map.serialize_entry("cause", &cause.message)?;
        }
        if self.0.code.is_none() {
            let chain: Vec<_> =
                iter::once(self.0.kind.name()).chain(self.0.cause.as_ref().map(|cause| cause.kind.as_str())).collect();
            map.serialize_entry("cause_chain", &chain)?;
        }
        map.end()
    }
}

/// Appends compact JSON. Everything written here is plain data with text keys, which cannot fail to serialise, and a
/// `Vec` takes every byte.
pub(crate) fn put_json(line: &mut Vec<u8>, value: &impl Serialize) {
    let written = serde_json::to_writer(line, value);
    debug_assert!(written.is_ok());
}
