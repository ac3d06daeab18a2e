//! Frames of HTTP/2: the same frames, however the bytes were cut. The first byte says how long the pieces are.
#![no_main]

use aiperf_transport::{Http2Frame, Http2FrameScanner};

fn frames<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> Vec<Http2Frame> {
    let mut scanner = Http2FrameScanner::default();
    let mut found = Vec::new();
    pieces.for_each(|piece| scanner.feed(piece, |frame| found.push(frame)));
    found
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((&step, wire)) = data.split_first() else { return };
    let whole = frames(std::iter::once(wire));
    assert_eq!(frames(wire.chunks(usize::from(step % 64) + 1)), whole);
    let bytes: usize = whole.iter().map(|frame| frame.data().or(frame.headers()).unwrap_or(0)).sum();
    assert!(bytes <= wire.len());
});
