//! Owns the schedule. Sleeps to the next due time, gives out credits, takes them back, and ends each phase by its rules.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use aiperf_clock::{Mono, Nanos, tighten_timer_slack};
use aiperf_config::{GracePeriod, Pace, PhaseConfig};
use crossbeam_channel::{RecvTimeoutError, Sender};
use uuid::Uuid;

use crate::control::{ControlSource, Event};
use crate::credit::{Credit, Returned, Session};
use crate::finished::{CutReason, Finished};
use crate::phase::{EndReason, PhaseOutcome};
use crate::plan::{EngineError, Plan};
use crate::progress::Progress;
use crate::schedule::Arrivals;
use crate::slots::Slots;
use crate::worker::{Command, Worker};

/// How long cut-off requests may take to come back before the phase ends without them.
const CUT_DRAIN: Nanos = Nanos(10_000_000_000);
/// Longest sleep; a wait without a due time only waits for events.
const IDLE: Duration = Duration::from_secs(3_600);
/// Arrivals handed out before events are looked at again: bounds the time that a burst keeps the conductor deaf.
const BURST: usize = 256;

/// Runs all phases on the calling thread. Every finished request goes to `records`, which is closed when the last one
/// is in.
pub fn run(
    mut plan: Plan,
    control: &ControlSource,
    records: Sender<Finished>,
    progress: &Progress,
) -> Result<Vec<PhaseOutcome>, EngineError> {
    tighten_timer_slack();
    let workers = (0..plan.workers.max(1))
        .map(|index| {
            Worker::start(index, &plan, control.sender.clone(), records.clone())
                .map_err(|cause| EngineError::Worker { worker: index, cause })
        })
        .collect::<Result<Vec<_>, _>>()?;
    drop(records);
    let mut stage = Stage { in_flight: vec![0; workers.len()], workers, next_target: 0 };
    let mut outcomes = Vec::new();
    for (index, phase) in std::mem::take(&mut plan.phases).into_iter().enumerate() {
        let outcome = Conductor::new(index, &phase, &mut plan, &mut stage, control, progress).run()?;
        let interrupted = outcome.ended_by == EndReason::Interrupt;
        outcomes.push(outcome);
        if interrupted {
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
}

impl Stage {
    /// The worker with the fewest requests in flight.
    fn least_busy(&self) -> usize {
        self.in_flight.iter().enumerate().min_by_key(|(_, n)| **n).map_or(0, |(index, _)| index)
    }
}

/// A turn that waits for its delay to pass.
#[derive(Debug)]
struct Waiting {
    due: Mono,
    order: u64,
    session: Arc<Session>,
    turn: usize,
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        (self.due, self.order) == (other.due, other.order)
    }
}
impl Eq for Waiting {}
impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.due, self.order).cmp(&(other.due, other.order))
    }
}

/// Open-loop state: when the next request is due.
#[derive(Debug)]
struct Ticks {
    arrivals: Arrivals,
    next: Mono,
}

struct Conductor<'a> {
    index: usize,
    phase: &'a PhaseConfig,
    plan: &'a mut Plan,
    stage: &'a mut Stage,
    control: &'a ControlSource,
    progress: &'a Progress,
    start: Mono,
    slots: Slots,
    ticks: Option<Ticks>,
    /// Turns whose delay is not over.
    delayed: BinaryHeap<Reverse<Waiting>>,
    /// Turns that may go as soon as the pace allows.
    ready: VecDeque<(Mono, Arc<Session>, usize)>,
    orders: u64,
    last_return: Mono,
    completed: u64,
    cut: u64,
    sessions_completed: u64,
    arrivals_dropped: u64,
}

/// Where a phase stands.
#[derive(Debug, Clone, Copy)]
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

impl<'a> Conductor<'a> {
    fn new(
        index: usize,
        phase: &'a PhaseConfig,
        plan: &'a mut Plan,
        stage: &'a mut Stage,
        control: &'a ControlSource,
        progress: &'a Progress,
    ) -> Self {
        let start = Mono::now();
        let ticks = match phase.pace {
            Pace::Concurrency(_) => None,
            Pace::Rate { per_second, arrival, .. } => {
                let mut arrivals = Arrivals::new(arrival, per_second, plan.seed);
                let next = start + arrivals.next().unwrap_or_default();
                Some(Ticks { arrivals, next })
            }
        };
        Self {
            index,
            phase,
            plan,
            stage,
            control,
            progress,
            start,
            slots: Slots::new(phase.stop),
            ticks,
            delayed: BinaryHeap::new(),
            ready: VecDeque::new(),
            orders: 0,
            last_return: start,
            completed: 0,
            cut: 0,
            sessions_completed: 0,
            arrivals_dropped: 0,
        }
    }

    fn run(mut self) -> Result<PhaseOutcome, EngineError> {
        self.announce();
        let mut state = State::Sending;
        loop {
            state = self.advance(state)?;
            if let State::Draining { reason, .. } | State::Cutting { reason, .. } = state {
                let overdue = matches!(state, State::Cutting { until, .. } if Mono::now() >= until);
                if self.in_flight() == 0 || overdue {
                    return Ok(self.outcome(reason));
                }
            }
            state = self.wait(state)?;
        }
    }

    fn announce(&self) {
        let stop = self.phase.stop;
        self.progress.begin(self.phase.kind, stop.requests);
        let goals = [
            stop.requests.map(|n| format!("{n} requests")),
            stop.duration.map(|d| format!("{} s duration", d.as_secs_f64())),
            stop.sessions.map(|n| format!("{n} sessions")),
        ];
        let goals = goals.into_iter().flatten().collect::<Vec<_>>().join(", ");
        log::info!("Phase {} started | target: {goals}", self.phase.kind.name());
    }

    /// Sends what is due, and moves on to the next state when this one is over.
    fn advance(&mut self, state: State) -> Result<State, EngineError> {
        let now = Mono::now();
        Ok(match state {
            State::Sending => {
                if self.deadline().is_some_and(|end| now >= end) {
                    return Ok(self.stop_sending(EndReason::Duration));
                }
                self.send_due(now)?;
                if self.slots.are_spent() { self.stop_sending(EndReason::Count) } else { state }
            }
            State::Draining { reason, until: Some(until) } if now >= until => self.cut(reason, CutReason::Deadline),
            State::Draining { .. } | State::Cutting { .. } => state,
        })
    }

    fn stop_sending(&mut self, reason: EndReason) -> State {
        log::info!(
            "Phase {} sending complete | sent={}, completed={}, in_flight={} | sessions: sent={}, completed={}",
            self.phase.kind.name(),
            self.slots.sent,
            self.completed,
            self.in_flight(),
            self.slots.sessions_sent,
            self.sessions_completed,
        );
        self.delayed.clear();
        self.ready.clear();
        let until = match (self.deadline(), self.phase.grace) {
            (Some(end), GracePeriod::Limited(grace)) => Some(end + grace.into()),
            _ => None,
        };
        State::Draining { reason, until }
    }

    fn cut(&mut self, reason: EndReason, cut: CutReason) -> State {
        for worker in &self.stage.workers {
            worker.tell(Command::Cut(cut));
        }
        State::Cutting { reason, until: Mono::now() + CUT_DRAIN }
    }

    fn deadline(&self) -> Option<Mono> {
        self.phase.stop.duration.map(|d| self.start + d.into())
    }

    fn in_flight(&self) -> u64 {
        self.slots.sent - self.completed - self.cut
    }

    fn send_due(&mut self, now: Mono) -> Result<(), EngineError> {
        while self.delayed.peek().is_some_and(|Reverse(first)| first.due <= now) {
            if let Some(Reverse(turn)) = self.delayed.pop() {
                self.ready.push_back((turn.due, turn.session, turn.turn));
            }
        }
        match self.phase.pace {
            Pace::Concurrency(limit) => self.fill(limit, now),
            Pace::Rate { ceiling, .. } => self.tick(ceiling, now),
        }
    }

    /// Closed loop: open turns first, then new sessions up to the limit.
    fn fill(&mut self, limit: usize, now: Mono) -> Result<(), EngineError> {
        while self.slots.may_send() {
            if let Some((due, session, turn)) = self.ready.pop_front() {
                self.issue(session, turn, due)?;
            } else if self.slots.may_start_session() && self.slots.sessions_open < limit as u64 {
                self.start_session(now)?;
            } else {
                break;
            }
        }
        Ok(())
    }

    /// Open loop: one request for each arrival whose time has come.
    fn tick(&mut self, ceiling: Option<usize>, now: Mono) -> Result<(), EngineError> {
        for _ in 0..BURST {
            let Some(due) = self.ticks.as_ref().map(|t| t.next).filter(|due| *due <= now) else { return Ok(()) };
            if !self.slots.may_send() {
                return Ok(());
            }
            if let Some((_, session, turn)) = self.ready.pop_front() {
                self.issue(session, turn, due)?;
            } else if self.slots.may_start_session() {
                if ceiling.is_some_and(|limit| self.slots.sessions_open >= limit as u64) {
                    self.arrivals_dropped += 1;
                } else {
                    self.start_session(due)?;
                }
            }
            if let Some(ticks) = &mut self.ticks {
                ticks.next = self.start + ticks.arrivals.next().unwrap_or_default();
            }
        }
        Ok(())
    }

    fn start_session(&mut self, due: Mono) -> Result<(), EngineError> {
        let conversation = (self.plan.next_conversation)();
        let target = self.stage.next_target;
        self.stage.next_target = (target + 1) % self.plan.targets.len();
        let session = Arc::new(Session {
            conversation,
            correlation_id: Uuid::new_v4().to_string(),
            target,
            worker: self.stage.least_busy(),
            turns: self.plan.conversations[conversation].turns.len(),
        });
        self.slots.sessions_sent += 1;
        self.slots.sessions_open += 1;
        self.issue(session, 0, due)
    }

    fn issue(&mut self, session: Arc<Session>, turn: usize, due: Mono) -> Result<(), EngineError> {
        let worker = session.worker;
        let credit = Credit { session, turn, number: self.slots.sent, phase: self.index, due, issued: Mono::now() };
        if !self.stage.workers[worker].tell(Command::Send(credit)) {
            return Err(EngineError::WorkersGone);
        }
        self.slots.sent += 1;
        self.stage.in_flight[worker] += 1;
        self.progress.add_sent();
        Ok(())
    }

    /// Sleeps until something is due or comes in, and takes in all that came.
    fn wait(&mut self, mut state: State) -> Result<State, EngineError> {
        let first = match self.next_wake(state) {
            Some(wake) => {
                let left = wake.since(Mono::now()).as_duration().min(IDLE);
                match self.control.events.recv_deadline(Instant::now() + left) {
                    Ok(event) => event,
                    Err(RecvTimeoutError::Timeout) => return Ok(state),
                    Err(RecvTimeoutError::Disconnected) => return Err(EngineError::WorkersGone),
                }
            }
            None => self.control.events.recv().map_err(|_| EngineError::WorkersGone)?,
        };
        let mut event = Some(first);
        while let Some(next) = event {
            match next {
                Event::Returned(returned) => self.take_back(&returned),
                Event::Interrupt => {
                    if matches!(state, State::Sending) {
                        self.stop_sending(EndReason::Interrupt);
                    }
                    state = self.cut(EndReason::Interrupt, CutReason::Interrupt);
                }
            }
            event = self.control.events.try_recv().ok();
        }
        Ok(state)
    }

    fn next_wake(&self, state: State) -> Option<Mono> {
        match state {
            State::Sending => {
                let delayed = self.delayed.peek().map(|Reverse(first)| first.due);
                let tick = self.ticks.as_ref().map(|t| t.next);
                [self.deadline(), delayed, tick].into_iter().flatten().min()
            }
            State::Draining { until, .. } => until,
            State::Cutting { until, .. } => Some(until),
        }
    }

    fn take_back(&mut self, returned: &Returned) {
        let session = &returned.session;
        self.stage.in_flight[session.worker] -= 1;
        self.last_return = self.last_return.max(returned.at);
        self.progress.add_returned();
        if returned.cut {
            self.cut += 1;
        } else {
            self.completed += 1;
        }
        let next = returned.turn + 1;
        if next >= session.turns || returned.cut {
            self.slots.sessions_open -= 1;
            self.sessions_completed += u64::from(!returned.cut);
            return;
        }
        let delay = self.plan.conversations[session.conversation].turns[next].delay;
        self.orders += 1;
        let due = returned.at + delay;
        self.delayed.push(Reverse(Waiting { due, order: self.orders, session: Arc::clone(session), turn: next }));
    }

    fn outcome(&self, reason: EndReason) -> PhaseOutcome {
        let outcome = PhaseOutcome {
            kind: self.phase.kind,
            start: self.start,
            end: self.last_return,
            sent: self.slots.sent,
            completed: self.completed,
            cut: self.cut,
            sessions_sent: self.slots.sessions_sent,
            sessions_completed: self.sessions_completed,
            arrivals_dropped: self.arrivals_dropped,
            ended_by: reason,
        };
        log::info!(
            "Phase {} complete | completed={}, cancelled={} | sessions: completed={} | elapsed={:.2}s",
            self.phase.kind.name(),
            outcome.completed,
            outcome.cut,
            outcome.sessions_completed,
            outcome.end.since(outcome.start).as_secs_f64(),
        );
        outcome
    }
}
