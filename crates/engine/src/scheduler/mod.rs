//! Owns the schedule: gives out credits when they are due, takes them back, and ends each phase by its rules.

mod agenda;
mod branch_joins;
mod mode;
mod next_turn;
mod phase_run;
mod phase_state;
mod ramped_limit;
mod reachability;
mod replay;
mod replay_lanes;

use std::sync::Arc;

use aiperf_clock::{Nanos, tighten_timer_slack};
use aiperf_config::PhaseConfig;
use aiperf_seed::Stream;

use crate::control::ControlSource;
use crate::phase::{EndReason, PhaseOutcome};
use crate::phase_hook::PhaseHook;
use crate::plan::{EngineError, Plan};
use crate::progress::Progress;
use crate::queue::QueueSender;
use crate::request::finished::Finished;
use crate::scheduler::reachability::Reachability;
use crate::worker::Worker;
use crate::worker::WorkerGauge;

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
    let mut stage = Stage {
        in_flight: vec![0; workers.len()],
        workers,
        next_target: 0,
        next_worker: 0,
        ids: Stream::from_entropy(),
        reach: Reachability::new(plan.timing.unreachable_limit.map(Nanos::from), plan.targets.len()),
    };
    let mut outcomes = Vec::new();
    let mut hook = plan.hook.take();
    let phases = std::mem::take(&mut plan.phases);
    // Phases of an agentic replay share their sessions: what the first has begun the second goes on with.
    for group in phases.chunk_by(|before, after| before.pace.is_agentic() && after.pace.is_agentic()) {
        let Some((first, others)) = group.split_first() else { continue };
        before(&mut hook, first)?;
        let mut run = PhaseRun::new(outcomes.len(), first, &mut plan, &mut stage, control, progress);
        let outcome = run.run();
        after(&mut hook, first);
        outcomes.push(outcome?);
        for phase in others {
            if is_stopped(&outcomes) {
                break;
            }
            before(&mut hook, phase)?;
            run.enter(outcomes.len(), phase);
            let outcome = run.run();
            after(&mut hook, phase);
            outcomes.push(outcome?);
        }
        if is_stopped(&outcomes) {
            break;
        }
    }
    for worker in stage.workers {
        worker.join();
    }
    Ok(outcomes)
}

fn before(hook: &mut Option<Box<dyn PhaseHook>>, phase: &PhaseConfig) -> Result<(), EngineError> {
    hook.as_mut().map_or(Ok(()), |hook| hook.before(phase.kind).map_err(EngineError::Hook))
}

fn after(hook: &mut Option<Box<dyn PhaseHook>>, phase: &PhaseConfig) {
    if let Some(hook) = hook {
        hook.after(phase.kind);
    }
}

fn is_stopped(outcomes: &[PhaseOutcome]) -> bool {
    outcomes.last().is_some_and(|outcome| matches!(outcome.ended_by, EndReason::Stopped(_)))
}

/// What outlives a phase: the workers and whose turn it is.
#[derive(Debug)]
struct Stage {
    workers: Vec<Worker>,
    in_flight: Vec<usize>,
    next_target: usize,
    next_worker: usize,
    ids: Stream,
    reach: Reachability,
}

impl Stage {
    /// The worker with the fewest requests in flight.
    fn least_busy(&self) -> usize {
        self.in_flight.iter().enumerate().min_by_key(|(_, n)| **n).map_or(0, |(index, _)| index)
    }

    /// One after the other: for sessions that are opened before anything is sent.
    fn next_in_turn(&mut self) -> usize {
        self.next_worker = (self.next_worker + 1) % self.workers.len();
        self.next_worker
    }

    /// Round robin over the servers, one step per session.
    fn take_target(&mut self, targets: usize) -> usize {
        let target = self.next_target;
        self.next_target = (target + 1) % targets;
        target
    }
}
