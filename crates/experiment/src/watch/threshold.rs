//! Stops a run when too many of its requests fail (`--failed-request-threshold`).

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use aiperf_config::{PhaseConfig, PhaseKind};
use aiperf_engine::Control;
use aiperf_protocol::{RequestOutcome, StopReason};

#[derive(Debug)]
pub(crate) struct FailureThreshold {
    share: f64,
    /// The threshold applies from this number of records on.
    armed_after: u64,
    records: AtomicU64,
    failures: AtomicU64,
    stopped: AtomicBool,
    control: Control,
}

impl FailureThreshold {
    /// `None` unless the phase has a threshold and is a profiling phase.
    pub(crate) fn of(phase: &PhaseConfig, control: &Control) -> Option<Self> {
        let share = phase.failed_request_threshold.filter(|_| phase.kind == PhaseKind::Profiling)?;
        let armed_after = phase.pace.session_limit().unwrap_or(0).max(10) as u64;
        Some(Self {
            share,
            armed_after,
            records: AtomicU64::new(0),
            failures: AtomicU64::new(0),
            stopped: AtomicBool::new(false),
            control: control.clone(),
        })
    }

    /// Counts one record, and stops the run when the share of failures is above the threshold.
    pub(crate) fn note(&self, outcome: RequestOutcome) {
        if outcome == RequestOutcome::CutOff {
            return;
        }
        let records = self.records.fetch_add(1, Ordering::Relaxed) + 1;
        let failed = u64::from(outcome.is_failure());
        let failures = self.failures.fetch_add(failed, Ordering::Relaxed) + failed;
        let share = failures as f64 / records as f64;
        if records >= self.armed_after && share > self.share && !self.stopped.swap(true, Ordering::Relaxed) {
            log::error!(
                "{failures} of {records} requests failed, above --failed-request-threshold {}: stopping the run",
                self.share
            );
            self.control.stop(StopReason::FailedRequests);
        }
    }
}
