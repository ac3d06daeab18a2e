//! `raw_payload`: one request body per line, sent byte for byte. A file has one conversation per line; a folder has one
//! per file, whose lines are its turns.

use std::collections::HashSet;
use std::sync::Arc;

use aiperf_conversation::{ContextMode, Conversation, Lineage, SessionId, Turn};
use aiperf_trace::not_json;
use bytes::Bytes;
use serde_json::{Map, Value};

use super::fields::JsonFields;
use super::input_data::{InputData, LoadedFile, ReadContext};
use super::{folder, lines};
use crate::DatasetError;
use crate::session_names::SessionNames;

pub(crate) fn conversations(
    input: &InputData,
    reading: &mut ReadContext<'_>,
) -> Result<Vec<Conversation>, DatasetError> {
    let mut sessions: Vec<Vec<Turn>> = Vec::new();
    match input {
        InputData::File(document) => sessions.extend(turns(document, reading)?.into_iter().map(|turn| vec![turn])),
        InputData::Folder(path) => {
            for path in folder::files(path)?.into_iter().filter(|path| folder::is_jsonl(path)) {
                sessions.push(turns(&LoadedFile::open(&path)?, reading)?);
            }
        }
        InputData::Pools(documents) => {
            for document in documents {
                sessions.push(turns(document, reading)?);
            }
        }
    }
    let mut names = SessionNames::new(reading.seed, HashSet::new());
    let filled = sessions.into_iter().filter(|turns| !turns.is_empty());
    Ok(filled.map(|turns| conversation(names.next(), turns)).collect())
}

/// A conversation of bodies, each of which is complete.
pub(crate) fn conversation(session_id: SessionId, turns: Vec<Turn>) -> Conversation {
    Conversation {
        session_id,
        turns,
        system: None,
        user_context: None,
        context_mode: ContextMode::MessageArrayWithResponses,
        lineage: Lineage::Root,
    }
}

fn turns(document: &LoadedFile, reading: &mut ReadContext<'_>) -> Result<Vec<Turn>, DatasetError> {
    let any = reading.source.any_payload;
    lines::rows(document, &mut reading.row_errors, |line| {
        if any {
            return any_turn(line);
        }
        Ok(turn(&lines::object(line)?, Bytes::copy_from_slice(line)))
    })
}

/// A row of any JSON, for endpoints that accept it.
fn any_turn(line: &[u8]) -> Result<Turn, String> {
    let row: Value = serde_json::from_slice(line).map_err(|error| not_json(line, &error))?;
    match &row {
        Value::Object(body) => Ok(turn(body, Bytes::copy_from_slice(line))),
        Value::Array(rows) if rows.iter().all(Value::is_object) => Ok(turn(&Map::new(), Bytes::copy_from_slice(line))),
        _ => Err("a JSON object is expected, or a list of objects".to_owned()),
    }
}

/// The body as a turn. Its model and output length are copied for the records; the body itself is not checked.
pub(crate) fn turn(body: &Map<String, Value>, payload: Bytes) -> Turn {
    let fields = JsonFields(body);
    let count = |name: &str| fields.count(name).ok().flatten();
    Turn {
        model: Arc::from(fields.string("model").ok().flatten().unwrap_or_default()),
        max_tokens: count("max_completion_tokens").or_else(|| count("max_tokens")),
        raw_payload: Some(payload),
        ..Turn::default()
    }
}
