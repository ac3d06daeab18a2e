//! Reads the body of a configuration file, `benchmark`, into the options that it stands for.

mod dataset;
mod duration;
mod models;
mod own;
mod phases;
mod reader;
mod sla;
mod user_files;

pub(crate) use duration::seconds as duration_seconds;
use reader::{Reader, must_be_map};
pub(crate) use reader::{scalar as one_value, truth as truth_value, unknown as unknown_key};
pub(crate) use user_files::check_path as check_user_path;

use aiperf_config::UserFile;
use aiperf_options::{PhaseOptions, RawOptions};

use crate::FileError;
use crate::field::{BENCHMARK, Field};
use crate::names::snake;
use crate::yaml::Node;

/// What one run does, as options.
#[derive(Debug)]
pub(crate) struct FileRunOptions {
    /// Options of the run, apart from the load of its phases.
    pub(crate) run: RawOptions,
    /// In the order of the file.
    pub(crate) phases: Vec<PhaseOptions>,
    /// What is accepted without an effect.
    pub(crate) warnings: Vec<String>,
    /// Files of the user's own.
    pub(crate) user_files: Vec<UserFile>,
}

/// Reads a section outside of the body.
pub(crate) fn read_section(
    file: &str,
    node: &Node,
    path: &str,
    fields: &'static [Field],
) -> Result<RawOptions, FileError> {
    let mut reader = Reader::new(file);
    reader.section(node, path, fields)?;
    Ok(reader.finish().0)
}

/// Reads the body of `file`; `path` is where the body stands, such as `benchmark`.
pub(crate) fn read(file: &str, body: &Node, path: &str) -> Result<FileRunOptions, FileError> {
    let mut reader = Reader::new(file);
    must_be_map(body, path)?;
    for entry in body.entries() {
        let (name, path) = (snake(&entry.key), format!("{path}.{}", entry.key));
        match name.as_str() {
            "datasets" | "dataset" => dataset::read(&mut reader, &entry.value, &path)?,
            "phases" | "profiling" | "warmup" => {}
            _ => reader.entry(entry, &path, BENCHMARK, &["datasets", "phases", "profiling", "warmup"])?,
        }
    }
    let phases = phases::read(file, body, path)?;
    let user_files = std::mem::take(&mut reader.user_files);
    let (run, mut warnings) = reader.finish();
    let mut all = Vec::new();
    for (phase, own) in phases {
        warnings.extend(own);
        all.push(phase);
    }
    Ok(FileRunOptions { run, phases: all, warnings, user_files })
}
