//! Counters that a progress display may read during a run, without making any thread wait.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use aiperf_clock::Mono;
use aiperf_config::{LoadLevel, PhaseKind};

use crate::sent_journal::SentJournal;

/// Target of the log lines that scripts wait for: they look on stdout, where AIPerf has its log.
pub const ANNOUNCEMENTS: &str = "aiperf::announcements";

#[derive(Debug, Default)]
pub struct Progress {
    phase: Mutex<Option<CurrentPhase>>,
    sent: AtomicU64,
    returned: AtomicU64,
    /// Requests that the phase will send, when that is known; zero when not.
    expected: AtomicU64,
    sessions_sent: AtomicU64,
    sessions_completed: AtomicU64,
    sending_ended: Mutex<Option<Mono>>,
    load: Mutex<Option<LoadInForce>>,
    journal: OnceLock<Arc<dyn SentJournal>>,
}

/// The load of a phase whose load is controlled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoadInForce {
    /// Index of the phase.
    pub phase: usize,
    pub level: LoadLevel,
    /// Every request that is due later was sent under this load, and every earlier one was not.
    pub since: Mono,
    /// How often the load of the phase has been set, not counting the one that it began with.
    pub changes: u64,
}

/// The phase that began last.
#[derive(Debug, Clone, Copy)]
struct CurrentPhase {
    index: usize,
    kind: PhaseKind,
    began: Mono,
}

impl Progress {
    /// Counts the requests of the run there, too, from its beginning on.
    pub fn keep_in(&self, journal: Arc<dyn SentJournal>) {
        // A run has one journal: who comes later finds it taken.
        let _ = self.journal.set(journal);
    }

    pub(crate) fn journal(&self) -> Option<&Arc<dyn SentJournal>> {
        self.journal.get()
    }

    pub(crate) fn begin(&self, index: usize, kind: PhaseKind, expected: Option<u64>, now: Mono) {
        self.sent.store(0, Ordering::Relaxed);
        self.returned.store(0, Ordering::Relaxed);
        self.expected.store(expected.unwrap_or(0), Ordering::Relaxed);
        self.set_sessions(0, 0);
        if let Ok(mut ended) = self.sending_ended.lock() {
            *ended = None;
        }
        if let Ok(mut current) = self.phase.lock() {
            *current = Some(CurrentPhase { index, kind, began: now });
        }
    }

    pub(crate) fn add_sent(&self) {
        self.sent.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn add_returned(&self) {
        self.returned.fetch_add(1, Ordering::Relaxed);
    }

    /// Called when a session starts or ends.
    pub(crate) fn set_sessions(&self, sent: u64, completed: u64) {
        self.sessions_sent.store(sent, Ordering::Relaxed);
        self.sessions_completed.store(completed, Ordering::Relaxed);
    }

    pub(crate) fn end_sending(&self, now: Mono) {
        if let Ok(mut ended) = self.sending_ended.lock() {
            *ended = Some(now);
        }
    }

    /// The phase goes on with this load.
    pub(crate) fn enter_load(&self, phase: usize, level: LoadLevel, since: Mono) {
        if let Ok(mut load) = self.load.lock() {
            let changes = load.filter(|before| before.phase == phase).map_or(0, |before| before.changes + 1);
            *load = Some(LoadInForce { phase, level, since, changes });
        }
    }

    /// The load that holds now, or that held last, in a phase whose load is controlled.
    pub fn load(&self) -> Option<LoadInForce> {
        self.load.lock().ok().and_then(|load| *load)
    }

    /// When the current phase stopped sending, if it has.
    pub fn sending_ended(&self) -> Option<Mono> {
        self.sending_ended.lock().ok().and_then(|ended| *ended)
    }

    pub fn sessions_sent(&self) -> u64 {
        self.sessions_sent.load(Ordering::Relaxed)
    }

    /// Sessions that ended by themselves.
    pub fn sessions_completed(&self) -> u64 {
        self.sessions_completed.load(Ordering::Relaxed)
    }

    fn current(&self) -> Option<CurrentPhase> {
        self.phase.lock().ok().and_then(|current| *current)
    }

    pub fn phase(&self) -> Option<PhaseKind> {
        self.current().map(|phase| phase.kind)
    }

    /// Index of the current phase in the plan, and when it began.
    pub fn phase_index(&self) -> Option<(usize, Mono)> {
        self.current().map(|phase| (phase.index, phase.began))
    }

    /// When the current phase began.
    pub fn began(&self) -> Option<Mono> {
        self.current().map(|phase| phase.began)
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
