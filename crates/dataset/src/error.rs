//! Errors of building a data set. They name the file, the line and what was expected there.

use std::fmt;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    #[error("--input-file {}: cannot be read: {reason}", path.display())]
    Unreadable { path: PathBuf, reason: String },

    #[error("--input-file {}: {problem}", path.display())]
    Content { path: PathBuf, problem: String },

    #[error(
        "--input-file {}: no known format: {reason}; a single_turn file has one JSON object per line with text, image, \
         audio or video; for other formats use --custom-dataset-type",
        path.display()
    )]
    FormatUnknown { path: PathBuf, reason: String },

    #[error(
        "--input-file {}: could be {}; choose one with --custom-dataset-type",
        path.display(),
        candidates.join(" or ")
    )]
    FormatAmbiguous { path: PathBuf, candidates: Vec<&'static str> },

    #[error(
        "{flag} cannot be used with --input-file {}, which is {format}: {}",
        path.display(),
        aiperf_config::with_subject(why, flag)
    )]
    OptionForOtherFormat { flag: String, path: PathBuf, format: &'static str, why: &'static str },

    #[error("{flag} has no effect on --input-file {}: {why}; leave it out", path.display())]
    Effectless { flag: &'static str, path: PathBuf, why: &'static str },

    #[error("--input-file {}: is a folder, but {format} is a single file; name the file", path.display())]
    NotAFile { path: PathBuf, format: &'static str },

    #[error("--input-file {}, {place}: {problem}", path.display())]
    Row { path: PathBuf, place: RowPlace, problem: String },

    #[error("--input-file {}: none of its {count} rows can be used; first problem: {first}", path.display())]
    AllRowsBad { path: PathBuf, count: usize, first: String },

    #[error("--input-file {}: {problem}", path.display())]
    Pool { path: PathBuf, problem: String },

    #[error("--input-file {}: no row has the category {category}; the file has {found}", path.display())]
    NoneOfCategory { path: PathBuf, category: &'static str, found: String },

    #[error(
        "--input-file {}: no conversation starts {asked}; they start between {earliest} and {latest} \
         ms: change --fixed-schedule-start-offset or --fixed-schedule-end-offset",
        path.display()
    )]
    EmptyWindow { path: PathBuf, asked: String, earliest: f64, latest: f64 },

    #[error(
        "--synthesis-max-isl {asked}: every request of {} is longer; the shortest has {shortest} tokens",
        path.display()
    )]
    AllTooLong { path: PathBuf, asked: u64, shortest: u64 },

    #[error(
        "--max-context-length {asked}: every trace of {} needs more; the smallest needs {smallest}",
        path.display()
    )]
    ContextTooLong { path: PathBuf, asked: u64, smallest: u64 },

    #[error(
        "--fixed-schedule: the first turn of session {session} has no timestamp (conversation {number} of the data); give \
         every conversation one, or choose another way to load (--no-fixed-schedule for a trace)"
    )]
    NoTimestamp { session: String, number: usize },

    #[error("--input-file {}: contains no rows", path.display())]
    NoRows { path: PathBuf },

    #[error("--public-dataset {name}: {problem}")]
    Public { name: &'static str, problem: String },

    #[error("--public-dataset {name}: {source}{advice}")]
    PublicHub { name: &'static str, source: Box<aiperf_hub::HubError>, advice: &'static str },

    #[error("--public-dataset {name}: reading it needs a connection to the Hugging Face hub")]
    NoHub { name: &'static str },

    #[error("--accuracy-benchmark {name}: {problem}")]
    Accuracy { name: &'static str, problem: String },

    #[error("--num-dataset-entries 0: a data set needs at least one conversation")]
    NoEntries,

    #[error("--image-source {}: {reason}; give a folder with PNG or JPEG files, assets or noise", path.display())]
    Pictures { path: PathBuf, reason: String },

    #[error(transparent)]
    Video(#[from] aiperf_media::VideoError),

    #[error("--model: at least one model is needed")]
    NoModels,

    #[error("--prompt-corpus-file {}: cannot be used: {reason}; give a UTF-8 text file", path.display())]
    Corpus { path: PathBuf, reason: String },

    #[error("--prompt-corpus random: tokenizer {tokenizer} does not list its tokens; use another corpus")]
    NoVocabulary { tokenizer: String },

    #[error(
        "--random-range-ratio {ratio}: the range around an input length of {mean} includes prompts of 0 tokens; \
         give a smaller ratio or a larger --isl"
    )]
    EmptyPrompts { mean: u32, ratio: f64 },

    #[error(
        "--isl {asked} with --apply-chat-template: the chat template alone takes {template} tokens; ask for at least \
         {}", template + 1
    )]
    TemplateTooLong { asked: usize, template: usize },

    #[error(
        "--cache-bust: session {session} sends ready-made bodies byte for byte, so no marker can be added; leave the option \
         out"
    )]
    MarkedPayload { session: String },

    #[error("--apply-chat-template: the template cannot render these conversations: {reason}")]
    ChatTemplate { reason: String },
}

/// The position of a row in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowPlace {
    /// A line, counted from one.
    Line(usize),
    /// An element of the list `data`, counted from zero.
    Entry(usize),
}

impl fmt::Display for RowPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(number) => write!(f, "line {number}"),
            Self::Entry(index) => write!(f, "data[{index}]"),
        }
    }
}
