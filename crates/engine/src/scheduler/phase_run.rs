//! One phase from its start to its last response: sending, draining, and, when the time is over, cutting off.

use std::sync::Arc;

use aiperf_clock::{Mono, Nanos};
use aiperf_config::{GracePeriod, PhaseConfig, PhaseKind};

use super::Stage;
use super::mode::{self, Mode};
use super::phase_state::Floor;
use crate::control::{ControlSource, Event, StopReason};
use crate::phase::{EndReason, PhaseOutcome};
use crate::plan::{EngineError, Plan};
use crate::progress::{ANNOUNCEMENTS, Progress};
use crate::queue::Waited;
use crate::request::finished::CutReason;
use crate::worker::Command;

/// How long before its due time a request may be handed to its worker, which then waits for the moment itself: one thread
/// wakes up on time more exactly than two in a row.
const AHEAD: Nanos = Nanos(1_000_000);

pub(super) struct PhaseRun<'a> {
    floor: Floor<'a>,
    mode: Box<dyn Mode>,
    phase: &'a PhaseConfig,
    control: &'a ControlSource,
    grace_exceeded: bool,
    cut_drain: Nanos,
    ahead: Nanos,
}

/// Where a phase stands.
#[derive(Debug, Clone)]
enum State {
    Sending,
    /// No more requests; waiting for those in flight, at most until the given time.
    Draining {
        reason: EndReason,
        until: Option<Mono>,
    },
    /// What was in flight has been told to end.
    Cutting {
        reason: EndReason,
        until: Mono,
    },
}

impl<'a> PhaseRun<'a> {
    pub(super) fn new(
        index: usize,
        phase: &'a PhaseConfig,
        plan: &'a mut Plan,
        stage: &'a mut Stage,
        control: &'a ControlSource,
        progress: &'a Progress,
    ) -> Self {
        progress.begin(phase.kind, phase.stop.requests);
        let cut_drain = plan.timing.cut_drain.into();
        let mut floor = Floor::new(index, phase, plan, stage, progress);
        let mode = mode::of(&phase.pace, &mut floor);
        // A limit must be asked at the due time itself, not before.
        let ahead = if mode.knows_due_times() && floor.is_unlimited() { AHEAD } else { Nanos::ZERO };
        Self { floor, mode, phase, control, grace_exceeded: false, cut_drain, ahead }
    }

    /// Goes on into another phase with all sessions that are open.
    pub(super) fn enter(&mut self, index: usize, phase: &'a PhaseConfig) {
        self.floor.enter_phase(index, phase);
        self.phase = phase;
        self.grace_exceeded = false;
    }

    pub(super) fn run(&mut self) -> Result<PhaseOutcome, EngineError> {
        self.announce();
        // A stop that came before the phase keeps it from sending anything.
        let mut state = self.take_in(None, State::Sending);
        loop {
            state = self.advance(state)?;
            if let State::Draining { reason, .. } | State::Cutting { reason, .. } = &state {
                let overdue = matches!(&state, State::Cutting { until, .. } if Mono::now() >= *until);
                let is_cut = matches!(state, State::Cutting { .. });
                let is_over = self.floor.in_flight() == 0 && (is_cut || self.floor.is_settled());
                if is_over || overdue {
                    return Ok(self.outcome(reason.clone()));
                }
            }
            state = self.wait(state)?;
        }
    }

    fn announce(&self) {
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
        log::info!("Phase {} started | target: {goals}", self.phase.name());
        if self.phase.kind == PhaseKind::Profiling {
            log::info!(target: ANNOUNCEMENTS, "AIPerf System is PROFILING");
        }
    }

    /// Sends what is due, and moves on to the next state when this one is over.
    fn advance(&mut self, state: State) -> Result<State, EngineError> {
        let now = Mono::now();
        if self.floor.has_failed_warmup() && !matches!(state, State::Cutting { .. }) {
            return Ok(self.stop(StopReason::FailedWarmup, &state));
        }
        Ok(match state {
            State::Sending if self.floor.has_lost_server() => self.stop(StopReason::Unreachable, &state),
            State::Sending => {
                if self.deadline().is_some_and(|end| now >= end) {
                    return Ok(self.stop_sending(EndReason::Duration));
                }
                if self.floor.guide(now) {
                    return Ok(self.stop_sending(EndReason::Count));
                }
                self.floor.take_due(now, &*self.mode)?;
                self.mode.feed(self.horizon(now), &mut self.floor)?;
                if self.floor.is_spent(&*self.mode) { self.stop_sending(EndReason::Count) } else { state }
            }
            State::Draining { reason, until: Some(until) } if now >= until => {
                self.grace_exceeded = self.floor.in_flight() > 0;
                self.cut(reason, CutReason::Deadline)
            }
            State::Draining { .. } | State::Cutting { .. } => state,
        })
    }

    /// Up to when due times are handed out now; nothing that is due at the deadline or later.
    fn horizon(&self, now: Mono) -> Mono {
        let horizon = now + self.ahead;
        self.deadline().map_or(horizon, |end| horizon.min(end - Nanos(1)))
    }

    fn stop_sending(&mut self, reason: EndReason) -> State {
        let counts = &self.floor.counts;
        log::info!(
            "Phase {} sending complete | sent={}, completed={}, in_flight={} | sessions: sent={}, completed={}{}",
            self.phase.name(),
            counts.sent,
            counts.completed,
            self.floor.in_flight(),
            counts.sessions_sent,
            counts.sessions_completed,
            if reason == EndReason::Duration { " | timeout_triggered=True" } else { "" },
        );
        if !self.floor.is_handed_over() {
            self.floor.clear();
        }
        let until = match (self.deadline(), self.phase.grace) {
            (_, GracePeriod::Unlimited) => None,
            // Who ends a phase early does not wait for its deadline.
            (Some(end), GracePeriod::Limited(grace)) if !matches!(reason, EndReason::Enough(_)) => {
                Some(end + grace.into())
            }
            (_, GracePeriod::Limited(grace)) => Some(Mono::now() + grace.into()),
        };
        State::Draining { reason, until }
    }

    /// Ends sending early, if there is something to end.
    fn end_early(&mut self, why: Arc<str>, state: State) -> State {
        match state {
            State::Sending if self.phase.kind == PhaseKind::Profiling => {
                log::info!("Phase {} ends early: {why}", self.phase.name());
                self.stop_sending(EndReason::Enough(why))
            }
            _ => state,
        }
    }

    /// Ends the phase from whatever state it is in.
    fn stop(&mut self, why: StopReason, state: &State) -> State {
        if matches!(state, State::Sending) {
            self.stop_sending(EndReason::Stopped(why));
        }
        let cut = match why {
            StopReason::Interrupt => CutReason::Interrupt,
            StopReason::FailedRequests => CutReason::FailedRequests,
            StopReason::FailedWarmup => CutReason::FailedWarmup,
            StopReason::Unreachable => CutReason::Unreachable,
            StopReason::Defect => CutReason::Defect,
        };
        self.cut(EndReason::Stopped(why), cut)
    }

    fn cut(&mut self, reason: EndReason, cut: CutReason) -> State {
        self.floor.tell_all(|| Command::Cut(cut));
        State::Cutting { reason, until: Mono::now() + self.cut_drain }
    }

    fn deadline(&self) -> Option<Mono> {
        self.phase.stop.duration.map(|d| self.floor.start + d.into())
    }

    /// Sleeps until something is due or comes in, and takes in all that came.
    fn wait(&mut self, state: State) -> Result<State, EngineError> {
        let first = match self.next_wake(&state) {
            Some(wake) => match self.control.events.receive_until(wake) {
                Waited::Came(event) => event,
                Waited::TimedOut => return Ok(state),
                Waited::Closed => return Err(EngineError::WorkersGone),
            },
            None => self.control.events.receive().ok_or(EngineError::WorkersGone)?,
        };
        Ok(self.take_in(Some(first), state))
    }

    /// Takes in the event, and all that wait behind it.
    fn take_in(&mut self, first: Option<Event>, mut state: State) -> State {
        let mut event = first.or_else(|| self.control.events.take());
        while let Some(next) = event {
            match next {
                Event::Returned(returned) => self.floor.take_back(&returned, &*self.mode),
                Event::FirstToken { phase } => self.floor.first_token(phase),
                Event::FollowedUp(followed) => self.floor.follow_up(followed, &*self.mode),
                Event::Stop(why) => {
                    state = self.stop(why, &state);
                }
                Event::Enough(why) => state = self.end_early(why, state),
            }
            event = self.control.events.take();
        }
        state
    }

    fn next_wake(&self, state: &State) -> Option<Mono> {
        match state {
            State::Sending => {
                let now = Mono::now();
                let next = self.mode.next_due().map(|due| due - self.ahead);
                [self.deadline(), self.floor.next_wake(now), next].into_iter().flatten().min()
            }
            State::Draining { until, .. } => *until,
            State::Cutting { until, .. } => Some(*until),
        }
    }

    fn outcome(&mut self, reason: EndReason) -> PhaseOutcome {
        self.floor.count_open_children();
        let counts = self.floor.counts;
        let (start, end) = (self.floor.start, self.floor.last_return);
        log::info!(
            "Phase {} complete | completed={}, cancelled={} | sessions: completed={}, cancelled={} | elapsed={:.2}s{} | responses are \
             still to be read",
            self.phase.name(),
            counts.completed,
            counts.cut,
            counts.sessions_completed,
            counts.sessions_cut,
            end.since(start).as_secs_f64(),
            if self.grace_exceeded { " | grace_period_timeout=True" } else { "" },
        );
        PhaseOutcome {
            kind: self.phase.kind,
            name: self.phase.name(),
            start,
            end,
            counts,
            ended_by: reason,
            grace_exceeded: self.grace_exceeded,
            replay: self.floor.replay_outcome(),
            outage: self.floor.outage(),
        }
    }
}
