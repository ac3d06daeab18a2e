//! One step of a search: a load is applied, settles, and is measured.

use serde::{Deserialize, Serialize};

use crate::load_level::LoadLevel;

/// Violations are counted in blocks of this many consecutive requests. Longer blocks are put together from these.
pub(crate) const BLOCK_REQUESTS: u64 = 10;

/// A step ends early when this share of its planned requests violated an objective. Short steps need more, because one burst can fill them.
const OVERLOAD_SHARE: f64 = 0.3;
const SHORT_OVERLOAD_SHARE: f64 = 0.5;
const SHORT_OVERLOAD_REQUESTS: f64 = 120.0;

/// A step that lets the queue drain ends after this many blocks without violations.
const RECOVERED_BLOCKS: usize = 5;

/// Requests are also counted that exceed these shares of a limit. Such close calls come in the same bursts as violations, and there are
/// more of them, so they show sooner how long bursts are.
pub(crate) const CLOSE_CALLS: [f64; 2] = [0.75, 0.5];

/// The severity of one request (its worst value divided by the limit) is cut off here, so that a few extreme requests do not
/// decide the mean.
const SEVERITY_CUT: f64 = 3.0;

/// Why a step is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepPurpose {
    /// Finds the highest throughput with a closed loop.
    Throughput,
    /// Raises the load until the limit lies between two levels.
    Staircase,
    /// Lets the queue drain after an overload.
    Recover,
    /// Repeats a level whose violations do not fit those of a higher level.
    Confirm,
    /// Narrows the interval.
    Refine,
    /// Checks the lower bound with requests that the estimate has not seen.
    Verify,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StepPlan {
    pub level: LoadLevel,
    pub purpose: StepPurpose,
    /// Requests that complete in this time after the change of the load are not measured.
    pub settle_s: f64,
    /// How many requests to measure after that.
    pub requests: u64,
}

/// What a step gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepRecord {
    pub plan: StepPlan,
    /// Seconds since the session began.
    pub started_s: f64,
    pub measured_from_s: f64,
    pub ended_s: f64,
    /// All requests of the step, including those that are not measured.
    pub sent: u64,
    /// Requests that were measured.
    pub measured: u64,
    /// Requests that completed per second from the end of the settling time on.
    pub throughput: f64,
    pub mean_latency_s: f64,
    /// The step ended early because too many requests violated an objective.
    pub overloaded: bool,
    /// For each objective, the violations in each block of consecutive requests.
    pub violations: Vec<Vec<u32>>,
    /// For each objective, the requests in each block that exceeded 75 % and 50 % of the limit.
    pub close_calls: Vec<[Vec<u32>; 2]>,
    /// For each block, the mean of the worst value of a request divided by its limit.
    pub severity: Vec<f64>,
}

impl StepRecord {
    /// The requests in complete blocks, which are the ones that count.
    pub fn counted(&self) -> f64 {
        (self.severity.len() as u64 * BLOCK_REQUESTS) as f64
    }

    /// How many of the counted requests violated the objective with this index.
    pub fn violation_count(&self, slo: usize) -> f64 {
        self.violations[slo].iter().map(|&count| f64::from(count)).sum()
    }

    /// The share of requests that violated the objective that was violated most often.
    pub fn worst_share(&self) -> f64 {
        let worst = (0..self.violations.len()).map(|slo| self.violation_count(slo)).fold(0.0, f64::max);
        if self.counted() > 0.0 { worst / self.counted() } else { 0.0 }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepState {
    /// The load has just changed.
    Settling,
    Measuring,
    Complete,
}

/// Collects the requests of a step. The caller reports each request when it is sent and when it completes.
#[derive(Debug)]
pub struct StepMeasurement {
    plan: StepPlan,
    started_s: f64,
    sent: u64,
    completed: u64,
    done_since_settled: u64,
    last_done_s: f64,
    latency_sum_s: f64,
    violated: u64,
    overloaded: bool,
    recovered: bool,
    block: Block,
    violations: Vec<Vec<u32>>,
    close_calls: Vec<[Vec<u32>; 2]>,
    severity: Vec<f64>,
}

#[derive(Debug)]
struct Block {
    requests: u64,
    violations: Vec<u32>,
    close_calls: Vec<[u32; 2]>,
    severity_sum: f64,
}

impl StepMeasurement {
    pub fn new(plan: StepPlan, slos: usize, started_s: f64) -> Self {
        Self {
            plan,
            started_s,
            sent: 0,
            completed: 0,
            done_since_settled: 0,
            last_done_s: started_s,
            latency_sum_s: 0.0,
            violated: 0,
            overloaded: false,
            recovered: false,
            block: Block { requests: 0, violations: vec![0; slos], close_calls: vec![[0; 2]; slos], severity_sum: 0.0 },
            violations: vec![Vec::new(); slos],
            close_calls: vec![[const { Vec::new() }; 2]; slos],
            severity: Vec::new(),
        }
    }

    fn measured_from_s(&self) -> f64 {
        self.started_s + self.plan.settle_s
    }

    /// A request was sent.
    pub fn sent(&mut self) {
        self.sent += 1;
    }

    /// A request completed. `ratios` has its value for each objective divided by the limit: above 1 is a violation. A request that
    /// failed has infinite ratios. Requests are measured that complete after the settling time and were sent during the step.
    pub fn completed(&mut self, sent_s: f64, done_s: f64, ratios: &[f64]) {
        if done_s < self.measured_from_s() {
            return;
        }
        self.done_since_settled += 1;
        self.last_done_s = done_s;
        if sent_s < self.started_s || self.completed >= self.plan.requests {
            return;
        }
        self.completed += 1;
        self.latency_sum_s += done_s - sent_s;
        let mut worst = 0.0_f64;
        for (slo, &ratio) in ratios.iter().enumerate() {
            self.block.violations[slo] += u32::from(ratio > 1.0);
            for (count, share) in self.block.close_calls[slo].iter_mut().zip(CLOSE_CALLS) {
                *count += u32::from(ratio > share);
            }
            worst = worst.max(ratio);
        }
        self.violated += u64::from(worst > 1.0);
        self.block.severity_sum += worst.min(SEVERITY_CUT);
        self.block.requests += 1;
        if self.block.requests == BLOCK_REQUESTS {
            self.close_block();
        }
        if self.plan.purpose == StepPurpose::Recover {
            self.recovered |= self.latest_blocks_are_clean();
        } else {
            let planned = self.plan.requests as f64;
            let limit = (OVERLOAD_SHARE * planned).max(SHORT_OVERLOAD_REQUESTS.min(SHORT_OVERLOAD_SHARE * planned));
            self.overloaded |= self.violated as f64 >= limit;
        }
    }

    /// Whether the queue has drained: no violations in the last blocks.
    fn latest_blocks_are_clean(&self) -> bool {
        self.violations.iter().all(|blocks| {
            blocks.len() >= RECOVERED_BLOCKS && blocks.iter().rev().take(RECOVERED_BLOCKS).all(|&count| count == 0)
        })
    }

    fn close_block(&mut self) {
        for (all, count) in self.violations.iter_mut().zip(&mut self.block.violations) {
            all.push(std::mem::take(count));
        }
        for (all, counts) in self.close_calls.iter_mut().zip(&mut self.block.close_calls) {
            for (all, count) in all.iter_mut().zip(counts) {
                all.push(std::mem::take(count));
            }
        }
        self.severity.push(six_decimals(self.block.severity_sum / BLOCK_REQUESTS as f64));
        self.block.severity_sum = 0.0;
        self.block.requests = 0;
    }

    pub fn state(&self, now_s: f64) -> StepState {
        if self.overloaded || self.recovered || self.completed >= self.plan.requests {
            StepState::Complete
        } else if now_s < self.measured_from_s() {
            StepState::Settling
        } else {
            StepState::Measuring
        }
    }

    /// How many of the planned requests have been measured.
    pub fn measured(&self) -> u64 {
        self.completed
    }

    /// Ends the step with what was measured.
    pub fn finish(self, now_s: f64) -> StepRecord {
        let span_s = self.last_done_s - self.measured_from_s();
        let throughput = if span_s > 0.0 { self.done_since_settled as f64 / span_s } else { 0.0 };
        StepRecord {
            measured_from_s: six_decimals(self.measured_from_s()),
            plan: self.plan,
            started_s: six_decimals(self.started_s),
            ended_s: six_decimals(now_s),
            sent: self.sent,
            measured: self.completed,
            throughput: six_decimals(throughput),
            mean_latency_s: six_decimals(self.latency_sum_s / self.completed.max(1) as f64),
            overloaded: self.overloaded,
            violations: self.violations,
            close_calls: self.close_calls,
            severity: self.severity,
        }
    }
}

/// Numbers of a record have six decimals, so that they are the same after they were written to a file and read again.
pub(crate) fn six_decimals(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(purpose: StepPurpose, requests: u64) -> StepPlan {
        StepPlan { level: LoadLevel::Rate(10.0), purpose, settle_s: 1.0, requests }
    }

    #[test]
    fn requests_that_complete_while_the_load_settles_are_not_measured() {
        let mut step = StepMeasurement::new(plan(StepPurpose::Refine, 20), 1, 100.0);
        step.completed(100.1, 100.9, &[2.0]);
        assert_eq!(step.state(100.9), StepState::Settling);
        step.completed(99.0, 101.5, &[2.0]);
        assert_eq!(step.measured(), 0, "a request of the step before");
        for index in 0..20 {
            step.sent();
            step.completed(101.0, 102.0 + f64::from(index) / 10.0, &[if index == 3 { f64::INFINITY } else { 0.6 }]);
        }
        assert_eq!(step.state(104.0), StepState::Complete);
        let record = step.finish(104.0);
        assert_eq!((record.measured, record.sent), (20, 20));
        assert_eq!(record.violations, [[1, 0]], "a failed request is a violation");
        assert_eq!(record.close_calls, [[vec![1, 0], vec![10, 10]]]);
        assert!((record.severity[1] - 0.6).abs() < 1e-9);
    }

    #[test]
    fn an_overload_ends_a_step_early() {
        let mut step = StepMeasurement::new(plan(StepPurpose::Refine, 1_000), 1, 0.0);
        for index in 0..1_000 {
            if step.state(2.0) == StepState::Complete {
                break;
            }
            step.completed(1.0, 2.0 + f64::from(index), &[1.5]);
        }
        assert_eq!(step.measured(), 300);
        assert!(step.finish(300.0).overloaded);
    }

    #[test]
    fn a_queue_has_drained_after_fifty_requests_without_violations() {
        let mut step = StepMeasurement::new(plan(StepPurpose::Recover, 1_000), 1, 0.0);
        for index in 0..1_000_u32 {
            if step.state(2.0) == StepState::Complete {
                break;
            }
            step.completed(1.0, 2.0 + f64::from(index), &[if index < 200 { 5.0 } else { 0.2 }]);
        }
        assert_eq!(step.measured(), 250);
        assert!(!step.finish(300.0).overloaded);
    }
}
