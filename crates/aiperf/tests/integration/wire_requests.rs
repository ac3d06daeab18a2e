//! Every command line of the captures, run by this program: what a server gets is what it got from the reference, request line,
//! headers in their order, bodies, connections. Each difference stands in a table here, and in `docs/compatibility.md`.

use std::collections::BTreeMap;

use aiperf_test_tools::available;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::support::{
    CapturedRequest, CapturedRun, Program, ReceivedRequest, RecordedReply, TestServer, captured_runs, recordings,
    wait_for,
};

/// Words that the reference accepts without effect and that are refused here: run, words, what the refusal names.
const REFUSED: [(&str, [&str; 2], &str); 2] = [
    ("completions-chatinput", ["--shared-system-prompt-length", "6"], "--shared-system-prompt-length"),
    ("raw-chat", ["--extra-inputs", "temperature:0.5"], "temperature"),
];

/// Places where the body differs on purpose: run, number of the request, place, what the reference sends, what goes out here.
const DIFFERENT: [(&str, usize, &str, &str, &str); 1] =
    [("hist-reasoning", 1, "/messages/1/content", "Think hardHello world!", "Hello world!")];

/// The two URLs of this run were two servers, which the capture calls by one name.
const OF_TWO_SERVERS: &str = "h-multiurl";

/// Calls that are not inference requests. In the reference they carry the headers of the library that makes them.
const HOOKS: [&str; 3] = ["/reset_prefix_cache", "/start_profile", "/stop_profile"];
const HOOK_WORDS: [&str; 2] = ["--reset-kv-cache", "--server-profiler"];

#[test]
fn the_server_gets_what_the_reference_sends() {
    let (films, others): (Vec<CapturedRun>, Vec<CapturedRun>) = captured_runs().into_iter().partition(has_film);
    assert_as_captured(&others);
    let requests: usize = others.iter().chain(&films).map(|run| run.requests.len()).sum();
    assert_eq!((others.len(), films.len(), requests), (76, 2, 132), "runs and requests in the captures");
}

/// Films are encoded by ffmpeg, which not every machine has.
#[test]
fn the_server_gets_the_films_that_the_reference_sends() {
    if available(&[&["ffmpeg", "-version"]]) {
        let films: Vec<CapturedRun> = captured_runs().into_iter().filter(has_film).collect();
        assert_as_captured(&films);
    }
}

fn has_film(run: &CapturedRun) -> bool {
    run.words.iter().any(|word| word.starts_with("--video-"))
}

fn assert_as_captured(runs: &[CapturedRun]) {
    let wrong: Vec<String> =
        runs.iter().flat_map(|run| check(run).into_iter().map(|what| format!("{}: {what}", run.name))).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Captures of GenAI-Perf, which came without their command lines: type, words, and the row that the first request was made of.
#[test]
fn the_types_of_genai_perf_send_its_bodies_with_our_headers() {
    let captures = genai_perf_bodies();
    let first = |case: &str| captures[case].1.clone();
    let part = |case: &str, at: usize| first(case)["messages"][0]["content"][at].clone();
    let text = part("vision", 0)["text"].clone();
    let sound = &part("multimodal", 2)["input_audio"];
    let sound = format!("{},{}", sound["format"].as_str().unwrap(), sound["data"].as_str().unwrap());
    let url = |part: Value| part["image_url"]["url"].clone();
    let urls =
        |list: &Value| -> Vec<Value> { list.as_array().unwrap().iter().map(|image| image["url"].clone()).collect() };
    let ranked = json!({"texts": [
        {"name": "query", "contents": ["Q3"]}, {"name": "passages", "contents": ["P one", "P four"]}]});
    let seen = first("nvclip")["input"].as_array().unwrap().clone();
    let rows = [
        ("rankings", "rankings", ranked.clone()),
        ("rankings-tei", "rankings --custom-endpoint /rerank --extra-inputs rankings:tei", ranked),
        ("generate", "generate", json!({"text": first("generate")["text_input"][0], "output_length": 5})),
        ("vision", "vision", json!({"text": text, "image": url(part("vision", 1))})),
        (
            "multimodal",
            "multimodal --streaming",
            json!({"text": text, "image": url(part("multimodal", 1)), "audio": sound}),
        ),
        ("nvclip", "nvclip", json!({"text": seen[0], "images": seen[1..]})),
        ("embeddings", "embeddings", json!({"texts": first("embeddings")["input"]})),
        ("image_retrieval", "image_retrieval", json!({"images": urls(&first("image_retrieval")["input"])})),
    ];
    for (case, kind, row) in &rows {
        let server = TestServer::start(|number, request| answer("", number, request));
        let tokenizer = if *kind == "image_retrieval" { "" } else { "--tokenizer builtin" };
        let words = format!("--url http://{} -m m1 --endpoint-type {kind} {tokenizer}", server.addr);
        Program::profile(&words)
            .with("--input-file rows.jsonl --custom-dataset-type single_turn --request-count 1")
            .file("rows.jsonl", &row.to_string())
            .run();
        let sent = server.received().swap_remove(0);
        assert_eq!(
            (&sent.target, std::str::from_utf8(&sent.body).unwrap()),
            (&captures[*case].0, &*first(case).to_string())
        );
        let names: Vec<&str> = sent.headers.iter().map(|(name, _)| name.as_str()).collect();
        let expected =
            "Host User-Agent X-Request-ID X-Correlation-ID Accept Content-Type X-Session-Affinity Content-Length";
        assert_eq!(names.join(" "), expected, "{case}");
    }
    // These are AIPerf's here, as the page on compatibility says.
    let others = ["chat", "chat-extra", "completions", "huggingface_generate", "template"];
    assert_eq!(rows.len() + others.len(), captures.len());
}

/// Target and body of the first request of each capture.
fn genai_perf_bodies() -> BTreeMap<String, (String, Value)> {
    let file = std::fs::read(recordings().join("requests/genai-perf-http.json")).unwrap();
    let captures: Value = serde_json::from_slice(&file).unwrap();
    let first = |case: &Value| {
        let (name, request) = (case["case"].as_str().unwrap(), &case["requests"][0]);
        (name.to_owned(), (request["path"].as_str().unwrap().to_owned(), request["json"].clone()))
    };
    captures["cases"].as_array().unwrap().iter().map(first).collect()
}

/// Runs the command line, and says where what arrives is not what was captured.
fn check(run: &CapturedRun) -> Vec<String> {
    let mut words = run.words.clone();
    if let Some((_, refused, named)) = REFUSED.iter().find(|(name, ..)| *name == run.name) {
        let ended = program(run, &words, "localhost:9").run();
        assert_eq!(ended.code, Some(1), "{}", run.name);
        assert!(ended.stderr.contains(named), "{}", ended.stderr);
        let at = words.windows(2).position(|pair| pair == refused).unwrap();
        words.drain(at..at + 2);
    }
    let mut expected: Vec<&CapturedRequest> = run.requests.iter().collect();
    let called = |hook: &str| run.requests.iter().any(|request| request.target == hook);
    if HOOKS.into_iter().any(called)
        && program(run, &words, "localhost:9").run().stderr.contains("is not supported yet")
    {
        // Refused by name; what it would have sent is not expected then.
        words.retain(|word| !HOOK_WORDS.contains(&&**word));
        expected.retain(|request| !HOOKS.contains(&&*request.target));
    }
    let name = run.name.clone();
    let server = TestServer::start(move |number, request| answer(&name, number, request));
    let ended = program(run, &words, &server.addr.to_string()).run();
    // A request that was given up at once may be read by the server a little later.
    let patient = run.name.starts_with("h-cancel");
    let mut seen = wait_for("all requests to arrive", || {
        let seen = server.received();
        (!patient || seen.len() >= expected.len()).then_some(seen)
    });
    if seen.len() != expected.len() {
        return vec![format!("{} requests came instead of {}: {}", seen.len(), expected.len(), ended.stderr)];
    }
    seen.sort_by_key(|request| request.connection);
    let mut wrong = compared(run, &expected, &seen, &server.addr.to_string());
    let connections: (Vec<usize>, Vec<usize>) =
        expected.iter().zip(&seen).map(|(theirs, ours)| (theirs.connection, ours.connection)).unzip();
    // The hooks have connections of their own, which are counted too.
    let complete = expected.len() == run.requests.len();
    if complete && connections.0 != connections.1 && run.name != OF_TWO_SERVERS {
        wrong.push(format!("connections {:?} instead of {:?}", connections.1, connections.0));
    }
    wrong
}

fn compared(run: &CapturedRun, expected: &[&CapturedRequest], seen: &[ReceivedRequest], host: &str) -> Vec<String> {
    let generated = run.files.is_empty();
    let (mut their_ids, mut our_ids) = (Vec::new(), Vec::new());
    let mut wrong = Vec::new();
    for (number, (theirs, ours)) in expected.iter().zip(seen).enumerate() {
        let mut expected =
            (line_of(&theirs.method, &theirs.target), headers_of(&theirs.headers, "localhost:8000", &mut their_ids));
        let mut found = (line_of(&ours.method, &ours.target), headers_of(&ours.text_headers(), host, &mut our_ids));
        if HOOKS.contains(&&*theirs.target) {
            (expected.1, found.1) = (Vec::new(), Vec::new());
        }
        if expected != found {
            wrong.push(format!("\n  theirs {expected:?}\n  ours   {found:?}"));
        }
        let mut body = theirs.body.clone();
        for (_, _, place, said, says) in DIFFERENT.iter().filter(|row| (row.0, row.1) == (&run.name, number)) {
            let there = body.pointer_mut(place).unwrap();
            assert_eq!(there, said);
            *there = json!(says);
        }
        wrong.extend(body_difference(&body, ours, generated));
    }
    wrong
}

/// A command line against a server here, with the tokenizer that needs no network.
fn program(run: &CapturedRun, words: &[String], host: &str) -> Program {
    let mut program = Program::profile("--ui none");
    for (name, contents) in &run.files {
        program = program.bytes(name, contents);
    }
    for (name, value) in &run.variables {
        program = program.env(name, value.replace("localhost:8000", host));
    }
    // For films.
    program = program.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    let without_text = ["image-retrieval", "audio-transcription"];
    if !words.iter().any(|word| without_text.contains(&word.as_str())) {
        program = program.with("--tokenizer builtin");
    }
    words.iter().fold(program, |program, word| program.word(word.replace("localhost:8000", host)))
}

/// Method and target. The id of a job is the server's.
fn line_of(method: &str, target: &str) -> String {
    match target.split_once("video_") {
        Some((before, after)) => {
            format!("{method} {before}video_1{}", after.trim_start_matches(|digit: char| digit.is_ascii_digit()))
        }
        None => format!("{method} {target}"),
    }
}

/// The headers with what must differ made alike: address, version, boundary, and each id by the order of its first use.
fn headers_of(headers: &[(String, String)], host: &str, ids: &mut Vec<String>) -> Vec<(String, String)> {
    let mut alike = |name: &str, value: &str| -> String {
        if value.starts_with("<uuid-") || (value.len() == 36 && value.matches('-').count() == 4) {
            let place = ids.iter().position(|id| id == value).unwrap_or_else(|| {
                ids.push(value.to_owned());
                ids.len() - 1
            });
            return format!("<id {place}>");
        }
        match name {
            "Host" if value == host => "<host>".to_owned(),
            "User-Agent" if value.starts_with("aiperf/") => "aiperf/<version>".to_owned(),
            "Content-Length" => "<length>".to_owned(),
            _ => match value.split_once("boundary=") {
                Some((before, _)) => format!("{before}boundary=<boundary>"),
                None => value.to_owned(),
            },
        }
    };
    headers.iter().map(|(name, value)| (name.clone(), alike(name, value))).collect()
}

fn body_difference(theirs: &Value, ours: &ReceivedRequest, generated: bool) -> Option<String> {
    let length = ours.header("content-length").map(|length| length.parse().unwrap());
    if length.unwrap_or(0) != ours.body.len() {
        return Some(format!("Content-Length is {length:?}, and the body has {} bytes", ours.body.len()));
    }
    let found = match theirs {
        Value::Null => Value::Null,
        Value::Array(_) => form_of(ours),
        _ => {
            let text = std::str::from_utf8(&ours.body).unwrap();
            let found: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
            assert_eq!(found.to_string(), text, "blanks or escapes that the reference does not send");
            found
        }
    };
    if theirs.is_null() && !ours.body.is_empty() {
        return Some(format!("a body where there was none: {:?}", String::from_utf8_lossy(&ours.body)));
    }
    let found = if generated { likened(theirs, &found, "") } else { found };
    // Compared as text: the order of keys counts.
    let (theirs, ours) = (theirs.to_string(), found.to_string());
    (theirs != ours).then(|| format!("\n  theirs {theirs}\n  ours   {ours}"))
}

/// Keys under which both tools put what each of them generates for itself.
const GENERATED: [&str; 16] = [
    "content",
    "text",
    "prompt",
    "input",
    "inputs",
    "query",
    "documents",
    "texts",
    "url",
    "image_url",
    "data",
    "system",
    "instructions",
    "value",
    "value_b64",
    "previous_response_id",
];

/// `ours` with generated contents replaced by those of `theirs`, where they are of the same kind.
fn likened(theirs: &Value, ours: &Value, key: &str) -> Value {
    match (theirs, ours) {
        (Value::Object(theirs), Value::Object(ours)) => {
            let like = |(key, value): (&String, &Value)| {
                let there = theirs.get(key).unwrap_or(&Value::Null);
                (key.clone(), likened(there, value, key))
            };
            Value::Object(ours.iter().map(like).collect())
        }
        (Value::Array(theirs), Value::Array(ours)) => {
            let like = |(at, value): (usize, &Value)| likened(theirs.get(at).unwrap_or(&Value::Null), value, key);
            Value::Array(ours.iter().enumerate().map(like).collect())
        }
        (Value::String(there), Value::String(here)) if GENERATED.contains(&key) && kind_of(there) == kind_of(here) => {
            theirs.clone()
        }
        _ => ours.clone(),
    }
}

/// What a generated text is made of: whether there are words before a data URL, and of which type that is. What the server said
/// before is not generated text.
fn kind_of(text: &str) -> (bool, Option<&str>) {
    let media = text.find("data:").map(|at| text[at..].split(',').next().unwrap());
    (!text.starts_with("data:") && !text.is_empty() && text != "Hello world!", media)
}

/// The parts of a form as the captures have them.
fn form_of(request: &ReceivedRequest) -> Value {
    let content_type = request.header("content-type").unwrap();
    let boundary = content_type.split_once("boundary=").unwrap().1;
    let body = [b"\r\n", &*request.body].concat();
    let delimiter = format!("\r\n--{boundary}").into_bytes();
    let at: Vec<usize> = (0..body.len()).filter(|at| body[*at..].starts_with(&delimiter)).collect();
    assert_eq!(&body[at[at.len() - 1] + delimiter.len()..], b"--\r\n");
    let part = |from: usize, to: usize| {
        let part = &body[from + delimiter.len() + 2..to];
        let head = part.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        let lines = std::str::from_utf8(&part[..head]).unwrap().split("\r\n");
        let headers: Vec<Value> = lines.map(|line| json!(line.split_once(": ").unwrap())).collect();
        let value = &part[head + 4..];
        match std::str::from_utf8(value) {
            Ok(text) if !headers.iter().any(|header| header.to_string().contains("filename")) => {
                json!({"headers": headers, "value": text})
            }
            _ => json!({"headers": headers, "value_b64": STANDARD.encode(value)}),
        }
    };
    Value::Array(at.windows(2).map(|pair| part(pair[0], pair[1])).collect())
}

/// What the server of the captures answered, as far as it shows in later requests.
fn answer(run: &str, number: usize, request: &ReceivedRequest) -> RecordedReply {
    let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let path = request.target.split('?').next().unwrap();
    let streaming = body["stream"] == true;
    let either = |streamed: &str, whole: &str| RecordedReply::recorded(if streaming { streamed } else { whole });
    let mut answer = match path {
        _ if request.header("x-slow").is_some() => RecordedReply { silent: true, ..RecordedReply::default() },
        _ if body["model"].as_str().is_some_and(|model| model.starts_with("fx-")) => {
            RecordedReply::recorded(&body["model"].as_str().unwrap()[3..])
        }
        "/redir" => {
            let mut answer = RecordedReply::of("text/plain", "");
            answer.status = if run == "i-redir302" { 302 } else { 307 };
            answer.headers.push(("Location".to_owned(), "/v1/chat/completions".to_owned()));
            answer
        }
        "/v1/models" => RecordedReply::json(&json!({"object": "list", "data": [{"id": "m1", "object": "model"}]})),
        "/v1/completions" => either("completions-vllm", "completions-full"),
        "/v1/responses" if streaming => RecordedReply::recorded("responses-text"),
        "/v1/responses" => RecordedReply::json(&json!({
            "id": "resp_1", "object": "response", "status": "completed", "store": body["store"] == true,
            "output": [{"id": "msg_1", "type": "message", "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": "Hello world!", "annotations": []}]}],
            "usage": {"input_tokens": 7, "output_tokens": 3, "total_tokens": 10},
        })),
        "/v1/messages" if streaming => RecordedReply::recorded("messages-text"),
        "/v1/messages" => RecordedReply::json(&json!({
            "id": "msg_1", "type": "message", "role": "assistant", "stop_reason": "end_turn",
            "content": [{"type": "text", "text": "Hello world!"}], "usage": {"input_tokens": 7, "output_tokens": 3},
        })),
        "/v1/embeddings" | "/emb" => RecordedReply::recorded("embeddings-full"),
        "/v2/rerank" => RecordedReply::recorded("cohere-rankings-full"),
        "/rerank" => RecordedReply::recorded("hf-tei-rankings-full"),
        "/v1/ranking" => RecordedReply::recorded("nim-rankings-full"),
        path if path.ends_with("m1/generate") => RecordedReply::recorded("triton-generate-full"),
        "/generate" => RecordedReply::recorded("hf-generate-full"),
        "/generate_stream" => RecordedReply::recorded("hf-generate-stream"),
        "/v1/images/generations" => either("image-generation-stream", "image-generation-full"),
        "/v1/images/edits" => RecordedReply::recorded("image-generation-full"),
        "/v1/infer" => RecordedReply::recorded("image-retrieval-full"),
        "/v1/audio/transcriptions" => RecordedReply::recorded("audio-transcription-json"),
        "/rag/api/prompt" => RecordedReply::recorded("solido-rag-full"),
        "/v1/videos" => RecordedReply::recorded("video-queued"),
        "/v1/videos/video_1" => {
            RecordedReply::recorded(if number < 3 { "video-in-progress" } else { "video-completed" })
        }
        "/v1/videos/video_1/content" => RecordedReply::of("video/mp4", "film"),
        "/custom/path" | "/tpl" => RecordedReply::json(&json!({"text": "Hello world!"})),
        _ => either("chat-vllm", "chat-full"),
    };
    answer.close_after = request.header("x-closeafter").is_some();
    answer
}
