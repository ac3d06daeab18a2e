//! Writes `inputs.json`: one conversation at a time during the run, the rest after it.

use aiperf_engine::ControlSource;
use aiperf_report::{InputsFile, ReportError};

use crate::contents::sessions::Sessions;

/// Bytes that may still be written after the user has interrupted the run.
const AFTER_INTERRUPT: usize = 4 << 20;

#[derive(Debug)]
pub(super) enum InputsProgress {
    Open(InputsFile),
    /// Writing failed: there will be no file.
    Failed(ReportError),
}

impl InputsProgress {
    /// The next conversation to write; `None` when the file is complete or has failed.
    pub(super) fn next(&self, sessions: &Sessions) -> Option<usize> {
        match self {
            Self::Open(file) => Some(file.len()).filter(|next| *next < sessions.len()),
            Self::Failed(_) => None,
        }
    }

    /// Writes a conversation; returns the bytes of its bodies.
    pub(super) fn write(&mut self, sessions: &Sessions, conversation: usize) -> usize {
        let Self::Open(file) = self else { return 0 };
        let (session, bytes) = sessions.input(conversation);
        if let Err(error) = file.push(session)
            && let Self::Open(file) = std::mem::replace(self, Self::Failed(error))
        {
            file.discard();
        }
        bytes
    }

    /// Writes the rest of the file; only a little more of it once the user has interrupted the run.
    pub(super) fn complete(
        mut self,
        sessions: &Sessions,
        control: &ControlSource,
        mut interrupted: bool,
    ) -> Result<(), ReportError> {
        let mut since_interrupt = 0;
        let all = sessions.len();
        if let Some(next) = self.next(sessions) {
            log::info!("Writing the rest of inputs.json, from conversation {next} of {all}; Ctrl-C cuts it short");
        }
        while let Some(next) = self.next(sessions).filter(|_| since_interrupt < AFTER_INTERRUPT) {
            let bytes = self.write(sessions, next);
            interrupted |= control.take_stop();
            since_interrupt += if interrupted { bytes } else { 0 };
        }
        if let Some(next) = self.next(sessions) {
            log::warn!("inputs.json was cut short: it lists {next} of {all} conversations");
        }
        match self {
            Self::Open(file) => file.finish(),
            Self::Failed(error) => Err(error),
        }
    }
}
