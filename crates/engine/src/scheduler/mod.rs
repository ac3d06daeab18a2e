//! Owns the schedule: gives out credits when they are due, takes them back, and ends each phase by its rules. Nothing here
//! reads the clock or knows of threads and sockets: see [`environment`].

mod agenda;
mod branch_joins;
mod dispatch;
mod draining;
mod environment;
mod mode;
mod next_turn;
mod phase_run;
mod phase_state;
mod preconnect;
mod ramped_limit;
mod reachability;
mod replay;
mod replay_lanes;
mod reserve;
mod run_state;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use aiperf_clock::{MonotonicClock, tighten_timer_slack};
use aiperf_config::PhaseConfig;

use crate::control::{ControlSource, SchedulerEvent};
use crate::phase::PhaseOutcome;
use crate::phase_hook::PhaseHook;
use crate::plan::{EngineError, Plan, Workload};
use crate::progress::Progress;
use crate::record_queue::RecordSender;
use crate::worker::{WorkerGauge, WorkerPool};

pub(crate) use self::environment::Dispatch;
use self::environment::SchedulerEnvironment;
use self::phase_run::{NextPhase, PhaseRun};
pub(crate) use self::run_state::Placement;
use self::run_state::RunState;

/// Runs all phases on the calling thread. Every finished request goes to `records`, which is closed when the last one
/// is in.
pub fn run(
    plan: Plan,
    control: &ControlSource,
    records: RecordSender,
    progress: &Progress,
    gauge: &Arc<WorkerGauge>,
) -> Result<Vec<PhaseOutcome>, EngineError> {
    tighten_timer_slack();
    let workers = WorkerPool::start(&plan, &control.sender, &records, gauge, progress.journal())?;
    drop(records);
    let environment = SchedulerEnvironment { clock: &MonotonicClock, dispatch: &workers, events: control, progress };
    let Plan { workload, sending, hook, .. } = plan;
    let placement = if sending.targets.iter().any(|target| target.origin.scheme.is_secure()) {
        Placement::Spread
    } else {
        Placement::FillWorkers
    };
    let outcomes = Scheduler::new(workload, sending.targets.len(), placement, hook, environment).run()?;
    workers.join();
    Ok(outcomes)
}

/// Takes a workload through its phases.
struct Scheduler<'a> {
    workload: Workload,
    run: RunState,
    hook: Option<Box<dyn PhaseHook>>,
    environment: SchedulerEnvironment<'a>,
}

impl<'a> Scheduler<'a> {
    fn new(
        mut workload: Workload,
        targets: usize,
        placement: Placement,
        hook: Option<Box<dyn PhaseHook>>,
        environment: SchedulerEnvironment<'a>,
    ) -> Self {
        let limit = workload.timing.unreachable_limit.map(Into::into);
        let share = workload.phases.first().map(|phase| phase.split.share).unwrap_or_default();
        let mut run = RunState::new(environment.dispatch.workers(), placement, targets, share, limit);
        run.pass_over(workload.sessions_done, share, &mut workload.next_conversation);
        Self { workload, run, hook, environment }
    }

    fn run(mut self) -> Result<Vec<PhaseOutcome>, EngineError> {
        let phases = std::mem::take(&mut self.workload.phases);
        let mut index: usize = 0;
        // Phases of an agentic replay share their sessions: the second continues what the first has begun.
        for group in phases.chunk_by(|before, after| before.pace.is_agentic() && after.pace.is_agentic()) {
            let Some((first, others)) = group.split_first() else { continue };
            let came_in = self.begin(first, index.checked_sub(1).map(|before| &phases[before]))?;
            let mut run = PhaseRun::new(index, first, &mut self.workload, &mut self.run, self.environment);
            let result = run.run(came_in, next(&phases, index));
            end(&mut self.hook, &phases, index, run.is_stopped());
            result?;
            index += 1;
            for phase in others {
                if run.is_stopped() {
                    break;
                }
                before(&mut self.hook, phase)?;
                run.enter(index, phase);
                let result = run.run(Vec::new(), next(&phases, index));
                end(&mut self.hook, &phases, index, run.is_stopped());
                result?;
                index += 1;
            }
            if run.is_stopped() {
                break;
            }
        }
        let mut over = self.run.over;
        over.sort_by_key(|(index, _)| *index);
        Ok(over.into_iter().map(|(_, outcome)| outcome).collect())
    }

    /// What is done before the first request of a phase. Returns what came in meanwhile.
    fn begin(
        &mut self,
        phase: &PhaseConfig,
        earlier: Option<&PhaseConfig>,
    ) -> Result<Vec<SchedulerEvent>, EngineError> {
        match earlier {
            Some(earlier) if phase.seamless => {
                if let Some(hook) = &mut self.hook {
                    hook.between(earlier, phase).map_err(EngineError::Hook)?;
                }
                Ok(Vec::new())
            }
            _ => {
                before(&mut self.hook, phase)?;
                let came_in = self.preconnect(phase)?;
                if let Some(hook) = &mut self.hook {
                    hook.release(phase).map_err(EngineError::Hook)?;
                }
                Ok(came_in)
            }
        }
    }
}

/// When the phase after this one begins.
fn next(phases: &[PhaseConfig], index: usize) -> NextPhase {
    if phases.get(index + 1).is_some_and(|phase| phase.seamless) { NextPhase::Seamless } else { NextPhase::AfterAll }
}

/// What is done after a phase, unless the next one goes on without a pause.
fn end(hook: &mut Option<Box<dyn PhaseHook>>, phases: &[PhaseConfig], index: usize, is_stopped: bool) {
    if let Some(hook) = hook
        && (is_stopped || next(phases, index) == NextPhase::AfterAll)
    {
        hook.after(&phases[index]);
    }
}

fn before(hook: &mut Option<Box<dyn PhaseHook>>, phase: &PhaseConfig) -> Result<(), EngineError> {
    hook.as_mut().map_or(Ok(()), |hook| hook.before(phase).map_err(EngineError::Hook))
}
