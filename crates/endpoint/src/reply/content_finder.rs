//! Finds the content of responses that no API describes: at the place that the user names, or by its shape.

use aiperf_protocol::{Reply, ReplyError};
use serde_json::Value;

use crate::api::{append_chat, append_completions};
use crate::reply::completion_event;
use crate::reply::documents::{self, EventError, EventResult, StreamEnd, is_truthy, tree};
use crate::reply::transcript::Transcript;
use crate::reply::usage::UsageField;
use crate::{ResponseBody, ResponseField};

/// How the responses of a run are read.
#[derive(Debug)]
pub(crate) struct ContentFinder {
    field: Option<ResponseField>,
    /// Look for content by shape if the field has none.
    fall_back: bool,
}

/// Where text is looked for, in this order.
const TEXT_FIELDS: [&str; 5] = ["text", "content", "response", "output", "result"];

impl ContentFinder {
    /// For ready-made bodies, whose responses may differ in shape.
    pub(crate) const fn of_raw(field: Option<ResponseField>) -> Self {
        Self { field, fall_back: true }
    }

    /// For a template: the user knows the shape of the responses.
    pub(crate) const fn of_template(field: Option<ResponseField>) -> Self {
        Self { fall_back: field.is_none(), field }
    }

    pub(crate) fn read(&self, body: ResponseBody<'_>) -> Result<Reply, ReplyError> {
        let is_json = matches!(body.bytes.trim_ascii_start().first(), Some(b'{' | b'[' | b'"') | None);
        if is_medium(body, is_json) {
            return documents::read_non_text(body);
        }
        if is_json || body.is_event_stream() {
            return documents::read_until(StreamEnd::Unmarked, body, |data: &str, transcript: &mut Transcript| {
                self.parse_event(data, transcript)
            });
        }
        documents::read_text(body)
    }

    pub(crate) fn carries_content(&self, data: &str) -> bool {
        documents::carries_content(data, |data: &str, transcript: &mut Transcript| self.parse_event(data, transcript))
    }

    pub(crate) fn parse_event(&self, data: &str, transcript: &mut Transcript) -> EventResult {
        let answer = match tree(data) {
            Ok(answer) => answer,
            Err(EventError::Undecodable) => match serde_json::from_str::<Value>(data) {
                Ok(text @ Value::String(_)) => text,
                _ => return Err(EventError::Undecodable),
            },
            Err(unheard) => return Err(unheard),
        };
        let found = self.field.as_ref().and_then(|field| field.find(&answer)).filter(is_truthy);
        match found {
            Some(found) => convert(&found, transcript),
            None if self.fall_back => {
                detect(data, &answer, transcript);
                return Ok(());
            }
            None => {}
        }
        transcript.usage(UsageField::within(&answer, "usage"));
        Ok(())
    }
}

/// Whether the response is an image, audio, video or unnamed bytes: content without text.
fn is_medium(body: ResponseBody<'_>, is_json: bool) -> bool {
    let kind = body.media_type().unwrap_or_default();
    let is_bytes = kind == "application/octet-stream" && !is_json;
    is_bytes || ["image/", "audio/", "video/"].iter().any(|medium| kind.starts_with(medium))
}

fn detect(data: &str, answer: &Value, transcript: &mut Transcript) {
    if !answer.is_object() {
        return convert(answer, transcript);
    }
    // Chat and completions are read in full: reasoning, tool calls, every choice.
    if answer["choices"].is_array() {
        // It is known to be JSON and not an error; what cannot be read has no content.
        let _ = completion_event::parse_event(data, transcript, |event, transcript| {
            append_chat(event, transcript);
            append_completions(event, transcript);
        });
        return;
    }
    transcript.usage(UsageField::within(answer, "usage"));
    if answer["data"][0]["object"] == "embedding" {
        return transcript.non_text(answer["data"].as_array().map_or(0, Vec::len));
    }
    let list = |name: &str| answer.get(name).filter(|value| value.as_array().is_some_and(|all| !all.is_empty()));
    let listed = ["embeddings", "embedding", "rankings", "results"].into_iter().find_map(list);
    if let Some(list) = listed {
        return convert(list, transcript);
    }
    if let Some(text) = TEXT_FIELDS.into_iter().find_map(|name| answer.get(name).filter(|value| is_text(value))) {
        convert(text, transcript);
    }
}

fn is_text(value: &Value) -> bool {
    value.is_string() || value.as_array().is_some_and(|all| !all.is_empty() && all.iter().all(Value::is_string))
}

/// A text, texts that belong together, one embedding or several, or ranks.
fn convert(found: &Value, transcript: &mut Transcript) {
    match found {
        Value::String(text) => transcript.text(0, text),
        Value::Array(all) if is_text(found) => {
            all.iter().filter_map(Value::as_str).for_each(|text| transcript.text(0, text));
        }
        Value::Array(all) => transcript.non_text(match all.first() {
            Some(Value::Array(_)) => all.len(),
            Some(Value::Number(_) | Value::Object(_)) => 1,
            _ => 0,
        }),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use aiperf_clock::Mono;
    use proptest::prelude::*;

    use super::*;
    use crate::ReadMark;

    fn read(finder: &ContentFinder, text: &str) -> Result<Reply, ReplyError> {
        let marks = [ReadMark::user(text.len(), Mono::from_nanos(1))];
        finder.read(ResponseBody { content_type: None, bytes: text.as_bytes(), marks: &marks })
    }

    fn text(finder: &ContentFinder, body: &str) -> String {
        read(finder, body).unwrap().plain_text
    }

    #[test]
    fn each_text_of_a_stream_is_counted_once() {
        let event = |text: &str| format!("data: {{\"choices\":[{{\"text\":\"{text}\"}}]}}\n\n");
        let stream = ["a", "b", "c"].map(event).concat() + "data: [DONE]\n\n";
        assert_eq!(text(&ContentFinder::of_raw(None), &stream), "abc");
        let event = |text: &str| event(text).replace("\"text\":", "\"delta\":{\"content\":").replace("}]}", "}}]}");
        let stream = ["a", "b", "c"].map(event).concat() + "data: [DONE]\n\n";
        assert_eq!(text(&ContentFinder::of_raw(None), &stream), "abc");
    }

    #[test]
    fn text_is_found_under_its_usual_names() {
        let finder = ContentFinder::of_raw(None);
        for body in [
            r#"{"text":"hi"}"#,
            r#"{"content":"hi"}"#,
            r#"{"output":["h","i"]}"#,
            r#"{"response":"hi","usage":{"prompt_tokens":3}}"#,
            r#"{"choices":[{"text":"hi"}]}"#,
            r#"{"choices":[{"message":{"content":"hi"}}]}"#,
            r#""hi""#,
            "hi",
            "data: {\"text\":\"h\"}\n\ndata: {\"text\":\"i\"}\n\n",
        ] {
            assert_eq!(text(&finder, body), "hi", "{body}");
        }
    }

    #[test]
    fn embeddings_and_ranks_are_content_other_than_text() {
        let finder = ContentFinder::of_raw(None);
        for (body, pieces) in [
            (r#"{"data":[{"object":"embedding"},{"object":"embedding"}]}"#, 2),
            (r#"{"embeddings":[[0.1],[0.2]]}"#, 2),
            (r#"{"embedding":[0.1,0.2]}"#, 1),
            (r#"{"rankings":[{"index":0}]}"#, 1),
            ("[[0.1],[0.2]]", 2),
            ("[0.1,0.2]", 1),
        ] {
            assert_eq!(read(&finder, body).unwrap().chunks.len(), pieces, "{body}");
        }
        for empty in [r#"{"a":1}"#, r#"{"text":""}"#, "[]", "[null]"] {
            assert_eq!(read(&finder, empty), Err(ReplyError::NoContent), "{empty}");
        }
    }

    #[test]
    fn a_field_that_is_named_is_read_and_a_template_reads_no_other() {
        let field = || Some(ResponseField::parse("a.b[0]").unwrap());
        assert_eq!(text(&ContentFinder::of_raw(field()), r#"{"a":{"b":["hi"]},"text":"no"}"#), "hi");
        assert_eq!(text(&ContentFinder::of_raw(field()), r#"{"text":"else"}"#), "else");
        assert_eq!(read(&ContentFinder::of_template(field()), r#"{"text":"else"}"#), Err(ReplyError::NoContent));
        assert!(matches!(read(&ContentFinder::of_raw(None), r#"{"error":"boom"}"#), Err(ReplyError::InBand { .. })));
    }

    proptest! {
        #[test]
        fn no_body_panics(body in "\\PC{0,80}") {
            let _ = read(&ContentFinder::of_raw(ResponseField::parse("a.b").ok()), &body);
        }
    }
}
