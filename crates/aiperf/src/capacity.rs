//! `aiperf capacity`: one run that searches for the highest load within service-level objectives, and what it found.

use std::process::ExitCode;
use std::sync::Arc;

use aiperf_config::{Config, ConsoleOutput, Environment, Experiment};
use aiperf_experiment::{ExperimentPlan, RunResult};
use aiperf_live::LiveRun;
use aiperf_report::console::{self, Width};
use aiperf_report::{ArtifactPaths, CapacityFile};

use crate::interrupts::Interrupts;
use crate::profile;
use crate::resume;
use crate::run_files::RunFiles;
use crate::views::{self, Views};

/// Label of the result among the files of the run.
const RESULT_LABEL: &str = "Capacity JSON";

pub(crate) fn run(
    experiment: &Experiment,
    files: RunFiles,
    environment: &Environment,
    interrupts: &Interrupts,
    live: &Arc<LiveRun>,
    views: Views,
) -> anyhow::Result<ExitCode> {
    let [cell, ..] = &experiment.cells[..] else { anyhow::bail!("there is nothing to run") };
    let config = &cell.config;
    let paths = paths(config);
    let made = search(experiment, config, files, environment, interrupts, live);
    let mut result = match made {
        Ok(Made::Search(result)) => *result,
        Ok(Made::Complete(file)) => {
            views.finish(views::failed(&anyhow::anyhow!("the search was complete before")));
            log::info!("The search in {} is complete; this is its result", config.output.dir.display());
            print(&file, config, environment);
            return Ok(ExitCode::SUCCESS);
        }
        Err(error) => {
            views.finish(views::failed(&error));
            return Err(error);
        }
    };
    let html = profile::html(config, &config.output.dir, environment);
    let html = html.map(|file| result.files.written.extend(file));
    let after = views.finish(views::end_of(&result, &config.output.dir));
    show(&result, config, &paths, environment);
    html?;
    let code = profile::with_plots(profile::exit_code(&result), config, &config.output.dir, environment);
    after.linger(interrupts);
    Ok(code)
}

enum Made {
    Search(Box<RunResult>),
    /// What is resumed needs nothing more.
    Complete(Box<CapacityFile>),
}

fn search(
    experiment: &Experiment,
    config: &Config,
    files: RunFiles,
    environment: &Environment,
    interrupts: &Interrupts,
    live: &Arc<LiveRun>,
) -> anyhow::Result<Made> {
    let plan = resume::plan(experiment)?;
    let paths = paths(config);
    if experiment.resumes
        && let Ok(file) = CapacityFile::read(&paths.capacity())
        && file.is_complete()
    {
        return Ok(Made::Complete(Box::new(file)));
    }
    let mut ready = profile::prepare(config.clone(), environment, live)?;
    if experiment.resumes {
        ready.claim.keep([paths.capacity_history(), ExperimentPlan::path(&config.output.dir)]);
    }
    ready.files = files;
    ready.plan = Some(plan);
    let result = ready.execute(interrupts, None)?;
    Ok(Made::Search(Box::new(result)))
}

fn paths(config: &Config) -> ArtifactPaths {
    ArtifactPaths::new(config.output.dir.clone(), config.output.prefix.as_deref())
}

fn show(result: &RunResult, config: &Config, paths: &ArtifactPaths, environment: &Environment) {
    match CapacityFile::read(&paths.capacity()) {
        Ok(file) if config.output.console == ConsoleOutput::Report => {
            print(&file, config, environment);
            let (width, colour) = profile::console_of(Width(config.tuning.console_width), environment);
            let dir = &config.output.dir;
            print!("{}", console::render_client_notes(&result.report, width, colour));
            print!("{}", console::render_trailer(&result.report, &result.files.written, dir, colour));
        }
        Ok(_) if config.output.console == ConsoleOutput::Json => {
            profile::print_json(&result.files.written, RESULT_LABEL);
        }
        _ => {}
    }
    profile::show_problems(result);
    if result.report.ending.outcome.is_interrupted() {
        eprintln!("To continue the search: aiperf capacity --resume {}", config.output.dir.display());
    }
}

fn print(file: &CapacityFile, config: &Config, environment: &Environment) {
    let (width, colour) = profile::console_of(Width(config.tuning.console_width), environment);
    print!("{}", console::render_capacity(file, width, colour));
}
