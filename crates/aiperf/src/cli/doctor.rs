//! `aiperf doctor`.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};

pub(super) const NAME: &str = "doctor";
const FOLDER: &str = "artifact-dir";
const JSON: &str = "json";

/// A machine to check.
#[derive(Debug)]
pub(crate) struct DoctorInvocation {
    /// Where a run would write its files.
    pub(crate) artifacts: PathBuf,
    pub(crate) json: bool,
}

pub(super) fn command() -> Command {
    Command::new(NAME)
        .about("Check this machine: limits, clocks, disk, GPUs and downloads, and what each means for a benchmark")
        .after_help(
            "Exit code 0: nothing keeps benchmarks from running. 1: there is a problem.\n\n\
             Examples:\n  aiperf doctor\n  aiperf doctor --artifact-dir /data/runs --json",
        )
        .disable_version_flag(true)
        .arg(
            Arg::new(FOLDER)
                .long(FOLDER)
                .value_name("FOLDER")
                .value_hint(ValueHint::DirPath)
                .help("Folder that runs will write to [default: artifacts]"),
        )
        .arg(Arg::new(JSON).long(JSON).action(ArgAction::SetTrue).help("Print the findings as JSON"))
}

pub(super) fn read(matches: &ArgMatches) -> DoctorInvocation {
    let folder = matches.get_one::<String>(FOLDER).map_or("artifacts", String::as_str);
    DoctorInvocation { artifacts: PathBuf::from(folder), json: matches.get_flag(JSON) }
}
