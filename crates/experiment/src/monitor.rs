//! What may be known of a run while it goes on.

mod save;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use aiperf_engine::Progress;

pub(crate) use save::Kept;
pub use save::Saved;

/// Shared between the run and whoever watches it; reading makes nobody wait.
#[derive(Debug, Default)]
pub struct Monitor {
    pub progress: Progress,
    pub(crate) failed: AtomicU64,
    pub(crate) recorded: AtomicU64,
    note: Mutex<Option<String>>,
    kept: Mutex<Option<Kept>>,
}

impl Monitor {
    /// Requests that failed, of those that were read so far, warmup included.
    pub fn failed(&self) -> u64 {
        self.failed.load(Ordering::Relaxed)
    }

    /// A few words on how near the end is, where someone watches for it.
    pub fn note(&self) -> Option<String> {
        self.note.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn set_note(&self, note: Option<String>) {
        *self.note.lock().unwrap_or_else(PoisonError::into_inner) = note;
    }

    pub(crate) fn keep(&self, kept: Kept) {
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(kept);
    }

    fn kept(&self) -> Option<Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Requests whose record is done, warmup included.
    pub fn recorded(&self) -> u64 {
        self.recorded.load(Ordering::Relaxed)
    }
}
