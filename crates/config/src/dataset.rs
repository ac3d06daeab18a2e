//! What is sent: a description of synthetic data, or a file.

use std::path::PathBuf;
use std::sync::Arc;

/// Conversations to make when nothing says how many are needed.
pub(crate) const DEFAULT_ENTRIES: usize = 100;
/// Conversations of one request each.
pub(crate) const SINGLE_TURN: Length = Length { mean: 1.0, stddev: 0.0 };

#[derive(Debug, Clone)]
pub struct DatasetConfig {
    pub source: DatasetSource,
    pub sampling: Sampling,
    /// At least one.
    pub models: Vec<Arc<str>>,
    pub model_selection: ModelSelection,
    /// Output length for turns that bring none of their own.
    pub output_tokens: Option<Length>,
    pub system_prompt: SystemPrompt,
    /// Whether the endpoint takes a system message; where it does not, one in a file is a turn like any other.
    pub has_system_role: bool,
}

#[derive(Debug, Clone)]
pub enum DatasetSource {
    Synthetic(SyntheticSource),
    File(FileSource),
}

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

#[derive(Debug, Clone)]
pub struct FileSource {
    pub path: PathBuf,
    /// `None`: found out from the content.
    pub format: Option<FileFormat>,
    /// Rows outside this time of the trace are left out.
    pub window: TimeWindow,
    /// Longest pause between turns that is kept.
    pub delay_cap_ms: Option<f64>,
}

/// A part of a trace, in milliseconds of its own time, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct TimeWindow {
    pub start_ms: Option<f64>,
    pub end_ms: Option<f64>,
}

/// File formats that are built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileFormat {
    SingleTurn,
    MultiTurn,
    DagJsonl,
}

impl FileFormat {
    pub(crate) const ALL: [FileFormat; 3] = [Self::SingleTurn, Self::MultiTurn, Self::DagJsonl];

    /// As `--custom-dataset-type` spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SingleTurn => "single_turn",
            Self::MultiTurn => "multi_turn",
            Self::DagJsonl => "dag_jsonl",
        }
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

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum SystemPrompt {
    #[default]
    None,
    /// The user's own words.
    Verbatim(Arc<str>),
    /// One generated prompt of this many tokens, shared by all conversations.
    Synthetic(usize),
}

/// The order in which conversations are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sampling {
    Sequential,
    Random,
    Shuffle,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelSelection {
    RoundRobin,
    Random,
}
