//! The load of the client over the last seconds.

use std::collections::VecDeque;

use aiperf_clock::{Mono, Nanos};
use aiperf_metrics::{HealthSample, ThreadRole};

use super::seconds::WINDOW;
use crate::snapshot::ClientHealth;

#[derive(Debug, Default)]
pub(crate) struct ClientLoadWindow {
    recent: VecDeque<HealthSample>,
    schedule_lag_max: Nanos,
    cpu_share_max: f64,
}

impl ClientLoadWindow {
    pub(crate) fn note(&mut self, sample: HealthSample) {
        self.schedule_lag_max = self.schedule_lag_max.max(sample.schedule_lag);
        self.cpu_share_max = self.cpu_share_max.max(sample.cpu_share);
        self.recent.push_back(sample);
    }

    pub(crate) fn state(&mut self, now: Mono) -> ClientHealth {
        while self.recent.front().is_some_and(|sample| now.since(sample.at) > WINDOW.into()) && self.recent.len() > 1 {
            self.recent.pop_front();
        }
        let Some(last) = self.recent.back() else { return ClientHealth::default() };
        let most =
            |of: fn(&HealthSample) -> Nanos| self.recent.iter().map(of).max().unwrap_or_default().as_millis_f64();
        // One quarter second is too short to judge by: the mean of the last second.
        let second: Vec<&HealthSample> = self.recent.iter().rev().take(4).collect();
        let mean =
            |of: fn(&HealthSample) -> f64| second.iter().map(|sample| of(sample)).sum::<f64>() / second.len() as f64;
        ClientHealth {
            schedule_lag_ms: most(|sample| sample.schedule_lag),
            schedule_lag_max_ms: self.schedule_lag_max.as_millis_f64(),
            cpu_share: mean(|sample| sample.cpu_share),
            cpu_share_max: self.cpu_share_max,
            read_delay_p99_ms: most(|sample| sample.arrival_to_read_delay_p99),
            busiest_thread: last.busiest_thread.map(|load| match load.role {
                ThreadRole::Scheduler => "scheduler",
                ThreadRole::Worker => "worker",
            }),
            busiest_thread_share: mean(|sample| sample.busiest_thread.map_or(0.0, |load| load.share)),
            descriptors_open: last.descriptors.map(|descriptors| descriptors.open),
            descriptors_limit: last.descriptors.map(|descriptors| descriptors.limit),
            record_backlog_bytes: last.record_queue_bytes,
            record_backlog_budget: last.record_queue_budget,
        }
    }
}
