//! Responses of every API. The first three bytes name the API, how the body is labelled, and where its reads are cut.
#![no_main]

use aiperf_protocol::{EndpointKind, Reply, ReplyError};
use aiperf_clock::Mono;
use aiperf_endpoint::{EndpointSettings, ReadMark, ResponseBody, of};

const LABELS: [Option<&str>; 6] = [
    Some("text/event-stream; charset=utf-8"),
    Some("application/json"),
    Some("application/x-ndjson"),
    Some("text/plain"),
    Some("video/mp4"),
    None,
];

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let [kind, label, step, body @ ..] = data else { return };
    let kind = EndpointKind::ALL[usize::from(*kind) % EndpointKind::ALL.len()];
    let content_type = LABELS[usize::from(*label) % LABELS.len()];
    let endpoint = of(kind, &EndpointSettings::default());
    let read = |step: usize| -> Result<Reply, ReplyError> {
        let ends = (step..body.len()).step_by(step).chain([body.len()]);
        let marks: Vec<ReadMark> = ends.map(|end| ReadMark::user(end, Mono::from_nanos(end as u64))).collect();
        endpoint.read(ResponseBody { content_type, bytes: body, marks: &marks })
    };
    let untimed = |reply: Result<Reply, ReplyError>| {
        reply.map(|mut reply| {
            assert!(reply.chunks.is_sorted_by_key(|chunk| chunk.at));
            reply.chunks.iter_mut().for_each(|chunk| chunk.at = Mono::from_nanos(0));
            reply
        })
    };
    let whole = read(body.len().max(1));
    if let Ok(reply) = &whole {
        assert!(!reply.chunks.is_empty());
        let _ = endpoint.assistant_message(reply);
    }
    assert_eq!(untimed(whole), untimed(read(usize::from(*step).max(1))));
    let _ = endpoint.input_text(body);
    if let Ok(text) = std::str::from_utf8(body) {
        let _ = endpoint.carries_content(text);
    }
});
