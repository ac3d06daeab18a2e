//! `aiperf profile` with several runs: makes them one after the other, and shows what they say together.

use std::process::ExitCode;
use std::time::Duration;

use aiperf_config::{Environment, Experiment};
use aiperf_experiment::{Assignment, ExperimentResult, Finished, Pause, RunResult, Runner, Trouble, Verdict, conduct};
use aiperf_report::WrittenFile;
use aiperf_report::console::{self, Colour, Width};

use crate::interrupts::Interrupts;
use crate::profile::{self, DOUBTFUL, INTERRUPTED, VERSION};

pub(crate) fn run(experiment: &Experiment, environment: &Environment) -> anyhow::Result<ExitCode> {
    let mut bench = Bench { interrupts: None, is_doubtful: false, environment };
    let result = conduct(experiment, VERSION, &mut bench).map_err(|error| anyhow::anyhow!(error))?;
    show(experiment, &result, environment);
    Ok(exit_code(&result, bench.is_doubtful))
}

/// Makes the runs in this process.
struct Bench<'a> {
    /// From the first run that starts on: until then Ctrl-C has nothing to save.
    interrupts: Option<Interrupts>,
    /// A run is whole, and `--strict` does not let it pass.
    is_doubtful: bool,
    environment: &'a Environment,
}

impl Bench<'_> {
    fn interrupts(&mut self) -> anyhow::Result<Interrupts> {
        let interrupts = match self.interrupts.take() {
            Some(interrupts) => interrupts,
            None => Interrupts::catch()?,
        };
        Ok(self.interrupts.insert(interrupts).clone())
    }
}

impl Runner for Bench<'_> {
    fn run(&mut self, assignment: Assignment) -> Result<Finished, Trouble> {
        let Assignment { config, place, keeps_values, name } = assignment;
        let mut ready =
            profile::prepare(config, self.environment).map_err(|error| Trouble::NotPrepared(error.into()))?;
        ready.run.take_place(place, keeps_values);
        let broken = |error: anyhow::Error| Trouble::Broken(error.into());
        let interrupts = self.interrupts().map_err(broken)?;
        let result = ready.execute(&interrupts, Some(name.clone()), self.environment).map_err(broken)?;
        show_run(&name, &result);
        if let Some(why) = profile::doubt(&result) {
            eprintln!("error: {name}: {why}");
            self.is_doubtful = true;
        }
        Ok(Finished::of(result))
    }

    fn pause(&mut self, length: Duration) -> Pause {
        log::info!("Pause of {:.1} s before the next run", length.as_secs_f64());
        match self.interrupts() {
            Ok(interrupts) if interrupts.wait(length) => Pause::Interrupted,
            Ok(_) => Pause::Over,
            Err(error) => {
                log::error!("{error:#}");
                Pause::Interrupted
            }
        }
    }
}

/// One line: the tables of the run are in its folder.
fn show_run(name: &str, result: &RunResult) {
    let line = match &result.verdict {
        Verdict::NothingSucceeded(why) | Verdict::GivenUp(why) | Verdict::Unreachable(why) | Verdict::Unmet(why) => {
            format!("{name} failed: {why}\n")
        }
        Verdict::Complete | Verdict::Cancelled => console::render_run_line(name, &result.report),
    };
    print(&line);
    for error in &result.files.failed {
        log::error!("{error}");
    }
}

fn show(experiment: &Experiment, result: &ExperimentResult, environment: &Environment) {
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
    print(&text);
    for error in &result.files.failed {
        log::error!("{error}");
    }
    if !result.is_enough() && !result.was_interrupted {
        eprintln!(
            "error: {} of {} runs succeeded, and it takes two to say anything over several",
            result.successful, result.runs
        );
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
    aiperf_ui::clear_line();
    if let Err(error) = crate::print(text.as_bytes()) {
        log::error!("{error:#}");
    }
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
