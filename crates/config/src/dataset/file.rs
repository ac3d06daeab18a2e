//! Conversations from a file of the user's.

use std::path::PathBuf;
use std::sync::Arc;

use super::{FileFormat, TraceOptions};
use crate::defaults;

#[derive(Debug, Clone)]
pub struct FileSource {
    /// A file, or for some formats a folder.
    pub path: PathBuf,
    /// The rows themselves, which then do not come from a file; the path is what messages call them.
    pub inline: Option<InlineRows>,
    /// `None`: found out from the content.
    pub format: Option<FileFormat>,
    /// Rows outside this time of the trace are left out.
    pub window: TimeWindow,
    /// Longest pause between turns that is kept.
    pub delay_cap_ms: Option<f64>,
    pub bad_rows: BadRows,
    /// Use only this many conversations, from the beginning of the file.
    pub entries: Option<usize>,
    /// Conversations to draw from a pool of contents.
    pub draws: PoolDraws,
    /// Send each image of a session once, and afterwards only its id.
    pub strip_known_images: bool,
    /// Ready-made bodies may be any JSON: whether they make a request is for the endpoint to say.
    pub any_payload: bool,
    /// What is changed in a trace.
    pub trace: TraceOptions,
    /// Options that were given and that only some formats heed; for a format that is found out later.
    pub conditional: Vec<FormatOption>,
}

impl FileSource {
    /// A file that nothing more is said about.
    pub fn of(path: PathBuf) -> Self {
        Self {
            path,
            inline: None,
            format: None,
            window: TimeWindow::default(),
            delay_cap_ms: None,
            bad_rows: BadRows::default(),
            entries: None,
            draws: PoolDraws { entries: defaults::ENTRIES, batch: BatchSizes::default() },
            strip_known_images: false,
            any_payload: false,
            trace: TraceOptions::default(),
            conditional: Vec::new(),
        }
    }

    /// An option that was given and that means nothing for this format.
    pub fn unheeded(&self, format: FileFormat) -> Option<&FormatOption> {
        self.conditional.iter().find(|option| !(option.heeded_by)(format))
    }
}

/// Rows that stand in the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InlineRows {
    /// One JSON object per line.
    Rows(Arc<str>),
    /// Pools to draw from, by name, each with one JSON object per line.
    Pools(Vec<(String, Arc<str>)>),
}

/// What becomes of a row that cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BadRows {
    /// The run does not start.
    #[default]
    Refuse,
    /// It is left out, counted and reported.
    Skip,
}

/// How many conversations of how many contents are drawn from a pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolDraws {
    pub entries: usize,
    pub batch: BatchSizes,
}

/// Contents of each kind in one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchSizes {
    pub texts: usize,
    pub images: usize,
    pub audios: usize,
    pub videos: usize,
}

impl Default for BatchSizes {
    fn default() -> Self {
        Self { texts: 1, images: 1, audios: 1, videos: 1 }
    }
}

/// An option, as the user spelled it, that only some formats heed.
#[derive(Debug, Clone)]
pub struct FormatOption {
    pub flag: String,
    pub heeded_by: fn(FileFormat) -> bool,
    /// What it is for, and with that which formats heed it.
    pub why: &'static str,
}

/// A reason with the name of its option instead of a leading "it".
pub fn with_subject(why: &str, subject: &str) -> String {
    why.strip_prefix("it ").map_or_else(|| why.to_owned(), |rest| format!("{subject} {rest}"))
}

/// A part of a trace, in milliseconds of its own time, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct TimeWindow {
    pub start_ms: Option<f64>,
    pub end_ms: Option<f64>,
}
