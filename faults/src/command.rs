//! What a scenario does to the program: commands, and what happens while they run.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::expectation::Expectation;

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Action {
    /// Runs `aiperf` to its end.
    Run(Command),
    /// Starts `aiperf` and goes on; `join` waits for its end.
    Start(Command),
    Join,
    /// Commands of a shell in the scenario's folder, which must succeed.
    Sh(String),
    /// Opens the gates of the servers.
    Release,
    /// Waits for something.
    Await(Moment),
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Command {
    /// Words of the command line; `${profile}` stands for a run with the usual options.
    pub(crate) aiperf: String,
    /// Commands of a shell that becomes the program afterwards: limits, redirections.
    pub(crate) prelude: String,
    /// Variables in addition to `HOME` and `PATH`.
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) without_env: Vec<String>,
    pub(crate) stdout: Output,
    pub(crate) stderr: Output,
    /// Done one after the other while it runs.
    pub(crate) during: Vec<Moment>,
    pub(crate) expect: Expectation,
}

/// Where an output stream goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Output {
    #[default]
    File,
    /// A pipe whose reader has gone.
    BrokenPipe,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Moment {
    /// The server has read this many requests.
    Served(u64),
    /// The server has accepted this many connections.
    Connections(u64),
    /// A file has at least this many lines.
    Lines {
        file: String,
        count: usize,
    },
    /// A file has this text in it.
    Text {
        file: String,
        text: String,
    },
    /// The program has said this on stderr.
    Stderr(String),
    /// Sends a signal to the program.
    Signal(Signal),
    SleepMs(u64),
    Release,
    Sh(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum Signal {
    Int,
    Term,
    Hup,
    Kill,
    Stop,
    Cont,
    Quit,
    Usr1,
    Pipe,
}
