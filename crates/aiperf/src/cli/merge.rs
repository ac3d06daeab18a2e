//! `aiperf merge FOLDER...`

use std::path::PathBuf;

use aiperf_config::Environment;
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};

pub(super) const NAME: &str = "merge";

/// Folders to be joined.
#[derive(Debug)]
pub(crate) struct MergeInvocation {
    pub(crate) folders: Vec<PathBuf>,
    /// `None`: `merged` next to the first folder.
    pub(crate) output: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  aiperf merge results
  aiperf merge node0/results node1/results node2/results --output-dir merged";

pub(super) fn command() -> Command {
    Command::new(NAME)
        .after_help(EXAMPLES)
        .about("Merge the folders of several nodes into one run: all records, statistics over all of them")
        .disable_version_flag(true)
        .arg(
            Arg::new("folders")
                .index(1)
                .required(true)
                .num_args(1..)
                .action(ArgAction::Append)
                .value_name("FOLDER")
                .value_hint(ValueHint::DirPath)
                .help(
                    "Artifact folders of aiperf, AIPerf or GenAI-Perf. A folder with `node-*` folders in it stands for all of them",
                ),
        )
        .arg(
            Arg::new("output-dir")
                .long("output-dir")
                .short('o')
                .value_name("FOLDER")
                .value_hint(ValueHint::DirPath)
                .help("Folder to write to [default: `merged` next to the first folder]"),
        )
}

pub(super) fn read(matches: &ArgMatches, environment: &Environment) -> MergeInvocation {
    let path = |text: &String| environment.current_dir.join(text);
    MergeInvocation {
        folders: matches.get_many::<String>("folders").into_iter().flatten().map(path).collect(),
        output: matches.get_one::<String>("output-dir").map(path),
    }
}
