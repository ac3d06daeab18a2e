//! Counters that a progress display may read during a run, without making any thread wait.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use aiperf_clock::Mono;
use aiperf_config::PhaseKind;

/// Target of the log lines that scripts wait for: they look on stdout, where AIPerf has its log.
pub const ANNOUNCEMENTS: &str = "aiperf::announcements";

#[derive(Debug, Default)]
pub struct Progress {
    phase: Mutex<Option<(PhaseKind, Mono)>>,
    sent: AtomicU64,
    returned: AtomicU64,
    /// Requests that the phase will send, when that is known; zero when not.
    expected: AtomicU64,
}

impl Progress {
    pub(crate) fn begin(&self, phase: PhaseKind, expected: Option<u64>, now: Mono) {
        self.sent.store(0, Ordering::Relaxed);
        self.returned.store(0, Ordering::Relaxed);
        self.expected.store(expected.unwrap_or(0), Ordering::Relaxed);
        if let Ok(mut current) = self.phase.lock() {
            *current = Some((phase, now));
        }
    }

    pub(crate) fn add_sent(&self) {
        self.sent.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn add_returned(&self) {
        self.returned.fetch_add(1, Ordering::Relaxed);
    }

    pub fn phase(&self) -> Option<PhaseKind> {
        self.phase.lock().ok().and_then(|current| *current).map(|(phase, _)| phase)
    }

    /// When the current phase began.
    pub fn began(&self) -> Option<Mono> {
        self.phase.lock().ok().and_then(|current| *current).map(|(_, began)| began)
    }

    pub fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    pub fn returned(&self) -> u64 {
        self.returned.load(Ordering::Relaxed)
    }

    pub fn expected(&self) -> Option<u64> {
        Some(self.expected.load(Ordering::Relaxed)).filter(|n| *n > 0)
    }
}
