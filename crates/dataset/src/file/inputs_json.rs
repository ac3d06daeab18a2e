//! `inputs_json`: the `inputs.json` of an earlier run, whose bodies are sent again as they are:
//! `{"data": [{"session_id": "a", "payloads": [{...}]}]}`.

use std::collections::HashSet;
use std::sync::Arc;

use aiperf_conversation::{Conversation, SessionId, Turn};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::input_data::{LoadedFile, ReadContext};
use super::{lines, raw_payload};
use crate::{DatasetError, RowPlace};

#[derive(Debug, Deserialize)]
struct InputsDocument<'a> {
    /// The sessions as raw JSON, so that a bad one can be reported by its index.
    #[serde(borrow)]
    data: Vec<&'a RawValue>,
}

#[derive(Debug, Deserialize)]
struct InputsSession<'a> {
    session_id: String,
    #[serde(borrow)]
    payloads: Vec<&'a RawValue>,
}

pub(crate) fn conversations(
    document: &LoadedFile,
    reading: &mut ReadContext<'_>,
) -> Result<Vec<Conversation>, DatasetError> {
    let bytes = document.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&document.bytes);
    let inputs: InputsDocument<'_> = serde_json::from_slice(bytes).map_err(|error| DatasetError::Row {
        path: document.path.clone(),
        place: RowPlace::Line(error.line()),
        problem: format!("data: an object with a list of sessions is expected: {error}"),
    })?;
    let mut known = HashSet::new();
    let mut conversations = Vec::with_capacity(inputs.data.len());
    for (index, entry) in inputs.data.into_iter().enumerate() {
        match read(entry, &mut known) {
            Ok(conversation) => conversations.push(conversation),
            Err(problem) => reading.row_errors.note(&document.path, RowPlace::Entry(index), problem)?,
        }
    }
    Ok(conversations)
}

fn read(entry: &RawValue, known: &mut HashSet<String>) -> Result<Conversation, String> {
    let InputsSession { session_id, payloads } = serde_json::from_str(entry.get())
        .map_err(|error| format!("an object with session_id and a list of payloads is expected: {error}"))?;
    if payloads.is_empty() {
        return Err(format!("session {session_id:?}: payloads: at least one is expected"));
    }
    let turn = |(place, payload): (usize, &&RawValue)| -> Result<Turn, String> {
        let compact = compact(payload.get());
        let body = lines::object(&compact).map(|body| raw_payload::turn(&body, Bytes::from(compact)));
        body.map_err(|problem| format!("session {session_id:?}, payload {place}: {problem}"))
    };
    let turns = payloads.iter().enumerate().map(turn).collect::<Result<_, _>>()?;
    if !known.insert(session_id.clone()) {
        return Err(format!("session {session_id:?} appears twice"));
    }
    Ok(raw_payload::conversation(SessionId(Arc::from(session_id)), turns))
}

/// The JSON without white space between its tokens. The file is formatted for people, and the body is for the server.
/// Numbers, key order and everything else stay as they are written.
fn compact(json: &str) -> Vec<u8> {
    let mut compact = Vec::with_capacity(json.len());
    let (mut in_string, mut escaped) = (false, false);
    for byte in json.bytes() {
        if in_string {
            in_string = escaped || byte != b'"';
            escaped = !escaped && byte == b'\\';
        } else if byte.is_ascii_whitespace() {
            continue;
        } else {
            in_string = byte == b'"';
        }
        compact.push(byte);
    }
    compact
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_blanks_between_parts_are_dropped() {
        let pretty = "{\n \"a b\" : [ 1.50 , 2e3 ],\t\"c\": \" \\\" \\\\ x \" }";
        assert_eq!(compact(pretty), br#"{"a b":[1.50,2e3],"c":" \" \\ x "}"#);
    }

    proptest! {
        #[test]
        fn what_is_said_stays_the_same(text in "\\PC{0,30}", number in any::<i64>()) {
            let value = serde_json::json!({"text": text, "list": [number, null, {"nested": text}]});
            let pretty = serde_json::to_string_pretty(&value).unwrap();
            prop_assert_eq!(compact(&pretty), value.to_string().into_bytes());
        }
    }
}
