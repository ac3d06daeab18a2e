//! Answers that come compressed: read like any other, each chunk with its own time.

use std::io::Write;

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};

use crate::support::{Program, Record, TestReply, TestServer, chat_events, chat_reply, in_chunks, in_one, together};

const WORDS: &str = "--model m --tokenizer builtin --isl 20 --request-count 2 --concurrency 1 --export-http-trace";
const CODINGS: [&str; 4] = ["gzip", "deflate", "br", "zstd"];
/// Between two parts of a scripted answer.
const PAUSE_MS: f64 = 30.0;

/// Each part packed so that it can be read when it is there.
fn packed(coding: &str, parts: &[String]) -> Vec<Vec<u8>> {
    fn flushed<W: Write>(
        mut encoder: W,
        parts: &[String],
        take: impl Fn(&mut W) -> Vec<u8>,
        finish: impl Fn(W) -> Vec<u8>,
    ) -> Vec<Vec<u8>> {
        let mut pieces = Vec::new();
        for part in parts {
            encoder.write_all(part.as_bytes()).unwrap();
            encoder.flush().unwrap();
            pieces.push(take(&mut encoder));
        }
        // The end of the coding comes with the last part, as a server would send it.
        pieces.last_mut().unwrap().extend(finish(encoder));
        pieces
    }
    let level = Compression::default();
    match coding {
        "gzip" => flushed(
            GzEncoder::new(Vec::new(), level),
            parts,
            |encoder| std::mem::take(encoder.get_mut()),
            |encoder| encoder.finish().unwrap(),
        ),
        "deflate" => flushed(
            ZlibEncoder::new(Vec::new(), level),
            parts,
            |encoder| std::mem::take(encoder.get_mut()),
            |encoder| encoder.finish().unwrap(),
        ),
        "br" => flushed(
            brotli::CompressorWriter::new(Vec::new(), 4096, 5, 20),
            parts,
            |encoder| std::mem::take(encoder.get_mut()),
            brotli::CompressorWriter::into_inner,
        ),
        "zstd" => flushed(
            zstd::stream::write::Encoder::new(Vec::new(), 3).unwrap(),
            parts,
            |encoder| std::mem::take(encoder.get_mut()),
            |encoder| encoder.finish().unwrap(),
        ),
        other => panic!("{other}"),
    }
}

fn server(answer: impl Fn() -> TestReply + Send + Sync + 'static) -> TestServer {
    TestServer::start(move |_, _| answer())
}

fn records(server: &TestServer, words: &str) -> Vec<Record> {
    Program::profile(&format!("--url {} {WORDS}", server.url())).with(words).succeed().records()
}

#[test]
fn a_compressed_stream_keeps_the_time_of_each_chunk() {
    together(CODINGS, |coding| {
        let events = chat_events(&["one", " two", " three", " four"]);
        let (parts, headers) = (packed(coding, &events), format!("Content-Encoding: {coding}\r\n"));
        let server = server(move || in_chunks(&headers, &parts));
        for record in records(&server, "--streaming") {
            assert!(!record.failed(), "{coding}: {record:?}");
            assert_eq!(record.metric("output_sequence_length") as u32, 4, "{coding}");
            // The first event comes in one write with the head, and must be there when the head is: a coder that holds
            // back would show it with the next write.
            let trace = &record.0["trace_data"];
            let first = &trace["response_chunks"][0];
            assert_eq!(first[0], trace["response_headers_received_ns"], "{coding}");
            assert!(first[1].as_u64().unwrap() >= events[0].len() as u64, "{coding}");
            // A busy machine may bring two writes together, but hardly all of them.
            let span = record.metric("request_latency") - record.metric("time_to_first_token");
            assert!(span >= PAUSE_MS, "{coding}: {span} ms");
            let bytes: u64 = record.0["trace_data"]["response_bytes_total"].as_u64().unwrap();
            assert_eq!(bytes as usize, events.concat().len(), "{coding}");
        }
    });
}

#[test]
fn a_compressed_whole_answer_is_read() {
    together(CODINGS, |coding| {
        let body = packed(coding, &[chat_reply()]).concat();
        let headers = format!("Content-Type: application/json\r\nContent-Encoding: {coding}\r\n");
        let server = server(move || in_one("200 OK", &headers, &body));
        for record in records(&server, "") {
            assert_eq!(record.metric("output_sequence_length") as u32, 1, "{coding}: {record:?}");
        }
    });
}

#[test]
fn a_compressed_error_is_told_in_clear() {
    let body = packed("gzip", &[r#"{"error":"no such model"}"#.to_owned()]).concat();
    let server = server(move || in_one("404 Not Found", "Content-Encoding: gzip\r\n", &body));
    let ended = Program::profile(&format!("--url {} {WORDS}", server.url())).run();
    let record = &ended.artifacts.records()[0];
    assert_eq!(record.error(), (Some(404), "Not Found"));
    assert_eq!(record.0["error"]["message"], r#"{"error":"no such model"}"#);
}

#[test]
fn a_compressed_answer_that_is_cut_off_or_spoilt_is_a_failure() {
    together(CODINGS, |coding| {
        let whole = packed(coding, &[chat_reply()]).concat();
        let headers = format!("Content-Type: application/json\r\nContent-Encoding: {coding}\r\n");
        let cut = whole[..whole.len() - 2].to_vec();
        let spoilt: Vec<u8> = whole.iter().map(|byte| byte ^ 0xff).collect();
        for (body, kind) in [(cut, "ClientPayloadError"), (spoilt, "ClientResponseError")] {
            let headers = headers.clone();
            let server = server(move || in_one("200 OK", &headers, &body));
            let ended = Program::profile(&format!("--url {} {WORDS}", server.url())).run();
            assert_eq!(ended.code, Some(1), "{coding}");
            assert_eq!(ended.artifacts.records()[0].error(), (None, kind), "{coding}");
        }
    });
    let server = server(|| in_one("200 OK", "Content-Encoding: compress\r\n", b"x"));
    let ended = Program::profile(&format!("--url {} {WORDS}", server.url())).run();
    let error = &ended.artifacts.records()[0].0["error"];
    assert!(error["message"].as_str().unwrap().contains("\"compress\""), "{error}");
}

#[test]
fn compression_is_asked_for_only_by_the_user() {
    let body = packed("br", &[chat_reply()]).concat();
    let server = TestServer::start(move |_, asked| match asked.header("accept-encoding") {
        None => in_one("200 OK", "Content-Type: application/json\r\n", chat_reply().as_bytes()),
        Some(_) => in_one("200 OK", "Content-Type: application/json\r\nContent-Encoding: br\r\n", &body),
    });
    records(&server, "");
    assert!(server.received().iter().all(|asked| asked.header("accept-encoding").is_none()));
    let asking = Program::profile(&format!("--url {} {WORDS}", server.url()));
    asking.with("--header").word("Accept-Encoding: br, gzip").succeed();
    assert_eq!(server.received().last().unwrap().header("accept-encoding").as_deref(), Some("br, gzip"));
}
