//! `aiperf selftest`: its options are a table that the self-test gives.

use aiperf_experiment::SELFTEST_OPTIONS;
use clap::{ArgMatches, Command};

use super::command::option_arg;

/// A self-test to run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SelfTestInvocation {
    /// The options given, by flag name.
    pub(crate) settings: Vec<(&'static str, String)>,
}

pub(super) fn command() -> Command {
    Command::new("selftest")
        .about("Prove on this machine that the client's times are right")
        .after_help("Examples:\n  aiperf selftest --streams 100 --duration 10\n  aiperf selftest --request-rate 50 --format json")
        .disable_version_flag(true)
        .args(SELFTEST_OPTIONS.iter().map(|row| option_arg(row, row.value)))
}

pub(super) fn read(matches: &ArgMatches) -> SelfTestInvocation {
    let given = |flag: &'static str| Some((flag, matches.get_one::<String>(flag)?.clone()));
    SelfTestInvocation { settings: SELFTEST_OPTIONS.iter().filter_map(|option| given(option.name)).collect() }
}
