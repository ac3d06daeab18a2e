//! The results of a run on several nodes: the folders of the nodes, merged by the code of `aiperf merge`.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use aiperf_artifact::{RebuildOptions, merge, node_folders};
use aiperf_cluster::{Collected, KnownBy, LostNode, RunSpec};
use aiperf_config::{Config, ConsoleOutput, Environment, NodeLossPolicy};
use aiperf_live::RunEnd;
use aiperf_report::ArtifactPaths;
use aiperf_report::console::{self, Width};
use anyhow::Context;

use super::NODES_LOST;
use crate::build::VERSION;
use crate::profile::{self, INTERRUPTED, console_of};
use crate::views;

/// Where results go, and how they are shown.
pub(super) struct Wanted<'a> {
    pub(super) dir: &'a Path,
    pub(super) console: ConsoleOutput,
    /// `None` if another process had the configuration.
    pub(super) config: Option<&'a Config>,
    pub(super) environment: &'a Environment,
}

/// Removes what an earlier coordinator of the same run has collected: the stream has all of it.
pub(super) fn clear_earlier(dir: &Path) -> anyhow::Result<()> {
    for path in node_folders(dir)? {
        if path != dir {
            fs::remove_dir_all(&path).with_context(|| format!("cannot remove {}", path.display()))?;
        }
    }
    Ok(())
}

/// Merges the folders of the nodes, writes and shows the results. `end_views` ends what shows the run while it goes on.
pub(super) fn write(
    collected: &Collected,
    spec: &RunSpec,
    wanted: &Wanted,
    end_views: impl FnOnce(RunEnd),
) -> anyhow::Result<ExitCode> {
    let dir = wanted.dir;
    let mut merged = merge(&node_folders(dir)?, dir, &RebuildOptions::default(), VERSION)?;
    // Nodes have commands of their own; this is the one that repeats the whole run.
    merged.rebuilt.report.cli_command.clone_from(&spec.command);
    if spec.input_config.is_object() {
        merged.rebuilt.report.input_config.clone_from(&spec.input_config);
    }
    let skipped = merged.rebuilt.skipped.iter().map(ToString::to_string);
    for warning in merged.warnings.iter().cloned().chain(skipped) {
        log::warn!("{warning}");
    }
    let (mut files, _) = merged.rebuilt.write_beside(&merged.folder);
    let html = wanted.config.map_or(Ok(None), |config| profile::html(config, dir, wanted.environment));
    let html = html.map(|file| files.written.extend(file));
    end_views(views::end_of_report(&merged.rebuilt.report, &files.written, dir));
    let (width, colour) = console_of(Width::FILE, wanted.environment);
    match wanted.console {
        ConsoleOutput::Report => {
            let mut text = console::render(&merged.rebuilt.report, width, colour);
            text.push_str(&console::render_trailer(&merged.rebuilt.report, &files.written, dir, colour));
            crate::print(text.as_bytes())?;
        }
        ConsoleOutput::Json => {
            let path = ArtifactPaths::new(dir, None).summary_json();
            crate::print(&fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?)?;
        }
        ConsoleOutput::Nothing => {}
    }
    for LostNode { title, known_by } in &collected.lost {
        let known = match known_by {
            KnownBy::Journal => "what it had sent is known exactly, by its journal",
            KnownBy::LastHeartbeat => {
                "what it had sent is known by its last heartbeat; requests of up to 0.25 s after it may be missing"
            }
        };
        eprintln!("error: {title} was lost: {known}");
    }
    if collected.lost_requests > 0 {
        eprintln!("error: {} requests were under way on lost nodes (error lost_worker)", collected.lost_requests);
    }
    for failure in &collected.failures {
        eprintln!("error: {failure}");
    }
    html?;
    if let Some(error) = files.failed.into_iter().next() {
        return Err(error).context("some files could not be written");
    }
    let code = exit_code(collected, spec.on_node_loss);
    Ok(wanted.config.map_or(code, |config| profile::with_plots(code, config, dir, wanted.environment)))
}

fn exit_code(collected: &Collected, on_node_loss: NodeLossPolicy) -> ExitCode {
    // The other nodes may have finished before the loss was noticed.
    let is_failed_by_loss = !collected.lost.is_empty() && on_node_loss == NodeLossPolicy::Fail;
    if collected.interrupted {
        ExitCode::from(INTERRUPTED)
    } else if !collected.failures.is_empty() || is_failed_by_loss {
        ExitCode::FAILURE
    } else if collected.lost.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(NODES_LOST)
    }
}
