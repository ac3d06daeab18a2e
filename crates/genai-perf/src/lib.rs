//! GenAI-Perf in terms of `aiperf profile`: its command lines and configuration files become options of ours, and what cannot
//! is rejected by name; the results of our runs become its checkpoint, sweep table and record files. The program makes the
//! runs in between.
#![forbid(unsafe_code)]

mod checkpoint;
mod commands;
mod config_file;
mod endpoint;
mod error;
mod given;
mod help;
mod input_file;
mod measurement;
mod merge;
mod planned;
mod record_file;
mod rows;
mod settings;
mod summary_table;
mod sweep;
mod table;
mod template;
#[cfg(test)]
mod tests;
mod translate;
mod yaml;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use aiperf_options::catalogue::options;
pub use checkpoint::Checkpoint;
#[doc(hidden)]
pub use config_file::options_of_config;
use config_file::{ConfigFile, ConfigJob};
pub use error::{GenaiPerfError, GenaiPerfFileError};
use given::GivenFlags;
pub use measurement::Measurement;
pub use merge::{MergeError, MergeJob, MergedRuns};
pub use planned::{PlannedRun, PlannedRuns};
pub use record_file::RecordFile;
pub use summary_table::{SummaryRow, csv as summary_csv};
use sweep::LoadSweep;
use table::{Becomes, FlagRule, GenaiPerfFlag};
pub use template::ConfigTemplate;

/// The name of the command, and of the program where it is called so.
pub const NAME: &str = "genai-perf";
/// Where folders of runs go when nothing is said.
const ARTIFACTS: &str = "artifacts";

/// What a command line of GenAI-Perf asks for.
#[derive(Debug, PartialEq)]
pub enum GenaiPerfCommand {
    /// One run, or one for each value of a sweep.
    Run(PlannedRuns),
    /// A file of settings to start from.
    Template(ConfigTemplate),
    /// Several runs as one.
    Merge(MergeJob),
    /// Help or version, for stdout.
    Text(String),
}

/// The words that are GenAI-Perf's, if this is a command line of it.
pub fn words_of(args: &[OsString]) -> Option<&[OsString]> {
    let called = args.first().and_then(|program| Path::new(program).file_stem());
    if called.is_some_and(|name| name == NAME) {
        return args.get(1..);
    }
    args.get(1).filter(|command| *command == NAME).and_then(|_| args.get(2..))
}

/// The page of `aiperf genai-perf --help`.
pub fn help_page() -> String {
    help::page()
}

/// What to do with an option of GenAI-Perf on a command line of `aiperf`; `None` if it is not one of GenAI-Perf's.
pub fn advice(typed: &str) -> Option<String> {
    let tables = [
        ("profile", table::PROFILE),
        ("profile", table::PERF_ANALYZER),
        ("analyze", commands::ANALYZE),
        ("config", commands::CONFIG),
        ("process-export-files", commands::PROCESS),
    ];
    let (command, flag) = tables.iter().find_map(|(command, table)| {
        table.iter().find(|flag| flag.names.contains(&typed)).map(|flag| (*command, flag))
    })?;
    if let Becomes::Refused(why) = flag.becomes {
        return Some(format!("; it {why}"));
    }
    let Some(name) = flag.becomes.name() else {
        return Some(format!("; run the line as `aiperf genai-perf {command} ...`"));
    };
    let spec = options().find(|spec| spec.long.contains(&name.trim_start_matches('-')));
    Some(match spec {
        Some(spec) if !spec.is_supported() => " and not supported yet; leave it out".to_owned(),
        _ => format!("; use {name}, or run the line as `aiperf genai-perf {command} ...`"),
    })
}

/// Reads the words after the name of the program. Input rows that need another shape are written into the run's folder.
pub fn read(words: &[OsString], current_dir: &Path) -> Result<GenaiPerfCommand, GenaiPerfError> {
    let text = |word: &OsString| {
        word.to_str().map(str::to_owned).ok_or(GenaiPerfError::NotText(word.to_string_lossy().into()))
    };
    let words = words.iter().map(text).collect::<Result<Vec<String>, GenaiPerfError>>()?;
    let (own, passed) = match words.iter().position(|word| word == "--") {
        Some(place) => (&words[..place], &words[place + 1..]),
        None => (&words[..], &[][..]),
    };
    if own.iter().any(|word| ["--help", "-h"].contains(&word.as_str())) {
        return Ok(GenaiPerfCommand::Text(help::page()));
    }
    let (command, options) = own.split_first().ok_or(GenaiPerfError::NoCommand)?;
    match command.as_str() {
        "--version" => Ok(GenaiPerfCommand::Text(format!("{}\n", env!("CARGO_PKG_VERSION")))),
        "profile" => {
            let asked = ask(options, passed, &[table::PROFILE], "genai-perf profile")?;
            profile(&asked, current_dir).map(GenaiPerfCommand::Run)
        }
        "analyze" => {
            let asked = ask(options, passed, &[table::PROFILE, commands::ANALYZE], "genai-perf analyze")?;
            analyze(asked, current_dir).map(GenaiPerfCommand::Run)
        }
        "config" => config(options, passed, current_dir),
        "create-template" => template(options, passed, current_dir).map(GenaiPerfCommand::Template),
        "process-export-files" => merge(options, passed, current_dir).map(GenaiPerfCommand::Merge),
        name => Err(GenaiPerfError::UnknownCommand(name.to_owned())),
    }
}

/// The options before and after `--`.
fn ask(
    options: &[String],
    passed: &[String],
    tables: &[&'static [GenaiPerfFlag]],
    program: &'static str,
) -> Result<GivenFlags, GenaiPerfError> {
    let mut asked = GivenFlags::default();
    asked.read(options, tables, program)?;
    asked.read(passed, &[table::PERF_ANALYZER], "perf_analyzer that can stand behind `--`")?;
    Ok(asked)
}

fn profile(asked: &GivenFlags, current_dir: &Path) -> Result<PlannedRuns, GenaiPerfError> {
    let runs = vec![plan(asked, current_dir, 0, "")?];
    Ok(PlannedRuns { runs, checkpoint: checkpoint(asked, current_dir)?, table: None })
}

fn analyze(mut asked: GivenFlags, current_dir: &Path) -> Result<PlannedRuns, GenaiPerfError> {
    let LoadSweep { parameter, values } = LoadSweep::of(&asked)?;
    let mut runs = Vec::new();
    for (index, value) in values.iter().enumerate() {
        if let Some(flag) = parameter.flag() {
            asked.set(flag, flag.names[0], value);
        }
        runs.push(plan(&asked, current_dir, index, &parameter.suffix(value))?);
    }
    let parent = asked.text(FlagRule::Folder).unwrap_or(ARTIFACTS);
    let table = Some(current_dir.join(parent).join("analyze_export_genai_perf.csv"));
    Ok(PlannedRuns { runs, checkpoint: checkpoint(&asked, current_dir)?, table })
}

/// One run. Rows that need another shape are written at once.
fn plan(asked: &GivenFlags, current_dir: &Path, index: usize, suffix: &str) -> Result<PlannedRun, GenaiPerfError> {
    let translation = translate::translate(asked, current_dir, suffix)?;
    if let Some((path, rows)) = translation.rows {
        write(&current_dir.join(&path), &rows)
            .map_err(|error| GenaiPerfError::File { path, problem: error.to_string() })?;
    }
    let model = asked.text(FlagRule::Model).unwrap_or_default().to_owned();
    let words = ["aiperf", "profile"].into_iter().map(str::to_owned).chain(translation.words).collect();
    let renamed = asked.iter().filter_map(|given| Some((given.flag.becomes.name()?, given.typed.clone()))).collect();
    let name = format!("{model}_run_config_{index}");
    Ok(PlannedRun { name, model, stimulus: translate::stimulus(asked)?, words, renamed })
}

/// The folder of the checkpoint, where one is kept.
fn checkpoint(asked: &GivenFlags, current_dir: &Path) -> Result<Option<PathBuf>, GenaiPerfError> {
    let folder = asked.get(FlagRule::CheckpointDir);
    if asked.has(FlagRule::Checkpointing) {
        let folder = asked.text(FlagRule::CheckpointDir).unwrap_or("checkpoint");
        return Ok(Some(current_dir.join(folder)));
    }
    let needed = "--enable-checkpointing";
    folder.map_or(Ok(None), |given| Err(GenaiPerfError::Needs { flag: given.typed.clone(), needed }))
}

/// Runs a configuration file; options of the command line override it.
fn config(options: &[String], passed: &[String], current_dir: &Path) -> Result<GenaiPerfCommand, GenaiPerfError> {
    let tables = [commands::CONFIG, table::PROFILE, commands::ANALYZE];
    let typed = ask(options, passed, &tables, "genai-perf config")?;
    let path = typed
        .text(FlagRule::ConfigFile)
        .ok_or(GenaiPerfError::Needs { flag: "genai-perf config".to_owned(), needed: "--file" })?;
    let path = path.to_owned();
    let own = [FlagRule::ConfigFile, FlagRule::Override];
    let other = typed.iter().find(|given| !own.iter().any(|rule| given.is(*rule)));
    if let Some(other) = other.filter(|_| !typed.has(FlagRule::Override)) {
        return Err(GenaiPerfError::Needs {
            flag: format!("{} next to --file", other.typed),
            needed: "--override-config",
        });
    }
    let file = ConfigFile::read(&path, current_dir)?;
    let within = |refusal: GenaiPerfError| GenaiPerfError::InFile { path: path.clone(), refusal: Box::new(refusal) };
    if file.job == ConfigJob::Process {
        if let Some(other) = other {
            return Err(GenaiPerfError::StrayWord(other.typed.clone()));
        }
        return merge(&file.words, &[], current_dir).map(GenaiPerfCommand::Merge).map_err(within);
    }
    let mut asked = GivenFlags::default();
    asked.read(&file.words, &[table::PROFILE, commands::ANALYZE], "genai-perf config").map_err(within)?;
    asked.override_with(typed, &translate::GROUPS);
    match file.job {
        ConfigJob::Analyze => analyze(asked, current_dir),
        ConfigJob::Profile | ConfigJob::Process => profile(&asked, current_dir),
    }
    .map(GenaiPerfCommand::Run)
    .map_err(within)
}

fn template(options: &[String], passed: &[String], current_dir: &Path) -> Result<ConfigTemplate, GenaiPerfError> {
    if let Some(word) = passed.first() {
        return Err(GenaiPerfError::StrayWord(word.clone()));
    }
    let mut asked = GivenFlags::default();
    asked.read(options, &[commands::TEMPLATE], "genai-perf create-template")?;
    let path = current_dir.join(asked.text(FlagRule::TemplateFile).unwrap_or(template::NAME));
    Ok(ConfigTemplate { path, explained: asked.has(FlagRule::Verbose) })
}

fn merge(options: &[String], passed: &[String], current_dir: &Path) -> Result<MergeJob, GenaiPerfError> {
    if let Some(word) = passed.first() {
        return Err(GenaiPerfError::StrayWord(word.clone()));
    }
    let mut asked = GivenFlags::default();
    asked.read(options, &[commands::PROCESS], "genai-perf process-export-files")?;
    let needed = "--input-directory";
    let input = asked.text(FlagRule::InputDirectory);
    let input = input.ok_or(GenaiPerfError::Needs { flag: "genai-perf process-export-files".to_owned(), needed })?;
    let parent = asked.text(FlagRule::Folder).unwrap_or(ARTIFACTS);
    Ok(MergeJob {
        input: current_dir.join(input),
        output: current_dir.join(parent).join(merge::MERGED),
        prefix: translate::prefix(&asked)?,
    })
}

fn write(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text)
}
