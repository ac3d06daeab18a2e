//! What is sent: a description of synthetic data, a file, or a public data set.

mod accuracy;
mod agent_detection;
mod cache_bust;
mod export;
mod file;
mod file_format;
mod length;
mod media;
mod public;
mod synthetic;
mod trace;

use std::sync::Arc;

pub use accuracy::{AccuracyData, AccuracySource};
pub use agent_detection::AgentDetection;
pub use cache_bust::{CacheBust, MarkerPlace, MarkerSide};
pub use file::{BadRows, BatchSizes, FileSource, FormatOption, InlineRows, PoolDraws, TimeWindow, with_subject};
pub use file_format::{FILE_FORMAT_NAMES, FileFormat, FormatFacts, SpeedBench};
pub use length::{Length, Weighted};
pub use media::{
    AudioFormat, AudioSpec, BitDepth, Channels, ClipLength, ImageFormat, ImageSource, ImageSpec, MediaSource,
    PictureOrder, PixelSize, SoundCodec, SoundTrack, VideoContainer, VideoPicture, VideoSpec, whole,
};
pub use public::{Chat, PUBLIC_NAMES, PUBLIC_SETS, PublicOrigin, PublicSet, PublicSource, Recipe};
pub use synthetic::{
    Corpus, LengthPair, PrefixPrompts, PromptLengths, RandomStyle, RangeRatio, Rankings, SyntheticSource, TurnDelay,
};
pub use trace::{AgentReplay, Replay, SessionColumn, TraceCorpus, TraceOptions, TraceSynthesis};

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
    /// Tokens of a text of its own that each conversation of a file or public data set begins with.
    pub user_context_tokens: Option<usize>,
    /// Whether the endpoint takes a system message; where it does not, one in a file is a turn like any other.
    pub has_system_role: bool,
}

#[derive(Debug, Clone)]
pub enum DatasetSource {
    Synthetic(SyntheticSource),
    File(FileSource),
    Public(PublicSource),
    Accuracy(AccuracySource),
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

#[derive(Debug, Clone, PartialEq)]
pub enum ModelSelection {
    RoundRobin,
    Random,
    /// Drawn by these shares, one for each model; they add up to about 1.
    Weighted(Arc<[f64]>),
}
