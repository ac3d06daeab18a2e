//! Bodies against those that the reference sent for the same turns and options: the same bytes, key order included.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::sync::Arc;

use aiperf_conversation::{ContextMode, Conversation, Lineage, Media, Role, SessionId, Turn};
use aiperf_endpoint::{BodyOptions, BuildError, EndpointSettings, Past, TurnRequest, check_turns, of};
use aiperf_protocol::EndpointKind;
use serde_json::{Map, Value, json};

/// What the flags of a captured case ask for beyond `--streaming` and the token limit, which are read from them.
#[derive(Default)]
struct Asked {
    extra_inputs: Value,
    turn_extras: Value,
}

fn asked(case: &str, request: usize) -> Asked {
    match (case, request) {
        ("chat-opts", _) => Asked {
            extra_inputs: json!({"temperature": 0.7, "top_p": 1, "ignore_eos": true, "nothing": null, "s": "0012",
                "nested": {"a": [1, 2]}, "min_tokens": 5}),
            ..Asked::default()
        },
        ("chat-stream-off", _) => Asked {
            extra_inputs: json!({"stream_options": {"include_usage": false}, "model": "override"}),
            ..Asked::default()
        },
        ("chat-mm", 1) => Asked { turn_extras: json!({"temperature": 0.25, "stop": ["x"]}), ..Asked::default() },
        ("chat-mt", 2) => Asked { turn_extras: json!({"seed": 42}), ..Asked::default() },
        _ => Asked::default(),
    }
}

/// What a turn cannot express: a body that a trace brings ready-made.
const NOT_OF_TURNS: [(&str, usize); 1] = [("chat-payload", 0)];

fn object(value: Value) -> Map<String, Value> {
    if let Value::Object(fields) = value { fields } else { Map::new() }
}

/// The turn that a captured message was made of.
fn turn_of(message: &Value) -> Turn {
    let text = |value: &Value| Media::unnamed(value.as_str().unwrap());
    let mut turn = Turn { model: "m1".into(), ..Turn::default() };
    if message["role"] != "user" {
        turn.role = Some(Role(message["role"].as_str().unwrap().into()));
    }
    match &message["content"] {
        Value::Array(parts) => {
            for part in parts {
                match part["type"].as_str().unwrap() {
                    "text" => turn.texts.push(text(&part["text"])),
                    "image_url" => {
                        turn.images.push(text(&part["image_url"]["url"]));
                        turn.image_uuids.extend(part["uuid"].as_str().map(str::to_owned));
                    }
                    "video_url" => turn.videos.push(text(&part["video_url"]["url"])),
                    "input_audio" => {
                        let audio = &part["input_audio"];
                        let (format, data) = (audio["format"].as_str().unwrap(), audio["data"].as_str().unwrap());
                        turn.audios.push(Media::unnamed(format!("{format},{data}")));
                    }
                    other => panic!("{other}"),
                }
            }
        }
        content => turn.texts.push(text(content)),
    }
    turn
}

fn conversation(turns: Vec<Turn>) -> Conversation {
    Conversation {
        session_id: SessionId("s-1".into()),
        turns,
        system: None,
        user_context: None,
        context_mode: ContextMode::default(),
        lineage: Lineage::Root,
    }
}

/// The conversation and history behind a captured chat body.
fn chat_conversation(flags: &str, body: &Value) -> (Conversation, Vec<Past>) {
    let mut messages = body["messages"].as_array().unwrap().as_slice();
    let mut leading = |flag: &str| {
        let here = flags.contains(flag);
        here.then(|| {
            let text = messages[0]["content"].as_str().unwrap();
            messages = &messages[1..];
            text.into()
        })
    };
    let system = leading("--shared-system-prompt-length");
    let user_context = leading("--user-context-prompt-length");
    let list = |value: &Value| value.as_array().cloned();
    if let Some(raw_tools) = list(&body["tools"]) {
        let raw_messages = list(&body["messages"]);
        let turn = Turn { raw_messages, raw_tools: Some(raw_tools), model: "m1".into(), ..Turn::default() };
        return (conversation(vec![turn]), Vec::new());
    }
    let turns: Vec<Turn> = messages.iter().filter(|said| said["role"] != "assistant").map(turn_of).collect();
    let said = Conversation { system, user_context, ..conversation(turns) };
    let shared = Arc::new(said.clone());
    let mut history = Vec::new();
    let mut turn = 0;
    for message in &messages[..messages.len() - 1] {
        history.push(if message["role"] == "assistant" {
            Past::Message(Arc::new(message.clone()))
        } else {
            turn += 1;
            Past::Turn { conversation: Arc::clone(&shared), turn: turn - 1 }
        });
    }
    (said, history)
}

fn text_conversation(texts: &Value) -> Conversation {
    let texts = texts.as_array().cloned().unwrap_or_else(|| vec![texts.clone()]);
    let contents = texts.iter().map(|text| text.as_str().unwrap().into()).collect();
    let media = Media { name: "text".to_owned(), contents };
    conversation(vec![Turn { texts: vec![media], model: "m1".into(), ..Turn::default() }])
}

fn check(kind: EndpointKind, file: &str) -> usize {
    let cases: Value = serde_json::from_str(file).unwrap();
    let mut checked = 0;
    for case in cases["cases"].as_array().unwrap() {
        let (name, flags) = (case["case"].as_str().unwrap(), case["flags"].as_str().unwrap());
        for (index, request) in case["requests"].as_array().unwrap().iter().enumerate() {
            if NOT_OF_TURNS.contains(&(name, index)) {
                continue;
            }
            let body = &request["json"];
            let (mut conversation, history) = match kind {
                EndpointKind::Chat => chat_conversation(flags, body),
                EndpointKind::Completions => (text_conversation(&body["prompt"]), Vec::new()),
                _ => (text_conversation(&body["input"]), Vec::new()),
            };
            let Asked { extra_inputs, turn_extras } = asked(name, index);
            let options = BodyOptions {
                streaming: flags.contains("--streaming"),
                legacy_max_tokens: flags.contains("--use-legacy-max-tokens"),
                per_chunk_usage: flags.contains("--per-chunk-usage"),
                force_content_parts: flags.contains("FORCE_CONTENT_PARTS=true"),
                extra_inputs: object(extra_inputs),
                ..BodyOptions::default()
            };
            let turn = conversation.turns.len() - 1;
            let limit = body.get("max_completion_tokens").or_else(|| body.get("max_tokens"));
            conversation.turns[turn].max_tokens = limit.map(|limit| limit.as_u64().unwrap() as u32);
            conversation.turns[turn].extra_body = turn_extras.is_object().then(|| object(turn_extras));
            let sent = TurnRequest { conversation: &conversation, turn, history: &history, options: &options };
            let bytes = of(kind, &EndpointSettings::default()).body(&sent).unwrap();
            assert_eq!(String::from_utf8(bytes.clone()).unwrap(), body.to_string(), "{name} {index}");
            let length = request["headers"].as_array().unwrap().iter().find(|h| h[0] == "Content-Length").unwrap();
            assert_eq!(length[1], bytes.len().to_string(), "{name} {index}");
            checked += 1;
        }
    }
    checked
}

#[test]
fn chat_bodies_are_those_of_the_reference() {
    assert_eq!(check(EndpointKind::Chat, include_str!("fixtures/requests/chat.json")), 28);
}

#[test]
fn completions_bodies_are_those_of_the_reference() {
    assert_eq!(check(EndpointKind::Completions, include_str!("fixtures/requests/completions.json")), 3);
}

#[test]
fn embeddings_bodies_are_those_of_the_reference() {
    assert_eq!(check(EndpointKind::Embeddings, include_str!("fixtures/requests/embeddings.json")), 1);
}

fn body(kind: EndpointKind, conversation: &Conversation, options: &BodyOptions) -> Result<Value, BuildError> {
    let request = TurnRequest { conversation, turn: 0, history: &[], options };
    of(kind, &EndpointSettings::default()).body(&request).map(|bytes| serde_json::from_slice(&bytes).unwrap())
}

fn chat(conversation: &Conversation, options: &BodyOptions) -> Value {
    body(EndpointKind::Chat, conversation, options).unwrap()
}

fn streaming(extra_inputs: Value) -> BodyOptions {
    BodyOptions { streaming: true, extra_inputs: object(extra_inputs), ..BodyOptions::default() }
}

#[test]
fn the_users_stream_options_are_kept() {
    let hello = text_conversation(&json!("hello"));
    let options = |extra: Value| chat(&hello, &streaming(extra))["stream_options"].clone();
    assert_eq!(options(json!({"stream_options": {"a": 1}})), json!({"a": 1, "include_usage": true}));
    assert_eq!(options(json!({"stream_options": null})), json!({"include_usage": true}));
    assert_eq!(options(json!({"stream_options": "x"})), json!("x"));
    assert_eq!(options(json!({"stream": false})), Value::Null);
    let switched_on = BodyOptions { streaming: false, ..streaming(json!({"stream": true})) };
    assert_eq!(chat(&hello, &switched_on)["stream_options"], json!({"include_usage": true}));
}

#[test]
fn a_turns_extras_lie_over_the_users() {
    let mut hello = text_conversation(&json!("hello"));
    hello.turns[0].extra_body = Some(object(json!({"seed": 2, "stop": "x"})));
    let body =
        chat(&hello, &BodyOptions { extra_inputs: object(json!({"seed": 1, "n": 1})), ..BodyOptions::default() });
    let keys: Vec<&str> = body.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["messages", "model", "stream", "seed", "n", "stop"]);
    assert_eq!(body["seed"], 2);
}

#[test]
fn a_system_prompt_joins_the_system_message_of_the_data_set() {
    let mut said = text_conversation(&json!("Be kind."));
    said.turns[0].role = Some(Role("system".into()));
    said.system = Some("Be brief.".into());
    said.user_context = Some("I am Ada.".into());
    let expected = json!([
        {"role": "system", "content": "Be brief.\n\nBe kind."},
        {"role": "user", "content": "I am Ada."},
    ]);
    assert_eq!(chat(&said, &BodyOptions::default())["messages"], expected);
    let parts = BodyOptions { force_content_parts: true, ..BodyOptions::default() };
    let first = json!([{"type": "text", "text": "Be brief."}, {"type": "text", "text": "Be kind."}]);
    assert_eq!(chat(&said, &parts)["messages"][0]["content"], first);
}

#[test]
fn empty_texts_are_left_out_of_parts_and_nothing_at_all_is_an_empty_string() {
    let content =
        |texts: Value| chat(&text_conversation(&texts), &BodyOptions::default())["messages"][0]["content"].clone();
    assert_eq!(content(json!(["", "a"])), json!([{"type": "text", "text": "a"}]));
    assert_eq!(content(json!(["", ""])), json!(""));
    assert_eq!(content(json!([])), json!(""));
}

#[test]
fn audio_comes_in_two_notations_and_no_third() {
    let mut heard = text_conversation(&json!("Listen"));
    let part = |conversation: &Conversation| {
        body(EndpointKind::Chat, conversation, &BodyOptions::default()).map(|b| b["messages"][0]["content"][1].clone())
    };
    heard.turns[0].audios = vec![Media::unnamed("data:audio/mp3;base64,SUQz")];
    let expected = json!({"type": "input_audio", "input_audio": {"data": "SUQz", "format": "mp3"}});
    assert_eq!(part(&heard).unwrap(), expected);
    heard.turns[0].audios = vec![Media::unnamed("SUQz")];
    assert!(matches!(part(&heard), Err(BuildError::AudioForm { .. })));
}

#[test]
fn an_api_of_single_texts_refuses_history_media_and_silence() {
    let options = BodyOptions::default();
    for kind in [EndpointKind::Completions, EndpointKind::Embeddings] {
        let mut seen = text_conversation(&json!("a"));
        let history = [Past::Turn { conversation: Arc::new(seen.clone()), turn: 0 }];
        let request = TurnRequest { conversation: &seen, turn: 0, history: &history, options: &options };
        assert!(matches!(of(kind, &EndpointSettings::default()).body(&request), Err(BuildError::OneTurnOnly { .. })));
        seen.turns[0].images = vec![Media::unnamed("http://example.invalid/a.png")];
        assert!(matches!(body(kind, &seen, &options), Err(BuildError::TextOnly { media: "images", .. })));
        assert!(matches!(body(kind, &text_conversation(&json!([])), &options), Err(BuildError::NoText { .. })));
        let messages = Turn { raw_messages: Some(vec![json!({"role": "user", "content": "a"})]), ..Turn::default() };
        assert!(matches!(body(kind, &conversation(vec![messages]), &options), Err(BuildError::NoMessages { .. })));
        assert!(matches!(body(kind, &conversation(vec![]), &options), Err(BuildError::NoSuchTurn { turns: 0, .. })));
    }
}

#[test]
fn a_conversation_that_would_fail_at_its_second_turn_is_known_before_the_run() {
    let mut two = conversation(vec![Turn::default(), Turn::default()]);
    assert_eq!(check_turns(EndpointKind::Chat, &two), Ok(()));
    assert!(matches!(check_turns(EndpointKind::Completions, &two), Err(BuildError::OneTurnOnly { .. })));
    two.context_mode = ContextMode::MessageArrayWithResponses;
    assert_eq!(check_turns(EndpointKind::Completions, &two), Ok(()));
}

#[test]
fn what_was_sent_is_what_is_counted() {
    let mut said = text_conversation(&json!("Hello"));
    said.system = Some("Be brief.".into());
    let options = BodyOptions::default();
    let request = TurnRequest { conversation: &said, turn: 0, history: &[], options: &options };
    let chat = of(EndpointKind::Chat, &EndpointSettings::default());
    assert_eq!(chat.input_text(&chat.body(&request).unwrap()).unwrap().texts, ["Be brief. Hello"]);
}
