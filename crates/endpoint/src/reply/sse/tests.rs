//! Framing by example, then by property: no cut of the bytes changes the events, and no bytes panic.

use proptest::prelude::*;

use super::*;

fn data(body: &[u8]) -> Vec<String> {
    events(body).filter_map(|e| e.data.map(Cow::into_owned)).collect()
}

fn ends(body: &[u8]) -> Vec<usize> {
    events(body).map(|e| e.complete_at).collect()
}

#[test]
fn every_legal_line_end_separates_events() {
    for body in ["data: a\n\ndata: b\n\n", "data: a\r\n\r\ndata: b\r\n\r\n", "data: a\r\rdata: b\r\r"] {
        assert_eq!(data(body.as_bytes()), ["a", "b"], "{body:?}");
    }
    assert_eq!(data(b"data: a\n\r\ndata: b\r\n\ndata: c\r\n\r\n"), ["a", "b", "c"]);
}

#[test]
fn an_event_is_complete_at_the_first_byte_that_closes_it() {
    assert_eq!(ends(b"data: a\n\ndata: b\n\n"), [9, 18]);
    assert_eq!(ends(b"data: a\r\n\r\ndata: b\r\n\r\n"), [10, 21], "the LF after the last CR adds nothing");
    assert_eq!(ends(b"data: a\r\rdata: b\r\r"), [9, 18]);
    assert_eq!(ends(b"data: a\n\ndata: b"), [9, 16], "the end of the body closes the last one");
    assert_eq!(ends(b"data: a\n\ndata: b\n"), [9, 17]);
}

#[test]
fn a_missing_or_extra_space_after_the_colon_is_fine() {
    assert_eq!(data(b"data:a\n\n"), ["a"]);
    assert_eq!(data(b"data:  a\n\n"), [" a"], "only one space is dropped");
    assert_eq!(data(b" data: a\n\n"), ["a"]);
}

#[test]
fn data_lines_of_one_event_are_joined_by_a_newline() {
    assert_eq!(data(b"data: {\"a\":\ndata: 1}\n\n"), ["{\"a\":\n1}"]);
    assert_eq!(data(b"data\n\n"), [""]);
}

#[test]
fn a_raw_newline_inside_a_json_string_is_put_back_as_an_escape() {
    assert_eq!(data(b"data: {\"t\":\"wor\nld: x\"}\n\n"), ["{\"t\":\"wor\\nld: x\"}"]);
    let comment_between = b"data: {\"a\":\n: ping\ndata: 1}\n\n";
    assert_eq!(data(comment_between), ["{\"a\":\n1}"], "outside a string a comment stays a comment");
}

#[test]
fn names_comments_and_other_fields_are_told_apart() {
    let event = events(b"event: error\n: backend gone\nid: 7\nretry: 3\ndata: {}\n\n").next().unwrap();
    assert_eq!(event.name.as_deref(), Some("error"));
    assert_eq!(event.comment.as_deref(), Some("backend gone"));
    assert_eq!(event.data.as_deref(), Some("{}"));
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_first_line() {
    assert_eq!(data(b"\xEF\xBB\xBFdata: a\n\n"), ["a"]);
    assert_eq!(data(b"\xEF\xBB\xBF\n\ndata: a\n\n"), ["a"]);
}

#[test]
fn invalid_bytes_become_replacement_characters() {
    assert_eq!(data(b"data: a\xFFb\n\n"), ["a\u{FFFD}b"]);
}

#[test]
fn plain_events_are_not_copied() {
    assert!(matches!(events(b"data: a\n\n").next().unwrap().data, Some(Cow::Borrowed("a"))));
}

/// Bytes that look like a stream often enough to reach every branch.
fn stream_bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"\n".to_vec()),
        Just(b"\r".to_vec()),
        Just(b"\r\n".to_vec()),
        Just(b"data: ".to_vec()),
        Just(b"data:{\"a\":\"".to_vec()),
        Just(b"event: error".to_vec()),
        Just(b": note".to_vec()),
        Just("né\u{1F30D}".as_bytes().to_vec()),
        Just(b"\xEF\xBB\xBF".to_vec()),
        proptest::collection::vec(any::<u8>(), 0..6),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_cut_into_reads_gives_the_same_events(body in stream_bytes(), cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..12)) {
        let mut cuts: Vec<usize> = cuts.iter().map(|c| c.index(body.len() + 1)).collect();
        cuts.sort_unstable();
        cuts.push(body.len());
        let mut scanner = SseScanner::new();
        let mut found = Vec::new();
        for cut in cuts {
            while let Some(frame) = scanner.next_frame(&body[..cut]) {
                prop_assert!(frame.complete_at <= cut);
                found.push(frame);
            }
        }
        found.extend(scanner.last_frame(&body));
        let read: Vec<_> = found.iter().map(|frame| SseEvent::read(&body, frame)).collect();
        prop_assert_eq!(read, events(&body).collect::<Vec<_>>());
    }

    #[test]
    fn an_event_is_known_with_its_completing_byte_and_not_before(body in stream_bytes()) {
        let mut scanner = SseScanner::new();
        let mut found = Vec::new();
        for end in 0..=body.len() {
            while let Some(frame) = scanner.next_frame(&body[..end]) {
                prop_assert_eq!(frame.complete_at, end);
                found.push(frame);
            }
        }
        prop_assert!(found.windows(2).all(|pair| pair[0].complete_at < pair[1].complete_at));
    }

    #[test]
    fn arbitrary_bytes_never_panic(body in proptest::collection::vec(any::<u8>(), 0..300)) {
        for event in events(&body) {
            prop_assert!(event.complete_at <= body.len());
        }
    }
}
