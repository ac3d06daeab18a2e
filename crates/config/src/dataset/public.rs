//! Well-known data sets, each by its name: where its rows are, and how a request is made of one.

mod table;

pub use table::{PUBLIC_NAMES, PUBLIC_SETS};

use crate::TraceOptions;

/// One data set of the table.
#[derive(Debug, PartialEq, Eq)]
pub struct PublicSet {
    /// As `--public-dataset` spells it.
    pub name: &'static str,
    pub origin: PublicOrigin,
    /// Read only as far as conversations are needed: it is too large to be fetched whole for a few requests.
    pub streamed: bool,
    pub recipe: Recipe,
}

/// Where the rows are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PublicOrigin {
    /// A split of a data set on the hub.
    Split { repository: &'static str, revision: &'static str, subset: Option<&'static str>, split: &'static str },
    /// One file of a data set on the hub.
    File { repository: &'static str, path: &'static str },
    /// A file elsewhere.
    Url(&'static str),
    /// The train split of a repository that the user names.
    Named,
}

/// How a row becomes a conversation. The words are names of columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recipe {
    /// Pairs of a human's and a model's messages, each pair one turn.
    ShareGpt,
    /// The text of a column.
    Prompt { column: &'static str },
    /// The first text of a list.
    FirstOf { column: &'static str },
    /// Each text of a list is one turn.
    Turns { column: &'static str },
    /// An instruction to change a piece of code.
    Edit { code: &'static str, request: &'static str },
    /// A question about a picture.
    Picture { question: &'static str, image: &'static str },
    /// What the user said first, about a picture.
    PictureChat { chat: Chat, image: &'static str },
    /// A question with choices about a video that has a URL.
    Video { question: &'static str, choices: &'static str, video: &'static str },
    /// Speech to be written down.
    Speech { audio: &'static str },
    /// Recorded model calls of agents.
    AgentSpans,
    /// Weka traces.
    Weka,
}

/// How a list of messages is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chat {
    pub column: &'static str,
    pub speaker: &'static str,
    pub user: &'static str,
    pub text: &'static str,
}

/// A public data set as a run wants it.
#[derive(Debug, Clone)]
pub struct PublicSource {
    pub set: &'static PublicSet,
    /// The repository of a set that names none itself.
    pub repository: Option<String>,
    /// Instead of the set's own subset.
    pub subset: Option<String>,
    /// Columns and the values that rows must have in them.
    pub filters: Vec<(String, String)>,
    /// Most conversations to take; `None`: all.
    pub entries: Option<usize>,
    /// Each recorded call is sent by itself at its own time.
    pub fixed_schedule: bool,
    /// Longest recorded pause between turns that is kept.
    pub delay_cap_ms: Option<f64>,
    /// For sets that are traces.
    pub trace: TraceOptions,
}

impl PublicSource {
    /// A set of which nothing more is said.
    pub fn of(set: &'static PublicSet) -> Self {
        Self {
            set,
            repository: None,
            subset: None,
            filters: Vec::new(),
            entries: None,
            fixed_schedule: false,
            delay_cap_ms: None,
            trace: TraceOptions::default(),
        }
    }
}

impl Recipe {
    /// Whether conversations have several turns.
    pub const fn has_turns(self) -> bool {
        matches!(self, Self::ShareGpt | Self::Turns { .. } | Self::AgentSpans)
    }

    /// Whether rows say when they were sent.
    pub const fn has_times(self) -> bool {
        matches!(self, Self::AgentSpans)
    }

    /// What a request is made of, in a few words.
    pub fn summary(self) -> String {
        match self {
            Self::ShareGpt => "each human message with its reply's length, in turns".to_owned(),
            Self::Prompt { column } => format!("`{column}`"),
            Self::FirstOf { column } => format!("the first of `{column}`"),
            Self::Turns { column } => format!("each of `{column}` is a turn"),
            Self::Edit { code, request } => format!("`{code}` to be changed as `{request}` says"),
            Self::Picture { question, image } => format!("`{question}` and `{image}`"),
            Self::PictureChat { chat, image } => format!("first user message of `{}` and `{image}`", chat.column),
            Self::Video { question, choices, video } => format!("`{question}`, `{choices}` and the URL in `{video}`"),
            Self::Speech { audio } => format!("`{audio}`, to be transcribed; up to 30 s"),
            Self::AgentSpans => "each recorded model call is a turn, with its pause".to_owned(),
            Self::Weka => "recorded sessions of coding agents".to_owned(),
        }
    }
}
