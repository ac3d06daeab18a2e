//! Watches the client itself while it runs, so that a report can say when the client, not the server, was the limit.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use aiperf_clock::{Mono, Nanos, process_cpu};
use aiperf_engine::{Finished, WorkerGauge};
use aiperf_metrics::HealthSample;
use crossbeam_channel::Receiver;

use crate::monitor::Monitor;
use crate::process::{ThreadClock, open_descriptors};

const INTERVAL: Duration = Duration::from_millis(250);
/// Counting descriptors means listing them, which is not free with thousands of connections.
const DESCRIPTORS_EVERY: usize = 4;

/// Takes samples until it is asked for them.
pub(crate) struct HealthWatch {
    stop: Sender<()>,
    thread: JoinHandle<Vec<HealthSample>>,
}

impl HealthWatch {
    /// `None` when no thread can be had: the run goes on without.
    pub(crate) fn start(
        gauge: Arc<WorkerGauge>,
        monitor: Arc<Monitor>,
        queue: Receiver<Finished>,
        processors: usize,
    ) -> Option<Self> {
        let (stop, stopped) = channel::<()>();
        let thread = thread::Builder::new()
            .name("health".into())
            .spawn(move || {
                let mut samples = Vec::new();
                let mut last = (Mono::now(), process_cpu());
                let mut threads = ThreadClock::default();
                let mut descriptors = None;
                while stopped.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                    let now = (Mono::now(), process_cpu());
                    if samples.len() % DESCRIPTORS_EVERY == 0 {
                        descriptors = open_descriptors();
                    }
                    samples.push(HealthSample {
                        busiest_thread: threads.busiest(now.0),
                        descriptors,
                        ..sample(&gauge, &monitor, &queue, processors, last, now)
                    });
                    last = now;
                }
                samples
            })
            .ok()?;
        Some(Self { stop, thread })
    }

    pub(crate) fn finish(self) -> Vec<HealthSample> {
        drop(self.stop);
        self.thread.join().unwrap_or_default()
    }
}

fn sample(
    gauge: &WorkerGauge,
    monitor: &Monitor,
    queue: &Receiver<Finished>,
    processors: usize,
    (last, last_cpu): (Mono, Nanos),
    (now, cpu): (Mono, Nanos),
) -> HealthSample {
    let wall = now.since(last).as_secs_f64().max(1e-9);
    let used = Nanos(cpu.0.saturating_sub(last_cpu.0)).as_secs_f64();
    HealthSample {
        at: now,
        worker_lag: gauge.take_worst_lag(),
        cpu_share: used / wall / processors as f64,
        record_queue: queue.len(),
        record_queue_capacity: queue.capacity().unwrap_or(usize::MAX),
        schedule_lag: gauge.take_schedule_lag(),
        in_flight: monitor.progress.sent().saturating_sub(monitor.progress.returned()),
        ..HealthSample::default()
    }
}
