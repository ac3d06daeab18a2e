//! What a person sees when the run is over: the tables, and the lines that follow them.

mod capacity;
mod errors;
mod goodput;
mod gpu;
mod load;
mod nodes;
mod notes;
mod phases;
mod search;
mod selftest;
mod server_metrics;
mod spec_decode;
mod steady;
mod sweep_rows;
mod tables;
mod trials;

use std::fmt::Write as _;
use std::path::Path;

use aiperf_metrics::Metric;
pub use aiperf_table::{Colour, Width};
use aiperf_table::{TextStyle, grouped};

use crate::{RunReport, WrittenFile};
pub use capacity::render_capacity;
pub use search::render_search;
pub use selftest::render_selftest;
pub use sweep_rows::{SweepRow, SweepRows, time_left};
pub use trials::{render_aggregate, render_run_line, render_sweep};

/// All tables and notes, as they also go to `profile_export_console.txt`.
pub fn render(report: &RunReport, width: Width, colour: Colour) -> String {
    let style = TextStyle::new(colour);
    let mut blocks = notes::opening(report, width, style);
    blocks.extend(tables::all(report, width, style));
    blocks.extend(notes::remarks(report, width));
    blocks.extend(notes::certified(report, width));
    blocks.extend(notes::closing(report, width, style));
    blocks.into_iter().flat_map(|block| ["\n".to_owned(), block, "\n".to_owned()]).collect()
}

/// What is to be said of the client that sent the load; empty if nothing is wrong with it.
pub fn render_client_notes(report: &RunReport, width: Width, colour: Colour) -> String {
    notes::of_client(report, width, TextStyle::new(colour))
        .into_iter()
        .map(|block| format!("{block}\n"))
        .collect::<Vec<_>>()
        .concat()
}

/// The lines after the tables: how to repeat the run, how long it was, and where its files are.
pub fn render_trailer(report: &RunReport, written: &[WrittenFile], dir: &Path, colour: Colour) -> String {
    let style = TextStyle::new(colour);
    let mut text = format!("{} {}\n", style.strong("CLI Command:"), report.cli_command);
    let cancelled = report.ending.outcome.is_stopped();
    if let Some(seconds) = report.profiling.average(Metric::BenchmarkDuration) {
        let early = if cancelled { " (cancelled early)" } else { "" };
        put(&mut text, &style.strong("Benchmark Duration:"), &format!("{} sec{early}", grouped(seconds)));
    }
    put(&mut text, &style.strong("Artifacts:"), &dir.display().to_string());
    for file in written.iter().chain(&report.other_files) {
        put(&mut text, &style.strong(&format!("{}:", file.label)), &relative(&file.path, dir));
    }
    if let Some(log) = &report.log_file {
        put(&mut text, &style.strong("Log File:"), &relative(log, dir));
    }
    if cancelled {
        let warning = "The run was cancelled early: its numbers cover only the requests that had finished.";
        text.push_str(&style.warning(warning));
        text.push('\n');
    }
    text
}

/// The lines after the tables of several runs.
pub fn render_trials_trailer(
    command: &str,
    written: &[WrittenFile],
    dir: &Path,
    was_interrupted: bool,
    colour: Colour,
) -> String {
    let style = TextStyle::new(colour);
    let mut text = format!("{} {command}\n", style.strong("CLI Command:"));
    put(&mut text, &style.strong("Artifacts:"), &dir.display().to_string());
    for file in written {
        put(&mut text, &style.strong(&format!("{}:", file.label)), &relative(&file.path, dir));
    }
    if was_interrupted {
        text.push_str(&style.warning("Cancelled early: the numbers cover only the runs that had finished."));
        text.push('\n');
    }
    text
}

/// The path from the folder of the run, which the lines before name.
fn relative(path: &Path, dir: &Path) -> String {
    path.strip_prefix(dir).unwrap_or(path).display().to_string()
}

fn put(text: &mut String, label: &str, value: &str) {
    let written = writeln!(text, "{label} {value}");
    debug_assert!(written.is_ok());
}
