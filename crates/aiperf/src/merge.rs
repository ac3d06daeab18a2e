//! `aiperf merge`: several folders as one run.

use std::path::PathBuf;
use std::process::ExitCode;

use aiperf_artifact::{RebuildOptions, merge as merge_folders, node_folders};
use aiperf_config::Environment;
use aiperf_report::FolderLock;
use aiperf_report::console::{self, Width};
use anyhow::Context;

use crate::build::VERSION;
use crate::cli::MergeInvocation;
use crate::profile::console_of;

pub(crate) fn merge(asked: &MergeInvocation, environment: &Environment) -> anyhow::Result<ExitCode> {
    let mut folders: Vec<PathBuf> = Vec::new();
    for folder in &asked.folders {
        folders.extend(node_folders(folder)?);
    }
    let beside = || folders.first().and_then(|first| first.parent()).map(|parent| parent.join("merged"));
    let output = asked.output.clone().or_else(beside).context("no folder to write to; choose one with --output-dir")?;
    let _claim = FolderLock::take(&output)?;
    let merged = merge_folders(&folders, &output, &RebuildOptions::default(), VERSION)?;
    let skipped = merged.rebuilt.skipped.iter().map(ToString::to_string);
    for warning in merged.warnings.iter().cloned().chain(skipped) {
        eprintln!("warning: {warning}");
    }
    let (files, _) = merged.rebuilt.write_beside(&merged.folder);
    let (width, colour) = console_of(Width::FILE, environment);
    let mut text = console::render(&merged.rebuilt.report, width, colour);
    text.push_str(&console::render_trailer(&merged.rebuilt.report, &files.written, &output, colour));
    crate::print(text.as_bytes())?;
    match files.failed.into_iter().next() {
        Some(error) => Err(error).context("some files could not be written"),
        None => Ok(ExitCode::SUCCESS),
    }
}
