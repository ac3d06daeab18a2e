//! Live state of a run: progress, failures and latencies so far.

mod save;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use aiperf_clock::Nanos;
use aiperf_config::PhaseKind;
use aiperf_engine::{Progress, SharedDelays};
use aiperf_live::CapacityProgress;
use aiperf_telemetry::server::LiveServerMetrics;

pub(crate) use save::RecordFiles;
pub use save::Saved;

/// Shared between the run and the progress line; reading it blocks nobody.
#[derive(Debug, Default)]
pub struct Monitor {
    pub progress: Progress,
    failed_in_warmup: AtomicU64,
    failed: AtomicU64,
    pub(crate) recorded: AtomicU64,
    /// Reads from servers that the kernel stamped: activity of servers whose requests take long.
    reads: AtomicU64,
    latency: SharedDelays,
    first_token: SharedDelays,
    note: Mutex<Option<String>>,
    capacity: Mutex<Option<Arc<CapacityProgress>>>,
    /// Power in watts and use in percent of GPUs, by their number, if somebody wants to see them.
    gpus: Mutex<BTreeMap<u32, PowerAndUse>>,
    record_files: Mutex<Option<RecordFiles>>,
    /// The values that the servers' metrics pages showed last.
    pub server_metrics: Arc<LiveServerMetrics>,
}

/// Power in watts and use in percent of one GPU.
type PowerAndUse = (Option<f64>, Option<f64>);

/// Median and 99th percentile of a latency so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LivePercentiles {
    pub p50: Nanos,
    pub p99: Nanos,
}

impl Monitor {
    /// Requests of a phase whose record is done and that failed.
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

    /// Adds the latencies of one successful request of the profiling phase, in nanoseconds.
    pub(crate) fn note_times(&self, latency: Option<f64>, first_token: Option<f64>) {
        for (times, time) in [(&self.latency, latency), (&self.first_token, first_token)] {
            if let Some(time) = time {
                times.note(Nanos(time.max(0.0) as u64));
            }
        }
    }

    /// Request latency in the profiling phase so far.
    pub fn latency(&self) -> Option<LivePercentiles> {
        live(&self.latency)
    }

    /// Time to first token in the profiling phase so far.
    pub fn first_token(&self) -> Option<LivePercentiles> {
        live(&self.first_token)
    }

    pub(crate) fn add_reads(&self, reads: u64) {
        self.reads.fetch_add(reads, Ordering::Relaxed);
    }

    /// A number that changes whenever something arrives from a server.
    pub fn signs_of_life(&self) -> u64 {
        self.reads.load(Ordering::Relaxed).wrapping_add(self.progress.returned())
    }

    /// How far an early-stop rule is from its target, if there is one.
    pub fn note(&self) -> Option<String> {
        self.note.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn set_note(&self, note: Option<String>) {
        *self.note.lock().unwrap_or_else(PoisonError::into_inner) = note;
    }

    /// How far a search for a capacity is, if there is one.
    pub(crate) fn capacity(&self) -> Option<Arc<CapacityProgress>> {
        self.capacity.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn set_capacity(&self, progress: Option<Arc<CapacityProgress>>) {
        *self.capacity.lock().unwrap_or_else(PoisonError::into_inner) = progress;
    }

    pub(crate) fn note_gpu(&self, (index, watts, percent): (u32, Option<f64>, Option<f64>)) {
        self.gpus.lock().unwrap_or_else(PoisonError::into_inner).insert(index, (watts, percent));
    }

    /// Power of all GPUs in watts and their mean use in percent, as they were last read.
    pub fn gpus(&self) -> Option<(f64, f64)> {
        let gpus = self.gpus.lock().unwrap_or_else(PoisonError::into_inner);
        let watts = gpus.values().filter_map(|(watts, _)| *watts).sum();
        let percents: Vec<f64> = gpus.values().filter_map(|(_, percent)| *percent).collect();
        (!gpus.is_empty()).then(|| (watts, percents.iter().sum::<f64>() / percents.len().max(1) as f64))
    }

    pub(crate) fn keep(&self, record_files: RecordFiles) {
        *self.record_files.lock().unwrap_or_else(PoisonError::into_inner) = Some(record_files);
    }

    fn record_files(&self) -> Option<RecordFiles> {
        self.record_files.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Requests whose record is done, warmup included.
    pub fn recorded(&self) -> u64 {
        self.recorded.load(Ordering::Relaxed)
    }
}

fn live(times: &SharedDelays) -> Option<LivePercentiles> {
    let times = times.snapshot();
    if times.count() == 0 {
        return None;
    }
    Some(LivePercentiles { p50: times.quantile(0.5)?, p99: times.quantile(0.99)? })
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
