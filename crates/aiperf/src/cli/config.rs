//! `aiperf config validate FILE` and `aiperf config expand FILE`.

use std::path::PathBuf;

use aiperf_config::Environment;
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};

pub(super) const NAME: &str = "config";
const VALIDATE: &str = "validate";
const EXPAND: &str = "expand";

/// A configuration file to look at.
#[derive(Debug)]
pub(crate) struct ConfigInvocation {
    /// As it was typed, which is how messages call it.
    pub(crate) file: PathBuf,
    pub(crate) action: ConfigAction,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConfigAction {
    Validate,
    Expand {
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
  aiperf config validate run.yaml
  aiperf config expand sweep.yaml
  aiperf profile -f run.yaml

GenAI-Perf's command of this name is `aiperf genai-perf config`.";

pub(super) fn command() -> Command {
    Command::new(NAME)
        .about("Check a configuration file, or show the runs of its sweep")
        .after_help(EXAMPLES)
        .disable_version_flag(true)
        .subcommand_required(true)
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

pub(super) fn read(matches: &ArgMatches, environment: &Environment) -> ConfigInvocation {
    let (name, matches) = matches.subcommand().unwrap_or((VALIDATE, matches));
    let file = matches.get_one::<String>("file").map(PathBuf::from).unwrap_or_default();
    let file = if file.exists() { file } else { environment.current_dir.join(file) };
    let action = if name == VALIDATE {
        ConfigAction::Validate
    } else {
        let index = matches.get_one::<usize>("index").copied();
        let format = match matches.get_one::<String>("format").map(String::as_str) {
            Some("json") => ExpandFormat::Json,
            Some("yaml") => ExpandFormat::Yaml,
            _ => ExpandFormat::Text,
        };
        ConfigAction::Expand { full: matches.get_flag("full") || index.is_some(), index, format }
    };
    ConfigInvocation { file, action }
}
