//! What only some servers send: content in other fields, told twice or only at the end, and answers that are not text.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use aiperf_clock::Mono;
use aiperf_endpoint::{EndpointSettings, ReadMark, ResponseBody, of};
use aiperf_protocol::{EndpointKind, Reply, ReplyError};
use serde_json::{Value, json};

fn read(kind: EndpointKind, content_type: &str, bytes: &[u8]) -> Result<Reply, ReplyError> {
    let marks = [ReadMark::user(bytes.len(), Mono::from_nanos(9))];
    let body = ResponseBody { content_type: Some(content_type), bytes, marks: &marks };
    of(kind, &EndpointSettings::default()).read(body)
}

fn streamed(kind: EndpointKind, events: &[Value]) -> Result<Reply, ReplyError> {
    let body: String =
        events.iter().flat_map(|event| ["data: ".to_owned(), event.to_string(), "\n\n".to_owned()]).collect();
    read(kind, "text/event-stream", body.as_bytes())
}

fn whole(kind: EndpointKind, answer: &Value) -> Result<Reply, ReplyError> {
    read(kind, "application/json", answer.to_string().as_bytes())
}

fn chat(deltas: &[Value]) -> Reply {
    let event = |delta: &Value| json!({"choices": [{"index": 0, "delta": delta}]});
    let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    let events: Vec<Value> = deltas.iter().map(event).chain([end]).collect();
    streamed(EndpointKind::Chat, &events).unwrap()
}

fn responses(events: &[Value]) -> Result<Reply, ReplyError> {
    streamed(EndpointKind::Responses, events)
}

fn completed(output: &Value) -> Value {
    json!({"type": "response.completed", "response": {"id": "r", "status": "completed", "output": output,
        "usage": {"input_tokens": 4, "output_tokens": 2}}})
}

#[test]
fn a_call_of_a_custom_tool_counts_like_one_of_a_function() {
    let piece = |id: &str, name: &str, input: &str| json!({"tool_calls": [{"index": 0, "id": id, "custom": {"name": name, "input": input}}]});
    let reply = chat(&[piece("c1", "code", ""), piece("", "", "print"), piece("", "", "(1)")]);
    assert_eq!(reply.output_text, "codeprint(1)");
    assert_eq!(reply.chunks.len(), 3);
    let said = of(EndpointKind::Chat, &EndpointSettings::default()).assistant_message(&reply).unwrap();
    let call = json!({"id": "c1", "type": "custom", "custom": {"name": "code", "input": "print(1)"}});
    assert_eq!(said, json!({"role": "assistant", "content": null, "tool_calls": [call]}));
}

#[test]
fn a_spoken_answer_is_content_and_its_transcript_is_text() {
    let reply = chat(&[
        json!({"role": "assistant", "audio": {"id": "a"}}),
        json!({"audio": {"data": "AAAA"}}),
        json!({"audio": {"transcript": "hello "}}),
        json!({"audio": {"data": "AAAA", "transcript": "there"}}),
    ]);
    assert_eq!((reply.plain_text.as_str(), reply.chunks.len(), reply.choices), ("hello there", 3, 1));
    let message = json!({"role": "assistant", "content": null, "audio": {"data": "AAAA", "transcript": "hello"}});
    let reply = whole(EndpointKind::Chat, &json!({"choices": [{"message": message}]})).unwrap();
    assert_eq!((reply.output_text.as_str(), reply.chunks.len()), ("hello", 1));
}

#[test]
fn every_part_of_a_summary_that_comes_in_one_piece_is_reasoning() {
    let done = |index: u64, text: &str| json!({"type": "response.reasoning_summary_text.done", "output_index": 0, "summary_index": index, "text": text});
    let text = json!({"type": "response.output_text.delta", "output_index": 1, "content_index": 0, "delta": "hi"});
    let reply = responses(&[done(0, "first "), done(1, "second"), text, completed(&json!([]))]).unwrap();
    assert_eq!((reply.reasoning_text.as_str(), reply.plain_text.as_str()), ("first second", "hi"));
}

#[test]
fn a_summary_adds_nothing_to_a_thought_that_was_told() {
    let event =
        |kind: &str, text: &str| json!({"type": format!("response.{kind}.delta"), "output_index": 0, "delta": text});
    let reply = responses(&[
        event("reasoning_text", "let me "),
        event("reasoning_text", "see"),
        event("reasoning_summary_text", "looked"),
        json!({"type": "response.output_text.delta", "output_index": 1, "delta": "hi"}),
        completed(&json!([])),
    ])
    .unwrap();
    assert_eq!((reply.reasoning_text.as_str(), reply.chunks.len()), ("let me see", 3));
    let item = json!({"type": "reasoning", "content": [{"type": "reasoning_text", "text": "let me "}, {"text": "see"}],
        "summary": [{"type": "summary_text", "text": "looked"}]});
    let reply = whole(EndpointKind::Responses, &json!({"object": "response", "output": [item]})).unwrap();
    assert_eq!(reply.reasoning_text, "let me see");
}

#[test]
fn what_was_not_streamed_is_taken_from_the_finished_response() {
    let thought = json!({"type": "response.reasoning_text.delta", "output_index": 0, "delta": "hm"});
    let message = json!({"type": "message", "content": [{"type": "output_text", "text": "hi "}, {"type": "output_text", "text": "you"}]});
    let items = json!([{"type": "reasoning", "content": [{"text": "hm"}]}, message]);
    let reply = responses(&[thought.clone(), completed(&items)]).unwrap();
    assert_eq!((reply.reasoning_text.as_str(), reply.plain_text.as_str()), ("hm", "hi you"));
    assert_eq!(reply.chunks.len(), 2);
    let item_done = json!({"type": "response.output_item.done", "output_index": 1, "item": message});
    let reply = responses(&[thought, item_done, completed(&json!([]))]).unwrap();
    assert_eq!(reply.plain_text, "hi you");
    let empty = json!({"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": ""});
    let done = json!({"type": "response.output_text.done", "output_index": 0, "content_index": 0, "text": "hi"});
    assert_eq!(responses(&[empty, done, completed(&json!([]))]).unwrap().plain_text, "hi");
}

#[test]
fn what_was_streamed_under_other_numbers_is_not_taken_twice() {
    let reply = responses(&[
        json!({"type": "response.reasoning_text.delta", "delta": "hm"}),
        json!({"type": "response.output_text.delta", "delta": "hi"}),
        json!({"type": "response.function_call_arguments.delta", "delta": "{}"}),
        completed(&json!([
            {"type": "reasoning", "content": [{"text": "hm"}]},
            {"type": "message", "content": [{"type": "output_text", "text": "hi"}]},
            {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
        ])),
    ])
    .unwrap();
    assert_eq!((reply.reasoning_text.as_str(), reply.plain_text.as_str()), ("hm", "hi"));
    assert_eq!((reply.output_text.as_str(), reply.chunks.len()), ("hi{}", 3));
}

#[test]
fn the_input_of_a_custom_tool_is_what_it_is_called_with() {
    let item = json!({"type": "custom_tool_call", "id": "i", "call_id": "c", "name": "code", "input": "print(1)"});
    let reply = whole(EndpointKind::Responses, &json!({"object": "response", "output": [item]})).unwrap();
    assert_eq!(reply.output_text, "codeprint(1)");
    let reply = responses(&[
        json!({"type": "response.output_item.added", "output_index": 0, "item": {"type": "custom_tool_call", "call_id": "c", "name": "code"}}),
        json!({"type": "response.custom_tool_call_input.done", "output_index": 0, "input": "print(1)"}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
        completed(&json!([item])),
    ])
    .unwrap();
    assert_eq!((reply.output_text.as_str(), reply.tool_calls.len()), ("codeprint(1)", 1));
}

#[test]
fn an_error_event_of_a_response_fails_it_wherever_the_message_stands() {
    let text = json!({"type": "response.output_text.delta", "delta": "hi"});
    let bare = json!({"type": "response.error", "code": "server_error", "message": "gone"});
    let failed = responses(&[text.clone(), bare]).unwrap_err();
    assert_eq!((failed.to_string().as_str(), failed.kind().name()), ("gone", "server_error"));
    let nested = json!({"type": "response.error", "error": {"type": "server_error", "message": "gone"}});
    assert_eq!(responses(&[text, nested]).unwrap_err().to_string(), "gone");
}

#[test]
fn the_whole_text_at_the_end_of_a_token_stream_is_not_said_again() {
    let token = |text: &str| json!({"token": {"text": text, "special": false}});
    let events = [token("hello "), token("there"), json!({"generated_text": "hello there"})];
    let reply = streamed(EndpointKind::HuggingfaceGenerate, &events).unwrap();
    assert_eq!((reply.plain_text.as_str(), reply.chunks.len()), ("hello there", 2));
    let reply = streamed(EndpointKind::HuggingfaceGenerate, &events[2..]).unwrap();
    assert_eq!(reply.plain_text, "hello there");
}

#[test]
fn a_message_whose_type_goes_without_saying_is_read() {
    let answer = json!({"role": "assistant", "content": [{"type": "text", "text": "hi"}], "stop_reason": "end_turn",
        "usage": {"input_tokens": 3, "output_tokens": 1}});
    let reply = whole(EndpointKind::Messages, &answer).unwrap();
    assert_eq!((reply.plain_text.as_str(), reply.finish_reason.as_deref()), ("hi", Some("end_turn")));
    assert_eq!(reply.usage.unwrap().prompt_tokens, Some(3));
}

#[test]
fn a_sealed_thought_goes_back_as_it_came() {
    let blocks = json!([{"type": "redacted_thinking", "data": "EmwK"}, {"type": "text", "text": "hi"}]);
    let answer = json!({"type": "message", "role": "assistant", "content": blocks, "stop_reason": "end_turn"});
    let reply = whole(EndpointKind::Messages, &answer).unwrap();
    let endpoint = of(EndpointKind::Messages, &EndpointSettings::default());
    assert_eq!(endpoint.assistant_message(&reply), Some(json!({"role": "assistant", "content": blocks})));
}

#[test]
fn a_streamed_transcription_is_read_once_in_either_dialect() {
    let kind = EndpointKind::AudioTranscription;
    let delta = |text: &str| json!({"type": "transcript.text.delta", "delta": text});
    let done = json!({"type": "transcript.text.done", "text": "hello there", "usage": {"input_tokens": 9, "output_tokens": 2}});
    let reply = streamed(kind, &[delta("hello "), delta("there"), done.clone()]).unwrap();
    assert_eq!((reply.plain_text.as_str(), reply.chunks.len()), ("hello there", 2));
    let reply = streamed(kind, &[done]).unwrap();
    assert_eq!((reply.plain_text.as_str(), reply.chunks.len()), ("hello there", 1));
    assert_eq!(reply.usage.unwrap().completion_tokens, Some(2));
    let chunk = |text: &str, end: Value| json!({"object": "transcription.chunk", "choices": [{"delta": {"content": text}, "finish_reason": end}]});
    let reply = streamed(kind, &[chunk("hello ", Value::Null), chunk("there", json!("stop"))]).unwrap();
    assert_eq!((reply.plain_text.as_str(), reply.chunks.len()), ("hello there", 2));
}

#[test]
fn bytes_that_are_no_text_are_content_without_words() {
    for kind in [EndpointKind::Raw, EndpointKind::Template] {
        for label in ["audio/mpeg", "image/png", "video/mp4", "application/octet-stream"] {
            let reply = read(kind, label, b"\xFF\xFB\x90\x00 not a word").unwrap();
            assert_eq!((reply.output_text.as_str(), reply.chunks.len()), ("", 1), "{label}");
            assert_eq!(read(kind, label, b""), Err(ReplyError::NoContent), "{label}");
        }
        assert_eq!(read(kind, "application/octet-stream", br#"{"text":"hi"}"#).unwrap().plain_text, "hi");
    }
}
