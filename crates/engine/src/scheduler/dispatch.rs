//! How sessions start and turns are handed to their workers.

use std::sync::{Arc, Mutex};

use aiperf_clock::Nanos;
use aiperf_config::{Cancellation, Pace, PhaseKind};
use aiperf_conversation::{BranchKind, Lineage};
use aiperf_endpoint::History;
use aiperf_protocol::RequestOutcome;

use super::agenda::{SessionToStart, TurnToSend};
use super::branch_joins::Awaited;
use super::phase_state::PhaseState;
use crate::plan::EngineError;
use crate::request::bodies::{Began, ConversationLease};
use crate::request::credit::{Credit, FollowUpNeed, Session, SessionKey, TurnBody};

impl PhaseState<'_> {
    pub(super) fn start(&mut self, start: SessionToStart) -> Result<(), EngineError> {
        let correlation_id = start.correlation_id.unwrap_or_else(|| self.new_correlation_id());
        let session = self.open(start.conversation, correlation_id, start.turns, None);
        self.admit();
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
            self.end_session(&session, RequestOutcome::Success, start.due, None);
            return Ok(());
        }
        let (due, queued) = (start.due, start.queued);
        self.issue(TurnToSend { due, session, turn: 0, body: TurnBody::Fixed, queued })
    }

    /// Counts a root session that starts.
    pub(super) fn admit(&mut self) {
        self.counts.sessions_sent += 1;
        self.environment.progress.set_sessions(self.counts.sessions_sent, self.counts.sessions_completed);
        self.open_roots += 1;
        self.sessions.enter();
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
        let worker =
            if self.lanes.is_some() { self.run.take_worker() } else { self.run.choose_worker(self.is_closed_loop) };
        self.open_on(worker, conversation, correlation_id, turns, parent)
    }

    /// The same for a worker that is known.
    pub(super) fn open_on(
        &mut self,
        worker: usize,
        conversation: usize,
        correlation_id: String,
        turns: Option<usize>,
        parent: Option<(&Session, Option<History>)>,
    ) -> Arc<Session> {
        self.next_key += 1;
        let whole = self.workload.conversations[conversation].turns.len();
        let mode = self.workload.conversations[conversation].context_mode;
        let target = self.run.take_target();
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

    pub(super) fn issue(&mut self, turn: TurnToSend) -> Result<(), EngineError> {
        let (worker, is_root) = (turn.session.worker, turn.session.is_root);
        let credit = self.credit_of(turn);
        self.counts.arrivals_delayed += u64::from(credit.held_back);
        if !self.environment.dispatch.send(Credit { number: self.numbers.next(), ..credit }) {
            return Err(EngineError::WorkersGone);
        }
        self.note_sent(worker, is_root);
        Ok(())
    }

    /// The credit of a turn, without its number.
    pub(super) fn credit_of(&mut self, turn: TurnToSend) -> Credit {
        let TurnToSend { due, session, turn, body, queued } = turn;
        let cancel_after = self.draw_cancellation();
        let conversation = &self.workload.conversations[session.conversation];
        let is_last = turn + 1 >= session.turns;
        let forks =
            conversation.turns[turn].branches.iter().any(|branch| matches!(branch.kind, BranchKind::Fork { .. }));
        Credit {
            turn,
            number: 0,
            phase: self.index,
            due,
            issued: self.now().max(due),
            body,
            held_back: queued != self.limit_hits,
            cancel_after,
            watch_first_token: self.phase.prefill_limit.is_some(),
            follow_up: match &self.lanes {
                _ if (conversation.has_live_history() && !is_last) || forks => FollowUpNeed::Always,
                Some(lanes) => lanes.follow_up(),
                None => FollowUpNeed::Never,
            },
            is_single_token: self.lanes.as_ref().is_some_and(|lanes| !lanes.is_replaying()),
            is_last,
            session,
        }
    }

    /// Counts a request that a worker sends.
    pub(super) fn note_sent(&mut self, worker: usize, is_root: bool) {
        self.run.reach.note_try(self.now());
        self.prefill.enter();
        self.counts.sent += 1;
        self.run.in_flight[worker] += 1;
        self.run.roots_in_flight += usize::from(is_root);
        self.run.prefilling += 1;
        self.environment.progress.add_sent();
    }

    /// One draw per request, whether it is used or not, so that the choice does not depend on anything else. The draws of requests
    /// that other nodes send are passed over.
    fn draw_cancellation(&mut self) -> Option<Nanos> {
        let Cancellation { percent, delay } = self.phase.cancellation?;
        loop {
            let (number, draw) = (self.cancellations_drawn, self.cancellation_draws.unit());
            self.cancellations_drawn += 1;
            if self.phase.split.share.takes(number) {
                return (draw * 100.0 < percent).then(|| delay.into());
            }
        }
    }
}
