//! `--html` of `aiperf report` and `aiperf profile`: the report of a run or of a sweep as one HTML file.

use std::path::{Path, PathBuf};

use aiperf_artifact::{Folder, find_runs, is_run_folder};
use aiperf_html_report::{RunPageOptions, is_sweep, run_page, sweep_page};
use aiperf_report::{ArtifactPaths, WrittenFile, write_html_report};
use anyhow::Context;

use crate::build::VERSION;
use crate::cli::{HtmlRequest, ReportInvocation};

/// `aiperf report FOLDER --html`. Prints where the file is.
pub(crate) fn report(asked: &ReportInvocation, html: HtmlRequest) -> anyhow::Result<()> {
    let options = RunPageOptions { goodput: asked.asked.goodput.clone(), include_text: html.include_text };
    let file = write(&asked.folder, asked.output.as_deref(), &options)?;
    println!("{}: {}", file.label, file.path.display());
    Ok(())
}

/// Writes the report of a folder, next to its files or into another folder.
pub(crate) fn write(dir: &Path, output: Option<&Path>, options: &RunPageOptions) -> anyhow::Result<WrittenFile> {
    let (paths, page): (ArtifactPaths, String) = if is_sweep(dir)? {
        anyhow::ensure!(
            options.goodput.is_none() && !options.include_text,
            "--goodput and --include-text are for the report of one run, and {} contains several; name one of its runs",
            dir.display()
        );
        (ArtifactPaths::new(output.unwrap_or(dir), None), sweep_page(dir, VERSION)?)
    } else {
        let folder = Folder::open(&only_run(dir)?)?;
        let paths = output.map_or_else(|| folder.paths().clone(), |output| folder.names_in(output));
        (paths, run_page(&folder, None, options, VERSION)?)
    };
    write_html_report(&paths, &page).context("the HTML report could not be written")
}

/// The folder itself, or the run below it if that is the only one.
fn only_run(dir: &Path) -> anyhow::Result<PathBuf> {
    if !is_run_folder(dir)
        && let [run] = find_runs(dir)?.as_slice()
    {
        return Ok(run.dir.clone());
    }
    Ok(dir.to_owned())
}

/// The report at the end of `aiperf profile --html`.
pub(crate) fn after_run(dir: &Path) -> anyhow::Result<WrittenFile> {
    write(dir, None, &RunPageOptions::default())
}
