//! `aiperf analyze`: pictures and pages of finished runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use aiperf_timeline::{SwimLanes, TurnMessages};
use anyhow::Context;

use crate::cli::{AnalyzeInvocation, AnalyzeView};

pub(crate) fn run(asked: &AnalyzeInvocation) -> anyhow::Result<ExitCode> {
    for folder in &asked.folders {
        match asked.view {
            AnalyzeView::SwimLane { options, html } => {
                let lanes = SwimLanes::read(folder, options)?;
                let path = place(asked, folder, "swim_lane.png");
                write(&path, &lanes.png()?)?;
                if html {
                    write(&path.with_extension("html"), lanes.html().as_bytes())?;
                }
            }
            AnalyzeView::TurnMessages(options) => {
                let messages = TurnMessages::read(folder, options)?;
                write(&place(asked, folder, "turn_messages.html"), messages.html().as_bytes())?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn place(asked: &AnalyzeInvocation, folder: &Path, name: &str) -> PathBuf {
    asked.output.clone().unwrap_or_else(|| folder.join(name))
}

/// Writes a file and says where it is.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
    println!("{}", path.display());
    Ok(())
}
