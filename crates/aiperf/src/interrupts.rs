//! Ctrl-C as an orderly end: the first one ends the run, and those that were to follow, with what was measured; the second
//! ends the process.

use std::process;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use aiperf_engine::{Control, StopReason};
use anyhow::Context;

use crate::profile::INTERRUPTED;

/// Catches Ctrl-C from its making on.
#[derive(Debug, Clone)]
pub(crate) struct Interrupts {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    asked: Condvar,
}

#[derive(Debug, Default)]
struct State {
    is_asked: bool,
    /// Of the run that is under way.
    control: Option<Control>,
}

impl Interrupts {
    /// A process has one handler, however many runs it makes.
    pub(crate) fn catch() -> anyhow::Result<Self> {
        static CAUGHT: Mutex<Option<Interrupts>> = Mutex::new(None);
        let mut caught = CAUGHT.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*caught {
            return Ok(known.clone());
        }
        let shared = Arc::new(Shared::default());
        let handler = Arc::clone(&shared);
        ctrlc::set_handler(move || handler.interrupt()).context("Ctrl-C cannot be caught")?;
        Ok(caught.insert(Self { shared }).clone())
    }

    /// Ends this run when Ctrl-C comes, or now if it has come.
    pub(crate) fn stop(&self, control: Control) {
        let mut state = self.shared.lock();
        if state.is_asked {
            control.stop(StopReason::Interrupt);
        }
        state.control = Some(control);
    }

    /// Waits so long, or until Ctrl-C comes; says whether it came.
    pub(crate) fn wait(&self, length: Duration) -> bool {
        let waited = self.shared.asked.wait_timeout_while(self.shared.lock(), length, |state| !state.is_asked);
        waited.unwrap_or_else(PoisonError::into_inner).0.is_asked
    }
}

impl Shared {
    fn interrupt(&self) {
        aiperf_ui::clear_line();
        let mut state = self.lock();
        if state.is_asked {
            eprintln!("Ended at once. The records file holds what was finished; the summary was not written.");
            process::exit(i32::from(INTERRUPTED));
        }
        eprintln!("Stopping: no more requests are sent, results follow. Press Ctrl-C again to end at once.");
        state.is_asked = true;
        if let Some(control) = &state.control {
            control.stop(StopReason::Interrupt);
        }
        self.asked.notify_all();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
