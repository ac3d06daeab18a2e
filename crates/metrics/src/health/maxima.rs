//! The extremes of a run, for readers who want to see them.

use aiperf_clock::Nanos;

use super::sample::{HealthSample, MachineTime};

/// The most that was seen of each, whether it lasted or not.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct HealthMaxima {
    pub samples: usize,
    pub worker_lag: Nanos,
    /// The worst 99th percentile of an interval.
    pub arrival_to_read_delay_p99: Nanos,
    pub arrival_to_read_delay: Nanos,
    pub schedule_lag: Nanos,
    pub cpu_share: f64,
    pub busiest_thread: Option<f64>,
    pub record_queue_bytes: u64,
    pub record_queue_budget: u64,
    pub in_flight: u64,
    pub descriptors: Option<u64>,
    /// Over the whole run: the share of processor time that the host of a virtual machine took away.
    pub stolen: Option<f64>,
}

impl HealthMaxima {
    pub(super) fn of(samples: &[HealthSample]) -> Self {
        let mut most = Self { samples: samples.len(), stolen: MachineTime::stolen_share(samples), ..Self::default() };
        for sample in samples {
            most.worker_lag = most.worker_lag.max(sample.worker_lag);
            most.arrival_to_read_delay_p99 = most.arrival_to_read_delay_p99.max(sample.arrival_to_read_delay_p99);
            most.arrival_to_read_delay = most.arrival_to_read_delay.max(sample.arrival_to_read_delay);
            most.schedule_lag = most.schedule_lag.max(sample.schedule_lag);
            most.cpu_share = most.cpu_share.max(sample.cpu_share);
            let share = sample.busiest_thread.map(|thread| thread.share);
            most.busiest_thread = [most.busiest_thread, share].into_iter().flatten().reduce(f64::max);
            most.record_queue_bytes = most.record_queue_bytes.max(sample.record_queue_bytes);
            most.record_queue_budget = most.record_queue_budget.max(sample.record_queue_budget);
            most.in_flight = most.in_flight.max(sample.in_flight);
            most.descriptors = most.descriptors.max(sample.descriptors.map(|used| used.open));
        }
        most
    }
}
