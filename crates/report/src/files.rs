//! Writes all summary files of a run.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::console::{self, Colour, Width};
use crate::{ArtifactPaths, ReportError, RunReport, csv, json, phases};

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

/// Writes summary CSV and JSON, console text, phase files where there was a warmup, and the ready marker. All of them
/// are written whatever became of the run; the marker comes last and says whether one is missing.
pub fn write_summary_files(report: &RunReport, paths: &ArtifactPaths) -> SummaryFiles {
    let mut files = SummaryFiles::default();
    let telemetry = report.telemetry_data.is_some();
    files.put("CSV Export", &paths.summary_csv(), csv::summary(&report.profiling.summary, telemetry).as_bytes());
    files.put("JSON Export", &paths.summary_json(), &pretty(&json::run_summary(report)));
    let console = console::render(report, Width::FILE, Colour::Plain);
    files.put("Console Export", &paths.console(), console.as_bytes());
    if let Some(warmup) = &report.warmup {
        let phases = [warmup, &report.profiling];
        for phase in phases {
            let (csv_path, json_path) = (paths.phase_csv(&phase.name), paths.phase_json(&phase.name));
            files.put_quietly(&paths.dir().join(csv_path), csv::summary(&phase.summary, false).as_bytes());
            files.put_quietly(&paths.dir().join(json_path), &pretty(&json::phase_summary(report, phase)));
        }
        let mut manifest = pretty(&phases::manifest(report, &phases, paths));
        manifest.push(b'\n');
        files.put_quietly(&paths.phase_manifest(), &manifest);
    }
    let partial = !files.failed.is_empty();
    let marker = json!({"ready": true, "was_cancelled": report.status.was_cancelled(), "partial": partial});
    files.put_quietly(&paths.ready_marker(), marker.to_string().as_bytes());
    files
}

impl SummaryFiles {
    fn put(&mut self, label: &str, path: &Path, bytes: &[u8]) {
        if self.put_quietly(path, bytes) {
            self.written.push(WrittenFile { label: label.to_owned(), path: path.to_owned() });
        }
    }

    /// For files that need no line on the console.
    fn put_quietly(&mut self, path: &Path, bytes: &[u8]) -> bool {
        match write_whole(path, bytes) {
            Ok(()) => true,
            Err(source) => {
                self.failed.push(ReportError::write(path, source));
                false
            }
        }
    }
}

fn pretty(value: &Value) -> Vec<u8> {
    format!("{value:#}").into_bytes()
}

/// Under another name first: whoever finds the file finds it whole. The ready marker is for its owner alone.
fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(dir) = path.parent() {
        fs::create_dir_all(dir)?;
    }
    let mut part = OsString::from(path);
    part.push(".part");
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    if path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b".")) {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    let written = options.open(&part).and_then(|mut file| file.write_all(bytes)).and_then(|()| fs::rename(&part, path));
    if written.is_err() {
        // Whatever is left of it is of no use to anyone.
        let _ = fs::remove_file(&part);
    }
    written
}
