//! Frames of gRPC messages: the same messages, however the bytes were cut. The first byte says how long the pieces are.
#![no_main]

use aiperf_grpc::{GrpcFrameScanner, frames};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((&step, body)) = data.split_first() else { return };
    let whole = frames(body);
    let step = usize::from(step % 64) + 1;
    let mut scanner = GrpcFrameScanner::new();
    let mut found = Vec::new();
    for end in (step..body.len()).step_by(step).chain([body.len()]) {
        while let Ok(Some(frame)) = scanner.next_frame(&body[..end]) {
            assert!(frame.of(body).len() <= body.len());
            found.push(frame);
        }
    }
    match whole {
        Ok(frames) => assert_eq!(found, frames),
        Err(_) => assert!(scanner.next_frame(body).is_err() || scanner.finish(body).is_err()),
    }
});
