//! Bodies of every API against those that the reference sent for the same turns and options.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::path::Path;
use std::sync::Arc;

use aiperf_conversation::{ContextMode, Conversation, Lineage, Media, SessionId, Turn};
use aiperf_endpoint::{BodyOptions, BuildError, EndpointSettings, Past, PayloadTemplate, TurnRequest, of};
use aiperf_protocol::{EndpointKind, TemplateText};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

/// One captured request, and the flags of the run that sent it.
struct Sent {
    flags: String,
    request: Value,
}

fn captured(file: &str, case: &str, index: usize) -> Sent {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/requests").join(format!("{file}.json"));
    let cases: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let found = cases["cases"].as_array().unwrap().iter().find(|found| found["case"] == case).unwrap();
    let flags = found["flags"].as_str().unwrap_or_default().to_owned();
    Sent { flags, request: found["requests"][index].clone() }
}

fn texts(name: &str, contents: &[&str]) -> Media {
    Media { name: name.to_owned(), contents: contents.iter().map(|text| (*text).into()).collect() }
}

fn turn(contents: &[&str]) -> Turn {
    Turn { texts: vec![texts("text", contents)], model: "m1".into(), ..Turn::default() }
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

fn options(sent: &Sent, extra_inputs: Value) -> BodyOptions {
    BodyOptions {
        // The captures of GenAI-Perf come without their flags.
        streaming: sent.flags.contains("--streaming") && !sent.flags.contains("chat-embeddings")
            || sent.flags.is_empty() && sent.request["json"]["stream"] == true,
        server_token_count: sent.flags.contains("--use-server-token-count"),
        extra_inputs: if let Value::Object(extra) = extra_inputs { extra } else { Map::new() },
        ..BodyOptions::default()
    }
}

/// The JSON body of the last turn is the captured one, byte for byte.
fn check(kind: EndpointKind, sent: &Sent, said: &Conversation, history: &[Past], extra: Value) {
    check_with(kind, &EndpointSettings::default(), sent, said, history, extra);
}

fn check_with(
    kind: EndpointKind,
    settings: &EndpointSettings,
    sent: &Sent,
    said: &Conversation,
    history: &[Past],
    extra: Value,
) {
    let options = options(sent, extra);
    let request = TurnRequest { conversation: said, turn: said.turns.len() - 1, history, options: &options };
    let body = of(kind, settings).body(&request).unwrap();
    assert_eq!(String::from_utf8(body).unwrap(), sent.request["json"].to_string());
}

fn check_turn(kind: EndpointKind, file: &str, case: &str, said: Turn, extra: Value) {
    check(kind, &captured(file, case, 0), &conversation(vec![said]), &[], extra);
}

fn string(value: &Value) -> &str {
    value.as_str().unwrap()
}

#[test]
fn responses() {
    let kind = EndpointKind::Responses;
    let (first, second) = (captured("responses", "responses", 0), captured("responses", "responses", 1));
    let items = &second.request["json"]["input"];
    let said = |item: &Value| Turn { max_tokens: Some(5), ..turn(&[string(&item["content"])]) };
    let both = Conversation {
        system: Some(string(&second.request["json"]["instructions"]).into()),
        user_context: Some(string(&items[0]["content"]).into()),
        ..conversation(vec![said(&items[1]), said(&items[3])])
    };
    check(kind, &first, &Conversation { turns: vec![both.turns[0].clone()], ..both.clone() }, &[], json!({}));
    let before = Past::Turn { conversation: Arc::new(both.clone()), turn: 0 };
    let reply = |fields: Value| Past::Message(Arc::new(fields));
    let history = [before.clone(), reply(json!({"output": [items[2]], "id": "resp_9", "store": false}))];
    check(kind, &second, &both, &history, json!({}));

    let stored = captured("responses", "responses-store", 1);
    let id = &stored.request["json"]["previous_response_id"];
    let history = [before, reply(json!({"output": [items[2]], "id": id, "store": true}))];
    let newest = Conversation { turns: vec![both.turns[0].clone(), said(&stored.request["json"]["input"][0])], ..both };
    check(kind, &stored, &newest, &history, json!({"store": true}));
    // A server that keeps replies unasked is relied on as well, as long as it counts the tokens.
    let asked = options(&stored, json!({}));
    let request = TurnRequest { conversation: &newest, turn: 1, history: &history, options: &asked };
    let body: Value = serde_json::from_slice(&of(kind, &EndpointSettings::default()).body(&request).unwrap()).unwrap();
    assert_eq!(body["previous_response_id"], *id);

    let streamed = captured("responses", "responses-stream", 0);
    let one = conversation(vec![said(&streamed.request["json"]["input"][0])]);
    check(kind, &streamed, &one, &[], json!({}));

    let mixed = captured("responses", "responses-mm", 0);
    let parts = &mixed.request["json"]["input"][0]["content"];
    let audio = &parts[2]["input_audio"];
    let seen = Turn {
        images: vec![Media::unnamed(string(&parts[1]["image_url"]))],
        audios: vec![Media::unnamed(format!("{},{}", string(&audio["format"]), string(&audio["data"])))],
        ..turn(&[string(&parts[0]["text"])])
    };
    check(kind, &mixed, &conversation(vec![seen]), &[], json!({}));
}

#[test]
fn messages() {
    let kind = EndpointKind::Messages;
    let second = captured("messages", "messages", 1);
    let list = &second.request["json"]["messages"];
    let said = Conversation {
        system: Some(string(&second.request["json"]["system"]).into()),
        user_context: Some(string(&list[0]["content"]).into()),
        ..conversation(vec![turn(&[string(&list[1]["content"])]), turn(&[string(&list[3]["content"])])])
    };
    let history =
        [Past::Turn { conversation: Arc::new(said.clone()), turn: 0 }, Past::Message(Arc::new(list[2].clone()))];
    check(kind, &second, &said, &history, json!({}));
    let alone = Conversation { turns: vec![said.turns[0].clone()], ..said };
    check(kind, &captured("messages", "messages", 0), &alone, &[], json!({}));

    let streamed = captured("messages", "messages-stream", 0);
    let parts = &streamed.request["json"]["messages"][0]["content"];
    let source = &parts[1]["source"];
    let url = format!("data:{};base64,{}", string(&source["media_type"]), string(&source["data"]));
    let seen = Turn { images: vec![Media::unnamed(url)], max_tokens: Some(5), ..turn(&[string(&parts[0]["text"])]) };
    check(kind, &streamed, &conversation(vec![seen]), &[], json!({"temperature": 0.5}));
}

#[test]
fn embeddings_of_chats_and_images() {
    let sent = captured("chat-embeddings", "chat-embeddings", 0);
    let parts = &sent.request["json"]["messages"][0]["content"];
    let image = Media::unnamed(string(&parts[1]["image_url"]["url"]));
    let seen = Turn { images: vec![image.clone()], ..turn(&[string(&parts[0]["text"])]) };
    check(EndpointKind::ChatEmbeddings, &sent, &conversation(vec![seen.clone()]), &[], json!({}));
    check_turn(EndpointKind::NimEmbeddings, "nim-embeddings", "nim-embeddings-img", seen.clone(), json!({}));
    let text = captured("nim-embeddings", "nim-embeddings", 0);
    let inputs = &text.request["json"]["input"];
    let two = turn(&[string(&inputs[0]), string(&inputs[1])]);
    check(EndpointKind::NimEmbeddings, &text, &conversation(vec![two]), &[], json!({"input_type": "query"}));

    let unpaired = conversation(vec![Turn { images: vec![image.clone(), image], ..seen }]);
    let asked = BodyOptions::default();
    let request = TurnRequest { conversation: &unpaired, turn: 0, history: &[], options: &asked };
    let nim = of(EndpointKind::NimEmbeddings, &EndpointSettings::default());
    assert!(matches!(nim.body(&request), Err(BuildError::Unpaired { texts: 1, images: 2, .. })));
}

#[test]
fn rankings() {
    let ranked = |query: &str, passages: &[&str]| Turn {
        texts: vec![texts("query", &[query]), texts("passages", passages)],
        model: "m1".into(),
        ..Turn::default()
    };
    let of_query = |file: &str, case: &str, list: &str| {
        let sent = captured(file, case, 0);
        let body = sent.request["json"].clone();
        let passages: Vec<&str> = body[list].as_array().unwrap().iter().map(string).collect();
        (sent, ranked(string(&body["query"]), &passages))
    };
    for case in ["cohere-rankings", "rank-defaults"] {
        let (sent, said) = of_query("cohere-rankings", case, "documents");
        check(EndpointKind::CohereRankings, &sent, &conversation(vec![said]), &[], json!({}));
    }
    let (sent, said) = of_query("hf-tei-rankings", "hf-tei-rankings", "texts");
    check(EndpointKind::HfTeiRankings, &sent, &conversation(vec![said]), &[], json!({"return_text": true}));
    let nim = ranked("What is AI?", &["AI is X.", "AI is Y."]);
    check_turn(EndpointKind::NimRankings, "nim-rankings", "nim-rankings", nim, json!({}));

    let two = ranked("Q3", &["P one", "P four"]);
    check_turn(EndpointKind::Rankings, "genai-perf-http", "rankings", two.clone(), json!({}));
    check_turn(EndpointKind::Rankings, "genai-perf-http", "rankings-tei", two, json!({"rankings": "tei"}));

    let asked = BodyOptions::default();
    let unnamed = conversation(vec![turn(&["a"])]);
    let request = TurnRequest { conversation: &unnamed, turn: 0, history: &[], options: &asked };
    let nim = of(EndpointKind::NimRankings, &EndpointSettings::default());
    assert!(matches!(nim.body(&request), Err(BuildError::NoQuery { .. })));
}

#[test]
fn generation_of_text_and_images() {
    let prompt = " fiend hath led through fire and through flame";
    let limited = Turn { max_tokens: Some(5), ..turn(&[prompt]) };
    let kind = EndpointKind::HuggingfaceGenerate;
    check_turn(kind, "huggingface-generate", "hf-generate", limited, json!({"temperature": 0.5}));
    let two = turn(&[prompt, " thine eyesMy sometime general I have seen"]);
    check_turn(kind, "huggingface-generate", "hf-generate-stream", two, json!({}));

    let kind = EndpointKind::ImageGeneration;
    let extra = json!({"size": "512x512", "quality": "standard"});
    check_turn(kind, "image-generation", "image-generation", turn(&[prompt]), extra);
    check_turn(kind, "image-generation", "image-generation-stream", turn(&[prompt]), json!({"partial_images": 1}));

    check_turn(EndpointKind::SolidoRag, "solido-rag", "solido-rag", turn(&[prompt]), json!({}));
    let other = json!({"filters": {"family": "X"}});
    check_turn(EndpointKind::SolidoRag, "solido-rag", "solido-rag-stream", turn(&[prompt]), other);

    let sent = captured("image-retrieval", "image-retrieval", 0);
    let urls = sent.request["json"]["input"].as_array().unwrap();
    let seen =
        Turn { texts: vec![], images: urls.iter().map(|i| Media::unnamed(string(&i["url"]))).collect(), ..turn(&[]) };
    check(EndpointKind::ImageRetrieval, &sent, &conversation(vec![seen]), &[], json!({}));
}

#[test]
fn types_of_genai_perf() {
    let prompt = " she does That is one of the points";
    let limited = Turn { max_tokens: Some(5), ..turn(&[prompt]) };
    check_turn(EndpointKind::Generate, "genai-perf-http", "generate", limited, json!({}));
    for (kind, case) in [(EndpointKind::Vision, "vision"), (EndpointKind::Multimodal, "multimodal")] {
        let sent = captured("genai-perf-http", case, 0);
        let parts = sent.request["json"]["messages"][0]["content"].as_array().unwrap();
        let mut seen = turn(&[prompt]);
        seen.images = vec![Media::unnamed(string(&parts[1]["image_url"]["url"]))];
        if let Some(audio) = parts.get(2).map(|part| &part["input_audio"]) {
            seen.audios = vec![Media::unnamed(format!("{},{}", string(&audio["format"]), string(&audio["data"])))];
        }
        check(kind, &sent, &conversation(vec![seen]), &[], json!({}));
    }
    let sent = captured("genai-perf-http", "nvclip", 0);
    let inputs: Vec<&str> = sent.request["json"]["input"].as_array().unwrap().iter().map(string).collect();
    let seen = Turn { images: inputs[1..].iter().map(|url| Media::unnamed(*url)).collect(), ..turn(&[inputs[0]]) };
    let said = conversation(vec![seen]);
    check(EndpointKind::Nvclip, &sent, &said, &[], json!({}));

    let clip = of(EndpointKind::Nvclip, &EndpointSettings::default());
    let asked = BodyOptions::default();
    let request = TurnRequest { conversation: &said, turn: 0, history: &[], options: &asked };
    let counted = clip.input_text(&clip.body(&request).unwrap()).unwrap();
    assert_eq!((counted.texts, counted.images as usize), (vec![prompt.to_owned()], inputs.len() - 1));
}

/// The parts of a form as the captures show them.
fn parts(body: &[u8]) -> Vec<Value> {
    let end = body.windows(2).position(|two| two == b"\r\n").unwrap();
    let boundary = [b"\r\n", &body[..end]].concat();
    let mut found = Vec::new();
    let mut rest = &body[end..];
    while let Some(next) = rest.windows(boundary.len()).position(|window| window == boundary) {
        let part = &rest[2..next];
        let head = part.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        let headers: Vec<Value> = std::str::from_utf8(&part[..head])
            .unwrap()
            .split("\r\n")
            .map(|line| json!(line.split_once(": ").unwrap()))
            .collect();
        let value = &part[head + 4..];
        found.push(if headers[1][1].as_str().unwrap().contains("filename") {
            json!({"headers": headers, "value_b64": STANDARD.encode(value)})
        } else {
            json!({"headers": headers, "value": std::str::from_utf8(value).unwrap()})
        });
        rest = &rest[next + boundary.len()..];
    }
    assert_eq!(rest, b"--\r\n");
    found
}

fn check_form(kind: EndpointKind, file: &str, case: &str, said: Turn, extra: Value) {
    let sent = captured(file, case, 0);
    let options = options(&sent, extra);
    let said = conversation(vec![said]);
    let request = TurnRequest { conversation: &said, turn: 0, history: &[], options: &options };
    let body = of(kind, &EndpointSettings::default()).body(&request).unwrap();
    assert_eq!(Value::Array(parts(&body)), sent.request["multipart"]);
    let length = sent.request["headers"].as_array().unwrap().iter().find(|h| h[0] == "Content-Length").unwrap();
    assert_eq!(length[1], body.len().to_string());
}

#[test]
fn forms() {
    let prompt = " fiend hath led through fire and through flame";
    let file = |file: &str, case: &str, part: usize| {
        captured(file, case, 0).request["multipart"][part]["value_b64"].as_str().unwrap().to_owned()
    };
    let image = format!("data:image/png;base64,{}", file("image-edit", "image-edit", 4));
    let seen = Turn { images: vec![Media::unnamed(image)], ..turn(&[prompt]) };
    let extra = json!({"size": "512x512", "flag": true, "prompt": "zzz"});
    check_form(EndpointKind::ImageEdit, "image-edit", "image-edit", seen, extra);

    let extra = json!({"seconds": 4, "size": "1280x720"});
    check_form(EndpointKind::VideoGeneration, "video-generation", "video-generation", turn(&[prompt]), extra);

    let (name, plain) = ("audio-transcription", json!({}));
    for (case, extra) in [
        ("audio-transcription", json!({"language": "en", "response_format": "json"})),
        ("audio-transcription-file", plain),
    ] {
        let sound = Media::unnamed(format!("wav,{}", file(name, case, 0)));
        let heard = Turn { texts: vec![], audios: vec![sound], ..turn(&[]) };
        check_form(EndpointKind::AudioTranscription, name, case, heard, extra);
    }
}

#[test]
fn the_image_of_an_edit_is_counted_as_one_and_not_as_text() {
    let settings = EndpointSettings::default();
    for image in ["data:image/png;base64,iVBORw0KGgo=", "https://h/a.png"] {
        let seen = Turn { images: vec![Media::unnamed(image)], ..turn(&["a cat"]) };
        let (conversation, options) = (conversation(vec![seen]), BodyOptions::default());
        let request = TurnRequest { conversation: &conversation, turn: 0, history: &[], options: &options };
        let endpoint = of(EndpointKind::ImageEdit, &settings);
        let input = endpoint.input_text(&endpoint.body(&request).unwrap()).unwrap();
        assert_eq!((input.texts, input.images), (vec!["a cat".to_owned()], 1), "{image}");
    }
}

#[test]
fn templates() {
    let settings = |source: &str| EndpointSettings {
        template: Some(PayloadTemplate::parse(source).unwrap()),
        ..EndpointSettings::default()
    };
    let kind = EndpointKind::Template;
    let named = captured("template", "template-named", 0);
    let texts_sent = &named.request["json"]["text"];
    let two = conversation(vec![turn(&[string(&texts_sent[0]), string(&texts_sent[1])])]);
    let preset = settings(TemplateText::preset("nv-embedqa").unwrap());
    check_with(kind, &preset, &named, &two, &[], json!({"input_type": "query"}));

    let inline = captured("template", "template-inline", 0);
    let source = r#"{"prompt": {{ text|tojson }}, "stream": {{ stream|tojson }}, "max": {{ max_tokens }}}"#;
    let said = Turn { max_tokens: Some(6), ..turn(&[string(&inline.request["json"]["prompt"])]) };
    check_with(kind, &settings(source), &inline, &conversation(vec![said]), &[], json!({}));

    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/requests/template.json");
    let cases: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let of_file = cases["cases"].as_array().unwrap().iter().find(|case| case["case"] == "template-file").unwrap();
    let source = of_file["template_file"].as_str().unwrap();
    let said = Turn {
        texts: vec![texts("query", &["What is \"AI\" & <ML>?"]), texts("passages", &["P one", "P two"])],
        max_tokens: Some(13),
        ..turn(&[])
    };
    let sent = captured("template", "template-file", 0);
    check_with(kind, &settings(source), &sent, &conversation(vec![said]), &[], json!({"extra1": 5}));
}
