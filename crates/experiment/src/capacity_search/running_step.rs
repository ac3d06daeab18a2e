//! The step of a search that is being measured: which requests belong to it, and in which order they ended.

use aiperf_capacity::{StepMeasurement, StepPlan, StepRecord, StepState};
use aiperf_clock::Mono;
use aiperf_engine::LoadInForce;
use aiperf_metrics::Slo;
use aiperf_protocol::RequestOutcome;

use crate::watch::live::LiveSample;

/// A request that started this much later than it was due was held up by the client.
const LATE_S: f64 = 0.01;

/// A step whose load has been asked for.
#[derive(Debug)]
pub(super) struct RunningStep {
    pub(super) plan: StepPlan,
    /// How often the load must have been set before that of the step is in force.
    changes: u64,
    measurement: Option<StepMeasurement>,
    /// Requests that ended after the settling time, and how many of them failed.
    ended: u64,
    failed: u64,
}

/// Requests that have finished and that no step has counted, and the time that all steps share.
#[derive(Debug)]
pub(super) struct FinishedQueue {
    waiting: Vec<LiveSample>,
    objectives: Vec<Slo>,
    /// Seconds of the search before the phase began.
    earlier_s: f64,
    /// Requests of steps in an open loop, and how many of them the client sent late.
    pub(super) open_loop: u64,
    pub(super) late: u64,
}

impl FinishedQueue {
    pub(super) fn new(objectives: Vec<Slo>, earlier_s: f64) -> Self {
        Self { waiting: Vec::new(), objectives, earlier_s, open_loop: 0, late: 0 }
    }

    pub(super) fn objectives(&self) -> &[Slo] {
        &self.objectives
    }

    /// A time of the run in seconds of the search.
    pub(super) fn seconds(&self, at: Mono, began: Mono) -> f64 {
        self.earlier_s + at.since(began).as_secs_f64()
    }

    pub(super) fn add(&mut self, samples: &[LiveSample]) {
        let finished = samples.iter().filter(|sample| sample.outcome != RequestOutcome::CutOff);
        self.waiting.extend(finished.cloned());
    }

    /// Takes what ended before `until`, in the order of its end.
    fn take_until(&mut self, until: Mono) -> Vec<LiveSample> {
        let (mut ready, waiting): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.waiting).into_iter().partition(|sample| sample.end <= until);
        self.waiting = waiting;
        ready.sort_by_key(|sample| sample.end);
        ready
    }

    /// How much of each limit a request used. One that failed, or that has no such value, violates them all.
    fn ratios(&self, sample: &LiveSample) -> Vec<f64> {
        let is_good = !sample.outcome.is_failure();
        let ratio = |(slo, value): (&Slo, &Option<f64>)| {
            value.filter(|_| is_good).map_or(f64::INFINITY, |value| slo.used_share(value))
        };
        self.objectives.iter().zip(&sample.values).map(ratio).collect()
    }
}

impl RunningStep {
    pub(super) fn new(plan: StepPlan, changes: u64) -> Self {
        Self { plan, changes, measurement: None, ended: 0, failed: 0 }
    }

    /// Counts what has finished until `until`; true when the step is complete.
    pub(super) fn advance(&mut self, queue: &mut FinishedQueue, load: &LoadInForce, began: Mono, until: Mono) -> bool {
        if load.changes < self.changes {
            return false;
        }
        let since = load.since;
        let started_s = queue.seconds(since, began);
        let slos = queue.objectives.len();
        let mut measurement =
            self.measurement.take().unwrap_or_else(|| StepMeasurement::new(self.plan, slos, started_s));
        let is_open = !load.level.is_closed_loop();
        let mut ready = queue.take_until(until).into_iter();
        for sample in ready.by_ref() {
            let (due_s, end_s) = (queue.seconds(sample.due.max(began), began), queue.seconds(sample.end, began));
            // A request that was due under an earlier load is older than the step.
            let sent_s = if sample.due < since { started_s - 1.0 } else { due_s };
            if is_open && sample.due >= since {
                queue.open_loop += 1;
                queue.late += u64::from(sample.start.since(sample.due).as_secs_f64() > LATE_S);
            }
            if end_s >= started_s + self.plan.settle_s {
                self.ended += 1;
                self.failed += u64::from(sample.outcome.is_failure());
            }
            measurement.completed(sent_s, end_s, &queue.ratios(&sample));
            if measurement.state(end_s) == StepState::Complete {
                break;
            }
        }
        queue.waiting.extend(ready);
        let is_complete = measurement.state(queue.seconds(until, began)) == StepState::Complete;
        self.measurement = Some(measurement);
        is_complete
    }

    /// How many of its requests have been measured.
    pub(super) fn measured(&self) -> u64 {
        self.measurement.as_ref().map_or(0, StepMeasurement::measured)
    }

    /// What the step gave; `None` if its load never was in force.
    pub(super) fn finish(self, sent: u64, ended_s: f64) -> Option<StepRecord> {
        let mut measurement = self.measurement?;
        for _ in 0..sent {
            measurement.sent();
        }
        let mut record = measurement.finish(ended_s);
        // A server that refuses requests quickly does not answer more of them.
        let answered = 1.0 - self.failed as f64 / self.ended.max(1) as f64;
        record.throughput = (record.throughput * answered * 1e6).round() / 1e6;
        Some(record)
    }
}
