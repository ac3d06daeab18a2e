//! Reading responses: the rules one by one, and that no bytes can break it.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use aiperf_clock::Mono;
use aiperf_endpoint::{EndpointSettings, ReadMark, ResponseBody, of};
use aiperf_protocol::{EndpointKind, Reply, ReplyError, Usage};
use proptest::prelude::*;

const EVENTS: Option<&str> = Some("text/event-stream");
const JSON: Option<&str> = Some("application/json");

fn read(kind: EndpointKind, content_type: Option<&str>, bytes: &[u8]) -> Result<Reply, ReplyError> {
    let marks = [ReadMark::user(bytes.len(), Mono::from_nanos(9))];
    of(kind, &EndpointSettings::default()).read(ResponseBody { content_type, bytes, marks: &marks })
}

fn stream(events: &[&str]) -> Result<Reply, ReplyError> {
    let body: String = events.iter().flat_map(|event| ["data: ", event, "\n\n"]).collect();
    read(EndpointKind::Chat, EVENTS, body.as_bytes())
}

fn delta(delta: &str) -> String {
    format!(r#"{{"choices":[{{"index":0,"delta":{delta},"finish_reason":null}}]}}"#)
}

const FINISH: &str = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}"#;

#[test]
fn a_finish_reason_or_a_done_mark_makes_a_stream_whole() {
    let hello = delta(r#"{"content":"hi"}"#);
    assert_eq!(stream(&[&hello]), Err(ReplyError::CutShort));
    assert_eq!(stream(&[&hello, FINISH]).unwrap().finish_reason.as_deref(), Some("length"));
    assert_eq!(stream(&[&hello, "[DONE]"]).unwrap().finish_reason, None);
    assert_eq!(stream(&[&delta(r#"{"role":"assistant"}"#)]), Err(ReplyError::CutShort));
    assert_eq!(stream(&[FINISH, "[DONE]"]), Err(ReplyError::NoContent));
    assert_eq!(stream(&[]), Err(ReplyError::NoContent));
}

#[test]
fn an_error_that_is_null_or_empty_is_none() {
    let hello = r#"{"error":null,"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}"#;
    assert_eq!(stream(&[hello]).unwrap().plain_text, "hi");
    let failed = stream(&[hello, r#"{"error":"gone"}"#]).unwrap_err();
    assert_eq!(failed.to_string(), "gone");
    assert!(stream(&[hello, r#"{"type":"error","message":"gone"}"#]).is_err());
}

#[test]
fn usage_of_each_chunk_stays_with_its_chunk() {
    let with = |text: &str, tokens: u64| {
        format!(r#"{{"choices":[{{"delta":{{"content":"{text}"}}}}],"usage":{{"completion_tokens":{tokens}}}}}"#)
    };
    let reply = stream(&[&with("", 0), &with("a b", 2), &with("c", 3), &delta(r#"{"content":"d"}"#), FINISH]).unwrap();
    let tokens: Vec<Option<u32>> = reply.chunks.iter().map(|c| c.usage_completion_tokens).collect();
    assert_eq!(tokens, [Some(2), Some(3), None]);
    assert_eq!(reply.usage.unwrap().completion_tokens, Some(3));
}

#[test]
fn the_last_usage_that_is_not_empty_counts_and_as_a_whole() {
    let with = |usage: &str| format!(r#"{{"choices":[],"usage":{usage}}}"#);
    let first = with(r#"{"prompt_tokens":1,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":1}}"#);
    let last = with(r#"{"prompt_tokens":7,"completion_tokens":3}"#);
    let reply = stream(&[&delta(r#"{"content":"a"}"#), &first, &last, &with("{}"), &with("null"), FINISH]).unwrap();
    let expected = Usage { prompt_tokens: Some(7), completion_tokens: Some(3), ..Usage::default() };
    assert_eq!(reply.usage, Some(expected));
}

/// What is meant, and all keys that say it.
#[test]
fn every_spelling_of_every_count_is_read() {
    type Count = fn(&Usage) -> Option<u64>;
    let spellings: [(Count, &[&str]); 11] = [
        (
            |u| u.prompt_tokens,
            &["prompt_tokens", "input_tokens", "promptTokenCount", "inputTokens", "input_token_count"],
        ),
        (
            |u| u.completion_tokens,
            &["completion_tokens", "output_tokens", "candidatesTokenCount", "outputTokens", "generated_token_count"],
        ),
        (|u| u.total_tokens, &["total_tokens", "totalTokenCount", "totalTokens"]),
        (
            |u| u.cache_read_tokens,
            &[
                "prompt_tokens_details.cached_tokens",
                "input_tokens_details.cached_tokens",
                "cache_read_input_tokens",
                "prompt_cache_hit_tokens",
                "cachedContentTokenCount",
                "cacheReadInputTokens",
                "cached_tokens",
                "meta.cached_tokens",
            ],
        ),
        (
            |u| u.cache_write_tokens,
            &[
                "cache_creation_input_tokens",
                "cacheWriteInputTokens",
                "prompt_tokens_details.created_cache_tokens",
                "prompt_tokens_details.cache_write_tokens",
                "input_tokens_details.cache_write_tokens",
            ],
        ),
        (|u| u.cache_miss_tokens, &["prompt_cache_miss_tokens"]),
        (
            |u| u.reasoning_tokens,
            &[
                "completion_tokens_details.reasoning_tokens",
                "output_tokens_details.reasoning_tokens",
                "thoughtsTokenCount",
                "reasoning_tokens",
                "output_tokens_details.thinking_tokens",
            ],
        ),
        (|u| u.prompt_audio_tokens, &["prompt_tokens_details.audio_tokens", "input_tokens_details.audio_tokens"]),
        (
            |u| u.completion_audio_tokens,
            &["completion_tokens_details.audio_tokens", "output_tokens_details.audio_tokens"],
        ),
        (
            |u| u.accepted_prediction_tokens,
            &[
                "completion_tokens_details.accepted_prediction_tokens",
                "output_tokens_details.accepted_prediction_tokens",
            ],
        ),
        (|u| u.tool_use_prompt_tokens, &["toolUsePromptTokenCount"]),
    ];
    for (count, keys) in spellings {
        for key in keys {
            let inner = key.rsplit('.').fold("41".to_owned(), |value, part| format!(r#"{{"{part}":{value}}}"#));
            for usage in [inner.clone(), format!(r#"{{"usageMetadata":{inner}}}"#)] {
                // Details stand at the top; wrapped are the plain counts.
                if usage != inner && key.contains('.') {
                    continue;
                }
                let body = format!(r#"{{"choices":[{{"message":{{"content":"a"}}}}],"usage":{usage}}}"#);
                let found = read(EndpointKind::Chat, JSON, body.as_bytes()).unwrap().usage.unwrap_or_default();
                assert_eq!(count(&found), Some(41), "{usage}");
            }
        }
    }
}

#[test]
fn reasoning_text_and_calls_in_one_chunk_each_count() {
    let all = delta(
        r#"{"reasoning":"R","content":"C","tool_calls":[{"function":{"name":"f","arguments":"{}"}},{"function":null}]}"#,
    );
    let reply = stream(&[&all, FINISH]).unwrap();
    assert_eq!((reply.reasoning_text.as_str(), reply.output_text.as_str()), ("R", "Cf{}"));
    assert_eq!(reply.plain_text, "C");
    assert_eq!(reply.chunks.len(), 1);
    assert!(reply.chunks[0].has_output && reply.chunks[0].has_reasoning);
}

#[test]
fn the_two_names_of_reasoning_are_not_counted_twice() {
    let both = delta(r#"{"reasoning_content":"R","reasoning":"R","content":null}"#);
    let reply = stream(&[&both, FINISH]).unwrap();
    assert_eq!(reply.reasoning_text, "R");
    assert!(!reply.chunks[0].has_output);
}

#[test]
fn parts_of_thinking_are_reasoning() {
    let parts = delta(
        r#"{"content":[{"type":"thinking","thinking":[{"type":"text","text":"R"}]},{"type":"text","text":"C"},7]}"#,
    );
    let reply = stream(&[&parts, FINISH]).unwrap();
    assert_eq!((reply.reasoning_text.as_str(), reply.output_text.as_str()), ("R", "C"));
}

#[test]
fn a_refusal_is_text() {
    assert_eq!(stream(&[&delta(r#"{"refusal":"No."}"#), FINISH]).unwrap().plain_text, "No.");
}

#[test]
fn choices_are_counted_and_their_texts_kept_apart() {
    let event =
        |index: u8, text: &str| format!(r#"{{"choices":[{{"index":{index},"delta":{{"content":"{text}"}}}}]}}"#);
    let reply = stream(&[&event(1, "x"), &event(0, "a"), &event(1, "y"), &event(0, "b"), "[DONE]"]).unwrap();
    assert_eq!((reply.plain_text.as_str(), reply.output_text.as_str()), ("ab", "abxy"));
    assert_eq!((reply.choices, reply.chunks.len()), (2, 4));
    let one = br#"{"choices":[{"index":0,"text":"a"},{"index":1,"text":"b"}]}"#;
    let reply = read(EndpointKind::Completions, JSON, one).unwrap();
    assert_eq!((reply.output_text.as_str(), reply.choices, reply.chunks.len()), ("ab", 2, 1));
}

#[test]
fn a_key_given_twice_counts_with_its_last_value() {
    let twice = r#"{"choices":[{"delta":{"content":"a","content":"b"},"finish_reason":"stop"}]}"#;
    assert_eq!(stream(&[twice]).unwrap().plain_text, "b");
}

#[test]
fn an_odd_field_does_not_cost_the_text_beside_it() {
    let odd = r#"{"choices":[{"index":"0","delta":{"content":"a","tool_calls":{},"reasoning":7},"finish_reason":[]}],"usage":[],"object":5,"logprobs":{"deep":[[[]]]}}"#;
    assert_eq!(stream(&[odd, "[DONE]"]).unwrap().plain_text, "a");
}

#[test]
fn events_that_are_no_objects_are_passed_over_and_counted() {
    let reply = stream(&["{not json}", "[1]", "7", &delta(r#"{"content":"a"}"#), "[DONE]"]).unwrap();
    assert_eq!((reply.plain_text.as_str(), reply.undecodable_events), ("a", 3));
    assert!(matches!(stream(&["{not json}"]), Err(ReplyError::Unreadable(_))));
}

#[test]
fn a_document_labelled_as_a_stream_is_read_as_what_it_is() {
    let whole = br#" {"choices":[{"message":{"content":"a"}}]}"#;
    assert_eq!(read(EndpointKind::Chat, EVENTS, whole).unwrap().plain_text, "a");
    let failed = read(EndpointKind::Chat, EVENTS, br#"{"error":{"message":"busy","type":"Overload","code":503}}"#);
    let failed = failed.unwrap_err();
    assert_eq!((failed.code(), failed.kind().name(), failed.to_string().as_str()), (Some(503), "Overload", "busy"));
    assert_eq!(ReplyError::NoContent.kind().name(), "InvalidInferenceResultError");
}

#[test]
fn a_batch_of_embeddings_gives_one_chunk_each() {
    let body = br#"{"data":[{"embedding":[0.5]},{"embedding":"AAAA"},{"embedding":[]}],"usage":{"prompt_tokens":4}}"#;
    let reply = read(EndpointKind::Embeddings, JSON, body).unwrap();
    assert_eq!(reply.chunks.len(), 2);
    assert_eq!(reply.usage.unwrap().prompt_tokens, Some(4));
    assert_eq!(reply.output_text, "");
}

#[test]
fn lines_of_json_keep_their_own_times() {
    let body = b"{\"message\":{\"content\":\"a\"},\"done\":false}\n{\"message\":{\"content\":\"b\"},\"done\":true,\"eval_count\":2}";
    let newline = body.iter().position(|b| *b == b'\n').unwrap() + 1;
    let marks = [newline, body.len()].map(|end| ReadMark::user(end, Mono::from_nanos(end as u64)));
    let lines = ResponseBody { content_type: Some("application/x-ndjson"), bytes: body, marks: &marks };
    let reply = of(EndpointKind::Chat, &EndpointSettings::default()).read(lines).unwrap();
    assert_eq!(reply.chunks.iter().map(|c| c.at).collect::<Vec<_>>(), marks.map(|m| m.at));
    assert_eq!(reply.usage.unwrap().completion_tokens, Some(2));
}

#[test]
fn a_live_event_is_known_by_its_content() {
    let chat = of(EndpointKind::Chat, &EndpointSettings::default());
    assert!(chat.carries_content(&delta(r#"{"content":"a"}"#)));
    assert!(chat.carries_content(&delta(r#"{"reasoning_content":"a"}"#)));
    for empty in [&delta(r#"{"role":"assistant","content":""}"#), FINISH, "[DONE]", "", r#"{"error":"x"}"#] {
        assert!(!chat.carries_content(empty), "{empty}");
    }
}

proptest! {
    #[test]
    fn no_body_panics(bytes in proptest::collection::vec(any::<u8>(), 0..200), sse: bool) {
        for kind in EndpointKind::ALL {
            let _ = read(kind, if sse { EVENTS } else { JSON }, &bytes);
            let _ = of(kind, &EndpointSettings::default()).input_text(&bytes);
        }
    }

    #[test]
    fn no_mutilated_stream_panics(at in any::<prop::sample::Index>(), byte: u8, cut in any::<prop::sample::Index>()) {
        let mut body = include_bytes!("fixtures/responses/chat-vllm-continuous-usage.sse").to_vec();
        let (at, cut) = (at.index(body.len()), cut.index(body.len()));
        body[at] = byte;
        body.truncate(cut);
        for kind in EndpointKind::ALL {
            let _ = read(kind, EVENTS, &body);
        }
    }
}

#[test]
fn choices_are_given_one_by_one_for_counting() {
    let event =
        |index: u32, text: &str| format!(r#"{{"choices":[{{"index":{index},"delta":{{"content":"{text}"}}}}]}}"#);
    let thought = |index: u32, text: &str| {
        format!(r#"{{"choices":[{{"index":{index},"delta":{{"reasoning_content":"{text}"}}}}]}}"#)
    };
    let reply =
        stream(&[&thought(1, "hm"), &event(1, "A"), &event(0, "A"), &event(1, "B"), &event(3, "A"), "[DONE]"]).unwrap();
    assert_eq!(reply.outputs().collect::<Vec<_>>(), ["A", "AB", "A"]);
    assert_eq!(reply.reasonings().collect::<Vec<_>>(), ["hm"]);
    assert_eq!(stream(&[&event(0, "alone"), "[DONE]"]).unwrap().outputs().collect::<Vec<_>>(), ["alone"]);
}

#[test]
fn what_comes_after_done_does_not_count() {
    let (hello, more) = (delta(r#"{"content":"hello"}"#), delta(r#"{"content":" more"}"#));
    let reply = stream(&[&hello, "[DONE]", &more, r#"{"error":"late"}"#, "{nonsense}", "[DONE]"]).unwrap();
    assert_eq!((reply.plain_text.as_str(), reply.chunks.len(), reply.undecodable_events), ("hello", 1, 0));
    assert_eq!(reply.events_after_end, 3);
    assert_eq!(stream(&["[DONE]", &hello]), Err(ReplyError::NoContent), "content after the end is no answer");
}

#[test]
fn halves_of_a_character_in_two_events_are_joined_and_keep_their_times() {
    let first = delta(r#"{"content":"so \ud83d"}"#);
    let second = delta(r#"{"content":"\ude00!"}"#);
    let reply = stream(&[&first, &second, "[DONE]"]).unwrap();
    assert_eq!((reply.plain_text.as_str(), reply.chunks.len(), reply.undecodable_events), ("so \u{1F600}!", 2, 0));
    let alone = stream(&[&delta(r#"{"content":"\ud83d"}"#), "[DONE]"]).unwrap();
    assert_eq!((alone.output_text.as_str(), alone.chunks.len()), ("\u{FFFD}", 1));
    let of_another =
        |index: u32, text: &str| format!(r#"{{"choices":[{{"index":{index},"delta":{{"content":"{text}"}}}}]}}"#);
    let mixed =
        stream(&[&of_another(0, r"\ud83d"), &of_another(1, r"\ud83d"), &of_another(0, r"\ude00"), "[DONE]"]).unwrap();
    assert_eq!(mixed.outputs().collect::<Vec<_>>(), ["\u{1F600}", "\u{FFFD}"]);
    let call = |text: &str| {
        delta(&format!(r#"{{"tool_calls":[{{"index":0,"id":"c","function":{{"name":"","arguments":"{text}"}}}}]}}"#))
    };
    let called = stream(&[&call(r"\ud83d"), &call(r"\ude00"), "[DONE]"]).unwrap();
    assert_eq!((called.tool_calls[0].arguments.as_str(), called.output_text.as_str()), ("\u{1F600}", "\u{1F600}"));
}
