//! Replies of a chat server, and the bytes that carry them.

use std::time::Duration;

use aiperf_test_server::TestReply;
use serde_json::json;

/// The time between two writes of a reply. Far above what a machine is late by.
const PAUSE: Duration = Duration::from_millis(30);

/// A stream of one token for each word.
pub(crate) fn chat_events(words: &[&str]) -> Vec<String> {
    let event = |word: &&str| {
        let chunk = json!({"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": word}}]});
        format!("data: {chunk}\n\n")
    };
    words.iter().map(event).chain(["data: [DONE]\n\n".to_owned()]).collect()
}

/// A whole answer that says `hello`.
pub(crate) fn chat_reply() -> String {
    json!({"object": "chat.completion", "choices": [{"index": 0, "message": {"role": "assistant", "content": "hello"}}]})
        .to_string()
}

/// An answer of one piece. `head` has the status, and further header lines that end in CRLF.
pub(crate) fn in_one(status: &str, headers: &str, body: &[u8]) -> TestReply {
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n{headers}\r\n", body.len());
    TestReply::new([head.as_bytes(), body].concat())
}

/// A streamed answer, each part in a chunk and a write of its own.
pub(crate) fn in_chunks(headers: &str, parts: &[Vec<u8>]) -> TestReply {
    let head =
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n{headers}\r\n");
    let chunk = |part: &Vec<u8>| [format!("{:x}\r\n", part.len()).as_bytes(), part, b"\r\n"].concat();
    let mut answer: Vec<Vec<u8>> = parts.iter().filter(|part| !part.is_empty()).map(chunk).collect();
    answer[0] = [head.as_bytes(), &answer[0]].concat();
    answer.last_mut().unwrap().extend_from_slice(b"0\r\n\r\n");
    TestReply::paced(answer, PAUSE)
}
