//! Makes the runs that a command line of GenAI-Perf asks for. What its words mean is in `aiperf-genai-perf`.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use aiperf_config::{Environment, Experiment};
use aiperf_genai_perf::{
    Checkpoint, ConfigTemplate, GenaiPerfCommand, Measurement, MergeJob, PlannedRun, PlannedRuns, RecordFile,
    SummaryRow, read, summary_csv,
};
use aiperf_report::ArtifactPaths;
use aiperf_report::console::{self, Width};
use anyhow::{Context, bail};

use crate::build::VERSION;
use crate::cli::{self, CliError, Invocation};
use crate::interrupts::Interrupts;
use crate::profile::{self, INTERRUPTED, console_of};

/// `words`: the command line without the name of the program.
pub(crate) fn run(words: &[OsString], environment: &Environment, interrupts: &Interrupts) -> anyhow::Result<ExitCode> {
    match read(words, &environment.current_dir)? {
        GenaiPerfCommand::Text(text) => {
            crate::print(text.as_bytes())?;
            Ok(ExitCode::SUCCESS)
        }
        GenaiPerfCommand::Merge(job) => merge(&job, environment),
        GenaiPerfCommand::Template(template) => write_template(&template),
        GenaiPerfCommand::Run(planned) => run_all(&planned, environment, interrupts),
    }
}

fn write_template(template: &ConfigTemplate) -> anyhow::Result<ExitCode> {
    template.write()?;
    println!("{}", template.path().display());
    Ok(ExitCode::SUCCESS)
}

fn merge(job: &MergeJob, environment: &Environment) -> anyhow::Result<ExitCode> {
    let merged = job.run(VERSION)?;
    let (width, colour) = console_of(Width::FILE, environment);
    let mut text = console::render(&merged.report, width, colour);
    text.push_str(&console::render_trailer(&merged.report, &merged.files.written, job.output(), colour));
    crate::print(text.as_bytes())?;
    match merged.files.failed.into_iter().next() {
        Some(error) => Err(error).context("not every file could be written"),
        None => Ok(ExitCode::SUCCESS),
    }
}

/// All runs are checked before the first one starts. A run that fails does not keep the others from being made.
fn run_all(planned: &PlannedRuns, environment: &Environment, interrupts: &Interrupts) -> anyhow::Result<ExitCode> {
    let experiments =
        planned.runs.iter().map(|run| experiment(run, environment)).collect::<anyhow::Result<Vec<_>>>()?;
    let mut checkpoint = planned.checkpoint.as_deref().map(Checkpoint::open).transpose()?;
    let mut rows: Vec<SummaryRow<'_>> = Vec::new();
    let mut code = ExitCode::SUCCESS;
    let mut broken_off = None;
    for (run, experiment) in planned.runs.iter().zip(experiments) {
        if let Some((known, measured)) = checkpoint.as_ref().and_then(|known| Some((known, known.find(run)?))) {
            eprintln!("{} is in {} and is not run again", run.name, known.path().display());
            rows.push(SummaryRow { run, measured });
            continue;
        }
        let (ended, measured) = match run_one(&experiment, environment, interrupts) {
            Ok(made) => made,
            Err(error) => {
                let alone = planned.runs.len() == 1;
                broken_off = Some(if alone { error } else { error.context(run.name.clone()) });
                break;
            }
        };
        if ended != ExitCode::SUCCESS {
            code = ended;
        }
        if let Some(measured) = measured {
            if let Some(checkpoint) = checkpoint.as_mut().filter(|_| ended == ExitCode::SUCCESS) {
                checkpoint.add(run, &measured)?;
            }
            rows.push(SummaryRow { run, measured });
        }
        if ended == ExitCode::from(INTERRUPTED) {
            break;
        }
    }
    // What was measured before something went wrong is worth a table, too.
    if let Some(path) = &planned.table {
        write_table(path, &rows)?;
    }
    broken_off.map_or(Ok(code), Err)
}

fn write_table(path: &PathBuf, rows: &[SummaryRow<'_>]) -> anyhow::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    fs::write(path, summary_csv(rows)).with_context(|| format!("cannot write {}", path.display()))?;
    println!("All runs: {}", path.display());
    Ok(())
}

/// The run that our command line of it means; errors and warnings name the options that were typed.
fn experiment(run: &PlannedRun, environment: &Environment) -> anyhow::Result<Box<Experiment>> {
    let args = run.words.iter().map(Into::into);
    let invocation = match cli::parse(args, environment) {
        Err(CliError::Config(error)) => bail!(error.rename(|ours| run.typed(ours))),
        parsed => parsed.context("in the `aiperf profile` line that this becomes")?,
    };
    match invocation {
        Invocation::Profile(mut experiment) if experiment.is_single() => {
            let warnings = experiment.cells.iter_mut().flat_map(|cell| &mut cell.config.warnings);
            warnings.for_each(|warning| run.name_what_was_typed(warning));
            Ok(experiment)
        }
        Invocation::Profile(_) => {
            bail!(
                "an option has a list of values where GenAI-Perf takes one; `genai-perf analyze` makes a run for each"
            )
        }
        other => bail!("a command line of GenAI-Perf became {other:?} instead of a run"),
    }
}

/// How the run ended, and what was measured, if anything was.
fn run_one(
    experiment: &Experiment,
    environment: &Environment,
    interrupts: &Interrupts,
) -> anyhow::Result<(ExitCode, Option<Measurement>)> {
    let Some(config) = experiment.cells.first().map(|cell| &cell.config) else { bail!("there is nothing to run") };
    eprintln!("{}", config.command_line);
    let paths = ArtifactPaths::new(&config.output.dir, config.output.prefix.as_deref());
    let records = RecordFile::of(config);
    let ended = profile::run(experiment, environment, interrupts)?;
    if let Some(records) = records {
        records.write().with_context(|| format!("cannot write {}", records.path().display()))?;
    }
    Ok((ended, Measurement::read(&paths.genai_perf_json())?))
}
