//! Responses of real servers, head and body as captured: each must be read, and to its end.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::path::Path;

use aiperf_clock::Mono;
use aiperf_endpoint::{EndpointSettings, ReadMark, ResponseBody, of};
use aiperf_protocol::{EndpointKind, Reply, ReplyError};

/// Status, content type and body of a captured response.
fn capture(name: &str) -> (u16, String, Vec<u8>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/streams");
    let bytes = std::fs::read(folder.join(name)).unwrap();
    let text = String::from_utf8(bytes).unwrap().replace("\r\n", "\n");
    let (head, body) = text.split_once("\n\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let content_type = head
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find_map(|(header, value)| header.eq_ignore_ascii_case("content-type").then(|| value.trim().to_owned()));
    (status, content_type.unwrap(), body.as_bytes().to_vec())
}

fn read(name: &str) -> (u16, Result<Reply, ReplyError>) {
    let kinds = [
        ("completions", EndpointKind::Completions),
        ("embed", EndpointKind::Embeddings),
        ("messages", EndpointKind::Messages),
        ("responses", EndpointKind::Responses),
        ("triton.generate.err", EndpointKind::Chat),
        ("triton", EndpointKind::Generate),
        ("mlserver", EndpointKind::Generate),
    ];
    let kind = kinds.into_iter().find(|(part, _)| name.contains(part)).map_or(EndpointKind::Chat, |(_, kind)| kind);
    let (status, content_type, bytes) = capture(name);
    let marks = [ReadMark::user(bytes.len(), Mono::from_nanos(1))];
    let body = ResponseBody { content_type: Some(&content_type), bytes: &bytes, marks: &marks };
    (status, of(kind, &EndpointSettings::default()).read(body))
}

/// File, content chunks, bytes of output and of reasoning, completion tokens that the server reports: counted by another
/// JSON reader than ours.
const READ: [(&str, usize, usize, usize, Option<u64>); 38] = [
    ("dynamo.chat.http", 4, 50, 0, Some(4)),
    ("dynamo.chat.nonstream.http", 1, 13, 0, Some(4)),
    ("dynamo.completions.http", 4, 22, 0, Some(4)),
    ("litellm.chat.http", 21, 62, 0, Some(12)),
    ("litellm.proxy.chat.http", 5, 16, 31, Some(8)),
    ("llamacpp.completions.http", 3, 20, 0, Some(3)),
    ("llamacpp.think.chat.http", 27, 78, 124, Some(30)),
    ("llamacpp.think.chat.nousage.http", 2, 0, 19, None),
    ("llamacpppython.chat.http", 3, 28, 0, None),
    ("mistralrs.chat.http", 3, 16, 0, Some(3)),
    ("mistralrs.completions.http", 3, 24, 0, None),
    ("sglang.chat.http", 2, 21, 0, Some(3)),
    ("sglang.completions.http", 3, 21, 0, Some(3)),
    ("sglang.think.chat.http", 13, 13, 98, Some(20)),
    ("tf.chat.http", 3, 24, 0, Some(3)),
    ("tf.completions.http", 3, 20, 0, Some(3)),
    ("vllm.chat.cont.http", 2, 21, 0, Some(3)),
    ("vllm.chat.http", 3, 18, 0, Some(3)),
    ("vllm.chat.nonstream.http", 1, 29, 0, Some(3)),
    ("vllm.chat.nousage.http", 3, 20, 0, None),
    ("vllm.completions.http", 3, 21, 0, Some(3)),
    ("vllm.think.chat.http", 10, 0, 82, Some(12)),
    ("dynamo.messages.http", 4, 31, 0, Some(4)),
    ("dynamo.responses.http", 4, 20, 0, Some(4)),
    ("litellm.proxy.messages.http", 1, 3, 0, Some(6)),
    ("litellm.proxy.responses.http", 12, 36, 44, Some(15)),
    ("llamacpp.messages.http", 26, 65, 112, Some(29)),
    ("llamacpp.responses.http", 28, 157, 56, Some(30)),
    ("mistralrs.responses.http", 3, 17, 0, Some(3)),
    ("sglang.messages.http", 3, 21, 0, Some(3)),
    ("sglang.responses.http", 1, 12, 0, Some(1)),
    ("tf.responses.http", 3, 22, 0, Some(3)),
    ("vllm.messages.http", 3, 15, 0, Some(3)),
    ("vllm.responses.http", 3, 13, 0, Some(3)),
    ("vllm.think.messages.http", 38, 0, 269, Some(40)),
    ("vllm.think.responses.http", 26, 0, 271, Some(40)),
    ("vllm.times.responses.http", 26, 201, 0, Some(32)),
    ("vllm.times.chat.http", 32, 238, 0, Some(32)),
];

/// Recorded streams of servers whose answers do not say why they ended.
const READ_WITHOUT_END: [(&str, usize, usize, usize, Option<u64>); 4] = [
    ("mlserver.infer.http", 1, 15, 0, None),
    ("mlserver.infer_stream.http", 3, 13, 0, None),
    ("triton.generate.http", 1, 18, 0, None),
    ("triton.generate_stream.http", 3, 18, 0, None),
];

#[test]
fn real_servers_are_read_to_the_end() {
    let mut found = Vec::new();
    for (name, ..) in READ {
        let (status, reply) = read(name);
        assert_eq!(status, 200, "{name}");
        let reply = reply.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(reply.undecodable_events, 0, "{name}");
        assert!(reply.finish_reason.is_some(), "{name}");
        let tokens = reply.usage.and_then(|u| u.completion_tokens);
        found.push((name, reply.chunks.len(), reply.output_text.len(), reply.reasoning_text.len(), tokens));
    }
    assert_eq!(found, READ);
}

/// vLLM 0.32 with `--enable-per-request-metrics`. The queue is not part of what it calls the time to first token.
#[test]
fn times_that_a_server_states_are_read() {
    let times = |name| {
        let times = read(name).1.unwrap().server_times;
        [times.queue, times.prefill, times.inter_token].map(|span| span.unwrap().as_millis_f64())
    };
    let expected = [
        ("vllm.times.chat.http", [0.0321, 63.9430, 22.7743]),
        ("vllm.times.responses.http", [0.0355, 28.0291, 11.1672]),
    ];
    for (name, stated) in expected {
        for (found, stated) in times(name).into_iter().zip(stated) {
            assert!((found - stated).abs() < 1e-4, "{name}: {found} for {stated}");
        }
    }
}

#[test]
fn streams_that_just_end_are_read_to_the_end() {
    let found: Vec<_> = READ_WITHOUT_END
        .iter()
        .map(|(name, ..)| {
            let reply = read(name).1.unwrap_or_else(|error| panic!("{name}: {error}"));
            let tokens = reply.usage.and_then(|u| u.completion_tokens);
            (*name, reply.chunks.len(), reply.output_text.len(), reply.reasoning_text.len(), tokens)
        })
        .collect();
    assert_eq!(found, READ_WITHOUT_END);
}

#[test]
fn an_error_under_status_200_fails_the_request() {
    let (status, reply) = read("triton.generate.err.http");
    assert_eq!(status, 200);
    assert!(matches!(reply, Err(ReplyError::InBand { message, .. }) if message.starts_with("generate expects model")));
    let (status, reply) = read("llamacpp.embed.http");
    assert_eq!(status, 501);
    assert!(matches!(reply, Err(ReplyError::InBand { code: Some(501), .. })));
}
