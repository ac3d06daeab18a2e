//! What an agentic replay does with its sessions: enters them in the middle, brings the server to where they were, and
//! goes on with them.

use std::sync::Arc;

use aiperf_clock::{Mono, Nanos};
use aiperf_config::PhaseConfig;
use aiperf_conversation::BranchCounts;

use super::agenda::{Later, Queued, TurnToSend};
use super::branch_joins::{Awaited, Parked};
use super::phase_state::Floor;
use super::replay_lanes::{Held, Trees, Waiting};
use crate::phase::{PhaseCounts, ReplayEntry, ReplayOutcome};
use crate::request::credit::{Session, TurnBody};
use crate::schedule::{Trajectory, TrajectoryStream};
use crate::scheduler::ramped_limit::Gate;

/// A request of the warmup, before it is known when it is sent.
struct ToPrime {
    session: Arc<Session>,
    turn: usize,
    /// How long before the point it was sent.
    before: Nanos,
}

impl<'a> Floor<'a> {
    /// Draws the first session of each lane and a point of its time, and plans the requests that lead up to there.
    pub(super) fn enter_recordings(&mut self) {
        let Some(options) = self.trees.as_ref().map(|trees| trees.options) else { return };
        let mut to_prime = Vec::new();
        for lane in 0..options.lanes {
            let root = (self.plan.next_conversation)();
            let name = Arc::clone(&self.plan.conversations[root].session_id);
            let draw = self.plan.seed.stream(&format!("timing.trajectory:{name}:{lane}")).unit();
            let ratio = options.start_min + draw * (options.start_max - options.start_min);
            let Trajectory { streams, ended } = Trajectory::new(&self.plan.conversations, root, ratio);
            let entry = ReplayEntry {
                session_id: name,
                ratio,
                root_next: streams.first().map_or(0, |root| root.sent),
                root_turns: self.plan.conversations[root].turns.len(),
                live: streams.iter().filter(|stream| stream.is_live()).count(),
            };
            log::info!(
                "lane {lane:02}: {} is entered at {:.0} % of its time; next turn {} of {}, {} lines under way",
                entry.session_id,
                entry.ratio * 100.0,
                entry.root_next,
                entry.root_turns,
                entry.live
            );
            if let Some(trees) = &mut self.trees {
                trees.outcome.entries.push(entry);
            }
            self.enter_tree_in_the_middle(&streams, &ended, &mut to_prime);
        }
        let longest = to_prime.iter().map(|request| request.before).max().unwrap_or_default();
        for ToPrime { session, turn, before } in to_prime {
            if let Some(trees) = &mut self.trees {
                trees.await_primed(&session, turn);
            }
            // All lanes come to their points at the same time.
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
            self.families.enter(&session, awaited);
            self.enter_tree(&session);
            if is_root {
                self.open_roots += 1;
            } else {
                self.open_children += 1;
            }
            if let Some(before) = stream.last_sent {
                to_prime.push(ToPrime { session: Arc::clone(&session), turn: stream.sent - 1, before });
            }
            if let Some(trees) = &mut self.trees {
                trees.waiting.push(Waiting { session, turn: stream.sent, after });
            }
        }
        let (Some(trees), Some(root)) = (&mut self.trees, sessions.first()) else { return };
        let sent = streams.iter().map(|stream| (stream.conversation, stream.sent));
        for (conversation, turns) in sent.chain(ended.iter().map(|conversation| (*conversation, usize::MAX))) {
            trees.note_answered(root.number, conversation, turns);
        }
    }

    /// The turn is sent when it is due, and, in an agentic replay, when all has been answered that had been before it was
    /// recorded.
    pub(super) fn put_turn(&mut self, turn: TurnToSend) {
        let Some(trees) = &mut self.trees else { return self.agenda.put(turn.due, Later::Turn(turn)) };
        let prepared = &self.plan.conversations[turn.session.conversation].turns[turn.turn];
        let held = Held { after: prepared.answered_before.clone(), turn };
        if let Some(Held { turn, .. }) = trees.hold(held) {
            self.agenda.put(turn.due, Later::Turn(turn));
        }
    }

    pub(super) fn note_answered(&mut self, session: &Session, turns: usize, at: Mono) {
        let Some(trees) = &mut self.trees else { return };
        let free = trees.note_answered(session.number, session.conversation, turns);
        self.let_go(free, at);
    }

    pub(super) fn note_ended_early(&mut self, session: &Session, at: Mono) {
        let Some(trees) = &mut self.trees else { return };
        let free = trees.note_ended_early(session, &self.plan.conversations);
        self.let_go(free, at);
    }

    fn let_go(&mut self, free: Vec<Held>, at: Mono) {
        for Held { turn, .. } in free {
            let due = turn.due.max(at);
            self.agenda.put(due, Later::Turn(TurnToSend { due, ..turn }));
        }
    }

    fn plan_at(&mut self, due: Mono, session: Arc<Session>, turn: usize) {
        let body = TurnBody::Fixed;
        self.agenda.put(due, Later::Turn(TurnToSend { due, session, turn, body, queued: Queued::default() }));
    }

    /// Lets every line go on that the warmup has brought up to its point.
    fn resume(&mut self, from: Mono, at_once: bool) {
        let Some(trees) = &mut self.trees else { return };
        for Waiting { session, turn, after } in std::mem::take(&mut trees.waiting) {
            if self.families.must_wait(session.id, turn) {
                self.counts.branches.parents_suspended += 1;
                self.families.park(Parked { session, turn, body: None, last_due: from });
            } else {
                let due = if at_once { from } else { from + after };
                let body = TurnBody::Fixed;
                self.put_turn(TurnToSend { due, session, turn, body, queued: Queued::default() });
            }
        }
    }

    /// Takes the replay from one of its stages to the next, and shortens the time in which nothing happens. Says whether
    /// the phase has sent all that it will.
    pub(super) fn guide(&mut self, now: Mono) -> bool {
        let nothing_left = self.agenda.next_at().is_none() && self.ready.is_empty();
        let Some(trees) = &mut self.trees else { return false };
        match trees.options.cache_warmup {
            None if trees.is_priming() && nothing_left => return true,
            Some(duration) if trees.is_priming() && trees.is_primed() => {
                log::info!(
                    "All sessions have reached their start points; filling the cache for {} s",
                    duration.as_secs_f64()
                );
                trees.press(now + duration.into());
                self.resume(now, true);
            }
            _ if trees.pressing_until().is_some_and(|until| now >= until) => {
                trees.pause();
                return true;
            }
            _ => {}
        }
        self.shorten_idle_time(now);
        false
    }

    /// Whether the measured phase would have nothing to go on from.
    pub(super) fn has_failed_warmup(&self) -> bool {
        self.trees.as_ref().is_some_and(Trees::has_failed)
    }

    /// Whether all is known that the next phase goes on from.
    pub(super) fn is_settled(&self) -> bool {
        self.trees.as_ref().is_none_or(|trees| !trees.is_priming() || trees.is_primed())
    }

    /// While nothing is under way, the next request comes within the limit, and all others come earlier by as much.
    fn shorten_idle_time(&mut self, now: Mono) {
        let is_idle = self.in_flight() == 0 && self.ready.is_empty() && self.starts.is_empty();
        let (Some(trees), Some(next)) = (&mut self.trees, self.agenda.next_at()) else { return };
        let Some(cap) = trees.options.idle_cap.filter(|_| is_idle) else { return };
        let latest = (self.last_return + cap.into()).max(now);
        let too_late = next.since(latest);
        if too_late > Nanos::ZERO {
            trees.outcome.idle_jumps += 1;
            trees.outcome.idle_skipped = trees.outcome.idle_skipped + too_late;
            trees.move_forward(too_late);
            self.agenda.move_forward(too_late);
        }
    }

    /// The same sessions go on in another phase.
    pub(super) fn enter_phase(&mut self, index: usize, phase: &'a PhaseConfig) {
        self.index = index;
        self.phase = phase;
        self.start = Mono::now();
        self.last_return = self.start;
        self.prefill = Gate::new(phase.prefill_limit, phase.prefill_ramp, self.start, self.plan.seed);
        self.progress.begin(phase.kind, phase.stop.requests);
        let Some(trees) = &mut self.trees else { return };
        let open = trees.open_trees() as u64;
        // Of a session that was entered after the end of its main line only agents are left.
        let sessions_completed = open - self.open_roots;
        // Whoever goes on counts as started, so that no more can end than were.
        let branches = BranchCounts { children_spawned: self.open_children, ..BranchCounts::default() };
        self.counts = PhaseCounts { sessions_sent: open, sessions_completed, branches, ..PhaseCounts::default() };
        let (is_primed, at_once) = (trees.is_priming(), trees.options.burst);
        trees.replay();
        if is_primed {
            self.resume(self.start, at_once);
        }
    }

    /// Whether what was not sent is left to the next phase.
    pub(super) fn is_handed_over(&self) -> bool {
        self.trees.as_ref().is_some_and(|trees| !trees.is_replaying() && !trees.has_failed())
    }

    pub(super) fn is_without_pauses(&self) -> bool {
        self.trees.as_ref().is_some_and(Trees::is_pressing)
    }

    pub(super) fn enter_tree(&mut self, session: &Session) {
        if let Some(trees) = &mut self.trees {
            trees.enter(session);
        }
    }

    pub(super) fn leave_tree(&mut self, session: &Session) {
        if let Some(trees) = &mut self.trees {
            trees.leave(session.number);
        }
    }

    pub(super) fn replay_outcome(&self) -> Option<ReplayOutcome> {
        let outcome = self.trees.as_ref()?.outcome.clone();
        log::info!(
            "Shortened {} stretches without any request, by {:.3} s in total",
            outcome.idle_jumps,
            outcome.idle_skipped.as_secs_f64()
        );
        Some(outcome)
    }
}
