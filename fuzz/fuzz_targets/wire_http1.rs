//! HTTP/1.1 responses: the same response, however the bytes were cut. The first byte says how long the pieces are.
#![no_main]

use aiperf_clock::{Mono, ReadStamp};
use aiperf_transport::{BodyLimit, Exchange, ReadProgress, ResponseReader};

/// A small response may unpack to a large body; memory is not what is tested here.
const LIMIT: usize = 1 << 20;

/// The exchange, and whether it is complete; `None` if the bytes are not a response.
fn read<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> Option<(Exchange, bool)> {
    let mut exchange = Exchange { body_limit: BodyLimit(LIMIT), ..Exchange::default() };
    let mut reader = ResponseReader::new();
    for (number, piece) in pieces.enumerate() {
        let stamp = ReadStamp::user(Mono::from_nanos(number as u64));
        let progress = reader.feed(piece, stamp, &mut exchange).ok()?;
        assert!(exchange.body.len() <= LIMIT);
        assert!(exchange.marks.is_sorted_by_key(|mark| (mark.end, mark.at)));
        assert_eq!(exchange.marks.last().map_or(0, |mark| mark.end), exchange.body.len());
        if progress != ReadProgress::Reading {
            return Some((exchange, true));
        }
    }
    let complete = reader.end_of_stream(&exchange).is_ok();
    Some((exchange, complete))
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((&step, wire)) = data.split_first() else { return };
    let whole = read(std::iter::once(wire));
    let cut = read(wire.chunks(usize::from(step % 64) + 1));
    let facts = |read: Option<(Exchange, bool)>| {
        read.map(|(exchange, complete)| (exchange.status, exchange.headers, exchange.body, complete))
    };
    assert_eq!(facts(whole), facts(cut));
});
