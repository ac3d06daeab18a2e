//! The raw file: every request as sent and every response as it came, for `--export-level raw`.

use std::path::Path;

use aiperf_clock::Mono;
use aiperf_metrics::Failure;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::records::lines::{LineFile, LineHandle, LineTotals};
use crate::records::record::{ErrorDetails, put_json};
use crate::{Headers, RecordMetadata, ReportError};

/// One exchange, whole. Secrets in headers must be redacted already.
#[derive(Debug, Clone, Copy)]
pub struct RawExchange<'a> {
    pub metadata: &'a RecordMetadata<'a>,
    pub start: Mono,
    pub request_headers: &'a [(String, String)],
    pub status: Option<u16>,
    pub responses: &'a [RawResponse<'a>],
    /// The body as it was sent.
    pub payload: &'a [u8],
    pub failure: Option<&'a Failure>,
}

/// One part of a response.
#[derive(Debug, Clone)]
pub enum RawResponse<'a> {
    /// A server-sent event: its fields in order, `data` mostly.
    Event {
        at: Mono,
        fields: Vec<(&'a str, &'a str)>,
    },
    Body {
        at: Mono,
        content_type: Option<&'a str>,
        text: &'a str,
    },
}

/// Shared by all record threads.
#[derive(Debug)]
pub struct RawWriter {
    lines: LineFile,
}

impl RawWriter {
    pub fn create(path: &Path) -> Result<Self, ReportError> {
        Ok(Self { lines: LineFile::create(path)? })
    }

    /// Writes one line. `scratch` is the calling thread's own buffer. Fails once at most, as for records.
    pub fn write(&self, scratch: &mut Vec<u8>, exchange: &RawExchange<'_>) -> Result<(), ReportError> {
        scratch.clear();
        encode(scratch, exchange);
        self.lines.append(scratch)
    }

    /// For whoever must bring the lines to disk without waiting for the run.
    pub fn handle(&self) -> LineHandle {
        self.lines.handle()
    }

    pub fn finish(self) -> LineTotals {
        self.lines.finish()
    }
}

fn encode(line: &mut Vec<u8>, exchange: &RawExchange<'_>) {
    line.extend_from_slice(b"{\"metadata\":");
    put_json(line, exchange.metadata);
    line.extend_from_slice(b",\"start_perf_ns\":");
    put_json(line, &exchange.start.as_nanos());
    line.extend_from_slice(b",\"request_headers\":");
    put_json(line, &Headers(exchange.request_headers));
    if let Some(status) = exchange.status {
        line.extend_from_slice(b",\"status\":");
        put_json(line, &status);
    }
    line.extend_from_slice(b",\"responses\":");
    put_json(line, &exchange.responses);
    if let Some(failure) = exchange.failure {
        line.extend_from_slice(b",\"error\":");
        put_json(line, &ErrorDetails(failure));
    }
    line.extend_from_slice(b",\"payload\":");
    put_payload(line, exchange.payload);
    line.extend_from_slice(b"}\n");
}

/// JSON goes in as it is; anything else as a string. Line ends between JSON tokens become spaces: a record is one line.
fn put_payload(line: &mut Vec<u8>, payload: &[u8]) {
    if serde_json::from_slice::<serde::de::IgnoredAny>(payload).is_ok() {
        line.extend(payload.iter().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte }));
    } else {
        put_json(line, &String::from_utf8_lossy(payload));
    }
}

impl Serialize for RawResponse<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self {
            Self::Event { at, fields } => {
                map.serialize_entry("perf_ns", &at.as_nanos())?;
                map.serialize_entry("packets", &Packets(fields))?;
            }
            Self::Body { at, content_type, text } => {
                map.serialize_entry("perf_ns", &at.as_nanos())?;
                map.serialize_entry("content_type", content_type)?;
                map.serialize_entry("text", text)?;
            }
        }
        map.end()
    }
}

struct Packets<'a>(&'a [(&'a str, &'a str)]);

impl Serialize for Packets<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|(name, value)| Packet { name, value }))
    }
}

#[derive(Serialize)]
struct Packet<'a> {
    name: &'a str,
    value: &'a str,
}
