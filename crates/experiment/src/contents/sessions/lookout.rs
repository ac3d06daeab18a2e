//! How the maker learns how far the run has come, and how it is woken. Nothing here makes the conductor or a worker wait.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread::Thread;

/// A body that is wanted soon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) conversation: usize,
    pub(crate) turn: usize,
}

#[derive(Debug, Default)]
pub(crate) struct Lookout {
    pub(crate) drawn: Counter,
    pub(crate) scheduled: Counter,
    /// Held for the length of a push or a pop only.
    wanted: Mutex<VecDeque<Wanted>>,
    maker: OnceLock<Thread>,
}

impl Lookout {
    /// The calling thread is woken from now on.
    pub(crate) fn report_to_me(&self) {
        let _ = self.maker.set(std::thread::current());
    }

    /// Wakes the maker, or keeps it from falling asleep.
    pub(crate) fn wake(&self) {
        if let Some(maker) = self.maker.get() {
            maker.unpark();
        }
    }

    pub(super) fn wake_if_due(&self) {
        if self.drawn.is_due() || self.scheduled.is_due() {
            self.wake();
        }
    }

    pub(super) fn want(&self, wanted: Wanted) {
        // Without a maker whoever needs it makes it.
        if self.maker.get().is_some() {
            self.wanted.lock().unwrap_or_else(PoisonError::into_inner).push_back(wanted);
            self.wake();
        }
    }

    pub(crate) fn next_wanted(&self) -> Option<Wanted> {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }
}

/// Counts sessions that began, and knows at which of them the maker is to wake up. Both sides first write and then read,
/// in one order for all: one of them sees the other.
#[derive(Debug)]
pub(crate) struct Counter {
    begun: AtomicU64,
    alarm: AtomicU64,
}

impl Default for Counter {
    fn default() -> Self {
        Self { begun: AtomicU64::new(0), alarm: AtomicU64::new(u64::MAX) }
    }
}

impl Counter {
    /// Says whether this was the first.
    pub(crate) fn advance(&self) -> bool {
        self.begun.fetch_add(1, Ordering::SeqCst) == 0
    }

    pub(crate) fn begun(&self) -> u64 {
        self.begun.load(Ordering::SeqCst)
    }

    pub(crate) fn set_alarm(&self, at: u64) {
        self.alarm.store(at, Ordering::SeqCst);
    }

    pub(crate) fn is_due(&self) -> bool {
        self.begun.load(Ordering::SeqCst) >= self.alarm.load(Ordering::SeqCst)
    }
}
