//! `aiperf config`: `validate`, `expand` and `from-flags`.

use std::path::PathBuf;

use aiperf_config::{Environment, Experiment};
use aiperf_config_file::{Starter, starter};
use aiperf_options::RawOptions;
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};

use super::command::{self, Purpose};
use super::spelling::Typed;
use super::{CliError, profile};

pub(super) const NAME: &str = "config";
const VALIDATE: &str = "validate";
const EXPAND: &str = "expand";
const INIT: &str = "init";
const SCHEMA: &str = "schema";
const FROM_FLAGS: &str = "from-flags";

/// What is wanted of configuration files.
#[derive(Debug)]
pub(crate) enum ConfigInvocation {
    /// Show the templates that have these words, in a table.
    List { search: Option<String>, category: Option<String>, verbose: bool },
    /// Print a template, or write it into a file.
    Init { template: &'static Starter, model: Option<String>, url: Option<String>, output: Option<PathBuf> },
    /// Print the JSON schema of configuration files.
    Schema,
    /// Print the file that a command line means.
    FromFlags { options: RawOptions, experiment: Box<Experiment> },
    /// Check a file.
    Validate { file: PathBuf },
    /// Show the runs of a file.
    Expand {
        /// As it was typed, which is how messages call it.
        file: PathBuf,
        /// Also show the configuration of each run.
        full: bool,
        /// Show this run only.
        index: Option<usize>,
        format: ExpandFormat,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExpandFormat {
    Text,
    Yaml,
    Json,
}

const EXAMPLES: &str = "\
Examples:
  aiperf config init --list
  aiperf config init --template latency_test --model my-model --url localhost:8000 --output run.yaml
  aiperf config from-flags --model my-model --url localhost:8000 --concurrency 1,8,64 > run.yaml
  aiperf config validate run.yaml
  aiperf config expand sweep.yaml
  aiperf profile -f run.yaml

GenAI-Perf's command of this name is `aiperf genai-perf config`.";

pub(super) fn command(purpose: Purpose) -> Command {
    Command::new(NAME)
        .about("Write, check and expand configuration files")
        .after_help(EXAMPLES)
        .disable_version_flag(true)
        .subcommand_required(true)
        .subcommand(init())
        .subcommand(
            Command::new(SCHEMA)
                .about("Print the JSON schema of configuration files, for editors: `aiperf config schema > aiperf.schema.json`")
                .disable_version_flag(true),
        )
        .subcommand(
            command::profile(purpose)
                .name(FROM_FLAGS)
                .about("Print the configuration file that options of `aiperf profile` mean")
                .override_usage("aiperf config from-flags [OPTIONS OF aiperf profile]"),
        )
        .subcommand(
            Command::new(VALIDATE)
                .about("Read a configuration file with all rules of a run; exit code 1 if it has a mistake")
                .disable_version_flag(true)
                .arg(file()),
        )
        .subcommand(
            Command::new(EXPAND)
                .about("Show the runs of a sweep: folder, label, values")
                .disable_version_flag(true)
                .arg(file())
                .arg(
                    Arg::new("full")
                        .long("full")
                        .short('F')
                        .action(ArgAction::SetTrue)
                        .help("Also show the configuration of each run"),
                )
                .arg(
                    Arg::new("index")
                        .long("index")
                        .short('i')
                        .value_name("N")
                        .value_parser(clap::value_parser!(usize))
                        .help("Show only the run with this number, from 0, with its configuration"),
                )
                .arg(
                    Arg::new("format")
                        .long("format")
                        .short('f')
                        .value_name("FORMAT")
                        .value_parser(["text", "yaml", "json"])
                        .default_value("text")
                        .help("Form of the output"),
                ),
        )
}

fn init() -> Command {
    let text = |name: &'static str, letter: char, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).short(letter).value_name(value).help(help)
    };
    let flag = |name: &'static str, letter: char, help: &'static str| {
        Arg::new(name).long(name).short(letter).action(ArgAction::SetTrue).help(help)
    };
    Command::new(INIT)
        .about("Print a configuration file to begin with, or list all of them")
        .disable_version_flag(true)
        .arg(text("template", 't', "NAME", "Template to print"))
        .arg(flag("list", 'l', "List the templates"))
        .arg(text("search", 's', "WORD", "List the templates that mention this word"))
        .arg(text("category", 'c', "WORD", "List the templates of the categories that have this word in their name"))
        .arg(flag("verbose", 'v', "List tags and difficulty, too"))
        .arg(text("model", 'm', "NAME", "Put this model into the file"))
        .arg(text("url", 'u', "URL", "Put the URL of this server into the file"))
        .arg(text("output", 'o', "FILE", "Write the file instead of printing it").value_hint(ValueHint::FilePath))
}

fn read_init(matches: &ArgMatches, environment: &Environment) -> Result<ConfigInvocation, CliError> {
    let text = |name: &str| matches.get_one::<String>(name).cloned();
    let (search, category) = (text("search"), text("category"));
    let wants_list = matches.get_flag("list") || search.is_some() || category.is_some();
    match text("template") {
        Some(name) if !wants_list => {
            let template = starter(&name).map_err(|problem| CliError::Other(format!("--template: {problem}")))?;
            let output = text("output").map(|path| environment.current_dir.join(path));
            Ok(ConfigInvocation::Init { template, model: text("model"), url: text("url"), output })
        }
        // Without a name there is nothing to print, and the list says what there is.
        _ => Ok(ConfigInvocation::List { search, category, verbose: matches.get_flag("verbose") }),
    }
}

fn file() -> Arg {
    Arg::new("file")
        .index(1)
        .required(true)
        .value_name("FILE")
        .value_hint(ValueHint::FilePath)
        .help("Configuration file of `aiperf profile -f`")
}

/// Whether the words after `config` are those of GenAI-Perf's command of this name.
pub(super) fn is_genai_perf(words: &[String]) -> bool {
    words.get(2).is_some_and(|word| ["-f", "--file"].contains(&word.as_str()) || word.starts_with("--file="))
}

pub(super) fn read(
    matches: &ArgMatches,
    typed: &Typed,
    environment: &Environment,
) -> Result<ConfigInvocation, CliError> {
    let (name, matches) = matches.subcommand().unwrap_or((VALIDATE, matches));
    if name == INIT {
        return read_init(matches, environment);
    }
    if name == SCHEMA {
        return Ok(ConfigInvocation::Schema);
    }
    if name == FROM_FLAGS {
        let options = profile::raw_options(matches, typed);
        let experiment = Box::new(profile::experiment(&options, environment)?);
        return Ok(ConfigInvocation::FromFlags { options, experiment });
    }
    let file = matches.get_one::<String>("file").map(PathBuf::from).unwrap_or_default();
    let file = if file.exists() { file } else { environment.current_dir.join(file) };
    if name == VALIDATE {
        return Ok(ConfigInvocation::Validate { file });
    }
    let index = matches.get_one::<usize>("index").copied();
    let format = match matches.get_one::<String>("format").map(String::as_str) {
        Some("json") => ExpandFormat::Json,
        Some("yaml") => ExpandFormat::Yaml,
        _ => ExpandFormat::Text,
    };
    Ok(ConfigInvocation::Expand { file, full: matches.get_flag("full") || index.is_some(), index, format })
}
