//! `aiperf report` and `aiperf validate FOLDER`: what is in an artifact folder, made again or checked.

use std::path::Path;
use std::process::ExitCode;

use aiperf_artifact::{Folder, check, rebuild};
use aiperf_config::Environment;
use aiperf_report::console::{self, Width};
use anyhow::Context;

use crate::cli::ReportInvocation;
use crate::profile::{VERSION, console_of};

pub(crate) fn report(asked: &ReportInvocation, environment: &Environment) -> anyhow::Result<ExitCode> {
    let folder = Folder::open(&asked.folder)?;
    let rebuilt = rebuild(&folder, &asked.asked, VERSION)?;
    for skipped in &rebuilt.skipped {
        eprintln!("warning: {skipped}");
    }
    let files = match &asked.output {
        Some(dir) => rebuilt.write_to(&folder, dir),
        None => rebuilt.write_beside(&folder),
    };
    let (width, colour) = console_of(Width::FILE, environment);
    let mut text = console::render(&rebuilt.report, width, colour);
    text.push_str(&console::render_trailer(&rebuilt.report, &files.written, colour));
    crate::print(text.as_bytes())?;
    match files.failed.into_iter().next() {
        Some(error) => Err(error).context("not everything could be written"),
        None => Ok(ExitCode::SUCCESS),
    }
}

pub(crate) fn validate(dir: &Path) -> anyhow::Result<ExitCode> {
    let checked = check(&Folder::open(dir)?, VERSION)?;
    if checked.findings.is_empty() {
        println!("{}: {} records, {} files, whole and consistent", dir.display(), checked.records, checked.files);
        return Ok(ExitCode::SUCCESS);
    }
    for finding in &checked.findings {
        println!("{finding}");
    }
    eprintln!("{}: {} findings in {} files", dir.display(), checked.findings.len(), checked.files);
    Ok(ExitCode::FAILURE)
}
