//! What the simulator says on the wire has the shape of what real servers say.

mod client;

use client::{SimClient, start, tokens};
use serde_json::{Value, json};

const FAST: &str = "ttft=0&itl=0";
const USAGE: &str = r#""stream":true,"stream_options":{"include_usage":true}"#;

#[test]
fn a_streamed_chat_looks_like_vllm() {
    let sim = start(FAST);
    let response = SimClient::connect(&sim).chat(&format!(r#"{USAGE},"max_completion_tokens":3"#));
    assert_eq!(response.status, 200);
    assert!(response.head.contains("content-type: text/event-stream"));
    assert!(response.complete && response.done());
    let chunks = response.chunks();
    assert_eq!(chunks.len(), 5, "role, three words, usage");
    assert_eq!(chunks[0]["choices"][0]["delta"], json!({"role": "assistant", "content": ""}));
    for chunk in &chunks {
        assert_eq!((&chunk["object"], &chunk["model"]), (&json!("chat.completion.chunk"), &json!("m")));
        assert_eq!(chunk["id"], chunks[0]["id"]);
    }
    let finishes: Vec<&Value> = chunks[..4].iter().map(|chunk| &chunk["choices"][0]["finish_reason"]).collect();
    assert_eq!(finishes, [&Value::Null, &Value::Null, &Value::Null, &json!("length")]);
    assert_eq!(chunks[4]["choices"], json!([]));
    assert_eq!(chunks[4]["usage"], json!({"prompt_tokens": 5, "total_tokens": 8, "completion_tokens": 3}));
    let (text, stamps) = response.text("content");
    assert_eq!((tokens(&text), stamps.len()), (3, 3));
}

#[test]
fn usage_comes_where_it_was_asked_for() {
    let sim = start(FAST);
    let mut client = SimClient::connect(&sim);
    let without = client.chat(r#""stream":true,"max_tokens":2"#);
    assert!(without.chunks().iter().all(|chunk| chunk.get("usage").is_none()));
    let continuous = r#""stream":true,"stream_options":{"include_usage":true,"continuous_usage_stats":true}"#;
    let with = client.chat(&format!(r#"{continuous},"max_tokens":2"#));
    let counts: Vec<u64> =
        with.chunks().iter().map(|chunk| chunk["usage"]["completion_tokens"].as_u64().unwrap()).collect();
    assert_eq!(counts, [0, 1, 2, 2]);
}

#[test]
fn a_server_that_never_reports_usage_is_silent_about_it() {
    let sim = start("ttft=0&itl=0&usage=never");
    let streamed = SimClient::connect(&sim).chat(USAGE);
    assert!(streamed.done() && streamed.chunks().iter().all(|chunk| chunk.get("usage").is_none()));
    assert!(SimClient::connect(&sim).chat(r#""max_tokens":3"#).json().get("usage").is_none());
}

#[test]
fn text_and_a_tool_call_come_in_one_message() {
    let sim = start("ttft=0&itl=0&tools=beside");
    let message = SimClient::connect(&sim).chat(r#""max_tokens":20"#).json()["choices"][0]["message"].clone();
    assert_eq!(tokens(message["content"].as_str().unwrap()), 10);
    let call = &message["tool_calls"][0]["function"];
    assert_eq!(tokens(&format!("{}{}", call["name"].as_str().unwrap(), call["arguments"].as_str().unwrap())), 10);
    assert!(serde_json::from_str::<serde_json::Value>(call["arguments"].as_str().unwrap()).is_ok());
    assert_eq!(sim.truth()[0].output_tokens, 20);
}

#[test]
fn a_chat_in_one_piece_has_message_and_usage() {
    let sim = start(&format!("{FAST}&osl=7"));
    let answer = SimClient::connect(&sim).chat("").json();
    assert_eq!(answer["object"], "chat.completion");
    assert_eq!(answer["choices"][0]["finish_reason"], "stop");
    assert_eq!(tokens(answer["choices"][0]["message"]["content"].as_str().unwrap()), 7);
    assert_eq!(answer["usage"], json!({"prompt_tokens": 5, "total_tokens": 12, "completion_tokens": 7}));
}

#[test]
fn reasoning_comes_first_and_is_counted_apart() {
    let sim = start(&format!("{FAST}&reasoning=4"));
    let mut client = SimClient::connect(&sim);
    let response = client.chat(&format!(r#"{USAGE},"max_tokens":10"#));
    assert_eq!(tokens(&response.text("reasoning_content").0), 4);
    assert_eq!(tokens(&response.text("content").0), 6);
    let usage = response.usage();
    assert_eq!(
        (&usage["completion_tokens"], &usage["completion_tokens_details"]["reasoning_tokens"]),
        (&json!(10), &json!(4))
    );
    let cut_short = client.chat(&format!(r#"{USAGE},"max_tokens":3"#));
    let finish = &cut_short.chunks()[4]["choices"][0];
    assert_eq!((&finish["delta"], &finish["finish_reason"]), (&json!({}), &json!("length")));
    let whole = client.chat(r#""max_tokens":10"#).json();
    assert_eq!(tokens(whole["choices"][0]["message"]["reasoning_content"].as_str().unwrap()), 4);
}

#[test]
fn offered_tools_are_called_in_pieces_that_make_valid_arguments() {
    let sim = start(&format!("{FAST}&tools=offered"));
    let mut client = SimClient::connect(&sim);
    let tools = r#""tools":[{"type":"function","function":{"name":"search"}}],"max_tokens":12"#;
    let response = client.chat(&format!("{USAGE},{tools}"));
    let (mut name, mut arguments) = (String::new(), String::new());
    for chunk in response.chunks() {
        let function = &chunk["choices"][0]["delta"]["tool_calls"][0]["function"];
        name.push_str(function["name"].as_str().unwrap_or_default());
        arguments.push_str(function["arguments"].as_str().unwrap_or_default());
    }
    assert!(serde_json::from_str::<Value>(&arguments).unwrap()["query"].is_string());
    assert_eq!(tokens(&format!("{name}{arguments}")), 12);
    assert_eq!(response.usage()["completion_tokens"], 12);
    let finish =
        response.chunks().iter().rev().find_map(|c| c["choices"][0]["finish_reason"].as_str().map(str::to_owned));
    assert_eq!(finish.as_deref(), Some("tool_calls"));
    let whole = client.chat(tools).json();
    let call = &whole["choices"][0]["message"]["tool_calls"][0]["function"];
    assert!(serde_json::from_str::<Value>(call["arguments"].as_str().unwrap()).is_ok());
    let plain = client.chat(r#""max_tokens":4"#).json();
    assert_eq!(tokens(plain["choices"][0]["message"]["content"].as_str().unwrap()), 4);
}

#[test]
fn several_tokens_can_share_a_chunk() {
    let sim = start(&format!("{FAST}&tokens_per_chunk=4"));
    let (text, stamps) = SimClient::connect(&sim).chat(&format!(r#"{USAGE},"max_tokens":10"#)).text("content");
    assert_eq!((tokens(&text), stamps.len()), (10, 3));
}

#[test]
fn completions_answer_every_prompt() {
    let sim = start(FAST);
    let mut client = SimClient::connect(&sim);
    let body = format!(r#"{{"prompt":["one two","three"],"max_tokens":4,{USAGE}}}"#);
    let response = client.post("/v1/completions", &body);
    let (text, stamps) = response.text("text");
    assert_eq!((tokens(&text), stamps.len()), (8, 8));
    assert_eq!(response.chunks()[1]["choices"][0]["index"], 1);
    assert_eq!(response.chunks()[0]["object"], "text_completion");
    assert_eq!(response.usage(), json!({"prompt_tokens": 3, "total_tokens": 11, "completion_tokens": 8}));
    let whole = client.post("/v1/completions", r#"{"prompt":"one two","max_tokens":4}"#).json();
    assert_eq!(tokens(whole["choices"][0]["text"].as_str().unwrap()), 4);
    assert_eq!(whole["usage"]["prompt_tokens"], 2);
}

#[test]
fn embeddings_come_one_for_each_input() {
    let sim = start(FAST);
    let mut client = SimClient::connect(&sim);
    let list = client.post("/v1/embeddings", r#"{"model":"e","input":["one two","three"],"dimensions":3}"#).json();
    assert_eq!(list["object"], "list");
    assert_eq!(list["data"].as_array().unwrap().len(), 2);
    assert_eq!(list["data"][1]["object"], "embedding");
    assert_eq!(list["data"][1]["embedding"].as_array().unwrap().len(), 3);
    assert_eq!(list["usage"], json!({"prompt_tokens": 3, "total_tokens": 3}));
    let single = client.post("/v1/embeddings", r#"{"input":"x","encoding_format":"base64","dimensions":3}"#).json();
    assert_eq!(single["data"][0]["embedding"].as_str().unwrap().len(), 16);
}

#[test]
fn errors_of_the_client_are_error_objects_and_leave_the_connection_open() {
    let sim = start(FAST);
    let mut client = SimClient::connect(&sim);
    for (method, path, body, status) in [
        ("POST", "/v1/chat/completions", "{\"messages\":", 400),
        ("POST", "/v1/embeddings", "{}", 400),
        ("POST", "/v1/nothing", "{}", 404),
        ("GET", "/v1/chat/completions", "", 405),
    ] {
        client.send(method, path, "", body);
        let response = client.read();
        assert_eq!((response.status, &response.json()["error"]["code"]), (status, &json!(status)), "{path}");
        assert!(response.json()["error"]["message"].is_string());
    }
    client.send_raw(b"this is not HTTP\r\n\r\n");
    let response = client.read();
    assert_eq!(response.status, 400);
    assert!(response.head.contains("connection: close"));
}

#[test]
fn models_health_and_metrics_answer() {
    let sim = start(FAST);
    let mut client = SimClient::connect(&sim);
    assert_eq!(client.get("/v1/models").json()["data"][0]["id"], "sim-model");
    for path in ["/health", "/v1/health", "/ping"] {
        assert_eq!(client.get(path).status, 200);
    }
    client.chat(r#""max_tokens":3"#);
    let metrics = String::from_utf8(client.get("/metrics").body).unwrap();
    for line in [
        r#"vllm:num_requests_running{engine="0",model_name="sim-model"} 0.0"#,
        r#"vllm:prompt_tokens_total{engine="0",model_name="sim-model"} 5.0"#,
        r#"vllm:generation_tokens_total{engine="0",model_name="sim-model"} 3.0"#,
        r#"vllm:request_success_total{engine="0",finished_reason="length",model_name="sim-model"} 1.0"#,
    ] {
        assert!(metrics.lines().any(|l| l == line), "{line} is not in\n{metrics}");
    }
}

#[test]
fn head_is_answered_like_get_without_a_body() {
    let sim = start(FAST);
    let mut client = SimClient::connect(&sim);
    for path in ["/metrics", "/health", "/v1/models"] {
        client.send("HEAD", path, "", "");
        let head = client.read_head();
        assert!(head.starts_with("HTTP/1.1 200") && !head.contains("content-length: 0"), "{head}");
        // What comes next on the connection is the next answer.
        assert_eq!(client.get(path).status, 200, "{path}");
    }
}
