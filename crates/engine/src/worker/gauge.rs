//! How late a worker thread is: the time between when its timer was due and when the thread got to it, and the time that
//! bytes waited in the socket until it read them.

use std::sync::atomic::{AtomicU64, Ordering};

use aiperf_clock::{Mono, Nanos, Timer};

use crate::worker::read_delays::{LocalDelays, ReadDelays, SharedDelays};

/// The time between two measurements.
const INTERVAL: Nanos = Nanos(20_000_000);

/// Written by the workers, read by the health monitor.
#[derive(Debug, Default)]
pub struct WorkerGauge {
    worst_lag: AtomicU64,
    schedule_lag: AtomicU64,
    read_delays: SharedDelays,
    finished: AtomicU64,
}

impl WorkerGauge {
    /// The largest lag of any worker since the last call.
    pub fn take_worst_lag(&self) -> Nanos {
        Nanos(self.worst_lag.swap(0, Ordering::Relaxed))
    }

    /// The largest time by which a request was sent after it was due, since the last call.
    pub fn take_schedule_lag(&self) -> Nanos {
        Nanos(self.schedule_lag.swap(0, Ordering::Relaxed))
    }

    /// How long bytes waited for a worker to read them since the last call, for reads that the kernel stamped.
    pub fn take_read_delays(&self) -> ReadDelays {
        self.read_delays.take()
    }

    /// Requests of all phases that have ended in any way, whether or not their record was made.
    pub fn finished(&self) -> u64 {
        self.finished.load(Ordering::Relaxed)
    }

    pub fn note_finished(&self) {
        self.finished.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn note_schedule_lag(&self, lag: Nanos) {
        self.schedule_lag.fetch_max(lag.0, Ordering::Relaxed);
    }

    pub(crate) fn gather(&self, delays: &LocalDelays) {
        self.read_delays.gather(delays);
    }

    /// Measures next to a worker's requests until the worker ends.
    pub(crate) async fn watch(&self, timer: &Timer, delays: &LocalDelays) {
        loop {
            let due = Mono::now() + INTERVAL;
            timer.sleep_until(due).await;
            self.worst_lag.fetch_max(Mono::now().since(due).0, Ordering::Relaxed);
            self.gather(delays);
        }
    }
}
