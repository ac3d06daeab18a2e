//! What is written, printed and shown.

use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Clone)]
pub struct OutputConfig {
    /// Where all files of this run go; already includes the automatic name when none was given.
    pub dir: PathBuf,
    /// Results of an earlier run in the same folder are deleted, not moved to `previous/`.
    pub overwrite: bool,
    /// Base name of the export files, known suffixes stripped.
    pub prefix: Option<String>,
    pub level: ExportLevel,
    pub ui: UiKind,
    pub console: ConsoleOutput,
    /// Time between two progress lines where there is no terminal; `None`: not said, zero: none at all.
    pub stats_interval: Option<Duration>,
    pub log_level: LogLevel,
    /// SLOs per request: metric tag and threshold in the metric's display unit.
    pub goodput: Vec<(String, f64)>,
    pub show_trace_timing: bool,
    pub export_http_trace: bool,
    /// Length of the windows that metrics are also computed for.
    pub slice_duration: Option<Duration>,
    /// The texts of all replies, in outputs.json.
    pub export_outputs: bool,
    /// Also write the records as a Parquet table.
    pub export_parquet: bool,
    /// The summary as GenAI-Perf had it.
    pub export_genai_perf: bool,
    pub plots: AutoPlots,
    /// Also write the HTML report.
    pub html: bool,
    /// Validity notes that make the run fail.
    pub strict: Option<Strict>,
}

/// Whether charts are drawn when all runs have finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AutoPlots {
    Off,
    /// A failure is a warning.
    Wanted,
    /// A failure makes the command fail.
    Required,
}

/// Which validity notes make a run fail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Strict {
    EveryWarning,
    /// As typed.
    Codes(Vec<String>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExportLevel {
    Summary,
    Records,
    Raw,
}

/// What is printed on stdout when the run is over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ConsoleOutput {
    /// Tables, notes and the names of the files.
    #[default]
    Report,
    /// The summary as JSON, and nothing else.
    Json,
    /// Nothing; errors still go to stderr.
    Nothing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UiKind {
    /// The whole terminal.
    Dashboard,
    /// A progress line on stderr.
    Simple,
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    Trace,
    Debug,
    Info,
    Notice,
    Warning,
    Success,
    Error,
    Critical,
}

impl LogLevel {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Trace => "TRACE",
            Self::Debug => "DEBUG",
            Self::Info => "INFO",
            Self::Notice => "NOTICE",
            Self::Warning => "WARNING",
            Self::Success => "SUCCESS",
            Self::Error => "ERROR",
            Self::Critical => "CRITICAL",
        }
    }
}
