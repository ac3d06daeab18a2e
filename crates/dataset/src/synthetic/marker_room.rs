//! How many tokens a prompt leaves to the marker of its session. Markers differ in their digits, and so in their tokens:
//! what is left is what they need on average.

use aiperf_seed::Seed;

use crate::cache_bust::session_marker;
use crate::text::Writer;

const SAMPLES: usize = 64;

pub(super) fn tokens(writer: &Writer) -> usize {
    let mut stream = Seed::fixed(0).stream("marker");
    let all: usize = (0..SAMPLES).map(|_| writer.count(&session_marker(stream.next_u64().to_be_bytes()))).sum();
    (all + SAMPLES / 2) / SAMPLES
}
