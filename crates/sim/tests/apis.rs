//! The APIs in addition to OpenAI's chat, completions and embeddings, as a client that knows none of our code sees them.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod client;

use client::{SimClient, start};
use serde_json::{Value, json};

const FAST: &str = "ttft=0&itl=0";

/// The `type` of each event.
fn types(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["type"].as_str().unwrap()).collect()
}

#[test]
fn a_streamed_message_is_built_block_by_block() {
    let sim = start("ttft=0&itl=0&reasoning=1");
    let body = r#"{"model":"m","messages":[{"role":"user","content":"hi"}],"max_tokens":2,"stream":true}"#;
    let events = SimClient::connect(&sim).post("/v1/messages", body).chunks();
    let expected = [
        "message_start",
        "ping",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ];
    assert_eq!(types(&events), expected);
    assert_eq!(events[8]["delta"]["stop_reason"], "max_tokens");
    assert_eq!(events[8]["usage"]["output_tokens"], 2);
}

#[test]
fn a_response_ends_incomplete_at_its_limit_and_completed_before_it() {
    let sim = start("ttft=0&itl=0&osl=3");
    let mut client = SimClient::connect(&sim);
    let limited =
        client.post("/v1/responses", r#"{"model":"m","input":"hi","max_output_tokens":2,"stream":true}"#).chunks();
    assert_eq!(types(&limited).last(), Some(&"response.incomplete"));
    let whole = client.post("/v1/responses", r#"{"model":"m","input":"hi","store":true}"#).json();
    assert_eq!((&whole["status"], &whole["usage"]["output_tokens"]), (&json!("completed"), &json!(3)));
    let next = json!({"model": "m", "input": "and?", "previous_response_id": whole["id"]});
    let next = client.post("/v1/responses", &next.to_string()).json();
    assert!(next["usage"]["input_tokens"].as_u64() > whole["usage"]["total_tokens"].as_u64());
}

#[test]
fn what_is_missing_is_named() {
    let sim = start(FAST);
    let mut client = SimClient::connect(&sim);
    for (path, body, parameter) in [
        ("/v1/messages", r#"{"messages":[]}"#, "max_tokens"),
        ("/v1/responses", "{}", "input"),
        ("/generate", "{}", "inputs"),
        ("/v2/models/m/generate", "{}", "text_input"),
        ("/rag/api/prompt", "{}", "query"),
        ("/rerank", r#"{"query":"q"}"#, "passages"),
        ("/v1/images/generations", "{}", "prompt"),
        ("/v1/infer", r#"{"input":[]}"#, "input"),
    ] {
        let refused = client.post(path, body);
        assert_eq!((refused.status, &refused.json()["error"]["param"]), (400, &json!(parameter)), "{path}");
    }
    for form in ["/v1/images/edits", "/v1/audio/transcriptions", "/v1/videos"] {
        assert_eq!(client.post(form, "{}").status, 400, "{form}");
    }
    assert_eq!(client.get("/v1/videos/video_1").status, 404);
}

#[test]
fn a_video_takes_its_time_and_is_there_afterwards() {
    let sim = start("ttft=30&itl=0");
    let mut client = SimClient::connect(&sim);
    let body = "--b\r\nContent-Disposition: form-data; name=\"prompt\"\r\n\r\na cat\r\n--b--\r\n";
    client.send("POST", "/v1/videos", "Content-Type: multipart/form-data; boundary=b\r\n", body);
    let job = client.read().json();
    assert_eq!(job["status"], "queued");
    let place = format!("/v1/videos/{}", job["id"].as_str().unwrap());
    let mut state = client.get(&place).json();
    while state["status"] != "completed" {
        assert_eq!(state["status"], "in_progress");
        state = client.get(&place).json();
    }
    assert!((state["inference_time_s"].as_f64().unwrap() - 0.03).abs() < 1e-9);
    let video = client.get(&format!("{place}/content"));
    assert!(video.head.contains("content-type: video/mp4") && video.body[4..8] == *b"ftyp");
}

#[test]
fn a_streamed_generation_of_text_says_why_it_ended() {
    let sim = start(FAST);
    let body = r#"{"inputs":"hi","parameters":{"max_new_tokens":3}}"#;
    let events = SimClient::connect(&sim).post("/generate_stream", body).chunks();
    assert_eq!(events.len(), 3);
    assert!(events[..2].iter().all(|event| event["generated_text"].is_null()));
    assert_eq!(events[2]["details"]["finish_reason"], "length");
}
