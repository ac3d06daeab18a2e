//! Input rows of GenAI-Perf. Most can be sent as they are; others are rewritten with the field names of aiperf.

use serde_json::{Map, Value};

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowLayout {
    /// A text, an image, or both.
    Texts,
    /// After `payload:`: lengths and times, and fields for the body.
    Payload,
}

/// Fields that mean the same there and here.
const PAYLOAD_FIELDS: [&str; 7] =
    ["text_input", "input_length", "output_length", "hash_ids", "timestamp", "delay", "session_id"];
const EXTRA: &str = "extra";

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct InputRows {
    /// The first row says when it is due.
    pub(crate) timed: bool,
    /// All rows in our shape, where any is not so already.
    pub(crate) rewritten: Option<String>,
}

/// Gives up with the number of a line and what is wrong with it.
pub(crate) fn read(text: &str, layout: RowLayout) -> Result<InputRows, (usize, String)> {
    let mut rows = Vec::new();
    let mut changed = false;
    for (number, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let row: Map<String, Value> =
            serde_json::from_str(line).map_err(|error| (number + 1, format!("not a JSON object: {error}")))?;
        if row.contains_key("text") && row.contains_key("text_input") {
            return Err((number + 1, "has both text and text_input; give one of them".to_owned()));
        }
        let ours = match layout {
            RowLayout::Texts => rename(row.clone(), "text_input", "text"),
            RowLayout::Payload => body_fields(rename(row.clone(), "text", "text_input")),
        };
        changed |= ours != row;
        rows.push(ours);
    }
    let timed = rows.first().is_some_and(|row| row.contains_key("timestamp"));
    let lines = || rows.iter().map(|row| Value::Object(row.clone()).to_string() + "\n").collect();
    Ok(InputRows { timed, rewritten: changed.then(lines) })
}

fn rename(mut row: Map<String, Value>, from: &str, to: &str) -> Map<String, Value> {
    if let Some(value) = row.remove(from) {
        row.insert(to.to_owned(), value);
    }
    row
}

/// What no field of ours is goes into the body.
fn body_fields(row: Map<String, Value>) -> Map<String, Value> {
    let (mut ours, body): (Map<_, _>, Map<_, _>) =
        row.into_iter().partition(|(name, _)| PAYLOAD_FIELDS.contains(&name.as_str()));
    if !body.is_empty() {
        ours.insert(EXTRA.to_owned(), Value::Object(body));
    }
    ours
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_with_our_names_are_sent_as_they_are() {
        let texts = read("{\"text\": \"a\", \"image\": \"cat.png\"}\n\n", RowLayout::Texts).unwrap();
        assert_eq!(texts, InputRows { timed: false, rewritten: None });
        let trace = read("{\"timestamp\": 1, \"input_length\": 3, \"hash_ids\": [1]}", RowLayout::Payload).unwrap();
        assert_eq!(trace, InputRows { timed: true, rewritten: None });
    }

    #[test]
    fn other_names_are_written_anew() {
        let texts = read(r#"{"text_input": "a"}"#, RowLayout::Texts).unwrap();
        assert_eq!(texts.rewritten.as_deref(), Some("{\"text\":\"a\"}\n"));
        let trace = read(r#"{"text": "a", "output_length": 2, "temperature": 0}"#, RowLayout::Payload).unwrap();
        let row: Value = serde_json::from_str(&trace.rewritten.unwrap()).unwrap();
        assert_eq!(row, serde_json::json!({"text_input": "a", "output_length": 2, "extra": {"temperature": 0}}));
    }

    #[test]
    fn a_row_with_two_texts_or_none_at_all_is_refused_by_its_line() {
        let both = read("{\"text\": \"a\"}\n{\"text\": \"a\", \"text_input\": \"b\"}", RowLayout::Texts).unwrap_err();
        assert_eq!((both.0, both.1.contains("text_input")), (2, true));
        assert_eq!(read("[1]", RowLayout::Payload).unwrap_err().0, 1);
    }
}
