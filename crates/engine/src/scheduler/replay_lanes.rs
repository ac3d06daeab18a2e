//! The lanes of an agentic replay: one session with all the agents that it started on each, how far the replay is, and
//! what continues when the warm-up is over.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use aiperf_clock::{Mono, Nanos};
use aiperf_config::{AgenticReplay, Pace};

use super::agenda::TurnToSend;
use crate::phase::ReplayOutcome;
use crate::plan::PreparedConversation;
use crate::request::credit::{FollowUpNeed, Session, SessionKey};

#[derive(Debug)]
pub(super) struct ReplayLanes {
    pub(super) options: AgenticReplay,
    stage: ReplayStage,
    /// Trees by the number that their sessions share.
    all: HashMap<u64, SessionTree>,
    /// Lanes without a tree.
    free: usize,
    /// Priming requests that are not back yet.
    unprimed: HashSet<(SessionKey, usize)>,
    /// Where primed sessions continue.
    pub(super) resume_points: Vec<ResumePoint>,
    root_failed: bool,
    pub(super) outcome: ReplayOutcome,
}

/// A line of requests at the start point of its session.
#[derive(Debug)]
pub(super) struct ResumePoint {
    pub(super) session: Arc<Session>,
    /// The turn that it sends next.
    pub(super) turn: usize,
    /// How long after the start point that turn was sent in the recording.
    pub(super) after: Nanos,
}

/// How far the replay is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReplayStage {
    /// The last request of every line before its start point is sent.
    Priming,
    /// All lines continue without pauses, to fill the server's cache.
    FillingCache { until: Mono },
    /// Filling the cache is over, and its last replies come in.
    CacheFilled,
    /// Sessions continue as they were recorded.
    Replaying,
}

impl ReplayLanes {
    pub(super) fn of(pace: &Pace) -> Option<Self> {
        let Pace::AgenticReplay(options) = pace else { return None };
        Some(Self {
            options: *options,
            stage: ReplayStage::Priming,
            all: HashMap::new(),
            free: 0,
            unprimed: HashSet::new(),
            resume_points: Vec::new(),
            root_failed: false,
            outcome: ReplayOutcome::default(),
        })
    }

    pub(super) fn is_replaying(&self) -> bool {
        self.stage == ReplayStage::Replaying
    }

    pub(super) fn is_priming(&self) -> bool {
        self.stage == ReplayStage::Priming
    }

    /// Whether turns follow each other at once.
    pub(super) fn is_filling_cache(&self) -> bool {
        matches!(self.stage, ReplayStage::FillingCache { .. })
    }

    pub(super) fn cache_fill_ends(&self) -> Option<Mono> {
        if let ReplayStage::FillingCache { until } = self.stage { Some(until) } else { None }
    }

    pub(super) fn start_cache_fill(&mut self, until: Mono) {
        self.stage = ReplayStage::FillingCache { until };
    }

    pub(super) fn end_cache_fill(&mut self) {
        self.stage = ReplayStage::CacheFilled;
    }

    pub(super) fn replay(&mut self) {
        self.stage = ReplayStage::Replaying;
        self.outcome.trees_completed = 0;
        self.outcome.idle_jumps = 0;
        self.outcome.idle_skipped = Nanos::ZERO;
    }

    /// A failed reply is read before its line continues: the prompt may have been too long. While priming all are read.
    pub(super) fn follow_up(&self) -> FollowUpNeed {
        if self.is_priming() { FollowUpNeed::Always } else { FollowUpNeed::OnFailure }
    }

    pub(super) fn await_primed(&mut self, session: &Session, turn: usize) {
        self.unprimed.insert((session.id, turn));
    }

    /// Takes in the end of a request. Returns whether it was a priming request: no turn follows one, however late it comes.
    pub(super) fn note_primed(&mut self, session: &Session, turn: usize, failed: bool) -> bool {
        let was_awaited = self.unprimed.remove(&(session.id, turn));
        self.root_failed |= was_awaited && failed && session.is_root && self.is_priming();
        was_awaited
    }

    pub(super) fn is_primed(&self) -> bool {
        self.unprimed.is_empty()
    }

    /// Whether the main line of a session could not be primed.
    pub(super) fn has_failed(&self) -> bool {
        self.root_failed
    }

    /// A lane is free, and may be given a session.
    pub(super) fn has_free_lane(&self) -> bool {
        self.free > 0 && (self.is_replaying() || self.is_filling_cache())
    }

    pub(super) fn open_trees(&self) -> usize {
        self.all.len()
    }

    pub(super) fn enter(&mut self, session: &Session) {
        if !self.all.contains_key(&session.number) {
            self.free = self.free.saturating_sub(1);
        }
        let tree = self.all.entry(session.number).or_default();
        tree.open += 1;
        tree.answered.entry(session.conversation).or_default();
    }

    pub(super) fn leave(&mut self, number: u64) {
        let Some(tree) = self.all.get_mut(&number) else { return };
        tree.open -= 1;
        if tree.open == 0 {
            self.all.remove(&number);
            self.free += 1;
            self.outcome.trees_completed += 1;
        }
    }

    /// Notes how many turns of a conversation have been answered. Returns the turns of others that waited for that.
    pub(super) fn note_answered(&mut self, number: u64, conversation: usize, turns: usize) -> Vec<HeldTurn> {
        let Some(tree) = self.all.get_mut(&number) else { return Vec::new() };
        let known = tree.answered.entry(conversation).or_default();
        *known = turns.max(*known);
        tree.take_free()
    }

    /// Notes that a line has ended early: no turn waits for the rest of it, nor for agents that it has not started.
    pub(super) fn note_ended_early(
        &mut self,
        session: &Session,
        conversations: &[PreparedConversation],
    ) -> Vec<HeldTurn> {
        let Some(tree) = self.all.get_mut(&session.number) else { return Vec::new() };
        let mut never = vec![session.conversation];
        while let Some(conversation) = never.pop() {
            tree.answered.insert(conversation, usize::MAX);
            let branches = conversations[conversation].turns.iter().flat_map(|turn| &turn.branches);
            let children = branches.flat_map(|branch| &branch.children).map(|child| child.0);
            never.extend(children.filter(|child| !tree.answered.contains_key(child)));
        }
        tree.take_free()
    }

    /// Keeps a turn until everything is answered that was answered before it in the recording; returns it if that is so.
    pub(super) fn hold(&mut self, held: HeldTurn) -> Option<HeldTurn> {
        match self.all.get_mut(&held.turn.session.number) {
            Some(tree) if !tree.allows(&held.after) => {
                tree.held.push(held);
                None
            }
            _ => Some(held),
        }
    }

    /// Moves the turns that wait for others to an earlier time.
    pub(super) fn advance_by(&mut self, by: Nanos) {
        for held in self.all.values_mut().flat_map(|tree| &mut tree.held) {
            held.turn.due = held.turn.due - by;
        }
    }

    /// Forgets all that was not sent.
    pub(super) fn clear(&mut self) {
        self.all.values_mut().for_each(|tree| tree.held.clear());
    }
}

/// A session with all the agents that it started.
#[derive(Debug, Default)]
struct SessionTree {
    open: usize,
    /// By conversation, how many turns have been answered; without an entry it has not begun.
    answered: HashMap<usize, usize>,
    held: Vec<HeldTurn>,
}

/// A turn, and what must have been answered before it: conversation and turn.
#[derive(Debug)]
pub(super) struct HeldTurn {
    pub(super) turn: TurnToSend,
    pub(super) after: Vec<(usize, usize)>,
}

impl SessionTree {
    fn allows(&self, after: &[(usize, usize)]) -> bool {
        let answered = |conversation: &usize| self.answered.get(conversation).copied().unwrap_or(0);
        after.iter().all(|(conversation, turn)| answered(conversation) > *turn)
    }

    fn take_free(&mut self) -> Vec<HeldTurn> {
        let (free, held) = std::mem::take(&mut self.held).into_iter().partition(|held| self.allows(&held.after));
        self.held = held;
        free
    }
}
