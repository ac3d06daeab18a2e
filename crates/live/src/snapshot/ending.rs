//! How a run ended.

use serde::Serialize;

use super::RunState;

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RunEnd {
    /// Complete, failed or cancelled.
    pub outcome: RunState,
    /// Why it did not end as asked.
    pub reason: Option<String>,
    /// Seconds of the profiling phase.
    pub duration: Option<f64>,
    /// The exact numbers of the report's main table.
    pub rows: Vec<SummaryRow>,
    pub files: Vec<RunFile>,
    /// Codes of the validity notes of the report.
    pub notes: Vec<String>,
}

/// A row of the summary, exact, in the metric's display unit.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SummaryRow {
    pub tag: &'static str,
    pub header: &'static str,
    pub unit: &'static str,
    pub avg: f64,
    pub p50: Option<f64>,
    pub p99: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunFile {
    pub label: String,
    /// Relative to the artifact folder.
    pub path: String,
}
