//! `--html` of `aiperf report` and `aiperf profile`: the report of a run or of a sweep as one HTML file.

use std::path::Path;

use aiperf_artifact::Folder;
use aiperf_html_report::{RunPageOptions, run_page};
use aiperf_report::{ArtifactPaths, WrittenFile, write_html_report};
use anyhow::Context;

use crate::cli::{HtmlRequest, ReportInvocation};
use crate::profile::VERSION;

/// `aiperf report FOLDER --html`. Prints where the file is.
pub(crate) fn report(asked: &ReportInvocation, html: HtmlRequest) -> anyhow::Result<()> {
    let options = RunPageOptions { goodput: asked.asked.goodput.clone(), include_text: html.include_text };
    let file = write(&asked.folder, asked.output.as_deref(), &options)?;
    println!("{}: {}", file.label, file.path.display());
    Ok(())
}

/// Writes the report of a folder, next to its files or into another folder.
pub(crate) fn write(dir: &Path, output: Option<&Path>, options: &RunPageOptions) -> anyhow::Result<WrittenFile> {
    let folder = Folder::open(dir)?;
    let page = run_page(&folder, None, options, VERSION)?;
    let paths: ArtifactPaths = match output {
        Some(output) => folder.names_in(output),
        None => folder.paths().clone(),
    };
    write_html_report(&paths, &page).context("the HTML report could not be written")
}

/// The report at the end of `aiperf profile --html`.
pub(crate) fn after_run(dir: &Path) -> anyhow::Result<WrittenFile> {
    write(dir, None, &RunPageOptions::default())
}
