//! Turns after the first: what is captured from a reply, and the bodies that carry it.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::path::Path;
use std::sync::Arc;

use aiperf_clock::Mono;
use aiperf_conversation::{ContextMode, Conversation, Lineage, Media, SessionId, Turn};
use aiperf_endpoint::{BodyOptions, Endpoint, EndpointSettings, History, ReadMark, ResponseBody, TurnRequest};
use aiperf_protocol::{EndpointKind, Reply, ToolCall};
use proptest::prelude::*;
use serde_json::{Value, json};

fn of(kind: EndpointKind) -> Arc<dyn Endpoint> {
    aiperf_endpoint::of(kind, &EndpointSettings::default())
}

fn chat() -> Arc<dyn Endpoint> {
    of(EndpointKind::Chat)
}

fn heard(bytes: &[u8]) -> Option<Reply> {
    heard_by(EndpointKind::Chat, bytes)
}

fn heard_by(kind: EndpointKind, bytes: &[u8]) -> Option<Reply> {
    let marks = [ReadMark::user(bytes.len(), Mono::from_nanos(1))];
    of(kind).read(ResponseBody { content_type: None, bytes, marks: &marks }).ok()
}

/// What the recorded reply of this name is remembered as.
fn captured(name: &str) -> Option<Value> {
    captured_by(EndpointKind::Chat, name)
}

fn captured_by(kind: EndpointKind, name: &str) -> Option<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/responses");
    let bytes = ["sse", "json", "txt"].iter().find_map(|end| std::fs::read(folder.join(format!("{name}.{end}"))).ok());
    of(kind).assistant_message(&heard_by(kind, &bytes.unwrap())?)
}

fn conversation(name: &str, turns: Vec<Turn>) -> Arc<Conversation> {
    Arc::new(Conversation {
        session_id: SessionId(name.into()),
        turns,
        system: None,
        user_context: None,
        context_mode: ContextMode::default(),
        lineage: Lineage::Root,
    })
}

fn text(text: &str) -> Turn {
    Turn { texts: vec![Media::unnamed(text)], model: "m".into(), ..Turn::default() }
}

fn raw(messages: &Value) -> Turn {
    Turn { raw_messages: messages.as_array().cloned(), model: "m".into(), ..Turn::default() }
}

fn body(conversation: &Conversation, turn: usize, history: &History, streaming: bool) -> Value {
    let options = BodyOptions { streaming, ..BodyOptions::default() };
    body_by(EndpointKind::Chat, conversation, turn, history, &options)
}

fn body_by(
    kind: EndpointKind,
    conversation: &Conversation,
    turn: usize,
    history: &History,
    options: &BodyOptions,
) -> Value {
    let request = TurnRequest { conversation, turn, history: history.before_next(), options };
    serde_json::from_slice(&of(kind).body(&request).unwrap()).unwrap()
}

fn messages(conversation: &Conversation, turn: usize, history: &History) -> Value {
    body(conversation, turn, history, false)["messages"].clone()
}

#[test]
fn sessions_of_two_turns_send_what_the_reference_sends() {
    let cases: Value = serde_json::from_str(include_str!("fixtures/requests/history.json")).unwrap();
    let mut checked = 0;
    for case in cases["cases"].as_array().unwrap() {
        let flags = case["flags"].as_str().unwrap();
        let kind = flags.split(' ').skip_while(|word| *word != "--endpoint-type").nth(1).unwrap();
        let kind = EndpointKind::from_name(kind).unwrap();
        let name = case["case"].as_str().unwrap();
        let expected: Vec<&Value> = case["requests"].as_array().unwrap().iter().map(|sent| &sent["json"]).collect();
        let model = expected[0]["model"].as_str().unwrap();
        let said = |body: &Value| {
            let list = body.get("messages").unwrap_or(&body["input"]);
            let last = list.as_array().unwrap().last().unwrap();
            Turn { model: model.into(), ..text(last["content"].as_str().unwrap()) }
        };
        let session = conversation("s", expected.iter().map(|body| said(body)).collect());
        let mut history = History::new(session.context_mode);
        let options = BodyOptions { streaming: flags.contains("--streaming"), ..BodyOptions::default() };
        for (turn, expected) in expected.iter().enumerate() {
            let mut expected = (*expected).clone();
            if (name, turn) == ("hist-reasoning", 1) {
                // The reference repeats the reasoning ("Think hard") as if it had been said to the user.
                expected["messages"][1]["content"] = json!("Hello world!");
            }
            let sent = body_by(kind, &session, turn, &history, &options);
            assert_eq!(sent.to_string(), expected.to_string(), "{name} {turn}");
            history.note(&session, turn, captured_by(kind, model.strip_prefix("fx-").unwrap()));
            checked += 1;
        }
    }
    assert_eq!(checked, 14);
}

#[test]
fn a_reply_is_remembered_with_its_text_and_its_calls() {
    let call = |id: &str, name: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}});
    for (name, content, calls) in [
        ("chat-full", json!("Hello world!"), vec![]),
        ("chat-full-reasoning", json!("Hello world!"), vec![]),
        ("chat-tools-with-content", json!("Checking now"), vec![call("call_1", "f", "{}")]),
        ("chat-full-tools-and-text", json!("Let me check"), vec![call("call_1", "f", "{}")]),
        (
            "chat-full-tools",
            Value::Null,
            vec![call("call_1", "get_weather", r#"{"city":"Oslo"}"#), call("call_2", "f", "{}")],
        ),
        ("chat-legacy-function-call", Value::Null, vec![call("call_0", "f", r#"{"a":1}"#)]),
    ] {
        let mut expected = json!({"role": "assistant", "content": content});
        if !calls.is_empty() {
            expected["tool_calls"] = Value::Array(calls);
        }
        assert_eq!(captured(name).unwrap(), expected, "{name}");
    }
}

#[test]
fn nothing_said_is_nothing_remembered() {
    assert_eq!(chat().assistant_message(&Reply::default()), None);
    let thought = Reply { reasoning_text: "hm".to_owned(), ..Reply::default() };
    assert_eq!(chat().assistant_message(&thought), None, "thought, but not said");
    let said = Reply { plain_text: "hi".to_owned(), ..Reply::default() };
    assert_eq!(of(EndpointKind::Completions).assistant_message(&said), None);
    assert_eq!(of(EndpointKind::Embeddings).assistant_message(&said), None);
}

#[test]
fn messages_of_the_data_set_are_sent_as_they_are_and_stay_in_the_history() {
    let odd =
        json!([{"role": "system", "content": "S", "cache_control": {"type": "x"}}, {"role": "user", "content": null}]);
    let session = conversation("s", vec![raw(&odd), raw(&json!([])), text("then")]);
    let mut history = History::new(ContextMode::DeltasWithoutResponses);
    assert_eq!(messages(&session, 0, &history), odd);
    history.note(&session, 0, Some(json!({"role": "assistant", "content": "A"})));
    history.note(&session, 1, None);
    let mut expected = odd.as_array().unwrap().clone();
    expected.extend([json!({"role": "assistant", "content": "A"}), json!({"role": "user", "content": "then"})]);
    assert_eq!(messages(&session, 2, &history), Value::Array(expected));
}

#[test]
fn a_system_prompt_joins_the_system_message_in_the_history() {
    let mut session = Conversation::clone(&conversation("s", vec![raw(&json!([{"role": "system"}])), text("b")]));
    session.system = Some("Be brief.".into());
    let session = Arc::new(session);
    let mut history = History::new(ContextMode::DeltasWithResponses);
    history.note(&session, 0, Some(json!({"role": "assistant", "content": "dropped"})));
    let expected = json!([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "b"}]);
    assert_eq!(messages(&session, 1, &history), expected);
}

#[test]
fn tools_are_those_of_the_latest_turn_that_brings_any() {
    let with = |name: &str, turn: Turn| Turn { raw_tools: Some(vec![json!({"name": name})]), ..turn };
    let none = Turn { raw_tools: Some(vec![]), ..text("c") };
    let session = conversation("s", vec![with("f", text("a")), with("g", text("b")), none, text("d")]);
    let mut history = History::new(ContextMode::DeltasWithoutResponses);
    for (turn, tool) in [(0, "f"), (1, "g"), (2, "g"), (3, "g")] {
        let body = body(&session, turn, &history, false);
        assert_eq!(body["tools"], json!([{"name": tool}]), "turn {turn}");
        let keys: Vec<&str> = body.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys, ["messages", "model", "stream", "tools"]);
        history.note(&session, turn, None);
    }
}

#[test]
fn each_array_of_a_session_that_sends_whole_arrays_goes_alone() {
    let session = conversation("s", vec![text("a"), text("b")]);
    let mut history = History::new(ContextMode::MessageArrayWithResponses);
    history.note(&session, 0, Some(json!({"role": "assistant", "content": "A"})));
    assert_eq!(messages(&session, 1, &history), json!([{"role": "user", "content": "b"}]));
}

#[test]
fn a_forked_child_speaks_after_its_parents_words() {
    let parent = conversation("parent", vec![raw(&json!([{"role": "user", "content": "p"}]))]);
    let child = conversation("child", vec![raw(&json!([{"role": "user", "content": "c"}]))]);
    let mut history = History::new(parent.context_mode);
    history.note(&parent, 0, Some(json!({"role": "assistant", "content": "P"})));
    let expected = json!([
        {"role": "user", "content": "p"},
        {"role": "assistant", "content": "P"},
        {"role": "user", "content": "c"},
    ]);
    assert_eq!(messages(&child, 0, &history.fork(child.context_mode)), expected);
}

proptest! {
    #[test]
    fn what_is_remembered_is_what_was_said(plain in "\\PC{0,12}", reasoning in "\\PC{0,12}", names in proptest::collection::vec("[a-z]{1,4}", 0..3)) {
        let tool_calls = names.iter().map(|name| ToolCall { name: name.clone(), ..ToolCall::default() }).collect();
        let reply = Reply { plain_text: plain.clone(), reasoning_text: reasoning, tool_calls, ..Reply::default() };
        match chat().assistant_message(&reply) {
            None => prop_assert!(plain.is_empty() && names.is_empty()),
            Some(message) => {
                prop_assert_eq!(message["content"].as_str().unwrap_or_default(), plain);
                prop_assert_eq!(message["tool_calls"].as_array().map_or(0, Vec::len), names.len());
            }
        }
    }

    #[test]
    fn fragments_give_the_call_however_the_arguments_are_cut(arguments in "\\PC{1,30}", cut in 0_usize..30) {
        let at = arguments.char_indices().nth(cut).map_or(arguments.len(), |(at, _)| at);
        let delta = |call: Value| json!({"choices": [{"delta": {"tool_calls": [call]}}]});
        let events = [
            delta(json!({"index": 0, "id": "c", "function": {"name": "f", "arguments": &arguments[..at]}})),
            delta(json!({"index": 0, "function": {"arguments": &arguments[at..]}})),
        ];
        let body = format!("data: {}\n\ndata: {}\n\ndata: [DONE]\n\n", events[0], events[1]);
        let reply = heard(body.as_bytes()).unwrap();
        prop_assert_eq!(reply.tool_calls, vec![ToolCall { id: "c".into(), name: "f".into(), arguments, ..ToolCall::default() }]);
    }
}
