//! Speculative decoding of one reply: how many draft tokens the server proposed and accepted.

use thiserror::Error;

/// Speculative decoding of one reply, its counts in agreement with each other.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SpecDecode {
    /// Tokens of an average step: the model's own and the drafts it accepted.
    pub mean_acceptance_length: f64,
    /// Share of the drafts that were accepted.
    pub draft_acceptance_rate: f64,
    /// How many steps accepted 0, 1, 2, ... drafts.
    pub acceptance_histogram: Vec<u64>,
    pub accepted_draft_tokens: u64,
    pub draft_tokens: u64,
    /// Verification steps.
    pub steps: u64,
    /// Drafts that a step may propose at most.
    pub spec_tokens: Option<u64>,
}

/// Why a report of speculative decoding is of no use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SpecDecodeError {
    #[error("a count of steps, of proposed or of accepted draft tokens is missing")]
    Missing,
    #[error("more draft tokens were accepted than proposed")]
    AcceptedBeyondProposed,
    #[error("the histogram does not add up to the steps and the accepted draft tokens")]
    Histogram,
}
