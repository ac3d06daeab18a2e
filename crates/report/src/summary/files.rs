//! Writes all summary files of a run.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::console::{self, Colour, Width};
use crate::folder::part_file::write_whole;
use crate::{ArtifactPaths, LineTotals, ReportError, RunReport};

use super::{csv, genai_perf, json, phases};

/// A file that is there to be read, with the words that announce it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenFile {
    pub label: String,
    pub path: PathBuf,
}

/// What was written and what was not. One file that fails does not stop the others.
#[derive(Debug, Default)]
pub struct SummaryFiles {
    pub written: Vec<WrittenFile>,
    pub failed: Vec<ReportError>,
}

/// Writes the HTML report, whole or not at all.
pub fn write_html_report(paths: &ArtifactPaths, page: &str) -> Result<WrittenFile, ReportError> {
    let path = paths.html_report();
    if let Some(dir) = path.parent() {
        std::fs::create_dir_all(dir).map_err(|source| ReportError::create(dir, source))?;
    }
    write_whole(&path, page.as_bytes())?;
    Ok(WrittenFile { label: "HTML Report".to_owned(), path })
}

/// Files that are written when someone asks for them.
#[derive(Debug, Default)]
pub struct ExtraFiles {
    /// The windows of the profiling phase: see [`write_timeslices`](crate::write_timeslices).
    pub timeslices: Option<Result<(), ReportError>>,
    /// Something that the run was to write before its summary is not there, or not whole.
    pub is_partial: bool,
}

/// Writes summary CSV and JSON, console text, phase files if there were several phases, and the ready marker. All of them
/// are written whatever became of the run; the marker comes last and says whether one is missing.
pub fn write_summary_files(report: &RunReport, paths: &ArtifactPaths, extra: ExtraFiles) -> SummaryFiles {
    let mut files = SummaryFiles::default();
    let table = csv::run_summary(report);
    files.put("CSV Export", &paths.summary_csv(), table.as_bytes());
    files.put("JSON Export", &paths.summary_json(), &pretty(&json::run_summary(report)));
    let console = console::render(report, Width::FILE, Colour::Plain);
    files.put("Console Export", &paths.console(), console.as_bytes());
    if let Some(accuracy) = &report.accuracy {
        files.put("Accuracy CSV Export", &paths.accuracy_csv(), accuracy.csv().as_bytes());
    }
    match extra.timeslices {
        Some(Ok(())) => {
            files.note("Timeslice CSV Export", &paths.timeslices_csv());
            files.note("Timeslice JSON Export", &paths.timeslices_json());
        }
        Some(Err(error)) => files.failed.push(error),
        None => {}
    }
    if let Some(results) = &report.genai_perf {
        files.put("GenAI-Perf CSV Export", &paths.genai_perf_csv(), genai_perf::csv(results).as_bytes());
        let json = genai_perf::json(results, &report.input_config);
        files.put("GenAI-Perf JSON Export", &paths.genai_perf_json(), &pretty(&json));
    }
    if report.phases.len() > 1 {
        for phase in &report.phases {
            let (csv_path, json_path) = (paths.phase_csv(&phase.name), paths.phase_json(&phase.name));
            files.put(
                "Phase CSV",
                &paths.dir().join(csv_path),
                csv::summary(&phase.summary, &phase.percentiles, None).as_bytes(),
            );
            files.put("Phase JSON", &paths.dir().join(json_path), &pretty(&json::phase_summary(report, phase)));
        }
        let mut manifest = pretty(&phases::manifest(report, paths));
        manifest.push(b'\n');
        files.put("Phase List", &paths.phase_manifest(), &manifest);
    }
    let partial = extra.is_partial || !files.failed.is_empty();
    let marker = json!({"ready": true, "was_cancelled": report.ending.outcome.is_stopped(), "partial": partial});
    files.put_quietly(&paths.ready_marker(), marker.to_string().as_bytes());
    files
}

impl SummaryFiles {
    /// Whether a file is among those that were written.
    pub fn has(&self, path: &Path) -> bool {
        self.written.iter().any(|file| file.path == path)
    }

    /// Lists a file of lines; gives the number of lines that it lacks.
    pub fn note_lines(&mut self, label: &str, path: PathBuf, totals: &LineTotals) -> u64 {
        let LineTotals { written, lost, .. } = totals;
        if *lost > 0 {
            self.failed.push(ReportError::Lost { path: path.clone(), lost: *lost, all: lost + written });
        }
        self.written.push(WrittenFile { label: label.to_owned(), path });
        *lost
    }

    fn put(&mut self, label: &str, path: &Path, bytes: &[u8]) {
        if self.put_quietly(path, bytes) {
            self.note(label, path);
        }
    }

    fn note(&mut self, label: &str, path: &Path) {
        self.written.push(WrittenFile { label: label.to_owned(), path: path.to_owned() });
    }

    /// For files that need no line on the console.
    fn put_quietly(&mut self, path: &Path, bytes: &[u8]) -> bool {
        match write_whole(path, bytes) {
            Ok(()) => true,
            Err(error) => {
                self.failed.push(error);
                false
            }
        }
    }
}

fn pretty(value: &Value) -> Vec<u8> {
    format!("{value:#}").into_bytes()
}
