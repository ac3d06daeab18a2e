//! `aiperf attach RUN`

use std::path::PathBuf;
use std::time::Duration;

use aiperf_config::Environment;
use clap::{Arg, ArgMatches, Command, ValueHint};

use super::node::pool_arg;

pub(super) const NAME: &str = "attach";

/// A run whose coordinator is lost.
#[derive(Debug)]
pub(crate) struct AttachInvocation {
    pub(crate) run: String,
    pub(crate) url: String,
    pub(crate) pool: String,
    pub(crate) dir: PathBuf,
    pub(crate) node_timeout: Duration,
}

pub(super) fn command() -> Command {
    Command::new(NAME)
        .about("Take over a run on several nodes whose coordinator is lost: collect its records and write its results")
        .after_help("Examples:\n  aiperf attach 3f2a9c81d04e --nats nats://10.0.0.5:4222 --artifact-dir results")
        .disable_version_flag(true)
        .arg(
            Arg::new("run")
                .index(1)
                .required(true)
                .value_name("RUN")
                .help("ID of the run, as `aiperf profile --nodes` printed it or --run-id named it"),
        )
        .arg(
            Arg::new("nats")
                .long("nats")
                .required(true)
                .value_name("URL")
                .help("URL of the NATS server that the run uses, such as nats://10.0.0.5:4222"),
        )
        .arg(pool_arg())
        .arg(
            Arg::new("artifact-dir")
                .long("artifact-dir")
                .value_name("FOLDER")
                .value_hint(ValueHint::DirPath)
                .help("Folder to write to [default: artifacts/RUN]"),
        )
        .arg(
            Arg::new("node-timeout")
                .long("node-timeout")
                .value_name("SECONDS")
                .default_value("2.5")
                .value_parser(clap::value_parser!(f64))
                .help("Seconds of silence after which a node is lost"),
        )
}

pub(super) fn read(matches: &ArgMatches, environment: &Environment) -> AttachInvocation {
    let text = |name: &str| matches.get_one::<String>(name).cloned();
    let run = text("run").unwrap_or_default();
    let seconds = matches.get_one::<f64>("node-timeout").copied().unwrap_or(2.5).clamp(1.0, 3600.0);
    AttachInvocation {
        url: text("nats").unwrap_or_default(),
        pool: text("node-pool").unwrap_or_default(),
        dir: environment
            .current_dir
            .join(text("artifact-dir").map_or_else(|| PathBuf::from("artifacts").join(&run), PathBuf::from)),
        node_timeout: Duration::from_secs_f64(seconds),
        run,
    }
}
