//! `aiperf sim`: the simulator as a server of its own. Its settings are a table that the simulator gives.

use std::net::{IpAddr, SocketAddr};

use aiperf_sim::{SIM_OPTIONS, SimOption};
use clap::{Arg, ArgMatches, Command, value_parser};

use super::CliError;
use super::command::option_arg;

/// A simulator to start.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SimInvocation {
    pub(crate) bind: SocketAddr,
    /// The settings given, by name.
    pub(crate) settings: Vec<(&'static str, String)>,
}

const AFTER_HELP: &str = "\
A DISTRIBUTION is a number, or normal:MEAN,STDDEV, lognormal:MEAN,STDDEV, exp:MEAN,
gamma:MEAN,SHAPE or uniform:LOW,HIGH.

Examples:
  aiperf sim --port 8000 --ttft 40 --itl 8
  aiperf sim --port 0 --ttft lognormal:40,10 --error-rate 0.05 --truth truth.jsonl";

pub(super) fn command() -> Command {
    let mut command = Command::new("sim")
        .about("Run a simulated inference server: real sockets and protocols, no model")
        .after_help(AFTER_HELP)
        .disable_version_flag(true)
        // Next to values as long as these, help would be a column of single words.
        .next_line_help(true)
        .arg(
            Arg::new("host")
                .long("host")
                .value_name("ADDRESS")
                .value_parser(value_parser!(IpAddr))
                .default_value("127.0.0.1")
                .help("Address to listen on"),
        )
        .arg(
            Arg::new("port")
                .long("port")
                .short('p')
                .value_name("PORT")
                .value_parser(value_parser!(u16))
                .default_value("8000")
                .help("Port to listen on; 0 takes a free one"),
        );
    for row in SIM_OPTIONS {
        // A whole notation is not a name; the end of the page explains it.
        let value = if row.value.contains(" | ") { "DISTRIBUTION" } else { row.value };
        command = command.arg(option_arg(row, value));
    }
    command
}

pub(super) fn read(matches: &ArgMatches) -> Result<SimInvocation, CliError> {
    let missing = |name: &str| CliError::MissingValue(format!("--{name}"));
    let host = *matches.get_one::<IpAddr>("host").ok_or_else(|| missing("host"))?;
    let port = *matches.get_one::<u16>("port").ok_or_else(|| missing("port"))?;
    let given = |row: &SimOption| Some((row.name, matches.get_one::<String>(&row.flag())?.clone()));
    let settings = SIM_OPTIONS.iter().filter_map(given).collect();
    Ok(SimInvocation { bind: SocketAddr::new(host, port), settings })
}
