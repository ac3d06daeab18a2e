//! `aiperf profile` with several runs: makes them one after the other, and shows what they say together.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use aiperf_clock::Mono;
use aiperf_config::{ConsoleOutput, Environment, Experiment, SlaFilter};
use aiperf_experiment::{
    ExperimentPlan, ExperimentResult, Pause, RunResult, Runner, SearchSource, TrialAssignment, TrialError, TrialMark,
    TrialResult, run_names, run_search, run_trials,
};
use aiperf_live::{CellProgress, CellState, LiveRun};
use aiperf_report::console::{self, Colour, SweepRow, SweepRows, Width};
use aiperf_report::{FolderLock, WrittenFile};
use aiperf_search::EndReason;
use serde_json::Value;

use crate::build::VERSION;
use crate::interrupts::Interrupts;
use crate::profile::{self, DOUBTFUL, FolderRequest, INTERRUPTED, POINTS_FAILED};
use crate::remaining_time::RemainingTime;
use crate::run_files::RunFiles;
use crate::views::{self, Views};
use crate::{logging, resume};

pub(crate) fn run(
    experiment: &Experiment,
    files: &RunFiles,
    environment: &Environment,
    interrupts: &Interrupts,
    live: &Arc<LiveRun>,
    views: Views,
) -> anyhow::Result<ExitCode> {
    let made = make(experiment, files, environment, interrupts, live);
    let MadeRuns { mut result, search, is_doubtful } = match made {
        Ok(made) => made,
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
    show(experiment, &result, search.as_deref(), environment, output);
    after.linger(interrupts);
    html?;
    let code = exit_code(&result, is_doubtful);
    Ok(first.map_or(code, |config| profile::with_plots(code, config, &experiment.dir, environment)))
}

fn make(
    experiment: &Experiment,
    files: &RunFiles,
    environment: &Environment,
    interrupts: &Interrupts,
    live: &Arc<LiveRun>,
) -> anyhow::Result<MadeRuns> {
    let plan = resume::plan(experiment)?;
    let names = run_names(experiment);
    let shows_rows = experiment.sweep.as_ref().is_some_and(|sweep| sweep.shows_tables);
    let filters = experiment.sweep.as_ref().map_or(&[][..], |sweep| &sweep.sla_filters);
    let has_first_token = experiment.cells.iter().any(|cell| cell.config.endpoint.streaming);
    let mut runner = InProcessRunner {
        interrupts,
        experiment,
        plan: &plan,
        folder: None,
        files,
        is_doubtful: false,
        environment,
        live,
        time: RemainingTime::new(names.len()),
        rows: shows_rows.then(|| GrowingTable {
            layout: SweepRows::new(names.len(), has_first_token, !filters.is_empty()),
            filters,
            is_begun: false,
        }),
    };
    live.plan_cells(names);
    let planner = crate::plugins::planner(experiment, environment)?;
    let source = SearchSource::new(experiment, planner).map_err(|error| anyhow::anyhow!(error))?;
    let (result, search) = match source {
        Some(source) => search(experiment, plan.sweep_id(), &mut runner, source)?,
        None => (
            run_trials(experiment, VERSION, plan.sweep_id(), &mut runner).map_err(|error| anyhow::anyhow!(error))?,
            None,
        ),
    };
    Ok(MadeRuns { result, search, is_doubtful: runner.is_doubtful })
}

/// All runs of a command.
struct MadeRuns {
    result: ExperimentResult,
    /// What a search found, in words.
    search: Option<String>,
    is_doubtful: bool,
}

/// Makes the runs that a search asks for.
fn search(
    experiment: &Experiment,
    sweep_id: &str,
    runner: &mut InProcessRunner<'_>,
    mut source: SearchSource,
) -> anyhow::Result<(ExperimentResult, Option<String>)> {
    let base = Experiment { cells: Vec::new(), ..experiment.clone() };
    let made = run_search(&base, VERSION, sweep_id, runner, &mut source);
    let mut result = made.map_err(|error| anyhow::anyhow!(error))?;
    let (files, problem) = source.files();
    result.files.written.extend(files);
    result.is_written &= problem.is_none();
    let search = source.search();
    let explanation = search.reason().map(EndReason::explanation);
    Ok((result, Some(console::render_search(&search.history(&|_| Value::Null), explanation))))
}

/// Makes the runs in this process.
struct InProcessRunner<'a> {
    interrupts: &'a Interrupts,
    experiment: &'a Experiment,
    plan: &'a ExperimentPlan,
    /// The folder of all runs, from the first one that starts on.
    folder: Option<FolderLock>,
    /// What is written into that folder first.
    files: &'a RunFiles,
    /// A run is whole, and `--strict` does not let it pass.
    is_doubtful: bool,
    environment: &'a Environment,
    live: &'a Arc<LiveRun>,
    time: RemainingTime,
    /// `None` if the runs are not points of a sweep, or their table is not wanted.
    rows: Option<GrowingTable<'a>>,
}

impl Runner for InProcessRunner<'_> {
    fn run(&mut self, assignment: TrialAssignment) -> Result<TrialResult, TrialError> {
        let TrialAssignment { config, place, keeps_values, name, title, number } = assignment.clone();
        let config_output = config.output.console;
        self.live.begin_cell(number, views::facts(&config, Some(name.clone())));
        let began = Mono::now();
        self.time.begin_run(began);
        let not_made = |error: TrialError| {
            self.live.end_cell(number, CellProgress { state: CellState::Failed, ..CellProgress::default() });
            error
        };
        let prepared = profile::prepare(config, self.environment, self.live);
        let mut ready = prepared.map_err(|error| not_made(TrialError::NotPrepared(error.into())))?;
        ready.run.take_place(place, keeps_values);
        if self.folder.is_none() {
            let taken = self.take_folder();
            self.folder = Some(taken.map_err(|error| not_made(TrialError::NotPrepared(error.into())))?);
        }
        let left = number.checked_sub(1).and_then(|before| self.left(before, began));
        let among =
            left.map_or_else(|| name.clone(), |left| format!("{name}, all done in {}", console::time_left(left)));
        let broken = |error: anyhow::Error| not_made(TrialError::Broken(error.into()));
        let result = ready.execute(self.interrupts, Some(among)).map_err(broken)?;
        let seconds = Mono::now().since(began).as_secs_f64();
        self.live.end_cell(number, views::cell_of(&result, seconds));
        self.time.end_run();
        if config_output == ConsoleOutput::Report {
            self.show_run(number, &name, &title, &result);
        }
        if let Some(why) = profile::doubt(&result) {
            eprintln!("error: {name}: {why}");
            self.is_doubtful = true;
        }
        let result = TrialResult::of(result);
        if result.ending.outcome.is_complete() && result.is_written {
            let written = TrialMark::new(&assignment, &result, seconds).write(&assignment.config.output.dir);
            if let Err(error) = written {
                log::warn!("{name} would be made again by --resume: {error}");
            }
        }
        Ok(result)
    }

    fn kept(&mut self, assignment: &TrialAssignment) -> Option<TrialResult> {
        if !self.experiment.resumes {
            return None;
        }
        let mark = resume::kept(assignment)?;
        self.time.keep_run(mark.seconds);
        let progress = CellProgress { state: CellState::Complete, seconds: mark.seconds, ..CellProgress::default() };
        self.live.end_cell(assignment.number, progress);
        log::info!("{} is kept from the earlier command", assignment.name);
        Some(mark.result())
    }

    fn pause(&mut self, length: Duration) -> Pause {
        log::info!("Waiting {:.1} s before the next run", length.as_secs_f64());
        if self.interrupts.wait(length) { Pause::Interrupted } else { Pause::Over }
    }
}

impl InProcessRunner<'_> {
    /// Takes the folder of all runs into possession, and writes the plan before the first of them starts.
    fn take_folder(&self) -> anyhow::Result<FolderLock> {
        let dir = &self.experiment.dir;
        if self.experiment.resumes {
            return Ok(FolderLock::take(dir)?);
        }
        let [first, ..] = &self.experiment.cells[..] else { anyhow::bail!("there is nothing to run") };
        let folder = FolderRequest::of(&first.config, dir.clone()).take()?;
        self.plan.write(dir)?;
        self.files.write(dir);
        Ok(folder)
    }

    /// Seconds for all further runs. Nobody knows how many a search will ask for.
    fn left(&self, number: usize, now: Mono) -> Option<f64> {
        self.time.after(number, now).filter(|_| self.experiment.search.is_none())
    }

    fn show_run(&mut self, number: usize, name: &str, title: &str, result: &RunResult) {
        let left = self.left(number, Mono::now());
        match &mut self.rows {
            Some(rows) => rows.show(number, title, result, left),
            None if self.experiment.sweep.is_none() => show_run_line(name, result),
            None => {}
        }
        for error in &result.files.failed {
            log::error!("{error}");
        }
    }
}

/// The table of a sweep that gets a line for each run.
struct GrowingTable<'a> {
    layout: SweepRows,
    filters: &'a [SlaFilter],
    is_begun: bool,
}

impl GrowingTable<'_> {
    fn show(&mut self, number: usize, title: &str, result: &RunResult, left: Option<f64>) {
        let head = if self.is_begun { String::new() } else { format!("\n{}", self.layout.header()) };
        self.is_begun = true;
        logging::stop_announcing();
        let progress = views::cell_of(result, 0.0);
        let summary = &result.report.profiling.summary;
        let value = |filter: &SlaFilter| aiperf_experiment::Figures::of(summary).get(&filter.metric, &filter.stat);
        let row = SweepRow {
            number: number + 1,
            point: title,
            requests_per_second: progress.requests_per_second,
            first_token_p50: progress.ttft_p50,
            latency_p99: progress.latency_p99,
            is_feasible: self.filters.iter().all(|filter| filter.passes(value(filter))),
            failure: result.report.ending.reason.as_deref(),
            left,
        };
        print(&format!("{head}{}", self.layout.row(&row)));
    }
}

/// One line: the tables of the run are in its folder.
fn show_run_line(name: &str, result: &RunResult) {
    let line = match &result.report.ending.reason {
        Some(why) => format!("{name} failed: {why}\n"),
        None => console::render_run_line(name, &result.report),
    };
    print(&line);
}

fn show(
    experiment: &Experiment,
    result: &ExperimentResult,
    search: Option<&str>,
    environment: &Environment,
    output: ConsoleOutput,
) {
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
    text.push_str(search.unwrap_or_default());
    if result.kept > 0 {
        text.push_str(&format!("{} of {} runs were kept from the earlier command.\n", result.kept, result.runs));
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
    if result.was_interrupted {
        eprintln!("The remaining runs can be made with: aiperf profile --resume {}", experiment.dir.display());
    } else if !result.is_enough() {
        eprintln!(
            "error: only {} of {} runs succeeded; statistics across runs need at least two",
            result.successful, result.runs
        );
    } else if result.cells_without_result() > 0 {
        eprintln!(
            "error: {} of {} points have no result; the lines above say why. To run them again: aiperf profile --resume {}",
            result.cells_without_result(),
            result.cells.len(),
            experiment.dir.display()
        );
    }
    if let Some(problem) = &result.problem {
        eprintln!("error: {problem}");
    }
    if !result.is_written || !result.files.failed.is_empty() {
        eprintln!("error: not all results were written; the lines above name the files");
    }
}

fn trailer(experiment: &Experiment, result: &ExperimentResult, colour: Colour) -> String {
    let command = experiment.cells.first().map_or("", |cell| cell.config.command_line.as_str());
    // Those of single points are too many to name.
    let is_named = |file: &&WrittenFile| {
        result.sweep.is_none() || ["Sweep", "Search"].iter().any(|word| file.label.starts_with(word))
    };
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
    let written = result.files.failed.is_empty() && result.is_written && result.problem.is_none();
    match result.is_enough() && written && !result.server_lost {
        true if result.cells_without_result() > 0 => ExitCode::from(POINTS_FAILED),
        true if is_doubtful => ExitCode::from(DOUBTFUL),
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
