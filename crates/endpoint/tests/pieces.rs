//! A stream that is read piece by piece while it arrives gives the same reply, with the same times, as the whole body.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

#[allow(dead_code, reason = "other tests read more of the manifest")]
mod recorded;

use aiperf_clock::Mono;
use aiperf_endpoint::{EndpointSettings, ReadMark, ResponseBody, of};
use aiperf_protocol::EndpointKind;
use proptest::prelude::*;
use proptest::sample::Index;
use recorded::fixtures;

/// The APIs that read streams piece by piece.
const KINDS: [EndpointKind; 6] = [
    EndpointKind::Chat,
    EndpointKind::Completions,
    EndpointKind::Messages,
    EndpointKind::Responses,
    EndpointKind::Generate,
    EndpointKind::HuggingfaceGenerate,
];

/// The ends of the reads of a body, of which the last ends it.
fn ends(length: usize, cuts: &[Index]) -> Vec<usize> {
    let mut ends: Vec<usize> = cuts.iter().map(|cut| cut.index(length.max(1))).filter(|end| *end > 0).collect();
    ends.push(length);
    ends.sort_unstable();
    ends.dedup();
    ends.retain(|end| *end > 0);
    ends
}

/// Both ways of reading, as text. `reads` end at these bytes, and every `per_piece` of them are one piece.
fn both(kind: EndpointKind, content_type: &str, body: &[u8], reads: &[usize], per_piece: usize) -> (String, String) {
    let endpoint = of(kind, &EndpointSettings::default());
    let marks: Vec<ReadMark> = reads.iter().map(|end| ReadMark::user(*end, Mono::from_nanos(*end as u64))).collect();
    let whole = endpoint.read(ResponseBody { content_type: Some(content_type), bytes: body, marks: &marks });
    let mut reader = endpoint.reader().unwrap();
    let mut start = 0;
    for piece in marks.chunks(per_piece) {
        let end = piece.last().unwrap().end;
        let own: Vec<ReadMark> = piece.iter().map(|mark| ReadMark { end: mark.end - start, ..*mark }).collect();
        reader.feed(&body[start..end], &own);
        start = end;
    }
    (format!("{whole:?}"), format!("{:?}", reader.finish(Some(content_type))))
}

/// What may be in a stream: events of several APIs, broken ones, and what lies between them.
fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-zA-Zü \\\\\"]{0,6}".prop_map(|text| {
            format!("data: {}", serde_json::json!({"choices": [{"index": 0, "delta": {"content": text}}]}))
        }),
        2 => "[a-z ]{0,6}".prop_map(|text| format!("data: {}", serde_json::json!({"choices": [{"text": text}]}))),
        1 => "[a-z]{1,6}".prop_map(|text| {
            let delta = serde_json::json!({"type": "text_delta", "text": text});
            format!("data: {}", serde_json::json!({"type": "content_block_delta", "index": 0, "delta": delta}))
        }),
        1 => Just("data: {\"usage\":{\"completion_tokens\":3}}".to_owned()),
        1 => Just("data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}".to_owned()),
        1 => Just("data: [DONE]".to_owned()),
        1 => Just("event: error\ndata: {\"message\":\"no\"}".to_owned()),
        1 => Just("data: {\"error\":{\"message\":\"no\"}}".to_owned()),
        1 => Just(": comment".to_owned()),
        1 => Just("data: not json".to_owned()),
        1 => Just("{\"choices\":[{\"message\":{\"content\":\"whole\"}}]}".to_owned()),
        1 => Just("\u{FEFF}".to_owned()),
        1 => Just(String::new()),
    ]
}

fn body() -> impl Strategy<Value = Vec<u8>> {
    let end = prop_oneof![4 => Just("\n\n"), 2 => Just("\r\n\r\n"), 1 => Just("\r\r"), 2 => Just("\n"), 1 => Just("")];
    proptest::collection::vec((line(), end), 0..12)
        .prop_map(|lines| lines.into_iter().flat_map(|(line, end)| (line + end).into_bytes()).collect())
}

proptest! {
    #[test]
    fn pieces_give_what_the_whole_gives(
        body in body(),
        kind in proptest::sample::select(&KINDS[..]),
        cuts in proptest::collection::vec(any::<Index>(), 0..20),
        per_piece in 1_usize..4,
    ) {
        let (whole, pieces) = both(kind, "text/event-stream; charset=utf-8", &body, &ends(body.len(), &cuts), per_piece);
        prop_assert_eq!(pieces, whole);
    }

    #[test]
    fn pieces_of_any_bytes_give_what_the_whole_gives(
        body in proptest::collection::vec(any::<u8>(), 0..300),
        cuts in proptest::collection::vec(any::<Index>(), 0..8),
    ) {
        let (whole, pieces) = both(EndpointKind::Chat, "text/event-stream", &body, &ends(body.len(), &cuts), 1);
        prop_assert_eq!(pieces, whole);
    }
}

#[test]
fn recorded_streams_are_read_alike_at_every_cut() {
    let mut read = 0;
    for fixture in fixtures() {
        let kind = EndpointKind::from_name(&fixture.endpoint).unwrap_or(EndpointKind::Generate);
        if !KINDS.contains(&kind) || !fixture.content_type.starts_with("text/event-stream") || fixture.body.is_empty() {
            continue;
        }
        let length = fixture.body.len();
        let step = (length / 40).max(1);
        for cut in (1..length).step_by(step) {
            let (whole, pieces) = both(kind, &fixture.content_type, &fixture.body, &[cut, length], 1);
            assert_eq!(pieces, whole, "{} cut at {cut}", fixture.name);
        }
        let every_byte: Vec<usize> = (1..=length).collect();
        let (whole, pieces) = both(kind, &fixture.content_type, &fixture.body, &every_byte, 7);
        assert_eq!(pieces, whole, "{}", fixture.name);
        read += 1;
    }
    assert!(read > 50, "{read} streams");
}
