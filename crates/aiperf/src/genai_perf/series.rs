//! One run or several, made one after the other: each is shown as the `aiperf profile` that it is, and leaves GenAI-Perf's files.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use aiperf_config::{Environment, Experiment};
use aiperf_report::ArtifactPaths;
use anyhow::{Context, bail};

use super::checkpoint::Checkpoint;
use super::measurement::Measurement;
use super::record_file::RecordFile;
use super::summary_table::{self, Row};
use crate::cli::{self, CliError, Invocation};
use crate::interrupts::Interrupts;
use crate::profile::{self, INTERRUPTED};
use crate::simulate;

/// Runs in order.
#[derive(Debug, PartialEq)]
pub(crate) struct Series {
    pub(super) runs: Vec<Planned>,
    /// Folder of the checkpoint.
    pub(super) checkpoint: Option<PathBuf>,
    /// The table of all runs, where it is wanted.
    pub(super) table: Option<PathBuf>,
}

/// A run as it is to be made.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Planned {
    pub(super) name: String,
    pub(super) model: String,
    /// The kind of load and its size.
    pub(super) stimulus: (String, f64),
    /// The command line of ours, program name included.
    pub(super) words: Vec<String>,
    /// Our names of options, and those that were typed for them.
    pub(super) renamed: Vec<(&'static str, String)>,
}

impl Planned {
    /// The value that an option has among the words.
    pub(super) fn value(&self, option: &str) -> Option<&str> {
        self.words.iter().find_map(|word| word.strip_prefix(option)?.strip_prefix('='))
    }

    /// What was typed for an option of ours.
    fn typed(&self, ours: &str) -> Option<String> {
        self.renamed.iter().find(|(known, _)| *known == ours).map(|(_, typed)| typed.clone())
    }

    /// A warning that begins with an option of ours begins with the typed one instead.
    fn name_what_was_typed(&self, warning: &mut String) {
        let (ours, rest) = warning.split_once(' ').unwrap_or((warning, ""));
        if let Some(typed) = self.typed(ours) {
            *warning = format!("{typed} {rest}");
        }
    }

    fn experiment(&self, environment: &Environment) -> anyhow::Result<Box<Experiment>> {
        let args = self.words.iter().map(Into::into);
        let invocation = match cli::parse(args, environment, &simulate::flags()) {
            Err(CliError::Config(error)) => bail!(error.rename(|ours| self.typed(ours))),
            parsed => parsed.context("in the `aiperf profile` line that this becomes")?,
        };
        match invocation {
            Invocation::Profile(mut experiment) if experiment.is_single() => {
                let warnings = experiment.cells.iter_mut().flat_map(|cell| &mut cell.config.warnings);
                warnings.for_each(|warning| self.name_what_was_typed(warning));
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
}

impl Series {
    /// All are looked at before the first is made. One that fails does not keep the others from being made.
    pub(crate) fn run(&self, environment: &Environment, interrupts: &Interrupts) -> anyhow::Result<ExitCode> {
        let experiments =
            self.runs.iter().map(|run| run.experiment(environment)).collect::<anyhow::Result<Vec<_>>>()?;
        let mut checkpoint = self.checkpoint.as_deref().map(Checkpoint::open).transpose()?;
        let mut rows: Vec<Row<'_>> = Vec::new();
        let mut code = ExitCode::SUCCESS;
        let mut broken_off = None;
        for (run, experiment) in self.runs.iter().zip(experiments) {
            if let Some((known, measured)) = checkpoint.as_ref().and_then(|known| Some((known, known.find(run)?))) {
                eprintln!("{} is in {} and is not run again", run.name, known.path().display());
                rows.push(Row { run, measured });
                continue;
            }
            let (ended, measured) = match make(&experiment, environment, interrupts) {
                Ok(made) => made,
                Err(error) => {
                    let alone = self.runs.len() == 1;
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
                rows.push(Row { run, measured });
            }
            if ended == ExitCode::from(INTERRUPTED) {
                break;
            }
        }
        // What was measured before something went wrong is worth a table, too.
        if let Some(path) = &self.table {
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
            }
            fs::write(path, summary_table::csv(&rows)).with_context(|| format!("cannot write {}", path.display()))?;
            println!("All runs: {}", path.display());
        }
        broken_off.map_or(Ok(code), Err)
    }
}

/// How it ended, and what was measured, if anything was.
fn make(
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
