//! `aiperf report` and `aiperf validate FOLDER|FILE`: what is in an artifact folder, made again or checked.

use std::path::Path;
use std::process::ExitCode;

use aiperf_artifact::{Checked, Folder, check_all, check_file, rebuild};
use aiperf_config::Environment;
use aiperf_report::console::{self, Width};
use aiperf_report::{CapacityFile, FolderLock};
use anyhow::Context;

use crate::build::VERSION;
use crate::cli::ReportInvocation;
use crate::profile::console_of;

pub(crate) fn report(asked: &ReportInvocation, environment: &Environment) -> anyhow::Result<ExitCode> {
    if let Some(html) = asked.html {
        crate::html_report::report(asked, html)?;
        return Ok(ExitCode::SUCCESS);
    }
    let folder = Folder::open(&asked.folder)?;
    // A run that goes on writes its own summary.
    let _claim = FolderLock::take(asked.output.as_deref().unwrap_or(&asked.folder))?;
    let rebuilt = rebuild(&folder, &asked.asked, VERSION)?;
    for skipped in &rebuilt.skipped {
        eprintln!("warning: {skipped}");
    }
    if rebuilt.estimates_window {
        eprintln!(
            "warning: the run left no summary: its time window is estimated from the first request to the end of the last recorded \
             one; rates depend on it"
        );
    }
    let lost = rebuilt.report.lost.count;
    let files = match &asked.output {
        Some(dir) => rebuilt.write_to(&folder, dir),
        None if rebuilt.replaces_more => anyhow::bail!(
            "{lost} requests of this run have no record, but the summary in {} covers them, so it is not replaced. To \
             summarize only the existing records, choose another folder: --output-dir FOLDER",
            asked.folder.display()
        ),
        None => {
            let (files, mended) = rebuilt.write_beside(&folder);
            for mended in &mended {
                eprintln!("warning: {mended}");
            }
            files
        }
    };
    if lost > 0 {
        eprintln!("warning: {lost} requests of this run have no record and are not in this summary");
    }
    let (width, colour) = console_of(Width::FILE, environment);
    let capacity = CapacityFile::read(&folder.paths().capacity());
    let mut text = capacity.map_or_else(|_| String::new(), |file| console::render_capacity(&file, width, colour));
    text.push_str(&console::render(&rebuilt.report, width, colour));
    text.push_str(&console::render_trailer(
        &rebuilt.report,
        &files.written,
        asked.output.as_deref().unwrap_or(&asked.folder),
        colour,
    ));
    crate::print(text.as_bytes())?;
    if let Some(path) = &asked.trace {
        crate::analyze::write(path, &aiperf_timeline::trace(&asked.folder)?)?;
    }
    match files.failed.into_iter().next() {
        Some(error) => Err(error).context("some files could not be written"),
        None => Ok(ExitCode::SUCCESS),
    }
}

pub(crate) fn validate(path: &Path) -> anyhow::Result<ExitCode> {
    let shown = path.display();
    let checked = if path.is_dir() {
        check_all(path, VERSION)?
    } else {
        check_file(path)?.with_context(|| format!("{shown} is not a file that can be checked alone"))?
    };
    if checked.findings.is_empty() {
        let state = if checked.explained.is_empty() {
            "complete and consistent"
        } else {
            "consistent; the run is incomplete because it did not reach its end"
        };
        println!("{shown}: {}, {state}", extent(&checked));
    }
    for finding in &checked.findings {
        println!("{finding}");
    }
    for note in &checked.explained {
        eprintln!("not repairable: {note}");
    }
    if !checked.others.is_empty() {
        eprintln!("not checked, because there is no schema for them: {}", checked.others.join(", "));
    }
    if checked.findings.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    eprintln!("{shown}: {} in {}", counted(checked.findings.len(), "finding"), counted(checked.files, "file"));
    Ok(ExitCode::FAILURE)
}

/// How much was looked at.
fn extent(checked: &Checked) -> String {
    let files = counted(checked.files, "file");
    match checked.runs {
        0 => files,
        1 => format!("{} records, {files}", checked.records),
        runs => format!("{runs} runs, {} records, {files}", checked.records),
    }
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
