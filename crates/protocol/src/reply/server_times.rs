//! What a server reports about the times of one request.

use aiperf_clock::Nanos;

/// Times by the server's own clock; `None` for those that it does not report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ServerTimes {
    /// From the arrival of the request at the engine until the engine began to work on it.
    pub queue: Option<Nanos>,
    /// From there until its first token. vLLM calls this the time to first token, but the queue is not part of it.
    pub prefill: Option<Nanos>,
    /// Mean time between two tokens.
    pub inter_token: Option<Nanos>,
}
