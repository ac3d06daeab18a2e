//! Generated conversations, as they are described.

use super::MediaSource;

/// Conversations to make when nothing says how many are needed.
pub(crate) const DEFAULT_ENTRIES: usize = 100;
/// Conversations of one request each.
pub(crate) const SINGLE_TURN: Length = Length { mean: 1.0, stddev: 0.0 };

#[derive(Debug, Clone)]
pub struct SyntheticSource {
    /// Number of distinct conversations.
    pub entries: usize,
    pub input_tokens: Length,
    /// Texts per turn.
    pub batch_size: usize,
    pub prefix: Option<PrefixPrompts>,
    /// Length of a context prompt that each conversation has for itself.
    pub user_context_tokens: Option<usize>,
    /// Turns of a conversation.
    pub turns: Length,
    pub turn_delay: TurnDelay,
    /// Pictures, clips and films beside the texts.
    pub media: Option<Box<MediaSource>>,
}

/// The pause before every turn but the first, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TurnDelay {
    pub mean_ms: f64,
    pub stddev_ms: f64,
    /// Multiplies every pause.
    pub ratio: f64,
}

impl Default for TurnDelay {
    fn default() -> Self {
        Self { mean_ms: 0.0, stddev_ms: 0.0, ratio: 1.0 }
    }
}

/// A length in tokens, with normal spread.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Length {
    pub mean: f64,
    pub stddev: f64,
}

/// A pool of prefixes, one of which the first turn of each conversation starts with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PrefixPrompts {
    pub pool_size: usize,
    pub tokens: usize,
}
