//! `aiperf speed-bench-report`: one table of several SPEED-Bench runs.

use std::fs;
use std::process::ExitCode;

use aiperf_artifact::find_runs;
use aiperf_config::Environment;
use aiperf_report::console::Width;
use aiperf_speed_bench::Matrix;
use aiperf_table::TextStyle;
use anyhow::{Context, bail};

use crate::cli::SpeedBenchInvocation;
use crate::profile;

/// Without a terminal to ask.
const WIDTH: Width = Width(120);

pub(crate) fn run(asked: &SpeedBenchInvocation, environment: &Environment) -> anyhow::Result<ExitCode> {
    let mut runs = Vec::new();
    for folder in &asked.folders {
        runs.extend(find_runs(folder)?);
    }
    if runs.is_empty() {
        bail!("no runs in the given folders; name folders that `aiperf profile` wrote, or one that contains them");
    }
    let (matrix, left_out) = Matrix::of(asked.metric, &runs);
    for run in &left_out {
        eprintln!("warning: {} is left out: {}", run.dir.display(), run.reason);
    }
    for (model, category, runs) in matrix.averaged() {
        eprintln!("warning: {model} has {runs} runs of {category}; their mean is shown");
    }
    if matrix.is_empty() {
        bail!("none of {} runs has a figure for {}", runs.len(), asked.metric.name());
    }
    if asked.table {
        let (width, colour) = profile::console_of(WIDTH, environment);
        println!("{}", matrix.table(width, TextStyle::new(colour)));
    }
    if let Some(path) = &asked.csv {
        fs::write(path, matrix.csv()).with_context(|| format!("cannot write {}", path.display()))?;
        println!("CSV: {}", path.display());
    }
    Ok(ExitCode::SUCCESS)
}
