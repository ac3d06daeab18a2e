//! What can go wrong with a process plugin, in one sentence each.

use std::io;
use std::time::Duration;

use thiserror::Error;

/// Why a process plugin did not do its work.
#[derive(Debug, Error)]
pub enum PluginError {
    #[error("cannot start {program}: {reason}")]
    Start { program: String, reason: io::Error },
    #[error("it ended ({status}) before it answered{said}")]
    Ended { status: String, said: String },
    #[error("it gave no answer within {} s; raise timeout_seconds in its pack if it needs longer", .0.as_secs_f64())]
    TimedOut(Duration),
    #[error("it wrote a line of more than {0} bytes; raise max_line_bytes in its pack if that is right")]
    LineTooLong(usize),
    #[error("it wrote more than {0} MiB; raise max_output_mb in its pack if that is right")]
    TooMuch(usize),
    #[error("it wrote a line that is not a JSON object with a type: {0:?}")]
    NotAMessage(String),
    #[error("it speaks version {theirs} of the plugin protocol, and this program speaks {ours}")]
    Version { theirs: String, ours: u64 },
    #[error("it answered {got:?} instead of {wanted}")]
    Unexpected { got: String, wanted: &'static str },
    #[error("it reports an error: {0}")]
    Reported(String),
    #[error("{0}")]
    Files(String),
}

impl PluginError {
    /// Whether a program that is started again may do better.
    pub(super) const fn is_worth_a_restart(&self) -> bool {
        matches!(self, Self::Ended { .. })
    }
}
