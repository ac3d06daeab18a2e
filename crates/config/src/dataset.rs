//! What is sent: a description of synthetic data, a file, or a public data set.

mod file;
mod public;
mod synthetic;

use std::sync::Arc;

pub use file::{FileFormat, FileSource, TimeWindow};
pub(crate) use public::PUBLIC_NAMES;
pub use public::{Chat, Origin, PUBLIC_SETS, PublicSet, PublicSource, Recipe};
pub(crate) use synthetic::{DEFAULT_ENTRIES, SINGLE_TURN};
pub use synthetic::{Length, PrefixPrompts, SyntheticSource, TurnDelay};

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
    Public(PublicSource),
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
