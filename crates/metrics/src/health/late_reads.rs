//! Chunks that the client read so late that their own times are lost. The kernel keeps one arrival time for bytes that wait
//! together, that of the last of them: a chunk that shares it with a later chunk is reported later than it came.

use std::ops::AddAssign;

use aiperf_clock::Nanos;

/// Successful requests of the measured phase, counted as their responses are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LateReads {
    /// Requests with content in their response.
    pub requests: u64,
    /// Requests whose first chunk was read late together with a later one.
    pub first_tokens: u64,
    /// Content chunks of all these requests.
    pub chunks: u64,
    /// Chunks that were read late together with a later one of the same response.
    pub merged_chunks: u64,
}

impl LateReads {
    /// Bytes that waited longer than this were read late. A client that lets arrivals gather waits for less.
    pub const WAIT: Nanos = Nanos(1_000_000);
}

impl AddAssign for LateReads {
    fn add_assign(&mut self, more: Self) {
        self.requests += more.requests;
        self.first_tokens += more.first_tokens;
        self.chunks += more.chunks;
        self.merged_chunks += more.merged_chunks;
    }
}
