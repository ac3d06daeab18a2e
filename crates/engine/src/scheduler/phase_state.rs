//! The state of a phase: its limits, the turns that wait for room, and the sessions that are open. Credits are given out
//! and taken back here.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex};

use aiperf_clock::{Mono, Nanos};
use aiperf_config::{Cancellation, Pace, PhaseConfig, PhaseKind};
use aiperf_conversation::{BranchKind, ConversationIndex, Lineage};
use aiperf_endpoint::History;
use aiperf_seed::Stream;

use super::agenda::{Agenda, AgendaItem, LimitHits, SessionToStart, TurnToSend};
use super::branch_joins::{Awaited, BranchJoins};
use super::environment::SchedulerEnvironment;
use super::mode::LoadMode;
use super::replay_lanes::ReplayLanes;
use super::run_state::RunState;
use crate::phase::{Outage, PhaseCounts};
use crate::plan::{EngineError, Workload};
use crate::request::bodies::{Began, ConversationLease};
use crate::request::credit::{Credit, FollowUpNeed, Returned, ReturnedAs, Session, SessionKey, TurnBody};
use crate::request::follow_up::{FollowUpBodies, FollowedUp};
use crate::scheduler::ramped_limit::RampedLimit;

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
    run: &'a mut RunState,
    pub(super) environment: SchedulerEnvironment<'a>,
    /// Present for an agentic replay.
    pub(super) lanes: Option<ReplayLanes>,
    pub(super) sessions: RampedLimit,
    pub(super) prefill: RampedLimit,
    pub(super) joins: BranchJoins,
    pub(super) open_roots: u64,
    pub(super) open_children: u64,
    /// Conversations that were started before a root, which happens once in a phase.
    started_before: HashSet<ConversationIndex>,
    cancellation_draws: Stream,
    next_key: u64,
    /// How often a limit has stopped the queues.
    pub(super) limit_hits: LimitHits,
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
        let seed = workload.seed;
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
            run,
            environment,
            sessions: RampedLimit::new(
                phase.pace.session_limit().filter(|_| !phase.pace.is_agentic()),
                phase.concurrency_ramp,
                start,
                seed,
            ),
            prefill: RampedLimit::new(phase.prefill_limit, phase.prefill_ramp, start, seed),
            joins: BranchJoins::default(),
            open_roots: 0,
            open_children: 0,
            started_before: HashSet::new(),
            cancellation_draws: seed.stream("timing.request.cancellation"),
            next_key: 0,
            limit_hits: LimitHits::default(),
            phase,
            workload,
        }
    }

    pub(super) fn in_flight(&self) -> u64 {
        self.counts.sent - self.counts.completed - self.counts.cut
    }

    /// Whether nothing but the schedule holds requests back.
    pub(super) fn is_unlimited(&self) -> bool {
        self.phase.pace.session_limit().is_none() && self.phase.prefill_limit.is_none()
    }

    /// Whether any request may still be sent, also of an open session.
    pub(super) fn may_send(&self) -> bool {
        self.phase.stop.requests.is_none_or(|limit| self.counts.sent < limit)
    }

    pub(super) fn may_start_session(&self) -> bool {
        self.may_send() && self.phase.stop.sessions.is_none_or(|limit| self.counts.sessions_sent < limit)
    }

    /// Until when nothing is sent because the server cannot be reached. A schedule is kept all the same: its requests are the load
    /// that was asked for.
    fn held_until(&self, now: Mono) -> Option<Mono> {
        if self.phase.pace.is_closed_loop() { self.run.reach.holds_until(now) } else { None }
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
    pub(super) fn is_spent(&self, mode: &dyn LoadMode) -> bool {
        if self.lanes.as_ref().is_some_and(|lanes| !lanes.is_replaying()) {
            return false;
        }
        let more_to_start = self.may_start_session() && (mode.has_more() || !self.starts.is_empty());
        !self.may_send() || (!more_to_start && self.open_roots == 0 && self.open_children == 0)
    }

    /// When a limit grows, or a turn is due.
    pub(super) fn next_wake(&self, now: Mono) -> Option<Mono> {
        let pressing = self.lanes.as_ref().and_then(ReplayLanes::pressing_until);
        [
            self.agenda.next_at(),
            self.sessions.next_step(now),
            self.prefill.next_step(now),
            pressing,
            self.held_until(now),
        ]
        .into_iter()
        .flatten()
        .min()
    }

    pub(super) fn now(&self) -> Mono {
        self.environment.clock.now()
    }

    /// Children that the end of the phase leaves without an end of their own were cut off by it, so that each that was spawned
    /// is counted once. Children that another phase continues are counted there.
    pub(super) fn count_open_children(&mut self) {
        if !self.is_handed_over() {
            self.counts.branches.children_truncated += self.open_children;
        }
    }

    /// Forgets all that was not sent.
    pub(super) fn clear(&mut self) {
        self.agenda.clear();
        self.waiting_for_arrival.clear();
        self.ready.clear();
        self.starts.clear();
        if let Some(lanes) = &mut self.lanes {
            lanes.clear();
        }
    }

    /// The next conversation of the data set, as a session.
    pub(super) fn draw_session(&mut self, due: Mono) -> SessionToStart {
        let conversation = (self.workload.next_conversation)();
        self.session_of(conversation, due)
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
                    let waited = self.phase.pace.is_closed_loop() && self.run.reach.outage().is_some();
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

    pub(super) fn start(&mut self, start: SessionToStart) -> Result<(), EngineError> {
        let correlation_id = start.correlation_id.unwrap_or_else(|| self.new_correlation_id());
        let session = self.open(start.conversation, correlation_id, start.turns, None);
        self.counts.sessions_sent += 1;
        self.open_roots += 1;
        self.sessions.enter();
        self.enter_tree(&session);
        let conversation = &self.workload.conversations[start.conversation];
        match &conversation.lineage {
            Lineage::Orchestrator(orchestrator) => {
                let think = orchestrator.rounds.first().map(|round| round.think);
                self.joins.enter(&session, None);
                self.counts.branches.graphs_admitted += 1;
                self.plan_round(&session, 0, think, start.due);
                return Ok(());
            }
            Lineage::RootWithSpawns(children) if self.phase.kind == PhaseKind::Profiling => {
                let children = children.clone();
                self.joins.enter(&session, None);
                for child in children {
                    if self.started_before.insert(child) {
                        self.spawn(&session, child, Awaited::Nothing, None, None, start.due);
                    }
                }
            }
            _ if conversation.turns.iter().any(|turn| !turn.branches.is_empty()) => self.joins.enter(&session, None),
            _ => {}
        }
        if self.workload.conversations[start.conversation].turns.is_empty() {
            log::warn!("session {} has nothing to send", session.correlation_id);
            self.end_session(&session, ReturnedAs::Complete, start.due, None);
            return Ok(());
        }
        let (due, queued) = (start.due, start.queued);
        self.issue(TurnToSend { due, session, turn: 0, body: TurnBody::Fixed, queued })
    }

    pub(super) fn new_correlation_id(&mut self) -> String {
        self.run.ids.uuid().to_string()
    }

    /// Makes a session; children name their parent.
    pub(super) fn open(
        &mut self,
        conversation: usize,
        correlation_id: String,
        turns: Option<usize>,
        parent: Option<(&Session, Option<History>)>,
    ) -> Arc<Session> {
        self.next_key += 1;
        let whole = self.workload.conversations[conversation].turns.len();
        let mode = self.workload.conversations[conversation].context_mode;
        let target = self.run.take_target();
        let worker = if self.lanes.is_some() { self.run.take_worker() } else { self.run.least_busy() };
        let began = match &self.phase.pace {
            _ if parent.is_some() => Began::Branched,
            Pace::FixedSchedule { .. } => Began::Scheduled,
            _ => Began::Drawn,
        };
        let root_correlation_id =
            parent.as_ref().map_or_else(|| correlation_id.clone(), |(parent, _)| parent.root_correlation_id.clone());
        Arc::new(Session {
            conversation,
            root_conversation: parent.as_ref().map_or(conversation, |(parent, _)| parent.root_conversation),
            target,
            depth: parent.as_ref().map_or(0, |(parent, _)| parent.depth + 1),
            parent_correlation_id: parent.as_ref().map(|(parent, _)| parent.correlation_id.clone()),
            root_correlation_id,
            correlation_id,
            number: parent.as_ref().map_or(self.next_key, |(parent, _)| parent.number),
            worker,
            // All sessions of a tree count as one, even if a later phase continues it.
            phase: parent.as_ref().map_or(self.index, |(parent, _)| parent.phase),
            turns: turns.map_or(whole, |turns| whole.min(turns)),
            id: SessionKey(self.next_key),
            is_root: parent.is_none(),
            _lease: ConversationLease::take(&self.workload.bodies, conversation, began),
            history: Mutex::new(parent.and_then(|(_, history)| history).unwrap_or(History::new(mode))),
        })
    }

    fn issue(&mut self, turn: TurnToSend) -> Result<(), EngineError> {
        let TurnToSend { due, session, turn, body, queued } = turn;
        let held_back = queued != self.limit_hits;
        let cancel_after = self.draw_cancellation();
        let conversation = &self.workload.conversations[session.conversation];
        let is_last = turn + 1 >= session.turns;
        let forks =
            conversation.turns[turn].branches.iter().any(|branch| matches!(branch.kind, BranchKind::Fork { .. }));
        let credit = Credit {
            turn,
            number: self.counts.sent,
            phase: self.index,
            due,
            issued: self.now().max(due),
            body,
            held_back,
            cancel_after,
            watch_first_token: self.phase.prefill_limit.is_some(),
            follow_up: match &self.lanes {
                _ if (conversation.has_live_history() && !is_last) || forks => FollowUpNeed::Always,
                Some(lanes) => lanes.follow_up(),
                None => FollowUpNeed::Never,
            },
            is_single_token: self.lanes.as_ref().is_some_and(|lanes| !lanes.is_replaying()),
            is_last,
            session: Arc::clone(&session),
        };
        if !self.environment.dispatch.send(credit) {
            return Err(EngineError::WorkersGone);
        }
        self.run.reach.note_try(self.now());
        self.prefill.enter();
        self.counts.sent += 1;
        self.counts.arrivals_delayed += u64::from(held_back);
        self.run.in_flight[session.worker] += 1;
        self.environment.progress.add_sent();
        Ok(())
    }

    /// One draw per request, whether it is used or not, so that the choice does not depend on anything else.
    fn draw_cancellation(&mut self) -> Option<Nanos> {
        let Cancellation { percent, delay } = self.phase.cancellation?;
        (self.cancellation_draws.unit() * 100.0 < percent).then(|| delay.into())
    }

    pub(super) fn first_token(&mut self, phase: usize) {
        if phase == self.index {
            self.prefill.leave();
        }
    }

    pub(super) fn take_back(&mut self, returned: &Returned, mode: &dyn LoadMode) {
        let session = &returned.session;
        self.run.in_flight[session.worker] -= 1;
        if returned.end != ReturnedAs::Cut {
            self.run.reach.note(session.target, returned.at, returned.unreachable_since);
        }
        if session.phase < self.first_phase {
            return;
        }
        if returned.phase == self.index {
            self.count(returned);
        }
        // A session whose request the warm-up cut off is continued all the same.
        let is_over = self.lanes.as_ref().is_none_or(|lanes| lanes.is_replaying() && returned.phase == self.index);
        if returned.end == ReturnedAs::Cut && is_over {
            self.end_session(session, returned.end, returned.at, Some(mode));
        } else if !returned.follow_up {
            let failed = returned.end == ReturnedAs::Failed;
            let bodies = FollowUpBodies { failed, ..FollowUpBodies::default() };
            self.go_on(session, returned.turn, returned.due, returned.at, bodies, mode);
        }
    }

    fn count(&mut self, returned: &Returned) {
        self.last_return = self.last_return.max(returned.at);
        self.environment.progress.add_returned();
        if !returned.first_token_told {
            self.prefill.leave();
        }
        match returned.end {
            ReturnedAs::Cut => self.counts.cut += 1,
            ReturnedAs::Complete | ReturnedAs::Failed => self.counts.completed += 1,
        }
    }

    pub(super) fn follow_up(&mut self, followed: FollowedUp, mode: &dyn LoadMode) {
        if followed.session.phase < self.first_phase {
            return;
        }
        match followed.bodies {
            Some(bodies) => self.go_on(&followed.session, followed.turn, followed.due, followed.at, bodies, mode),
            None => self.end_session(&followed.session, ReturnedAs::Failed, followed.at, Some(mode)),
        }
    }
}
