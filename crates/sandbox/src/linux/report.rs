//! How the processes of a sandbox tell the caller what happened: a small file outside the file system of the program.

use std::path::Path;

use serde::{Deserialize, Serialize};

/// The last words of a sandbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum SandboxReport {
    /// A step of the preparation failed, and the program was not started.
    Failed {
        step: String,
        reason: String,
    },
    Exited(i32),
    Killed(i32),
}

/// A step of the preparation that failed.
#[derive(Debug)]
pub(super) struct FailedStep {
    step: &'static str,
    reason: String,
}

/// Names the step that a result belongs to.
pub(super) trait NamedStep<T> {
    fn step(self, step: &'static str) -> Result<T, FailedStep>;
}

impl<T, E: std::fmt::Display> NamedStep<T> for Result<T, E> {
    fn step(self, step: &'static str) -> Result<T, FailedStep> {
        self.map_err(|error| FailedStep { step, reason: error.to_string() })
    }
}

impl FailedStep {
    pub(super) fn report(self) -> SandboxReport {
        SandboxReport::Failed { step: self.step.to_owned(), reason: self.reason }
    }
}

impl SandboxReport {
    /// Errors are lost: without a report the caller knows that the sandbox failed, but not why.
    pub(super) fn write(&self, to: &mut impl std::io::Write) {
        let _ = serde_json::to_writer(to, self);
    }

    pub(super) fn read(path: &Path) -> Option<Self> {
        serde_json::from_slice(&std::fs::read(path).ok()?).ok()
    }
}
