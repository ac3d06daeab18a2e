//! `aiperf validate FILE` or `aiperf validate LAYOUT FILE` for traces, and `aiperf validate FOLDER` for artifacts.

use std::path::PathBuf;

use aiperf_artifact::stands_alone;
use aiperf_config::Environment;
use aiperf_trace::Layout;
use clap::{Arg, ArgMatches, Command};

use super::{BLOCK_SIZE, block_size, given, path, required, word};
use crate::cli::CliError;

#[derive(Debug)]
pub(crate) struct ValidateTrace {
    /// `None`: what the file looks like.
    pub(crate) layout: Option<Layout>,
    pub(crate) input: PathBuf,
    /// Tokens of a block, if they differ from those of the layout.
    pub(crate) block_size: Option<u32>,
}

pub(super) fn command() -> Command {
    Command::new("validate")
        .about("Check an artifact folder, or every row of a trace")
        .after_help("Examples:\n  aiperf validate artifacts/my-run\n  aiperf validate mooncake-trace trace.jsonl")
        .disable_version_flag(true)
        .arg(Arg::new("target").index(1).required(true).value_name("FOLDER|TRACE|FORMAT").help(format!(
            "Artifact folder, trace file, or the format of the trace file that follows [formats: {}]",
            targets()
        )))
        .args(word(2, "input", "FILE", "Trace to check"))
        .arg(Arg::new("block-size").long("block-size").value_name("TOKENS").help(BLOCK_SIZE))
}

/// What this program wrote and is to be checked: a single word that is not a layout but a folder or a result file.
pub(in crate::cli) fn artifact(matches: &ArgMatches, environment: &Environment) -> Option<PathBuf> {
    let name = matches.get_one::<String>("target")?;
    let found = path(environment, name);
    (given(matches, "input").is_none() && (found.is_dir() || stands_alone(&found))).then_some(found)
}

pub(super) fn read(matches: &ArgMatches, environment: &Environment) -> Result<ValidateTrace, CliError> {
    let name = matches.get_one::<String>("target").map_or("", String::as_str);
    let wanted = name.to_ascii_lowercase().replace('-', "_");
    let layout = Layout::ALL.into_iter().find(|layout| layout.name() == wanted);
    let file = path(environment, name);
    let input = if layout.is_none() && given(matches, "input").is_none() && file.is_file() {
        file
    } else if layout.is_some() {
        path(environment, required(matches, "input")?)
    } else {
        return Err(CliError::TraceOption {
            option: "aiperf validate",
            problem: format!(
                "{name:?} is neither a folder, nor a file, nor a layout; aiperf validate FOLDER checks artifacts, aiperf \
                 validate FILE a trace, and aiperf validate LAYOUT FILE a trace of that layout ({})",
                targets()
            ),
        });
    };
    Ok(ValidateTrace { layout, input, block_size: block_size(matches)? })
}

fn targets() -> String {
    Layout::ALL.map(Layout::target).join(", ")
}
