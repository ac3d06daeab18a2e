//! Framing of event streams: the same events, however the bytes were cut. The first bytes say where the cuts are.
#![no_main]

use aiperf_endpoint::sse::{SseEvent, SseScanner, events};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((&count, rest)) = data.split_first() else { return };
    let count = usize::from(count % 16).min(rest.len());
    let (steps, body) = rest.split_at(count);
    let whole: Vec<SseEvent<'_>> = events(body).collect();
    assert!(whole.is_sorted_by_key(|event| event.complete_at));

    let mut scanner = SseScanner::new();
    let mut found = Vec::new();
    let mut end = 0;
    for step in steps.iter().chain(std::iter::repeat_n(&1, if body.len() < 256 { body.len() } else { 0 })) {
        end = (end + usize::from(*step)).min(body.len());
        while let Some(frame) = scanner.next_frame(&body[..end]) {
            assert!(frame.complete_at <= end);
            found.push(SseEvent::read(body, &frame));
        }
    }
    while let Some(frame) = scanner.next_frame(body).or_else(|| scanner.last_frame(body)) {
        found.push(SseEvent::read(body, &frame));
    }
    assert_eq!(found, whole);
});
