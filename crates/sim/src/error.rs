//! What can go wrong when options are read or a simulator is started.

use std::net::SocketAddr;
use std::path::PathBuf;

/// A simulator could not start, or could not write its truth file.
#[derive(Debug, thiserror::Error)]
pub enum SimError {
    #[error(transparent)]
    Option(#[from] OptionError),
    #[error(
        "the simulator cannot listen on {address}: {source}; choose another --host or --port (0 selects a free port)"
    )]
    Bind { address: SocketAddr, source: std::io::Error },
    #[error("the DCGM page on port {port} needs at least one simulated GPU; add `gpus=1`")]
    DcgmPortWithoutGpus { port: u16 },
    #[error("cannot start the {what} of the simulator: {source}")]
    Start { what: &'static str, source: std::io::Error },
    #[error("the simulator cannot write its truth file {}: {source}; give `truth` a path in a writable folder", path.display())]
    TruthFile { path: PathBuf, source: std::io::Error },
    #[error("a thread of the simulator panicked: {0}")]
    Panicked(String),
    #[error("cannot print the address of the simulator: {0}")]
    Announce(std::io::Error),
}

/// A simulator option that does not exist, or a value that it does not take.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    #[error("unknown simulator option `{name}`; the options are {known}")]
    Unknown { name: String, known: String },
    #[error("simulator option `{name}={value}`: {reason}; expected {hint}")]
    Value { name: &'static str, value: String, reason: String, hint: &'static str },
    #[error("simulator option `{name}` needs a value: write `{name}={hint}`")]
    NoValue { name: &'static str, hint: &'static str },
    #[error("simulator option `{name}` is given twice; give it once")]
    Twice { name: &'static str },
}
