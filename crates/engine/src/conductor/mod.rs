//! Owns the schedule: gives out credits when they are due, takes them back, and ends each phase by its rules.

mod family;
mod floor;
mod following;
mod mode;
mod phase_run;
mod turns;

use std::sync::Arc;

use aiperf_clock::tighten_timer_slack;

use crate::control::ControlSource;
use crate::finished::Finished;
use crate::gauge::WorkerGauge;
use crate::ids::Ids;
use crate::phase::{EndReason, PhaseOutcome};
use crate::plan::{EngineError, Plan};
use crate::progress::Progress;
use crate::queue::QueueSender;
use crate::worker::Worker;

use phase_run::PhaseRun;

/// Runs all phases on the calling thread. Every finished request goes to `records`, which is closed when the last one
/// is in.
pub fn run(
    mut plan: Plan,
    control: &ControlSource,
    records: QueueSender<Finished>,
    progress: &Progress,
    gauge: &Arc<WorkerGauge>,
) -> Result<Vec<PhaseOutcome>, EngineError> {
    tighten_timer_slack();
    let workers = (0..plan.workers.max(1))
        .map(|index| {
            Worker::start(index, &plan, control.sender.clone(), records.clone(), gauge)
                .map_err(|cause| EngineError::Worker { worker: index, cause })
        })
        .collect::<Result<Vec<_>, _>>()?;
    drop(records);
    let mut stage = Stage { in_flight: vec![0; workers.len()], workers, next_target: 0, ids: Ids::new() };
    let mut outcomes = Vec::new();
    let mut hook = plan.hook.take();
    for (index, phase) in std::mem::take(&mut plan.phases).into_iter().enumerate() {
        if let Some(hook) = &mut hook {
            hook.before(phase.kind).map_err(EngineError::Hook)?;
        }
        let outcome = PhaseRun::new(index, &phase, &mut plan, &mut stage, control, progress).run();
        if let Some(hook) = &mut hook {
            hook.after(phase.kind);
        }
        let outcome = outcome?;
        let stopped = matches!(outcome.ended_by, EndReason::Stopped(_));
        outcomes.push(outcome);
        if stopped {
            break;
        }
    }
    for worker in stage.workers {
        worker.join();
    }
    Ok(outcomes)
}

/// What outlives a phase: the workers and whose turn it is.
#[derive(Debug)]
struct Stage {
    workers: Vec<Worker>,
    in_flight: Vec<usize>,
    next_target: usize,
    ids: Ids,
}

impl Stage {
    /// The worker with the fewest requests in flight.
    fn least_busy(&self) -> usize {
        self.in_flight.iter().enumerate().min_by_key(|(_, n)| **n).map_or(0, |(index, _)| index)
    }

    /// Round robin over the servers, one step per session.
    fn take_target(&mut self, targets: usize) -> usize {
        let target = self.next_target;
        self.next_target = (target + 1) % targets;
        target
    }
}
