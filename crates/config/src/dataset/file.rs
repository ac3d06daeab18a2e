//! Conversations from a file of the user's.

use std::path::PathBuf;

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
