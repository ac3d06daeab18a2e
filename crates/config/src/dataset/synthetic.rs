//! Generated conversations, as they are described.

use std::path::PathBuf;

use super::{Length, MediaSource, Weighted};

#[derive(Debug, Clone)]
pub struct SyntheticSource {
    /// Number of distinct conversations.
    pub entries: usize,
    pub lengths: PromptLengths,
    pub corpus: Corpus,
    /// Texts per turn.
    pub batch_size: usize,
    pub prefix: Option<PrefixPrompts>,
    /// Length of a context prompt that each conversation has for itself.
    pub user_context_tokens: Option<usize>,
    /// Turns of a conversation.
    pub turns: Length,
    pub turn_delay: TurnDelay,
    /// Where the endpoint ranks passages: queries and passages are made instead of prompts.
    pub rankings: Option<Rankings>,
    /// A marker of each session's own will stand in its first user message; the prompt leaves room for it.
    pub marked_first_turn: bool,
    /// Images, audio clips and videos in addition to the texts.
    pub media: Option<Box<MediaSource>>,
}

/// How long the prompt of a turn is.
#[derive(Debug, Clone, PartialEq)]
pub enum PromptLengths {
    Drawn(Length),
    /// Prompt and answer of a turn have the lengths of one of these pairs, in proportion to their weights.
    Pairs(Vec<Weighted<LengthPair>>),
    Window(RangeRatio),
}

/// An input length and the output length that goes with it.
#[derive(Debug, Clone, PartialEq)]
pub struct LengthPair {
    pub input: Length,
    pub output: Length,
}

/// Prompts of all lengths in a window around a mean, alike.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RangeRatio {
    pub style: RandomStyle,
    pub mean: u32,
    pub ratio: f64,
}

/// The tool whose random prompts are imitated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RandomStyle {
    #[default]
    Vllm,
    Sglang,
}

impl RandomStyle {
    /// As `--random-corpus-style` spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Vllm => "vllm",
            Self::Sglang => "sglang",
        }
    }

    /// The window round a mean; both ends are included.
    pub fn window(self, mean: f64, ratio: f64) -> (f64, f64) {
        match self {
            Self::Vllm => ((mean * (1.0 - ratio)).floor(), (mean * (1.0 + ratio)).ceil()),
            Self::Sglang => ((mean * ratio).trunc().max(1.0), mean.max(1.0)),
        }
    }
}

/// What texts are made of.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Corpus {
    /// Generated prose.
    #[default]
    Prose,
    /// Generated program text: code, diffs, logs, JSON, tracebacks.
    Code,
    /// Tokens in the order of the vocabulary, from a random one on.
    RandomTokens(RandomStyle),
    /// Passages of a text file.
    File(PathBuf),
}

/// What a request to rank passages holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Rankings {
    pub passages: Length,
    pub passage_tokens: Length,
    pub query_tokens: Length,
}

impl Default for Rankings {
    fn default() -> Self {
        Self {
            passages: Length::constant(10.0),
            passage_tokens: Length::constant(128.0),
            query_tokens: Length::constant(32.0),
        }
    }
}

/// The pause before every turn but the first.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnDelay {
    /// In milliseconds; `None`: no pause.
    pub pause_ms: Option<Length>,
    /// Multiplies every pause.
    pub ratio: f64,
}

impl Default for TurnDelay {
    fn default() -> Self {
        Self { pause_ms: None, ratio: 1.0 }
    }
}

/// A pool of prefixes, one of which the first turn of each conversation starts with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PrefixPrompts {
    pub pool_size: usize,
    pub tokens: usize,
}
