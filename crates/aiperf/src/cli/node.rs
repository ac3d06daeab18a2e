//! `aiperf node --join URL`

use std::path::PathBuf;
use std::time::Duration;

use aiperf_config::Environment;
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};

pub(super) const NAME: &str = "node";

/// A process that sends shares of runs.
#[derive(Debug)]
pub(crate) struct NodeInvocation {
    pub(crate) url: String,
    pub(crate) pool: String,
    /// `None`: a folder of its own in the folder for temporary files.
    pub(crate) spool: Option<PathBuf>,
    pub(crate) spool_limit: u64,
    /// How long a node that has finished waits for NATS.
    pub(crate) patience: Duration,
    /// Take part in run after run.
    pub(crate) stay: bool,
}

const MEGABYTE: u64 = 1_000_000;

const EXAMPLES: &str = "\
Examples:
  aiperf node --join nats://10.0.0.5:4222
  AIPERF_NATS_CREDS=node.creds aiperf node --join tls://nats.example:4222 --node-pool lab --stay

Credentials come from the environment: AIPERF_NATS_USER and AIPERF_NATS_PASSWORD, AIPERF_NATS_TOKEN, AIPERF_NATS_CREDS or
AIPERF_NATS_NKEY_FILE. For TLS: AIPERF_NATS_CA, AIPERF_NATS_CERT and AIPERF_NATS_KEY. docs/cluster.md describes them.";

pub(super) fn command() -> Command {
    Command::new(NAME)
        .about("Join a pool of nodes and send a share of a run that `aiperf profile --nodes` coordinates")
        .after_help(EXAMPLES)
        .disable_version_flag(true)
        .arg(
            Arg::new("join")
                .long("join")
                .required(true)
                .value_name("URL")
                .help("URL of a NATS server with JetStream, such as nats://10.0.0.5:4222; several with commas"),
        )
        .arg(pool_arg())
        .arg(
            Arg::new("spool").long("spool").value_name("FOLDER").value_hint(ValueHint::DirPath).help(
                "Folder for results until NATS has them [default: aiperf-node in the folder for temporary files]",
            ),
        )
        .arg(
            Arg::new("spool-limit-mb")
                .long("spool-limit-mb")
                .value_name("MB")
                .default_value("4096")
                .value_parser(clap::value_parser!(u64).range(1..))
                .help("Stop sending when this many megabytes of records wait for a NATS server that is away"),
        )
        .arg(
            Arg::new("nats-timeout")
                .long("nats-timeout")
                .value_name("SECONDS")
                .default_value("300")
                .value_parser(clap::value_parser!(u64).range(1..))
                .help("Wait this long for NATS when the share is sent; then exit with an error and keep the results"),
        )
        .arg(
            Arg::new("stay")
                .long("stay")
                .action(ArgAction::SetTrue)
                .help("Take part in run after run until interrupted; without it the node exits after one run"),
        )
}

pub(super) fn pool_arg() -> Arg {
    Arg::new("node-pool")
        .long("node-pool")
        .value_name("NAME")
        .default_value("default")
        .help("Pool of nodes; a run takes nodes of the pool that its --node-pool names")
}

pub(super) fn read(matches: &ArgMatches, environment: &Environment) -> NodeInvocation {
    let text = |name: &str| matches.get_one::<String>(name).cloned();
    let number = |name: &str| matches.get_one::<u64>(name).copied().unwrap_or_default();
    NodeInvocation {
        url: text("join").unwrap_or_default(),
        pool: text("node-pool").unwrap_or_default(),
        spool: text("spool").map(|folder| environment.current_dir.join(folder)),
        spool_limit: number("spool-limit-mb") * MEGABYTE,
        patience: Duration::from_secs(number("nats-timeout")),
        stay: matches.get_flag("stay"),
    }
}
