//! Samples the client's own load on the `health` thread, so that the report can tell when the client, not the server, was the
//! bottleneck. The thread also follows changes of the wall clock.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use aiperf_clock::{Mono, Nanos, process_cpu};
use aiperf_engine::{ReadDelays, RecordQueue, WorkerGauge};
use aiperf_live::LiveRun;
use aiperf_metrics::HealthSample;
use aiperf_socket::Stamping;

use crate::watch::monitor::Monitor;
use crate::watch::process::{MachineClock, ThreadClock, open_descriptors};

const INTERVAL: Duration = Duration::from_millis(250);
/// Descriptors are counted only in every fourth sample: counting lists them, which is slow with thousands of connections.
const DESCRIPTORS_EVERY: usize = 4;

/// Takes samples until [`HealthSampler::finish`].
pub(crate) struct HealthSampler {
    stop: Sender<()>,
    thread: JoinHandle<HealthHistory>,
}

/// The samples of a run.
#[derive(Debug, Default)]
pub(crate) struct HealthHistory {
    pub(crate) samples: Vec<HealthSample>,
    /// How long received bytes waited to be read, over the whole run.
    pub(crate) delays: ReadDelays,
}

impl HealthSampler {
    /// `None` if the thread cannot start: the run continues without samples.
    pub(crate) fn start(
        gauge: Arc<WorkerGauge>,
        monitor: Arc<Monitor>,
        live: Arc<LiveRun>,
        queue: RecordQueue,
        stamping: &Stamping,
        processors: usize,
    ) -> Option<Self> {
        let (stop, stopped) = channel::<()>();
        let stamping = stamping.clone();
        let thread = thread::Builder::new()
            .name("health".into())
            .spawn(move || {
                let mut watched = HealthHistory::default();
                let mut last = (Mono::now(), process_cpu());
                let mut threads = ThreadClock::default();
                let mut machine = MachineClock::default();
                let _ = machine.passed();
                let mut descriptors = None;
                while stopped.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                    let now = (Mono::now(), process_cpu());
                    if watched.samples.len() % DESCRIPTORS_EVERY == 0 {
                        descriptors = open_descriptors();
                    }
                    follow_wall_clock(&stamping);
                    let delays = gauge.take_read_delays();
                    monitor.add_reads(delays.count());
                    watched.delays.add(&delays);
                    let sample = HealthSample {
                        busiest_thread: threads.busiest(now.0),
                        descriptors,
                        machine: machine.passed(),
                        arrival_to_read_delay_p99: delays.quantile(0.99).unwrap_or_default(),
                        arrival_to_read_delay: delays.max(),
                        ..sample(&gauge, &monitor, &queue, processors, last, now)
                    };
                    live.health(&sample);
                    watched.samples.push(sample);
                    last = now;
                }
                // Workers have ended by now, so nothing is missed. The time since the last sample may be too short to compute shares.
                follow_wall_clock(&stamping);
                let delays = gauge.take_read_delays();
                watched.delays.add(&delays);
                watched.samples.push(HealthSample {
                    at: Mono::now(),
                    worker_lag: gauge.take_worst_lag(),
                    schedule_lag: gauge.take_schedule_lag(),
                    arrival_to_read_delay_p99: delays.quantile(0.99).unwrap_or_default(),
                    arrival_to_read_delay: delays.max(),
                    record_queue_budget: queue.figures().budget,
                    ..HealthSample::default()
                });
                watched
            })
            .ok()?;
        Some(Self { stop, thread })
    }

    pub(crate) fn finish(self) -> HealthHistory {
        drop(self.stop);
        self.thread.join().unwrap_or_default()
    }
}

/// Kernel timestamps are wall-clock times: if the clock is set, they move.
fn follow_wall_clock(stamping: &Stamping) {
    if let Some(step) = stamping.resample() {
        log::warn!(
            "The wall clock was changed by {:.3} ms during the run: response times in the {} ms before this may be off by \
             as much",
            step as f64 / 1e6,
            INTERVAL.as_millis()
        );
    }
}

fn sample(
    gauge: &WorkerGauge,
    monitor: &Monitor,
    queue: &RecordQueue,
    processors: usize,
    (last, last_cpu): (Mono, Nanos),
    (now, cpu): (Mono, Nanos),
) -> HealthSample {
    let wall = now.since(last).as_secs_f64().max(1e-9);
    let records = queue.figures();
    let used = Nanos(cpu.0.saturating_sub(last_cpu.0)).as_secs_f64();
    HealthSample {
        at: now,
        worker_lag: gauge.take_worst_lag(),
        cpu_share: used / wall / processors as f64,
        record_queue_bytes: records.held,
        record_queue_budget: records.budget,
        schedule_lag: gauge.take_schedule_lag(),
        in_flight: monitor.progress.sent().saturating_sub(monitor.progress.returned()),
        ..HealthSample::default()
    }
}
