//! What the servers' own counters say about a phase, next to what the client counted.

use super::ValidityNote;
use super::evidence::Evidence;
use crate::Metric;

/// Servers count tokens of requests; more than one in a hundred that the client did not see come from someone else, or from
/// another server.
pub const SERVER_TOKENS_PERCENT: f64 = 1.0;
/// Without counts of the server in its responses, the client counts with its own tokenizer, which may differ.
pub const TOKENIZED_PERCENT: f64 = 10.0;
/// A server's own time to first token leaves out network, HTTP and tokenization: a quarter of what the client saw and
/// 20 ms are more than those usually take.
pub const SERVER_TTFT_PERCENT: f64 = 25.0;
pub const SERVER_TTFT_MS: f64 = 20.0;

/// What the servers' metrics pages say about the profiling phase.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ServerClaims {
    /// Tokens that were generated.
    pub generation_tokens: Option<f64>,
    /// Mean time to first token in milliseconds.
    pub time_to_first_token: Option<f64>,
}

impl Evidence<'_> {
    /// Compares only if all requests succeeded: a server also counts tokens of requests that failed later.
    pub(super) fn server_tokens(&self) -> Option<ValidityNote> {
        let server = self.server?.generation_tokens.filter(|tokens| *tokens > 0.0)?;
        if self.summary.failed + self.summary.cut_off > 0 || self.was_stopped {
            return None;
        }
        let total = |metric| self.summary.get(metric)?.avg;
        let (client, allowed_percent) = match total(Metric::TotalUsageCompletionTokens) {
            Some(reported) => (reported, SERVER_TOKENS_PERCENT),
            None => (total(Metric::TotalOsl)?, TOKENIZED_PERCENT),
        };
        let note = ValidityNote::ServerTokensDiffer {
            server: server.round() as u64,
            client: client.round() as u64,
            allowed_percent,
        };
        (note.figure() > allowed_percent).then_some(note)
    }

    pub(super) fn server_first_token(&self) -> Option<ValidityNote> {
        let server = self.server?.time_to_first_token?;
        let client = self.summary.get(Metric::TimeToFirstToken)?.avg?;
        let note = ValidityNote::ServerFirstTokenDiffers { server, client };
        let is_large = (client - server).abs() > SERVER_TTFT_MS && note.figure() > SERVER_TTFT_PERCENT;
        is_large.then_some(note)
    }
}
