//! `aiperf profile` with several runs: makes them one after the other, and shows what they say together.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use aiperf_clock::Mono;
use aiperf_config::{ConsoleOutput, Environment, Experiment};
use aiperf_experiment::{
    ExperimentResult, Pause, RunResult, Runner, TrialAssignment, TrialError, TrialResult, run_names, run_trials,
};
use aiperf_live::{CellProgress, CellState, LiveRun};
use aiperf_report::console::{self, Colour, Width};
use aiperf_report::{FolderLock, WrittenFile};

use crate::interrupts::Interrupts;
use crate::profile::{self, DOUBTFUL, FolderRequest, INTERRUPTED, VERSION};
use crate::run_files::RunFiles;
use crate::views::{self, Views};

pub(crate) fn run(
    experiment: &Experiment,
    files: &RunFiles,
    environment: &Environment,
    interrupts: &Interrupts,
    live: &Arc<LiveRun>,
    views: Views,
) -> anyhow::Result<ExitCode> {
    live.plan_cells(run_names(experiment));
    let mut runner = InProcessRunner {
        interrupts,
        folder: None,
        dir: &experiment.dir,
        files,
        is_doubtful: false,
        environment,
        live,
        cell: 0,
    };
    let result = run_trials(experiment, VERSION, &mut runner).map_err(|error| anyhow::anyhow!(error));
    let mut result = match result {
        Ok(result) => result,
        Err(error) => {
            views.finish(views::failed(&error));
            return Err(error);
        }
    };
    let first = experiment.cells.first().map(|cell| &cell.config);
    let html = first.map_or(Ok(None), |config| profile::html(config, &experiment.dir, environment));
    let html = html.map(|file| {
        result.files.written.extend(file.map(|file| WrittenFile { label: "Sweep HTML Report".to_owned(), ..file }));
    });
    let after = views.finish(views::cells_of(&result, &experiment.dir));
    let output = experiment.cells.first().map_or(ConsoleOutput::Report, |cell| cell.config.output.console);
    show(experiment, &result, environment, output);
    after.linger(interrupts);
    html?;
    let code = exit_code(&result, runner.is_doubtful);
    Ok(first.map_or(code, |config| profile::with_plots(code, config, &experiment.dir, environment)))
}

/// Makes the runs in this process.
struct InProcessRunner<'a> {
    interrupts: &'a Interrupts,
    /// The folder of all runs, from the first one that starts on.
    folder: Option<FolderLock>,
    dir: &'a Path,
    /// What is written into that folder first.
    files: &'a RunFiles,
    /// A run is whole, and `--strict` does not let it pass.
    is_doubtful: bool,
    environment: &'a Environment,
    live: &'a Arc<LiveRun>,
    /// How many runs were begun.
    cell: usize,
}

impl Runner for InProcessRunner<'_> {
    fn run(&mut self, assignment: TrialAssignment) -> Result<TrialResult, TrialError> {
        let TrialAssignment { config, place, keeps_values, name } = assignment;
        let config_output = config.output.console;
        let cell = self.cell;
        self.cell += 1;
        self.live.begin_cell(cell, views::facts(&config, Some(name.clone())));
        let began = Mono::now();
        let not_made = |error: TrialError| {
            self.live.end_cell(cell, CellProgress { state: CellState::Failed, ..CellProgress::default() });
            error
        };
        let whole = FolderRequest::of(&config, self.dir.to_owned());
        let mut ready = profile::prepare(config, self.environment, self.live)
            .map_err(|error| not_made(TrialError::NotPrepared(error.into())))?;
        ready.run.take_place(place, keeps_values);
        let broken = |error: anyhow::Error| not_made(TrialError::Broken(error.into()));
        if self.folder.is_none() {
            self.folder = Some(whole.take().map_err(|error| TrialError::NotPrepared(error.into()))?);
            self.files.write(self.dir);
        }
        let result = ready.execute(self.interrupts, Some(name.clone())).map_err(broken)?;
        self.live.end_cell(cell, views::cell_of(&result, Mono::now().since(began).as_secs_f64()));
        if config_output == ConsoleOutput::Report {
            show_run(&name, &result);
        }
        if let Some(why) = profile::doubt(&result) {
            eprintln!("error: {name}: {why}");
            self.is_doubtful = true;
        }
        Ok(TrialResult::of(result))
    }

    fn pause(&mut self, length: Duration) -> Pause {
        log::info!("Waiting {:.1} s before the next run", length.as_secs_f64());
        if self.interrupts.wait(length) { Pause::Interrupted } else { Pause::Over }
    }
}

/// One line: the tables of the run are in its folder.
fn show_run(name: &str, result: &RunResult) {
    let line = match &result.report.ending.reason {
        Some(why) => format!("{name} failed: {why}\n"),
        None => console::render_run_line(name, &result.report),
    };
    print(&line);
    for error in &result.files.failed {
        log::error!("{error}");
    }
}

fn show(experiment: &Experiment, result: &ExperimentResult, environment: &Environment, output: ConsoleOutput) {
    let width = experiment.cells.first().map_or(Width::FILE, |cell| Width(cell.config.tuning.console_width));
    let (width, colour) = profile::console_of(width, environment);
    let mut text = String::new();
    let shows_tables = experiment.sweep.as_ref().is_none_or(|sweep| sweep.shows_tables && experiment.trials.count > 1);
    for cell in result.cells.iter().filter(|_| shows_tables) {
        if let Some(aggregate) = &cell.aggregate {
            text.push_str(&console::render_aggregate(aggregate, cell.title.as_deref(), width, colour));
        }
    }
    if let Some(sweep) = &result.sweep {
        text.push_str(&console::render_sweep(sweep, width, colour));
    }
    text.push_str(&trailer(experiment, result, colour));
    match output {
        ConsoleOutput::Report => print(&text),
        ConsoleOutput::Json => {
            profile::print_json(&result.files.written, if result.sweep.is_some() { "Sweep" } else { "" });
        }
        ConsoleOutput::Nothing => {}
    }
    for error in &result.files.failed {
        log::error!("{error}");
    }
    if !result.is_enough() && !result.was_interrupted {
        eprintln!(
            "error: only {} of {} runs succeeded; statistics across runs need at least two",
            result.successful, result.runs
        );
    }
    if !result.is_written || !result.files.failed.is_empty() {
        eprintln!("error: not all results were written; the lines above name the files");
    }
}

fn trailer(experiment: &Experiment, result: &ExperimentResult, colour: Colour) -> String {
    let command = experiment.cells.first().map_or("", |cell| cell.config.command_line.as_str());
    // Those of single points are too many to name.
    let is_named = |file: &&WrittenFile| result.sweep.is_none() || file.label.starts_with("Sweep");
    let named: Vec<WrittenFile> = result.files.written.iter().filter(is_named).cloned().collect();
    console::render_trials_trailer(command, &named, &experiment.dir, result.was_interrupted, colour)
}

fn print(text: &str) {
    print!("{text}");
}

fn exit_code(result: &ExperimentResult, is_doubtful: bool) -> ExitCode {
    if result.was_interrupted {
        return ExitCode::from(INTERRUPTED);
    }
    let written = result.files.failed.is_empty() && result.is_written;
    match result.is_enough() && written && !result.server_lost {
        true if is_doubtful => ExitCode::from(DOUBTFUL),
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
