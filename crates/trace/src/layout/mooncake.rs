//! `mooncake_trace`: one JSON object per line with a length and block ids, a text, messages, or a whole body.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::field::{NameOrNumber, NonNegative, WholeNumber, object};
use crate::{BlockId, TracePrompt, TraceRequest};

#[derive(Debug, Deserialize)]
struct MooncakeRow<'a> {
    input_length: Option<WholeNumber>,
    text_input: Option<String>,
    messages: Option<Vec<Value>>,
    #[serde(borrow)]
    payload: Option<&'a RawValue>,
    tools: Option<Vec<Value>>,
    hash_ids: Option<Vec<BlockId>>,
    output_length: Option<WholeNumber>,
    timestamp: Option<NonNegative>,
    delay: Option<NonNegative>,
    session_id: Option<NameOrNumber>,
    context_mode: Option<MooncakeContextMode>,
    extra: Option<Map<String, Value>>,
}

/// How a turn relates to the earlier ones of its session. Not part of the original layout: it allows sessions of other
/// layouts, whose lengths count the whole prompt, to be written as Mooncake rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum MooncakeContextMode {
    /// The turn is added to the earlier ones.
    DeltasWithoutResponses,
    /// The turn contains the earlier ones.
    MessageArrayWithResponses,
}

/// Parses a line; the error says what is wrong and what is expected. Unknown fields are ignored.
pub(crate) fn request(line: usize, content: &[u8]) -> Result<TraceRequest, String> {
    let row: MooncakeRow<'_> = object(content)?;
    let kinds = [
        ("input_length", row.input_length.is_some()),
        ("text_input", row.text_input.is_some()),
        ("messages", row.messages.is_some()),
        ("payload", row.payload.is_some()),
    ];
    let given: Vec<&str> = kinds.iter().filter(|(_, given)| *given).map(|(name, _)| *name).collect();
    match given.as_slice() {
        [_] => {}
        [] => return Err("input_length, text_input, messages or payload is expected".to_owned()),
        several => return Err(format!("{} cannot be given together", several.join(" and "))),
    }
    let blocks = row.hash_ids.unwrap_or_default();
    if !blocks.is_empty() && row.input_length.is_none() {
        return Err(format!("hash_ids can only be given with input_length, not with {}", given[0]));
    }
    if row.tools.is_some() && row.messages.is_none() {
        return Err(format!("tools can only be given with messages, not with {}", given[0]));
    }
    let is_synthetic = row.input_length.is_some() || row.text_input.is_some();
    if row.context_mode.is_some() && !is_synthetic {
        return Err(format!(
            "context_mode can only be given with input_length or text_input; {} already contain the earlier turns",
            given[0]
        ));
    }
    let prompt = if let Some(WholeNumber(tokens)) = row.input_length {
        TracePrompt::Length { tokens, blocks }
    } else if let Some(text) = row.text_input {
        TracePrompt::Text(text)
    } else if let Some(messages) = row.messages {
        check_messages(&messages, row.tools.as_deref())?;
        TracePrompt::Messages { messages, tools: row.tools }
    } else {
        TracePrompt::Payload(body(row.payload)?)
    };
    Ok(TraceRequest {
        line,
        timestamp_ms: row.timestamp.map(|time| time.0),
        delay_ms: row.delay.map(|time| time.0),
        duration_ms: None,
        holds_history: !is_synthetic || row.context_mode == Some(MooncakeContextMode::MessageArrayWithResponses),
        session: row.session_id.map(|name| name.0).filter(|name| !name.is_empty()),
        prompt,
        output_tokens: row.output_length.map(|count| count.0),
        extra: row.extra,
    })
}

fn check_messages(messages: &[Value], tools: Option<&[Value]>) -> Result<(), String> {
    if messages.is_empty() {
        return Err("messages: a list of at least one message is expected".to_owned());
    }
    if !messages.iter().all(|message| message.get("role").is_some_and(Value::is_string)) {
        return Err("messages: each needs a role".to_owned());
    }
    if tools.is_some_and(<[Value]>::is_empty) {
        return Err("tools: a list of at least one tool is expected; omit the field if there are none".to_owned());
    }
    Ok(())
}

fn body(payload: Option<&RawValue>) -> Result<Box<RawValue>, String> {
    let payload = payload.ok_or("payload: an object is expected")?;
    match serde_json::from_str::<Map<String, Value>>(payload.get()) {
        Ok(fields) if !fields.is_empty() => Ok(payload.to_owned()),
        Ok(_) => Err("payload: an object with at least one field is expected".to_owned()),
        Err(_) => Err("payload: an object is expected".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_bad_row_is_named_by_field_and_expectation() {
        for (row, expected) in [
            ("{}", "input_length, text_input, messages or payload is expected"),
            (r#"{"input_length":1,"text_input":"a"}"#, "input_length and text_input cannot be given together"),
            (
                r#"{"input_length":-1}"#,
                "input_length: invalid value: integer `-1`, expected a non-negative whole number",
            ),
            (r#"{"input_length":1.5}"#, "input_length: invalid value"),
            (
                r#"{"timestamp":"0","input_length":1}"#,
                "timestamp: invalid type: string \"0\", expected a non-negative number",
            ),
            (
                r#"{"text_input":"a","hash_ids":[1]}"#,
                "hash_ids can only be given with input_length, not with text_input",
            ),
            (r#"{"input_length":9,"hash_ids":[1,"b"]}"#, "hash_ids: invalid type"),
            (r#"{"input_length":9,"tools":[{}]}"#, "tools can only be given with messages"),
            (r#"{"messages":[]}"#, "at least one message"),
            (r#"{"messages":[{"content":"a"}]}"#, "each needs a role"),
            (r#"{"messages":[{"role":"user"}],"tools":[]}"#, "at least one tool"),
            (r#"{"input_length":1,"context_mode":"all"}"#, "context_mode: unknown variant `all`, expected"),
            (
                r#"{"payload":{"a":1},"context_mode":"deltas_without_responses"}"#,
                "context_mode can only be given with input_length",
            ),
            (
                r#"{"timestamp":-5,"input_length":1}"#,
                "timestamp: invalid value: integer `-5`, expected a non-negative number",
            ),
            (r#"{"payload":{}}"#, "payload: an object with at least one field"),
            (r#"{"payload":[1]}"#, "payload: an object is expected"),
            (r#"{"input_length":1"#, "not valid JSON at column 17: EOF while parsing an object"),
            ("[1]", "a JSON object is expected"),
        ] {
            let error = request(1, row.as_bytes()).unwrap_err();
            assert!(error.contains(expected), "{row}: {error}");
        }
    }

    #[test]
    fn ids_may_be_whole_numbers_in_any_guise() {
        let row = request(1, br#"{"input_length":3.0,"hash_ids":[1.0,-2,18446744073709551615]}"#).unwrap();
        assert_eq!((row.input_tokens(), row.blocks()), (Some(3), &[BlockId(1), BlockId(-2), BlockId(-1)][..]));
        assert!(
            request(1, br#"{"input_length":3,"hash_ids":[1.5]}"#).unwrap_err().starts_with("hash_ids: invalid value")
        );
    }

    #[test]
    fn a_row_may_say_that_it_holds_the_earlier_turns() {
        let holds = |row: &str| request(1, row.as_bytes()).unwrap().holds_history;
        assert!(!holds(r#"{"input_length":3}"#));
        assert!(!holds(r#"{"input_length":3,"context_mode":"deltas_without_responses"}"#));
        assert!(holds(r#"{"input_length":3,"context_mode":"message_array_with_responses"}"#));
        assert!(holds(r#"{"messages":[{"role":"user"}]}"#));
    }

    #[test]
    fn a_body_is_kept_as_it_was_written() {
        let row = request(1, br#"{"payload": {"b": 1.50, "a":[ ]}}"#).unwrap();
        let TracePrompt::Payload(body) = row.prompt else { panic!("{row:?}") };
        assert_eq!(body.get(), r#"{"b": 1.50, "a":[ ]}"#);
    }

    proptest! {
        #[test]
        fn no_line_makes_the_reader_panic(line in "\\PC{0,80}") {
            let _ = request(1, line.as_bytes());
        }

        #[test]
        fn no_value_of_any_field_makes_the_reader_panic(
            field in "input_length|text_input|messages|payload|tools|hash_ids|output_length|timestamp|delay|session_id|extra",
            value in r#"null|-?[0-9]{1,30}|0\.[0-9]{1,5}|"[a-z\\\\"]{0,8}"|\[("[a-z]{1,3}"(,[0-9])?)?\]|\{"role":\[("x")?\]\}|true"#,
        ) {
            let _ = request(1, format!(r#"{{"{field}":{value}}}"#).as_bytes());
            let _ = request(1, format!(r#"{{"input_length":1,"{field}":{value}}}"#).as_bytes());
        }
    }
}
