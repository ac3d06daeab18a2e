//! What follows a turn: the next one, the conversations it starts, and the end of the session.

use std::sync::Arc;

use aiperf_clock::{Mono, Nanos};
use aiperf_conversation::{Branch, BranchKind, ConversationIndex, Lineage, ThinkTime};
use aiperf_endpoint::{BuildError, History};
use aiperf_protocol::RequestOutcome;
use bytes::Bytes;

use super::agenda::{AgendaItem, LimitHits, TurnToSend};
use super::branch_joins::{Awaited, ParkedTurn, Released};
use super::mode::LoadMode;
use super::phase_state::PhaseState;
use crate::request::credit::{Session, SessionKey, TurnBody};
use crate::request::follow_up::FollowUpBodies;

impl PhaseState<'_> {
    /// After a turn: starts its branches, then plans the next turn, or ends the session.
    pub(super) fn continue_session(
        &mut self,
        session: &Arc<Session>,
        turn: usize,
        due: Mono,
        at: Mono,
        bodies: FollowUpBodies,
        mode: &dyn LoadMode,
    ) {
        if self.lanes.as_mut().is_some_and(|lanes| lanes.note_primed(session, turn, bodies.failed)) {
            return;
        }
        self.note_answered(session, turn + 1, at);
        if bodies.failed {
            self.joins.note_failure(session.id);
        }
        if bodies.failed && self.workload.timing.dag_fail_fast {
            self.joins.abandon(session.id);
        }
        if self.joins.is_abandoned(session.id) {
            self.end_session(session, RequestOutcome::Failed, at, Some(mode));
            return;
        }
        if bodies.overflowed && self.lanes.is_some() {
            log::warn!("session {} ends: its prompts are too long for the model", session.correlation_id);
            self.end_session(session, RequestOutcome::Failed, at, Some(mode));
            return;
        }
        let conversations = Arc::clone(&self.workload.conversations);
        let turns = &conversations[session.conversation].turns;
        let mut goes_on = turn + 1 < session.turns;
        for Branch { kind, children } in &turns[turn].branches {
            for child in children {
                match *kind {
                    BranchKind::Fork { background } => {
                        goes_on &= background;
                        let body =
                            bodies.forks.iter().find(|(index, _)| *index == child.0).map(|(_, body)| body.clone());
                        let mode = conversations[child.0].context_mode;
                        let history = session.with_history(|history| history.fork(mode));
                        self.spawn(session, *child, Awaited::Nothing, history, body, at);
                    }
                    BranchKind::Spawn { join_at } => {
                        let awaited = join_at.map_or(Awaited::Nothing, Awaited::Join);
                        self.spawn(session, *child, awaited, None, None, at);
                    }
                }
            }
        }
        if !goes_on {
            self.end_session(session, RequestOutcome::Success, at, Some(mode));
            return;
        }
        let next = ParkedTurn { session: Arc::clone(session), turn: turn + 1, body: bodies.next, last_due: due };
        if self.joins.must_wait(session.id, next.turn) {
            self.counts.branches.parents_suspended += 1;
            self.joins.park(next);
        } else {
            self.plan_turn(next, at, mode);
        }
    }

    fn plan_turn(&mut self, next: ParkedTurn, ended: Mono, mode: &dyn LoadMode) {
        let ParkedTurn { session, turn, body, last_due } = next;
        let prepared = &self.workload.conversations[session.conversation].turns[turn];
        let due = if self.is_without_pauses() { ended } else { mode.turn_due(last_due, ended, prepared) };
        let body = match body {
            Some(body) => TurnBody::FromReplies(body),
            None if !prepared.needs_replies => TurnBody::Fixed,
            None => {
                log::warn!("session {} ends: the body of turn {turn} could not be made", session.correlation_id);
                self.end_session(&session, RequestOutcome::Failed, ended, Some(mode));
                return;
            }
        };
        self.put_turn(TurnToSend { due, session, turn, body, queued: LimitHits::default() });
    }

    /// Starts a conversation for another one. It takes no session slot.
    pub(super) fn spawn(
        &mut self,
        parent: &Arc<Session>,
        child: ConversationIndex,
        awaited: Awaited,
        history: Option<History>,
        body: Option<Result<Bytes, BuildError>>,
        at: Mono,
    ) {
        let correlation_id = self.new_correlation_id();
        let session = self.open(child.0, correlation_id, None, Some((parent, history)));
        self.joins.enter(&session, Some((parent.id, awaited)));
        self.enter_tree(&session);
        self.open_children += 1;
        self.counts.branches.children_spawned += 1;
        let first = self.workload.conversations[child.0].turns.first();
        let delay = first.and_then(|turn| turn.delay).filter(|_| !self.is_without_pauses()).unwrap_or_default();
        if first.is_none() {
            log::warn!("a branch of session {} could not be started", parent.correlation_id);
            self.end_session(&session, RequestOutcome::Failed, at, None);
            return;
        }
        self.counts.branches.children_delayed += u64::from(delay > Nanos::ZERO);
        let body = body.map_or(TurnBody::Fixed, TurnBody::FromReplies);
        let due = at + delay;
        self.put_turn(TurnToSend { due, session, turn: 0, body, queued: LimitHits::default() });
    }

    pub(super) fn end_session(
        &mut self,
        session: &Arc<Session>,
        outcome: RequestOutcome,
        at: Mono,
        mode: Option<&dyn LoadMode>,
    ) {
        if outcome == RequestOutcome::Failed {
            self.note_ended_early(session, at);
        }
        if session.is_root {
            self.sessions.leave();
            self.open_roots -= 1;
            match outcome {
                RequestOutcome::CutOff => self.counts.sessions_cut += 1,
                _ => self.counts.sessions_completed += 1,
            }
            self.environment.progress.set_sessions(self.counts.sessions_sent, self.counts.sessions_completed);
        } else {
            self.open_children -= 1;
            let failed = outcome == RequestOutcome::Failed || self.joins.has_failed(session.id);
            let branches = &mut self.counts.branches;
            match outcome {
                RequestOutcome::CutOff => branches.children_truncated += 1,
                _ if failed => branches.children_errored += 1,
                _ => branches.children_completed += 1,
            }
        }
        if !self.joins.is_member(session.id) {
            self.leave_tree(session);
            return;
        }
        let abandoned = self.joins.is_abandoned(session.id);
        match self.joins.leave(session.id) {
            Some(Released::Turn(parked)) => match mode {
                Some(mode) if !abandoned => {
                    self.counts.branches.parents_resumed += 1;
                    self.plan_turn(parked, at, mode);
                }
                _ => {
                    self.counts.branches.joins_suppressed += 1;
                    self.counts.branches.parents_failed_due_to_child_error += u64::from(abandoned);
                    self.end_session(&parked.session, outcome, at, mode);
                }
            },
            Some(Released::RoundOver(orchestrator)) => {
                self.counts.branches.parents_resumed += 1;
                self.round_over(orchestrator, at, mode);
            }
            None => {}
        }
        self.leave_tree(session);
    }

    fn round_over(&mut self, orchestrator: SessionKey, at: Mono, mode: Option<&dyn LoadMode>) {
        let Some(session) = self.joins.session(orchestrator) else { return };
        let begun = self.joins.rounds_begun(orchestrator);
        let next = match &self.workload.conversations[session.conversation].lineage {
            Lineage::Orchestrator(plan) => plan.rounds.get(begun).map(|round| round.think),
            _ => None,
        };
        if let Some(think) = next {
            self.plan_round(&session, begun, Some(think), at);
        } else {
            self.counts.branches.graphs_completed_to_end += 1;
            self.end_session(&session, RequestOutcome::Success, at, mode);
        }
    }

    pub(super) fn plan_round(&mut self, session: &Arc<Session>, round: usize, think: Option<ThinkTime>, at: Mono) {
        let pause = think.map_or(Nanos::ZERO, |think| self.draw_think(think, session, round));
        self.agenda.put(at + pause, AgendaItem::Round(session.id));
    }

    fn draw_think(&self, think: ThinkTime, session: &Session, round: usize) -> Nanos {
        let mut millis = think.median_ms;
        if think.sigma > 0.0 {
            let mut draws = self.workload.seed.stream(&format!("dag_think:{}:{round}", session.id.0));
            millis *= (think.sigma * draws.standard_normal()).exp();
        }
        let millis = millis.max(think.min_ms.unwrap_or(0.0)).min(think.max_ms.unwrap_or(f64::INFINITY));
        Nanos::from_secs_f64(millis / 1e3)
    }

    pub(super) fn begin_round(&mut self, orchestrator: SessionKey, now: Mono, mode: &dyn LoadMode) {
        let Some((session, round)) = self.joins.begin_round(orchestrator) else { return };
        let conversations = Arc::clone(&self.workload.conversations);
        let Lineage::Orchestrator(plan) = &conversations[session.conversation].lineage else { return };
        let children = plan.rounds.get(round).map_or(&[][..], |round| round.children.as_slice());
        if children.is_empty() {
            self.round_over(orchestrator, now, Some(mode));
        } else {
            self.counts.branches.parents_suspended += 1;
        }
        for child in children {
            self.spawn(&session, *child, Awaited::Round, None, None, now);
        }
    }
}
