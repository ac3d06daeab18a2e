//! `aiperf validate TARGET FILE` for traces, and `aiperf validate FOLDER` for artifacts.

use std::path::PathBuf;

use aiperf_artifact::stands_alone;
use aiperf_config::Environment;
use aiperf_trace::Layout;
use clap::{Arg, ArgMatches, Command};

use super::{given, path, required, word};
use crate::cli::CliError;

#[derive(Debug)]
pub(crate) struct ValidateTrace {
    pub(crate) layout: Layout,
    pub(crate) input: PathBuf,
}

pub(super) fn command() -> Command {
    Command::new("validate")
        .about("Check an artifact folder, or every row of a trace")
        .disable_version_flag(true)
        .arg(
            Arg::new("target")
                .index(1)
                .required(true)
                .value_name("FOLDER|LAYOUT")
                .help(format!("Artifact folder, or the layout of a trace [{}]", targets())),
        )
        .args(word(2, "input", "FILE", "Trace to check"))
}

/// What this program wrote and is to be checked: a single word that is no layout but a folder, or a file of results.
pub(in crate::cli) fn artifact(matches: &ArgMatches, environment: &Environment) -> Option<PathBuf> {
    let name = matches.get_one::<String>("target")?;
    let found = path(environment, name);
    (given(matches, "input").is_none() && (found.is_dir() || stands_alone(&found))).then_some(found)
}

pub(super) fn read(matches: &ArgMatches, environment: &Environment) -> Result<ValidateTrace, CliError> {
    let name = matches.get_one::<String>("target").map_or("", String::as_str);
    let wanted = name.to_ascii_lowercase().replace('-', "_");
    let layout = Layout::ALL.into_iter().find(|layout| layout.name() == wanted);
    let layout = layout.ok_or_else(|| CliError::TraceOption {
        option: "aiperf validate",
        problem: format!("{name:?} cannot be checked; what can is an artifact folder, and {}", targets()),
    })?;
    Ok(ValidateTrace { layout, input: path(environment, required(matches, "input")?) })
}

fn targets() -> String {
    Layout::ALL.map(|layout| layout.name().replace('_', "-")).join(", ")
}
