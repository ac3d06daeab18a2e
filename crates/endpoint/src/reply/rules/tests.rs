use aiperf_clock::{Mono, ReadMark};
use aiperf_protocol::{Reply, ReplyError};
use proptest::prelude::*;

use super::*;
use crate::ResponseBody;
use crate::reply::documents;

fn paths(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn chat() -> ResponseRules {
    ResponseRules {
        text: paths(&["choices[*].delta.content", "choices[*].message.content"]),
        reasoning: paths(&["choices[*].delta.reasoning_content"]),
        choice: paths(&["choices[*].index"]),
        finish_reason: paths(&["choices[*].finish_reason"]),
        usage: paths(&["usage"]),
        ..ResponseRules::default()
    }
}

fn read(rules: &ResponseRules, body: &str) -> Result<Reply, ReplyError> {
    let rules = Arc::new(RuleSet::compile(rules).unwrap());
    let marks = [ReadMark::user(body.len(), Mono::from_nanos(1))];
    let body = ResponseBody { content_type: None, bytes: body.as_bytes(), marks: &marks };
    documents::read_until(rules.stream_end(), body, RuleParser(rules))
}

#[test]
fn a_stream_of_chat_is_read_like_the_built_in_type_reads_it() {
    let stream = concat!(
        "data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"hm\"},\"index\":0}]}\n\n",
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hel\"}}]}\n\n",
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"lo\\n\"}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"content\":\"other\"},\"index\":1}]}\n\n",
        "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4}}\n\n",
        "data: [DONE]\n\n",
    );
    let marks = [ReadMark::user(stream.len(), Mono::from_nanos(1))];
    let body = ResponseBody { content_type: None, bytes: stream.as_bytes(), marks: &marks };
    let built_in = crate::of(aiperf_protocol::EndpointKind::Chat, &crate::EndpointSettings::default());
    assert_eq!(read(&chat(), stream).unwrap(), built_in.read(body).unwrap());
}

#[test]
fn a_stream_without_its_end_was_cut_short() {
    let event = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n";
    assert!(matches!(read(&chat(), event), Err(ReplyError::CutShort)));
    let unmarked = ResponseRules { finish_reason: Vec::new(), ..chat() };
    assert_eq!(read(&unmarked, event).unwrap().plain_text, "a");
}

#[test]
fn parts_of_a_message_are_one_text_and_items_of_a_choice_list_are_choices() {
    let rules = ResponseRules { text: paths(&["content[*].text"]), ..ResponseRules::default() };
    let reply = read(&rules, r#"{"content":[{"text":"a"},{"text":"b"}]}"#).unwrap();
    assert_eq!((reply.plain_text.as_str(), reply.choices), ("ab", 1));
    let rules = ResponseRules { choice: paths(&["content[*]"]), ..rules };
    let reply = read(&rules, r#"{"content":[{"text":"a"},{"text":"b"}]}"#).unwrap();
    assert_eq!((reply.plain_text.as_str(), reply.choices), ("a", 2));
}

#[test]
fn counts_ends_and_pieces_are_found_where_the_rules_say() {
    let rules = ResponseRules {
        text: paths(&["response"]),
        done: paths(&["done"]),
        prompt_tokens: paths(&["prompt_eval_count"]),
        completion_tokens: paths(&["eval_count"]),
        ..ResponseRules::default()
    };
    let lines = "{\"response\":\"a\",\"done\":false}\n{\"response\":\"b\",\"done\":true,\"prompt_eval_count\":7,\"eval_count\":2}\n";
    let reply = read(&rules, lines).unwrap();
    let usage = reply.usage.unwrap();
    assert_eq!((reply.plain_text.as_str(), usage.prompt_tokens, usage.completion_tokens), ("ab", Some(7), Some(2)));
    let rules = ResponseRules { items: paths(&["data"]), ..ResponseRules::default() };
    assert_eq!(read(&rules, r#"{"data":[[1.5],[2]]}"#).unwrap().chunks.len(), 2);
}

#[test]
fn errors_are_failures_wherever_they_stand() {
    let rules = ResponseRules { text: paths(&["text"]), error: paths(&["status.problem"]), ..ResponseRules::default() };
    let message = |body: &str| match read(&rules, body).unwrap_err() {
        ReplyError::InBand { message, .. } => message,
        other => panic!("{other:?}"),
    };
    assert_eq!(message(r#"{"text":"a","status":{"problem":"no slot"}}"#), "no slot");
    assert_eq!(message(r#"{"error":{"message":"boom"}}"#), "boom");
    assert_eq!(message(r#"{"type":"error","message":"m"}"#), "m");
    assert_eq!(read(&rules, r#"{"text":"a","error":null,"status":{"problem":""}}"#).unwrap().plain_text, "a");
}

#[test]
fn other_expressions_work_on_the_parsed_document() {
    let rules = ResponseRules { text: paths(&["join('', parts[?kind=='out'].text)"]), ..ResponseRules::default() };
    let body = r#"{"parts":[{"kind":"out","text":"a"},{"kind":"log","text":"x"},{"kind":"out","text":"b"}]}"#;
    assert_eq!(read(&rules, body).unwrap().plain_text, "ab");
    let wrong = ResponseRules { text: paths(&["a["]), ..ResponseRules::default() };
    assert!(RuleSet::compile(&wrong).unwrap_err().starts_with("text: \"a[\""));
}

#[test]
fn a_rule_for_a_value_and_one_for_its_part_both_apply() {
    let rules = ResponseRules {
        text: paths(&["out.text"]),
        usage: paths(&["out"]),
        error: paths(&["error.why"]),
        ..ResponseRules::default()
    };
    let reply = read(&rules, r#"{"out":{"text":"a","prompt_tokens":3}}"#).unwrap();
    assert_eq!((reply.plain_text.as_str(), reply.usage.unwrap().prompt_tokens), ("a", Some(3)));
    assert!(
        matches!(read(&rules, r#"{"error":{"why":"w"}}"#), Err(ReplyError::InBand { message, .. }) if message == "w")
    );
}

proptest! {
    #[test]
    fn no_document_makes_the_reader_panic(text in "[\\[\\]{}a-c\":,0-9. \nerodt]{0,60}") {
        let rules = ResponseRules {
            text: paths(&["a", "b[*].c", "[0]"]),
            items: paths(&["a"]),
            error: paths(&["b"]),
            choice: paths(&["b[*]"]),
            ..ResponseRules::default()
        };
        let _ = read(&rules, &text);
    }
}
