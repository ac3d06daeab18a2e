//! What may be known of a run while it goes on.

mod save;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use aiperf_clock::Nanos;
use aiperf_config::PhaseKind;
use aiperf_engine::{Progress, SharedDelays};

pub(crate) use save::Kept;
pub use save::Saved;

/// Shared between the run and whoever watches it; reading makes nobody wait.
#[derive(Debug, Default)]
pub struct Monitor {
    pub progress: Progress,
    failed_in_warmup: AtomicU64,
    failed: AtomicU64,
    pub(crate) recorded: AtomicU64,
    /// Reads from servers that the kernel stamped: a sign of life of servers that take long to finish.
    reads: AtomicU64,
    latency: SharedDelays,
    first_token: SharedDelays,
    note: Mutex<Option<String>>,
    kept: Mutex<Option<Kept>>,
}

/// The middle of a time and its slow end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LiveTime {
    pub p50: Nanos,
    pub p99: Nanos,
}

impl Monitor {
    /// Requests of a phase that failed, of those that were read so far.
    pub fn failed_in(&self, phase: PhaseKind) -> u64 {
        self.failures(phase).load(Ordering::Relaxed)
    }

    pub(crate) fn add_failed(&self, phase: PhaseKind) {
        self.failures(phase).fetch_add(1, Ordering::Relaxed);
    }

    fn failures(&self, phase: PhaseKind) -> &AtomicU64 {
        match phase {
            PhaseKind::Warmup => &self.failed_in_warmup,
            PhaseKind::Profiling => &self.failed,
        }
    }

    /// Times of one successful request of the measured phase, in nanoseconds.
    pub(crate) fn note_times(&self, latency: Option<f64>, first_token: Option<f64>) {
        for (times, time) in [(&self.latency, latency), (&self.first_token, first_token)] {
            if let Some(time) = time {
                times.note(Nanos(time.max(0.0) as u64));
            }
        }
    }

    /// Request latency in the measured phase so far.
    pub fn latency(&self) -> Option<LiveTime> {
        live(&self.latency)
    }

    /// Time to first token in the measured phase so far.
    pub fn first_token(&self) -> Option<LiveTime> {
        live(&self.first_token)
    }

    pub(crate) fn add_reads(&self, reads: u64) {
        self.reads.fetch_add(reads, Ordering::Relaxed);
    }

    /// A number that changes with everything that comes from a server.
    pub fn signs_of_life(&self) -> u64 {
        self.reads.load(Ordering::Relaxed).wrapping_add(self.progress.returned())
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

fn live(times: &SharedDelays) -> Option<LiveTime> {
    let times = times.snapshot();
    if times.count() == 0 {
        return None;
    }
    Some(LiveTime { p50: times.quantile(0.5)?, p99: times.quantile(0.99)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_measured_nothing_yet_has_no_times() {
        let monitor = Monitor::default();
        monitor.note_times(None, None);
        assert_eq!((monitor.latency(), monitor.first_token()), (None, None));
    }

    #[test]
    fn times_and_failures_are_known_while_the_run_goes_on() {
        let monitor = Monitor::default();
        for ms in 1..=100 {
            monitor.note_times(Some(f64::from(ms) * 1e6), None);
        }
        let latency = monitor.latency().unwrap();
        assert!(latency.p50.0.abs_diff(50_000_000) < 1_500_000, "{latency:?}");
        assert!(latency.p99.0.abs_diff(99_000_000) < 3_000_000, "{latency:?}");
        assert_eq!(monitor.first_token(), None);
        monitor.add_failed(PhaseKind::Warmup);
        assert_eq!((monitor.failed_in(PhaseKind::Warmup), monitor.failed_in(PhaseKind::Profiling)), (1, 0));
        let before = monitor.signs_of_life();
        monitor.add_reads(3);
        assert_ne!(monitor.signs_of_life(), before);
    }
}
