//! `sagemaker_data_capture`: requests that Amazon `SageMaker` recorded, one per line, in a file or in the files of a folder.
//! Each keeps its messages, tools, output length and time.

use std::collections::HashSet;

use aiperf_conversation::{ContextMode, Conversation, Lineage, Turn};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde_json::{Map, Value};

use super::fields::{JsonFields, unexpected};
use super::input_data::{InputData, LoadedFile, ReadContext};
use super::{folder, lines};
use crate::DatasetError;
use crate::session_names::SessionNames;

pub(crate) fn conversations(
    input: &InputData,
    reading: &mut ReadContext<'_>,
) -> Result<Vec<Conversation>, DatasetError> {
    let mut captures = Vec::new();
    match input {
        InputData::File(document) => captures = lines::rows(document, &mut reading.row_errors, parse)?,
        InputData::Folder(path) => {
            for path in folder::files_below(path)?.into_iter().filter(|path| folder::is_jsonl(path)) {
                captures.extend(lines::rows(&LoadedFile::open(&path)?, &mut reading.row_errors, parse)?);
            }
        }
        InputData::Pools(documents) => {
            for document in documents {
                captures.extend(lines::rows(document, &mut reading.row_errors, parse)?);
            }
        }
    }
    captures.sort_by_key(|capture| capture.at);
    let Some(first) = captures.first().map(|capture| capture.at) else { return Ok(Vec::new()) };
    let mut names = SessionNames::new(reading.seed, HashSet::new());
    let conversation = |Capture { at, turn }| Conversation {
        session_id: names.next(),
        turns: vec![Turn { timestamp_ms: Some(milliseconds(first, at)), ..turn }],
        system: None,
        user_context: None,
        context_mode: ContextMode::MessageArrayWithResponses,
        lineage: Lineage::Root,
    };
    Ok(captures.into_iter().map(conversation).collect())
}

/// One recorded request.
#[derive(Debug)]
struct Capture {
    at: Timestamp,
    turn: Turn,
}

fn parse(line: &[u8]) -> Result<Capture, String> {
    let row = lines::object(line)?;
    let data = inner(&row, "captureData")?;
    let body = request(inner(data, "endpointInput")?)?;
    let fields = JsonFields(&body);
    let messages = match fields.list("messages")? {
        Some(messages) if !messages.is_empty() => messages.to_vec(),
        _ => return Err("captureData.endpointInput.data: a request with messages is expected".to_owned()),
    };
    let max_tokens = match fields.count("max_tokens")? {
        Some(length) => Some(length),
        None => fields.count("max_completion_tokens")?,
    };
    let turn = Turn {
        raw_messages: Some(messages),
        raw_tools: fields.list("tools")?.map(<[Value]>::to_vec),
        max_tokens,
        ..Turn::default()
    };
    Ok(Capture { at: time(inner(&row, "eventMetadata")?)?, turn })
}

fn inner<'a>(object: &'a Map<String, Value>, name: &str) -> Result<&'a Map<String, Value>, String> {
    match object.get(name) {
        Some(Value::Object(inner)) => Ok(inner),
        Some(other) => Err(unexpected(name, "an object", other)),
        None => Err(format!("{name} is missing")),
    }
}

/// The recorded body, stored as text or Base64.
fn request(input: &Map<String, Value>) -> Result<Map<String, Value>, String> {
    const FIELD: &str = "captureData.endpointInput.data";
    let fields = JsonFields(input);
    let data = fields.string("data")?.ok_or_else(|| format!("{FIELD} is missing"))?;
    let encoding = fields.string("encoding")?.unwrap_or("BASE64").to_ascii_uppercase();
    let body = match encoding.as_str() {
        "JSON" => lines::object(data.as_bytes()),
        "BASE64" => match STANDARD.decode(data.trim()) {
            Ok(bytes) => lines::object(&bytes),
            Err(error) => Err(format!("not valid Base64: {error}")),
        },
        other => Err(format!("unknown encoding {other:?}; supported are JSON and BASE64")),
    };
    body.map_err(|problem| format!("{FIELD}: {problem}"))
}

/// The time of the recording. A time without a zone is UTC.
fn time(metadata: &Map<String, Value>) -> Result<Timestamp, String> {
    const FIELD: &str = "eventMetadata.inferenceTime";
    let text = JsonFields(metadata).string("inferenceTime")?.ok_or_else(|| format!("{FIELD} is missing"))?;
    let zoned = text.parse::<Timestamp>().ok();
    let local = || text.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp());
    zoned.or_else(local).ok_or_else(|| format!("{FIELD}: {text:?} is not a time such as 2026-04-29T00:03:18Z"))
}

fn milliseconds(from: Timestamp, to: Timestamp) -> f64 {
    to.duration_since(from).as_millis_f64()
}
