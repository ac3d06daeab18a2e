//! One phase from its start to its last response: sending, draining, and cutting off what outlasts the grace period.

use std::sync::Arc;

use aiperf_clock::{Mono, Nanos};
use aiperf_config::{GracePeriod, PhaseConfig, PhaseKind};
use aiperf_protocol::{RunOutcome, StopReason};

use super::draining::DrainingPhase;
use super::environment::SchedulerEnvironment;
use super::mode::{self, LoadMode};
use super::phase_state::PhaseState;
use super::run_state::RunState;
use crate::control::SchedulerEvent;
use crate::plan::{EngineError, Workload};
use crate::progress::ANNOUNCEMENTS;
use crate::queue::WaitResult;

/// How long before its due time a request may be handed to its worker, which then waits for the moment itself: one thread
/// wakes up on time more exactly than two in a row.
pub(super) const AHEAD: Nanos = Nanos(1_000_000);

pub(super) struct PhaseRun<'a> {
    state: PhaseState<'a>,
    mode: Box<dyn LoadMode>,
    phase: &'a PhaseConfig,
    environment: SchedulerEnvironment<'a>,
    grace_exceeded: bool,
    cut_drain: Nanos,
}

/// When the phase after this one begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NextPhase {
    /// When everything has come back; also if there is none.
    AfterAll,
    /// When the last request is sent.
    Seamless,
}

/// How far a phase is.
#[derive(Debug, Clone)]
enum PhaseStage {
    Sending,
    /// No more requests; waiting for those in flight, at most until the given time.
    Draining {
        reason: RunOutcome,
        until: Option<Mono>,
    },
    /// What was in flight has been told to end.
    Cutting {
        reason: RunOutcome,
        until: Mono,
    },
}

impl<'a> PhaseRun<'a> {
    pub(super) fn new(
        index: usize,
        phase: &'a PhaseConfig,
        workload: &'a mut Workload,
        run: &'a mut RunState,
        environment: SchedulerEnvironment<'a>,
    ) -> Self {
        environment.progress.begin(index, phase.kind, phase.stop.requests, environment.clock.now());
        let cut_drain = workload.timing.cut_drain.into();
        let mut state = PhaseState::new(index, phase, workload, run, environment);
        let mode = mode::of(&phase.pace, &mut state);
        Self { state, mode, phase, environment, grace_exceeded: false, cut_drain }
    }

    /// Enters another phase with all sessions that are open.
    pub(super) fn enter(&mut self, index: usize, phase: &'a PhaseConfig) {
        self.state.enter_phase(index, phase);
        self.phase = phase;
        self.grace_exceeded = false;
    }

    /// `came_in`: what came in before the phase and was not handled. If the next phase is seamless, this one ends when its last
    /// request is sent, and drains while the next one runs; otherwise it ends when nothing of any phase is in flight.
    pub(super) fn run(&mut self, came_in: Vec<SchedulerEvent>, next: NextPhase) -> Result<(), EngineError> {
        self.announce();
        // A stop that came before the phase keeps it from sending anything.
        let mut stage = PhaseStage::Sending;
        for event in came_in {
            stage = self.handle_events(Some(event), stage);
        }
        stage = self.handle_events(None, stage);
        loop {
            stage = self.advance(stage)?;
            self.advance_draining();
            if self.is_over(&stage, next) {
                let draining = self.draining(&stage);
                self.state.run.draining.push(draining);
                if next == NextPhase::AfterAll || matches!(stage, PhaseStage::Cutting { .. }) {
                    self.state.run.end_all();
                }
                return Ok(());
            }
            stage = self.wait(stage)?;
        }
    }

    /// Whether the next phase may begin.
    fn is_over(&self, stage: &PhaseStage, next: NextPhase) -> bool {
        let nothing_waits = self.state.in_flight() == 0 && self.state.reserve.is_empty();
        match stage {
            PhaseStage::Sending => false,
            PhaseStage::Draining { .. } if next == NextPhase::Seamless => self.state.reserve.is_empty(),
            PhaseStage::Draining { .. } => {
                nothing_waits && self.state.is_settled() && self.state.run.draining.is_empty()
            }
            PhaseStage::Cutting { until, .. } => {
                (nothing_waits || self.now() >= *until) && self.state.run.draining.is_empty()
            }
        }
    }

    /// Cuts off what outlasts the grace period of an earlier phase, and ends earlier phases that have nothing in flight.
    fn advance_draining(&mut self) {
        let now = self.now();
        let until = now + self.cut_drain;
        for phase in &mut self.state.run.draining {
            if !phase.is_cut && phase.in_flight() > 0 && phase.until.is_some_and(|until| now >= until) {
                phase.grace_exceeded = true;
                phase.is_cut = true;
                phase.until = Some(until);
                self.environment.dispatch.cut(phase.index..=phase.index, phase.reason);
            }
        }
        self.state.run.end_drained(now);
    }

    /// This phase without what only sending needs.
    fn draining(&mut self, stage: &PhaseStage) -> DrainingPhase {
        let (reason, until, is_cut) = match stage {
            // A phase is asked for this when it has stopped sending.
            PhaseStage::Sending => (RunOutcome::Completed, None, false),
            PhaseStage::Draining { reason, until } => (*reason, *until, false),
            PhaseStage::Cutting { reason, until } => (*reason, Some(*until), true),
        };
        DrainingPhase {
            index: self.state.index,
            kind: self.phase.kind,
            name: Arc::clone(&self.phase.name),
            start: self.state.start,
            last_return: self.state.last_return,
            counts: self.state.counts,
            reason,
            until,
            is_cut,
            grace_exceeded: self.grace_exceeded,
            // Children that another phase continues are counted there.
            open_children: if self.state.is_handed_over() { 0 } else { self.state.open_children },
            replay: self.state.replay_outcome(),
            outage: self.state.outage(),
        }
    }

    /// Whether something ended the run, not its phases.
    pub(super) fn is_stopped(&self) -> bool {
        self.state.run.is_stopped()
    }

    fn now(&self) -> Mono {
        self.environment.clock.now()
    }

    fn announce(&mut self) {
        let stop = self.phase.stop;
        let goals = [
            stop.requests.map(|n| format!("{n} requests")),
            stop.duration.map(|d| format!("{} s duration", d.as_secs_f64())),
            stop.sessions.map(|n| format!("{n} sessions")),
        ];
        let goals = goals.into_iter().flatten().collect::<Vec<_>>().join(", ");
        let goals = match goals.as_str() {
            "" if self.phase.pace.is_agentic() => "the turns before the start point of each session",
            "" => "the whole data set",
            goals => goals,
        };
        log::info!("Phase {} started | target: {goals}", self.phase.name);
        if self.phase.kind == PhaseKind::Profiling && !std::mem::replace(&mut self.state.run.is_profiling, true) {
            log::info!(target: ANNOUNCEMENTS, "AIPerf System is PROFILING");
        }
    }

    /// Sends what is due, and moves on to the next stage when this one is over.
    fn advance(&mut self, stage: PhaseStage) -> Result<PhaseStage, EngineError> {
        let now = self.now();
        if self.state.has_failed_warmup() && !matches!(stage, PhaseStage::Cutting { .. }) {
            return Ok(self.stop(StopReason::FailedWarmup, &stage));
        }
        Ok(match stage {
            PhaseStage::Sending if self.state.has_lost_server() => self.stop(StopReason::Unreachable, &stage),
            PhaseStage::Sending => {
                if self.deadline().is_some_and(|end| now >= end) {
                    return Ok(self.stop_sending(RunOutcome::DurationOver));
                }
                if self.state.advance_replay(now) {
                    return Ok(self.stop_sending(RunOutcome::Completed));
                }
                self.state.take_due(now, &*self.mode)?;
                self.mode.send_due(self.horizon(now), &mut self.state)?;
                self.state.shorten_idle_time(now);
                if self.state.has_sent_everything(&*self.mode) {
                    self.stop_sending(RunOutcome::Completed)
                } else {
                    stage
                }
            }
            PhaseStage::Draining { reason, until: Some(until) } if now >= until && self.waits_for_its_own() => {
                self.grace_exceeded = self.state.in_flight() > 0;
                self.cut(reason)
            }
            PhaseStage::Draining { .. } | PhaseStage::Cutting { .. } => stage,
        })
    }

    /// How long before its due time a request is handed out.
    fn ahead(&self) -> Nanos {
        // A limit must be asked at the due time itself, not before.
        if self.mode.knows_due_times() && self.state.is_unlimited() { AHEAD } else { Nanos::ZERO }
    }

    /// Up to when due times are handed out now; nothing that is due at the deadline or later.
    fn horizon(&self, now: Mono) -> Mono {
        let horizon = now + self.ahead();
        self.deadline().map_or(horizon, |end| horizon.min(end - Nanos(1)))
    }

    fn stop_sending(&mut self, reason: RunOutcome) -> PhaseStage {
        let counts = &self.state.counts;
        log::info!(
            "Phase {} sending complete | sent={}, completed={}, in_flight={} | sessions: sent={}, completed={}{}",
            self.phase.name,
            counts.sent,
            counts.completed,
            self.state.in_flight(),
            counts.sessions_sent,
            counts.sessions_completed,
            if reason == RunOutcome::DurationOver { " | timeout_triggered=True" } else { "" },
        );
        self.environment.progress.end_sending(self.now());
        if !self.state.is_handed_over() {
            self.state.clear();
        }
        self.state.withdraw_reserve();
        let until = match (self.deadline(), self.phase.grace) {
            (_, GracePeriod::Unlimited) => None,
            // A phase that ends early does not wait for its deadline.
            (Some(end), GracePeriod::Limited(grace)) if reason != RunOutcome::EarlyStop => Some(end + grace.into()),
            (_, GracePeriod::Limited(grace)) => Some(self.now() + grace.into()),
        };
        PhaseStage::Draining { reason, until }
    }

    /// Ends sending early, in a measured phase that is still sending.
    fn end_early(&mut self, why: &str, stage: PhaseStage) -> PhaseStage {
        match stage {
            PhaseStage::Sending if self.phase.kind == PhaseKind::Profiling => {
                log::info!("Phase {} ends early: {why}", self.phase.name);
                self.stop_sending(RunOutcome::EarlyStop)
            }
            _ => stage,
        }
    }

    /// Ends the phase from whatever stage it is in.
    fn stop(&mut self, why: StopReason, stage: &PhaseStage) -> PhaseStage {
        if matches!(stage, PhaseStage::Sending) {
            self.stop_sending(RunOutcome::Stopped(why));
        }
        let until = self.now() + self.cut_drain;
        for phase in &mut self.state.run.draining {
            (phase.reason, phase.until, phase.is_cut) = (RunOutcome::Stopped(why), Some(until), true);
        }
        self.cut_all(0, RunOutcome::Stopped(why))
    }

    fn cut(&mut self, reason: RunOutcome) -> PhaseStage {
        self.cut_all(self.state.index, reason)
    }

    /// Ends what is in flight of the phases from this one on.
    fn cut_all(&mut self, first: usize, reason: RunOutcome) -> PhaseStage {
        self.environment.dispatch.cut(first..=self.state.index, reason);
        PhaseStage::Cutting { reason, until: self.now() + self.cut_drain }
    }

    /// Whether responses of this phase, not of an earlier one, are to come.
    fn waits_for_its_own(&self) -> bool {
        self.state.in_flight() > 0 || !self.state.reserve.is_empty() || !self.state.is_settled()
    }

    fn deadline(&self) -> Option<Mono> {
        self.phase.stop.duration.map(|d| self.state.start + d.into())
    }

    /// Sleeps until something is due or comes in, and takes in all that came.
    fn wait(&mut self, stage: PhaseStage) -> Result<PhaseStage, EngineError> {
        match self.environment.events.wait(self.next_wake(&stage)) {
            WaitResult::Item(event) => Ok(self.handle_events(Some(event), stage)),
            WaitResult::TimedOut => Ok(stage),
            WaitResult::Closed => Err(EngineError::WorkersGone),
        }
    }

    /// Takes in the event, and all that wait behind it.
    fn handle_events(&mut self, first: Option<SchedulerEvent>, mut stage: PhaseStage) -> PhaseStage {
        let mut event = first.or_else(|| self.environment.events.take());
        while let Some(next) = event {
            match next {
                SchedulerEvent::Returned(returned) => self.state.handle_returned(&returned, &*self.mode),
                SchedulerEvent::FirstToken { phase } => self.state.handle_first_token(phase),
                SchedulerEvent::FollowedUp(followed) => self.state.handle_follow_up(followed, &*self.mode),
                SchedulerEvent::Withdrawn(withdrawn) => {
                    self.state.handle_withdrawn(withdrawn, matches!(stage, PhaseStage::Sending));
                }
                SchedulerEvent::Stop(why) => {
                    stage = self.stop(why, &stage);
                }
                // Connections that were opened after the phase had begun without them.
                SchedulerEvent::Preconnected(_) => {}
                SchedulerEvent::Enough { phase: Some(phase), .. } if phase != self.state.index => {}
                SchedulerEvent::Enough { why, .. } => stage = self.end_early(&why, stage),
                SchedulerEvent::SetLoad { phase, level } => {
                    if phase == self.state.index && matches!(stage, PhaseStage::Sending) {
                        let now = self.now();
                        self.mode.set_load(level, now, &mut self.state);
                    }
                }
                SchedulerEvent::SetPrefillLimit { phase, limit } => {
                    if phase == self.state.index && self.state.prefill.is_limited() {
                        self.state.prefill.set(Some(limit));
                    }
                }
            }
            event = self.environment.events.take();
        }
        stage
    }

    fn next_wake(&self, stage: &PhaseStage) -> Option<Mono> {
        let own = match stage {
            PhaseStage::Sending => {
                let now = self.now();
                let deadline = self.deadline();
                // What is due at the deadline or later is not sent, and nothing to wake up for.
                let next = self.mode.next_due().filter(|due| deadline.is_none_or(|end| *due < end));
                let next = next.map(|due| due - self.ahead());
                [deadline, self.state.next_wake(now), next].into_iter().flatten().min()
            }
            PhaseStage::Draining { until, .. } => until.filter(|_| self.waits_for_its_own()),
            PhaseStage::Cutting { until, .. } => Some(*until).filter(|until| *until > self.now()),
        };
        let earlier = self.state.run.draining.iter().filter_map(|phase| phase.until);
        earlier.chain(own).min()
    }
}
