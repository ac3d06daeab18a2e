//! The state of a phase: its limits, the turns that wait for room, and the sessions that are open. Requests come back here.

use std::collections::{HashSet, VecDeque};

use aiperf_clock::Mono;
use aiperf_config::{PhaseConfig, PhaseKind};
use aiperf_conversation::ConversationIndex;
use aiperf_protocol::RequestOutcome;
use aiperf_seed::{Seed, Stream};

use super::agenda::{Agenda, AgendaItem, LimitHits, SessionToStart, TurnToSend};
use super::branch_joins::BranchJoins;
use super::environment::SchedulerEnvironment;
use super::mode::LoadMode;
use super::replay_lanes::ReplayLanes;
use super::reserve::{self, Reserve};
use super::run_state::RunState;
use crate::phase::{Outage, PhaseCounts};
use crate::plan::{EngineError, Workload};
use crate::request::credit::Returned;
use crate::request::follow_up::{FollowUpBodies, FollowedUp};
use crate::scheduler::ramped_limit::RampedLimit;
use crate::sent_journal::CreditNumbers;

pub(super) struct PhaseState<'a> {
    pub(super) workload: &'a mut Workload,
    pub(super) start: Mono,
    pub(super) counts: PhaseCounts,
    pub(super) agenda: Agenda,
    /// Turns whose time has come and that wait for an arrival.
    pub(super) waiting_for_arrival: VecDeque<TurnToSend>,
    /// Turns that only wait for room.
    pub(super) ready: VecDeque<TurnToSend>,
    /// Sessions that only wait for room.
    pub(super) starts: VecDeque<SessionToStart>,
    pub(super) last_return: Mono,
    pub(super) index: usize,
    /// The first of the phases that share sessions with this one.
    first_phase: usize,
    pub(super) phase: &'a PhaseConfig,
    pub(super) run: &'a mut RunState,
    pub(super) environment: SchedulerEnvironment<'a>,
    /// Present for an agentic replay.
    pub(super) lanes: Option<ReplayLanes>,
    /// What came back says when the next request is due. Changes with the load, where that is controlled.
    pub(super) is_closed_loop: bool,
    pub(super) sessions: RampedLimit,
    pub(super) prefill: RampedLimit,
    pub(super) joins: BranchJoins,
    pub(super) open_roots: u64,
    pub(super) open_children: u64,
    /// Conversations that were started before a root, which happens once in a phase.
    pub(super) started_before: HashSet<ConversationIndex>,
    pub(super) cancellation_draws: Stream,
    /// The number of the next draw, over all nodes.
    pub(super) cancellations_drawn: u64,
    pub(super) next_key: u64,
    pub(super) numbers: CreditNumbers,
    pub(super) reserve: Reserve,
    /// Of what this phase draws: arrivals, ramps, cancellations.
    pub(super) seed: Seed,
    /// How often a limit has stopped the queues.
    pub(super) limit_hits: LimitHits,
}

/// The seed of what a phase draws, so that phases are independent of each other. The first profiling phase has the seed of the run: its
/// arrivals do not depend on the phases around it.
fn seed_of_its_own(of_run: Seed, index: usize) -> Seed {
    Seed::fixed(of_run.stream(&format!("timing.phase:{index}")).next_u64())
}

impl<'a> PhaseState<'a> {
    pub(super) fn new(
        index: usize,
        phase: &'a PhaseConfig,
        workload: &'a mut Workload,
        run: &'a mut RunState,
        environment: SchedulerEnvironment<'a>,
    ) -> Self {
        let start = environment.clock.now();
        let is_first_profiling = phase.kind == PhaseKind::Profiling && !run.is_profiling;
        let seed = if is_first_profiling { workload.seed } else { seed_of_its_own(workload.seed, index) };
        // A request that never came back after it was cut off must not take room for good.
        let has_earlier = !run.draining.is_empty();
        let earlier_roots = if has_earlier { run.roots_in_flight } else { 0 };
        let earlier_prefills = if has_earlier { run.prefilling } else { 0 };
        Self {
            start,
            counts: PhaseCounts::default(),
            agenda: Agenda::default(),
            waiting_for_arrival: VecDeque::new(),
            ready: VecDeque::new(),
            starts: VecDeque::new(),
            last_return: start,
            index,
            first_phase: index,
            lanes: ReplayLanes::of(&phase.pace),
            environment,
            is_closed_loop: phase.pace.is_closed_loop(),
            sessions: RampedLimit::share_of(
                phase.split.whole_sessions,
                phase.pace.session_limit().filter(|_| !phase.pace.is_agentic()),
                phase.split.share,
                phase.concurrency_ramp,
                start,
                seed,
            )
            .with_inside(earlier_roots),
            prefill: RampedLimit::share_of(
                phase.split.whole_prefill,
                phase.prefill_limit,
                phase.split.share,
                phase.prefill_ramp,
                start,
                seed,
            )
            .with_inside(earlier_prefills),
            joins: BranchJoins::default(),
            open_roots: 0,
            open_children: 0,
            started_before: HashSet::new(),
            cancellation_draws: seed.stream("timing.request.cancellation"),
            cancellations_drawn: phase.split.first,
            next_key: 0,
            numbers: CreditNumbers::new(environment.progress.journal(), index),
            reserve: Reserve::new(phase, workload, environment.progress, run.in_flight.len(), start),
            limit_hits: LimitHits::default(),
            seed,
            phase,
            run,
            workload,
        }
    }

    pub(super) fn in_flight(&self) -> u64 {
        self.counts.sent - self.counts.completed - self.counts.cut
    }

    /// Whether nothing but the schedule holds requests back.
    pub(super) fn is_unlimited(&self) -> bool {
        !self.sessions.is_limited() && self.phase.pace.session_limit().is_none() && self.phase.prefill_limit.is_none()
    }

    /// Whether any request may still be sent, also of an open session.
    pub(super) fn may_send(&self) -> bool {
        self.phase.stop.requests.is_none_or(|limit| self.counts.sent + self.reserve.committed() < limit)
    }

    pub(super) fn may_start_session(&self) -> bool {
        let sessions = self.counts.sessions_sent + self.reserve.committed();
        self.may_send() && self.phase.stop.sessions.is_none_or(|limit| sessions < limit)
    }

    /// Until when nothing is sent because the server cannot be reached. A schedule is kept all the same: its requests are the load
    /// that was asked for.
    pub(super) fn held_until(&self, now: Mono) -> Option<Mono> {
        if self.is_closed_loop { self.run.reach.holds_until(now) } else { None }
    }

    /// Whether the server could not be reached for longer than is allowed.
    pub(super) fn has_lost_server(&self) -> bool {
        self.run.reach.is_given_up()
    }

    pub(super) fn outage(&self) -> Option<Outage> {
        self.run.reach.outage()
    }

    /// Whether a new session could send its first turn at once, with no open session waiting.
    pub(super) fn has_room_for_session(&self, now: Mono) -> bool {
        self.may_start_session()
            && self.held_until(now).is_none()
            && self.ready.is_empty()
            && self.starts.is_empty()
            && self.sessions.has_room(now)
            && self.prefill.has_room(now)
    }

    /// Nothing more will be sent, whatever comes back.
    pub(super) fn has_sent_everything(&self, mode: &dyn LoadMode) -> bool {
        if self.lanes.as_ref().is_some_and(|lanes| !lanes.is_replaying()) || self.reserve.committed() > 0 {
            return false;
        }
        let more_to_start = self.may_start_session() && (mode.has_more() || !self.starts.is_empty());
        !self.may_send() || (!more_to_start && self.open_roots == 0 && self.open_children == 0)
    }

    /// When a limit grows, or a turn is due.
    pub(super) fn next_wake(&self, now: Mono) -> Option<Mono> {
        let workers_go_on = (!self.reserve.is_empty()).then(|| now + reserve::LONGEST_WAIT);
        let cache_fill_ends = self.lanes.as_ref().and_then(ReplayLanes::cache_fill_ends);
        [
            self.agenda.next_at(),
            self.sessions.next_step(now),
            self.prefill.next_step(now),
            cache_fill_ends,
            self.held_until(now),
            workers_go_on,
        ]
        .into_iter()
        .flatten()
        .min()
    }

    pub(super) fn now(&self) -> Mono {
        self.environment.clock.now()
    }

    /// Forgets all that was not sent.
    pub(super) fn clear(&mut self) {
        self.agenda.clear();
        self.waiting_for_arrival.clear();
        self.ready.clear();
        self.starts.clear();
        self.reserve.clear();
        if let Some(lanes) = &mut self.lanes {
            lanes.clear();
        }
    }

    /// The next conversation of the data set that this node sends, as a session.
    pub(super) fn draw_session(&mut self, due: Mono) -> SessionToStart {
        loop {
            let (conversation, is_own) = self.draw();
            if is_own {
                return self.session_of(conversation, due);
            }
        }
    }

    /// The next conversation of the data set, and whether this node sends it.
    pub(super) fn draw(&mut self) -> (usize, bool) {
        let number = self.run.drawn;
        self.run.drawn += 1;
        ((self.workload.next_conversation)(), self.phase.split.share.takes(number))
    }

    pub(super) fn session_of(&self, conversation: usize, due: Mono) -> SessionToStart {
        SessionToStart { due, conversation, correlation_id: None, turns: None, queued: self.limit_hits }
    }

    /// Queues what became due, and sends what has room.
    pub(super) fn take_due(&mut self, now: Mono, mode: &dyn LoadMode) -> Result<(), EngineError> {
        while let Some(later) = self.agenda.take_due(now) {
            match later {
                AgendaItem::Turn(turn) if mode.turns_wait_for_arrivals() => self.waiting_for_arrival.push_back(turn),
                AgendaItem::Turn(turn) => self.make_ready(turn),
                AgendaItem::Round(orchestrator) => self.begin_round(orchestrator, now, mode),
            }
        }
        self.flush(now)
    }

    /// Queues a turn that waits for nothing but room.
    pub(super) fn make_ready(&mut self, turn: TurnToSend) {
        self.ready.push_back(TurnToSend { queued: self.limit_hits, ..turn });
    }

    /// Sends turns of open sessions, then starts sessions, as far as the limits allow.
    pub(super) fn flush(&mut self, now: Mono) -> Result<(), EngineError> {
        while self.may_send() && self.held_until(now).is_none() {
            let prefill_room = self.prefill.has_room(now);
            if !self.ready.is_empty() {
                if !prefill_room {
                    self.limit_hits.0 += 1;
                    break;
                }
                if let Some(turn) = self.ready.pop_front() {
                    // A turn that waited for the server to come back is not late because of the client.
                    let waited = self.is_closed_loop && self.run.reach.outage().is_some();
                    self.issue(if waited { TurnToSend { due: turn.due.max(now), ..turn } } else { turn })?;
                }
                continue;
            }
            if self.starts.is_empty() || !self.may_start_session() {
                break;
            }
            if !(prefill_room && self.sessions.has_room(now)) {
                self.limit_hits.0 += 1;
                break;
            }
            if let Some(session) = self.starts.pop_front() {
                self.start(session)?;
            }
        }
        Ok(())
    }

    pub(super) fn handle_first_token(&mut self, phase: usize) {
        self.run.prefilling = self.run.prefilling.saturating_sub(1);
        if phase == self.index || self.run.draining.iter().any(|earlier| earlier.index == phase) {
            self.prefill.leave();
        }
    }

    pub(super) fn handle_returned(&mut self, returned: &Returned, mode: &dyn LoadMode) {
        let session = &returned.session;
        self.run.in_flight[session.worker] -= 1;
        self.run.roots_in_flight -= usize::from(session.is_root);
        self.run.prefilling = self.run.prefilling.saturating_sub(usize::from(!returned.first_token_told));
        if returned.outcome != RequestOutcome::CutOff {
            self.run.reach.note(session.target, returned.at, returned.unreachable_since);
        }
        if let Some(earlier) = self.run.draining.iter_mut().find(|phase| phase.index == returned.phase) {
            earlier.note(returned);
            if session.is_root {
                self.sessions.leave();
            }
            if !returned.first_token_told {
                self.prefill.leave();
            }
            return;
        }
        if session.phase < self.first_phase {
            return;
        }
        if returned.phase == self.index {
            self.count(returned);
        }
        // A session whose request the warm-up cut off is continued all the same.
        let is_over = self.lanes.as_ref().is_none_or(|lanes| lanes.is_replaying() && returned.phase == self.index);
        if returned.outcome == RequestOutcome::CutOff && is_over {
            self.end_session(session, returned.outcome, returned.at, Some(mode));
        } else if !returned.follow_up {
            let failed = returned.outcome == RequestOutcome::Failed;
            let bodies = FollowUpBodies { failed, ..FollowUpBodies::default() };
            self.continue_session(session, returned.turn, returned.due, returned.at, bodies, mode);
        }
        if returned.has_successor {
            self.handle_taken(session.worker);
        }
    }

    fn count(&mut self, returned: &Returned) {
        self.last_return = self.last_return.max(returned.at);
        self.reserve.note_response();
        self.environment.progress.add_returned();
        if !returned.first_token_told {
            self.prefill.leave();
        }
        match returned.outcome {
            RequestOutcome::CutOff => self.counts.cut += 1,
            _ => self.counts.completed += 1,
        }
    }

    pub(super) fn handle_follow_up(&mut self, followed: FollowedUp, mode: &dyn LoadMode) {
        if followed.session.phase < self.first_phase {
            return;
        }
        match followed.bodies {
            Some(bodies) => {
                self.continue_session(&followed.session, followed.turn, followed.due, followed.at, bodies, mode);
            }
            None => self.end_session(&followed.session, RequestOutcome::Failed, followed.at, Some(mode)),
        }
    }
}
