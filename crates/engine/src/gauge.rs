//! How late a worker thread is: the time between when its timer was due and when the thread got to it. A thread that is
//! late there is as late in reading its sockets.

use std::sync::atomic::{AtomicU64, Ordering};

use aiperf_clock::{Mono, Nanos, Timer};

/// Between two looks.
const INTERVAL: Nanos = Nanos(20_000_000);

/// Written by the workers, read by whoever watches.
#[derive(Debug, Default)]
pub struct WorkerGauge {
    worst_lag: AtomicU64,
    schedule_lag: AtomicU64,
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

    pub(crate) fn note_schedule_lag(&self, lag: Nanos) {
        self.schedule_lag.fetch_max(lag.0, Ordering::Relaxed);
    }

    /// Runs beside a worker's requests until the worker ends.
    pub(crate) async fn watch(&self, timer: &Timer) {
        loop {
            let due = Mono::now() + INTERVAL;
            timer.sleep_until(due).await;
            self.worst_lag.fetch_max(Mono::now().since(due).0, Ordering::Relaxed);
        }
    }
}
