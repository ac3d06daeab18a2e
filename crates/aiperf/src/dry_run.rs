//! `--dry-run`: shows which runs there would be, and how long they would take. Nothing is sent but a short probe, and nothing is
//! written.

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use aiperf_config::{
    AutoPlots, Config, ConsoleOutput, Environment, Experiment, Pace, PhaseConfig, PhaseKind, Phases, StopConditions,
    Target, UiKind,
};
use aiperf_experiment::{ProbeFigures, RunEstimate, TrialMark, assignments};
use aiperf_live::LiveRun;
use aiperf_metrics::Metric;
use aiperf_report::ArtifactPaths;
use aiperf_report::console::{Width, time_left};
use aiperf_table::{Colour, ConsoleTable, TableCell, TableColumn, TextStyle, whole};
use anyhow::Context;

use crate::interrupts::Interrupts;
use crate::{logging, profile, resume, views};

/// Requests of the probe, one at a time.
const PROBE_REQUESTS: u64 = 3;
/// Points that are listed.
const LISTED: usize = 40;

/// Where the times come from.
enum TimeSource {
    Probe(ProbeFigures),
    /// The mean seconds of runs that are complete.
    FinishedRuns {
        mean: f64,
        runs: usize,
    },
    Unknown(String),
}

pub(crate) fn run(
    experiment: &Experiment,
    environment: &Environment,
    interrupts: &Interrupts,
) -> anyhow::Result<ExitCode> {
    let [first, ..] = &experiment.cells[..] else { anyhow::bail!("there is nothing to run") };
    let finished = finished(experiment)?;
    let source = if let Some((mean, runs)) = mean(&finished) {
        TimeSource::FinishedRuns { mean, runs }
    } else {
        logging::stop_announcing();
        match probe(&first.config, environment, interrupts) {
            Ok(figures) => TimeSource::Probe(figures),
            Err(error) => TimeSource::Unknown(format!("{error:#}")),
        }
    };
    crate::print(render(experiment, &finished, &source).as_bytes())?;
    if let Some(search) = &experiment.search {
        let most = search.spec.max_iterations * experiment.trials.count as usize;
        let about = format!(
            "This is a search with {}: the table has the lowest point only. It makes at most {most} runs, and chooses each point \
             from the results before it.\n",
            search.spec.planner.name()
        );
        crate::print(about.as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The seconds of each run that is complete, in the order of all runs.
fn finished(experiment: &Experiment) -> anyhow::Result<Vec<Option<f64>>> {
    if experiment.is_single() {
        return Ok(vec![None]);
    }
    let plan = resume::plan(experiment)?;
    let all = assignments(experiment, plan.sweep_id());
    let seconds = |assignment| TrialMark::read(assignment).map(|mark| mark.seconds);
    Ok(all.iter().map(|assignment| seconds(assignment).filter(|_| experiment.resumes)).collect())
}

fn mean(finished: &[Option<f64>]) -> Option<(f64, usize)> {
    let known: Vec<f64> = finished.iter().copied().flatten().collect();
    (!known.is_empty()).then(|| (known.iter().sum::<f64>() / known.len() as f64, known.len()))
}

/// A few requests, one at a time, with all files of a run in a folder that goes away.
fn probe(config: &Config, environment: &Environment, interrupts: &Interrupts) -> anyhow::Result<ProbeFigures> {
    let folder = tempfile::tempdir().context("no folder for the files of the probe")?;
    let mut config = config.clone();
    let stop = StopConditions { requests: Some(PROBE_REQUESTS), ..StopConditions::default() };
    let profiling = PhaseConfig::new(PhaseKind::Profiling, Pace::Concurrency(1), stop);
    config.phases = Phases::of(None, profiling);
    (config.scenario, config.api, config.otel, config.mlflow, config.wandb) = (None, None, None, None, None);
    config.until_ci = Vec::new();
    (config.endpoint.reset_kv_cache, config.endpoint.server_profiler) = (None, None);
    folder.path().clone_into(&mut config.output.dir);
    config.output.ui = UiKind::None;
    config.output.console = ConsoleOutput::Nothing;
    (config.output.html, config.output.plots, config.output.strict) = (false, AutoPlots::Off, None);
    let live = LiveRun::new(views::facts(&config, None));
    let paths = ArtifactPaths::new(folder.path(), config.output.prefix.as_deref());
    let result = profile::prepare(config, environment, &Arc::clone(&live))?.execute(interrupts, None)?;
    if let Some(why) = &result.report.ending.reason {
        anyhow::bail!("{why}");
    }
    let latency = result.report.profiling.summary.get(Metric::RequestLatency).and_then(|stats| stats.avg);
    let latency = latency.context("the probe measured no latency")? / 1e3;
    let size = |path: &Path| fs::metadata(path).map_or(0, |facts| facts.len()) as f64;
    // The data set is written as a whole, whatever is sent of it.
    let growing = [paths.records(), paths.raw(), paths.outputs(), paths.records_parquet()];
    let growing: f64 = growing.iter().map(|path| size(path)).sum();
    let all: f64 = fs::read_dir(folder.path())?.flatten().map(|entry| size(&entry.path())).sum();
    Ok(ProbeFigures {
        latency,
        bytes_per_request: growing / PROBE_REQUESTS as f64,
        bytes_per_run: (all - growing).max(0.0),
    })
}

fn render(experiment: &Experiment, finished: &[Option<f64>], source: &TimeSource) -> String {
    let probe = match source {
        TimeSource::Probe(figures) => Some(*figures),
        TimeSource::FinishedRuns { .. } | TimeSource::Unknown(_) => None,
    };
    let by_runs = match source {
        TimeSource::FinishedRuns { mean, .. } => Some(*mean),
        TimeSource::Probe(_) | TimeSource::Unknown(_) => None,
    };
    let estimates: Vec<RunEstimate> = experiment
        .cells
        .iter()
        .map(|cell| {
            let estimate = RunEstimate::of(&cell.config, probe);
            RunEstimate { seconds: by_runs.or(estimate.seconds), ..estimate }
        })
        .collect();
    let trials = f64::from(experiment.trials.count);
    let done = finished.iter().flatten().count();
    let total = finished.len();
    let all =
        |of: fn(&RunEstimate) -> Option<f64>| estimates.iter().map(of).sum::<Option<f64>>().map(|sum| sum * trials);
    let left = (total - done) as f64 / total.max(1) as f64;
    let pauses = pauses(experiment) * left;
    let seconds = all(|estimate| estimate.seconds).map(|seconds| seconds * left + pauses);
    let mut text = String::new();
    if experiment.sweep.is_some() {
        text.push_str(&table(experiment, &estimates));
    }
    let runs = match (total, experiment.sweep.is_some()) {
        (1, _) => "1 run".to_owned(),
        (_, true) => {
            format!("{} points, {} each, {total} runs", experiment.cells.len(), runs_of(experiment.trials.count))
        }
        (_, false) => format!("{total} runs"),
    };
    let kept = if done > 0 { format!(", of which {done} are complete") } else { String::new() };
    text.push_str(&format!("Plan:      {runs}{kept}\n"));
    let requests = all(|estimate| estimate.requests);
    text.push_str(&format!("Requests:  {}\n", requests.map_or_else(unknown, |count| whole(count.round() as u64))));
    text.push_str(&format!(
        "Time:      {}\n",
        seconds.map_or_else(unknown, |seconds| format!("about {}", time_left(seconds)))
    ));
    let bytes = all(|estimate| estimate.bytes);
    text.push_str(&format!(
        "Disk:      {}\n",
        bytes.map_or_else(unknown, |bytes| format!("about {}", shown_bytes(bytes)))
    ));
    text.push_str(&format!("Folder:    {}\n", experiment.dir.display()));
    text.push_str(&format!("Based on:  {}\n", basis(source)));
    text.push_str(&format!("Sent:      {}\n", sent(experiment, source)));
    text
}

fn unknown() -> String {
    "cannot be known before the run".to_owned()
}

fn runs_of(count: u32) -> String {
    if count == 1 { "1 run".to_owned() } else { format!("{count} runs") }
}

/// Seconds of all pauses between runs.
fn pauses(experiment: &Experiment) -> f64 {
    let (cells, trials) = (experiment.cells.len() as f64, f64::from(experiment.trials.count));
    let sweep = experiment.sweep.as_ref().map_or(0.0, |sweep| sweep.cooldown.as_secs_f64());
    let trial = experiment.trials.cooldown.as_secs_f64();
    match experiment.sweep.as_ref().map(|sweep| sweep.order) {
        Some(aiperf_config::SweepOrder::Repeated) => (cells - 1.0) * trials * sweep + (trials - 1.0) * trial,
        _ => (cells - 1.0) * sweep + cells * (trials - 1.0) * trial,
    }
}

fn basis(source: &TimeSource) -> String {
    match source {
        TimeSource::Probe(figures) => format!(
            "a probe of {PROBE_REQUESTS} requests, one at a time: {:.1} ms each. Under load requests may take longer",
            figures.latency * 1e3
        ),
        TimeSource::FinishedRuns { mean, runs } => {
            format!("{runs} complete runs, which took {} each", time_left(*mean))
        }
        TimeSource::Unknown(why) => format!("the configuration alone; the probe failed: {why}"),
    }
}

fn sent(experiment: &Experiment, source: &TimeSource) -> String {
    match source {
        TimeSource::FinishedRuns { .. } => "nothing".to_owned(),
        TimeSource::Probe(_) | TimeSource::Unknown(_) => {
            let targets = experiment.cells.first().map(|cell| &cell.config.endpoint.targets);
            let server = targets.and_then(|targets| targets.first()).map(Target::display).unwrap_or_default();
            format!("{PROBE_REQUESTS} requests of the first point to {server}; no file was written")
        }
    }
}

fn table(experiment: &Experiment, estimates: &[RunEstimate]) -> String {
    let number =
        |value: Option<f64>, shown: fn(f64) -> String| TableCell::name(value.map_or_else(|| "?".to_owned(), shown));
    let rows = experiment.cells.iter().zip(estimates).take(LISTED).map(|(cell, estimate)| {
        vec![
            TableCell::name(cell.title()),
            number(estimate.requests, |count| whole(count.round() as u64)),
            number(estimate.seconds, time_left),
            number(estimate.bytes, shown_bytes),
        ]
    });
    let table = ConsoleTable {
        title: "aiperf | Planned runs".to_owned(),
        columns: vec![
            TableColumn::left("point"),
            TableColumn::right("requests"),
            TableColumn::right("time"),
            TableColumn::right("disk"),
        ],
        rows: rows.collect(),
        flexible: 0,
    };
    let more = experiment.cells.len().saturating_sub(LISTED);
    let more = if more > 0 { format!("and {more} more points\n") } else { String::new() };
    format!("{}\n{more}", table.render(Width(80), TextStyle::new(Colour::Plain)))
}

/// `12.3 MB`
fn shown_bytes(bytes: f64) -> String {
    if bytes < 1e6 {
        format!("{:.0} kB", (bytes / 1e3).ceil())
    } else if bytes < 1e9 {
        format!("{:.1} MB", bytes / 1e6)
    } else {
        format!("{:.1} GB", bytes / 1e9)
    }
}
