//! How the `prefetch` thread learns how far the run has come, and how it is woken. The scheduler and the workers never wait
//! here.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread::Thread;

/// A body that will be needed soon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WantedBody {
    pub(crate) conversation: usize,
    pub(crate) turn: usize,
}

/// Progress of the run and bodies that are needed soon, for the `prefetch` thread.
#[derive(Debug, Default)]
pub(crate) struct PrefetchQueue {
    /// Sessions that started in the order of the sampler.
    pub(crate) drawn: StartCounter,
    /// Sessions that started at a recorded time.
    pub(crate) scheduled: StartCounter,
    /// Held for the length of a push or a pop only.
    wanted: Mutex<VecDeque<WantedBody>>,
    thread: OnceLock<Thread>,
}

impl PrefetchQueue {
    /// Registers the calling thread as the one to wake.
    pub(crate) fn register_current_thread(&self) {
        let _ = self.thread.set(std::thread::current());
    }

    /// Wakes the `prefetch` thread, or keeps it from falling asleep.
    pub(crate) fn wake(&self) {
        if let Some(thread) = self.thread.get() {
            thread.unpark();
        }
    }

    pub(super) fn wake_if_due(&self) {
        if self.drawn.is_due() || self.scheduled.is_due() {
            self.wake();
        }
    }

    pub(super) fn want(&self, wanted: WantedBody) {
        // Without a prefetch thread the worker generates the body itself.
        if self.thread.get().is_some() {
            self.wanted.lock().unwrap_or_else(PoisonError::into_inner).push_back(wanted);
            self.wake();
        }
    }

    pub(crate) fn next_wanted(&self) -> Option<WantedBody> {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }
}

/// Counts sessions that have started, and the count at which the `prefetch` thread is woken. Both sides first write and then
/// read with sequential consistency, so at least one of them sees the other.
#[derive(Debug)]
pub(crate) struct StartCounter {
    begun: AtomicU64,
    alarm: AtomicU64,
}

impl Default for StartCounter {
    fn default() -> Self {
        Self { begun: AtomicU64::new(0), alarm: AtomicU64::new(u64::MAX) }
    }
}

impl StartCounter {
    /// Counts one session; returns whether it was the first.
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
