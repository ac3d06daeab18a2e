//! What an agentic replay does with its sessions: enters them in the middle, primes the server's cache with the prompt
//! before that point, and continues them.

use std::sync::Arc;

use aiperf_clock::{Mono, Nanos};
use aiperf_config::PhaseConfig;
use aiperf_conversation::BranchCounts;

use super::agenda::{AgendaItem, LimitHits, TurnToSend};
use super::branch_joins::{Awaited, ParkedTurn};
use super::phase_state::PhaseState;
use super::replay_lanes::{HeldTurn, ReplayLanes, ResumePoint};
use crate::phase::{PhaseCounts, ReplayEntry, ReplayOutcome};
use crate::request::credit::{Session, TurnBody};
use crate::schedule::{Trajectory, TrajectoryStream};
use crate::scheduler::ramped_limit::RampedLimit;
use crate::sent_journal::CreditNumbers;

/// A request of the warm-up, before it is known when it is sent.
struct ToPrime {
    session: Arc<Session>,
    turn: usize,
    /// How long before the start point it was sent in the recording.
    before: Nanos,
}

impl<'a> PhaseState<'a> {
    /// Draws the first session of each lane and its start point, and plans the requests that prime it.
    pub(super) fn enter_recordings(&mut self) {
        let Some(options) = self.lanes.as_ref().map(|lanes| lanes.options) else { return };
        let mut to_prime = Vec::new();
        for lane in 0..options.lanes {
            let (root, _) = self.draw();
            let name = Arc::clone(&self.workload.conversations[root].session_id);
            let draw = self.workload.seed.stream(&format!("timing.trajectory:{name}:{lane}")).unit();
            let ratio = options.start_min + draw * (options.start_max - options.start_min);
            let Trajectory { streams, ended } = Trajectory::new(&self.workload.conversations, root, ratio);
            let entry = ReplayEntry {
                session_id: name,
                ratio,
                root_next: streams.first().map_or(0, |root| root.sent),
                root_turns: self.workload.conversations[root].turns.len(),
                live: streams.iter().filter(|stream| stream.is_live()).count(),
            };
            log::info!(
                "lane {lane:02}: session {} starts at {:.0} % of its recorded time; next turn {} of {}, {} active lines of requests",
                entry.session_id,
                entry.ratio * 100.0,
                entry.root_next,
                entry.root_turns,
                entry.live
            );
            if let Some(lanes) = &mut self.lanes {
                lanes.outcome.entries.push(entry);
            }
            self.enter_tree_in_the_middle(&streams, &ended, &mut to_prime);
        }
        let longest = to_prime.iter().map(|request| request.before).max().unwrap_or_default();
        for ToPrime { session, turn, before } in to_prime {
            if let Some(lanes) = &mut self.lanes {
                lanes.await_primed(&session, turn);
            }
            // All lanes reach their start points at the same time.
            let wait = if options.burst { Nanos::ZERO } else { Nanos(longest.0 - before.0) };
            self.plan_at(self.start + wait, session, turn);
        }
    }

    fn enter_tree_in_the_middle(&mut self, streams: &[TrajectoryStream], ended: &[usize], to_prime: &mut Vec<ToPrime>) {
        let mut sessions: Vec<Arc<Session>> = Vec::with_capacity(streams.len());
        for stream in streams {
            let parent = stream.parent.map(|(place, join)| (Arc::clone(&sessions[place]), join));
            let correlation_id = self.new_correlation_id();
            let starter = parent.as_ref().map(|(parent, _)| (&**parent, None));
            let session = self.open(stream.conversation, correlation_id, None, starter);
            sessions.push(Arc::clone(&session));
            let is_root = parent.is_none();
            self.counts.sessions_sent += u64::from(is_root);
            let Some(after) = stream.resumes else {
                self.counts.sessions_completed += u64::from(is_root);
                continue;
            };
            let awaited = parent.map(|(parent, join)| (parent.id, join.map_or(Awaited::Nothing, Awaited::Join)));
            self.joins.enter(&session, awaited);
            self.enter_tree(&session);
            if is_root {
                self.open_roots += 1;
            } else {
                self.open_children += 1;
            }
            if let Some(before) = stream.last_sent {
                to_prime.push(ToPrime { session: Arc::clone(&session), turn: stream.sent - 1, before });
            }
            if let Some(lanes) = &mut self.lanes {
                lanes.resume_points.push(ResumePoint { session, turn: stream.sent, after });
            }
        }
        let (Some(lanes), Some(root)) = (&mut self.lanes, sessions.first()) else { return };
        let sent = streams.iter().map(|stream| (stream.conversation, stream.sent));
        for (conversation, turns) in sent.chain(ended.iter().map(|conversation| (*conversation, usize::MAX))) {
            lanes.note_answered(root.number, conversation, turns);
        }
    }

    /// The turn is sent when it is due, and, in an agentic replay, when all has been answered that had been before it was
    /// recorded.
    pub(super) fn put_turn(&mut self, turn: TurnToSend) {
        let Some(lanes) = &mut self.lanes else { return self.agenda.put(turn.due, AgendaItem::Turn(turn)) };
        let prepared = &self.workload.conversations[turn.session.conversation].turns[turn.turn];
        let held = HeldTurn { after: prepared.answered_before.clone(), turn };
        if let Some(HeldTurn { turn, .. }) = lanes.hold(held) {
            self.agenda.put(turn.due, AgendaItem::Turn(turn));
        }
    }

    pub(super) fn note_answered(&mut self, session: &Session, turns: usize, at: Mono) {
        let Some(lanes) = &mut self.lanes else { return };
        let free = lanes.note_answered(session.number, session.conversation, turns);
        self.release(free, at);
    }

    pub(super) fn note_ended_early(&mut self, session: &Session, at: Mono) {
        let Some(lanes) = &mut self.lanes else { return };
        let free = lanes.note_ended_early(session, &self.workload.conversations);
        self.release(free, at);
    }

    fn release(&mut self, free: Vec<HeldTurn>, at: Mono) {
        for HeldTurn { turn, .. } in free {
            let due = turn.due.max(at);
            self.agenda.put(due, AgendaItem::Turn(TurnToSend { due, ..turn }));
        }
    }

    fn plan_at(&mut self, due: Mono, session: Arc<Session>, turn: usize) {
        let body = TurnBody::Fixed;
        self.agenda.put(due, AgendaItem::Turn(TurnToSend { due, session, turn, body, queued: LimitHits::default() }));
    }

    /// Continues every line that the warm-up has primed.
    fn resume(&mut self, from: Mono, at_once: bool) {
        let Some(lanes) = &mut self.lanes else { return };
        for ResumePoint { session, turn, after } in std::mem::take(&mut lanes.resume_points) {
            if self.joins.must_wait(session.id, turn) {
                self.counts.branches.parents_suspended += 1;
                self.joins.park(ParkedTurn { session, turn, body: None, last_due: from });
            } else {
                let due = if at_once { from } else { from + after };
                let body = TurnBody::Fixed;
                self.put_turn(TurnToSend { due, session, turn, body, queued: LimitHits::default() });
            }
        }
    }

    /// Takes the replay from one of its stages to the next. Returns whether the phase has sent all that it will send.
    pub(super) fn advance_replay(&mut self, now: Mono) -> bool {
        let nothing_left = self.agenda.next_at().is_none() && self.ready.is_empty();
        let Some(lanes) = &mut self.lanes else { return false };
        match lanes.options.cache_warmup {
            None if lanes.is_priming() && nothing_left => return true,
            Some(duration) if lanes.is_priming() && lanes.is_primed() => {
                log::info!(
                    "All sessions have reached their start points; filling the cache for {} s",
                    duration.as_secs_f64()
                );
                lanes.start_cache_fill(now + duration.into());
                self.resume(now, true);
            }
            _ if lanes.cache_fill_ends().is_some_and(|until| now >= until) => {
                lanes.end_cache_fill();
                return true;
            }
            _ => {}
        }
        false
    }

    /// Whether the warm-up failed, so that the measured phase has nothing to continue.
    pub(super) fn has_failed_warmup(&self) -> bool {
        self.lanes.as_ref().is_some_and(ReplayLanes::has_failed)
    }

    /// Whether the next phase may begin: every priming request is back.
    pub(super) fn is_settled(&self) -> bool {
        self.lanes.as_ref().is_none_or(|lanes| !lanes.is_priming() || lanes.is_primed())
    }

    /// While nothing is in flight, the next request comes within the idle cap, and all others are moved by the same time. Only
    /// after everything that is due was sent is it known that nothing is: a lane that became free gets its next session first.
    pub(super) fn shorten_idle_time(&mut self, now: Mono) {
        let is_idle = self.in_flight() == 0 && self.ready.is_empty() && self.starts.is_empty();
        let (Some(lanes), Some(next)) = (&mut self.lanes, self.agenda.next_at()) else { return };
        let Some(cap) = lanes.options.idle_cap.filter(|_| is_idle) else { return };
        let latest = (self.last_return + cap.into()).max(now);
        let too_late = next.since(latest);
        if too_late > Nanos::ZERO {
            lanes.outcome.idle_jumps += 1;
            lanes.outcome.idle_skipped = lanes.outcome.idle_skipped + too_late;
            lanes.advance_by(too_late);
            self.agenda.advance_by(too_late);
        }
    }

    /// Continues the same sessions in another phase.
    pub(super) fn enter_phase(&mut self, index: usize, phase: &'a PhaseConfig) {
        self.index = index;
        self.phase = phase;
        self.numbers = CreditNumbers::new(self.environment.progress.journal(), index);
        self.start = self.now();
        self.last_return = self.start;
        self.prefill = RampedLimit::new(phase.prefill_limit, phase.prefill_ramp, self.start, self.seed);
        self.environment.progress.begin(index, phase.kind, phase.stop.requests, self.start);
        let Some(lanes) = &mut self.lanes else { return };
        let open = lanes.open_trees() as u64;
        // A session that was entered after the end of its main line consists of agents only.
        let sessions_completed = open - self.open_roots;
        // Children that continue count as started, so that no more can end than were started.
        let branches = BranchCounts { children_spawned: self.open_children, ..BranchCounts::default() };
        self.counts = PhaseCounts { sessions_sent: open, sessions_completed, branches, ..PhaseCounts::default() };
        let (is_primed, at_once) = (lanes.is_priming(), lanes.options.burst);
        lanes.replay();
        if is_primed {
            self.resume(self.start, at_once);
        }
    }

    /// Whether what was not sent is left to the next phase.
    pub(super) fn is_handed_over(&self) -> bool {
        self.lanes.as_ref().is_some_and(|lanes| !lanes.is_replaying() && !lanes.has_failed())
    }

    pub(super) fn is_without_pauses(&self) -> bool {
        self.lanes.as_ref().is_some_and(ReplayLanes::is_filling_cache)
    }

    pub(super) fn enter_tree(&mut self, session: &Session) {
        if let Some(lanes) = &mut self.lanes {
            lanes.enter(session);
        }
    }

    pub(super) fn leave_tree(&mut self, session: &Session) {
        if let Some(lanes) = &mut self.lanes {
            lanes.leave(session.number);
        }
    }

    pub(super) fn replay_outcome(&self) -> Option<ReplayOutcome> {
        let outcome = self.lanes.as_ref()?.outcome.clone();
        log::info!(
            "Shortened {} idle periods by {:.3} s in total",
            outcome.idle_jumps,
            outcome.idle_skipped.as_secs_f64()
        );
        Some(outcome)
    }
}
