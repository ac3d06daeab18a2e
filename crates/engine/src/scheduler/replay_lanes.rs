//! The sessions of an agentic replay, each with all the agents that it started: how many of a tree are still open, how far
//! the replay is, and what is to go on when the warmup is over.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use aiperf_clock::{Mono, Nanos};
use aiperf_config::{AgenticReplay, Pace};

use super::agenda::TurnToSend;
use crate::phase::ReplayOutcome;
use crate::plan::PreparedConversation;
use crate::request::credit::{FollowUpNeed, Session, SessionKey};

#[derive(Debug)]
pub(super) struct Trees {
    pub(super) options: AgenticReplay,
    stage: Stage,
    /// By the number that the sessions of a tree share.
    all: HashMap<u64, Tree>,
    /// Lanes without a tree.
    free: usize,
    /// Requests that lead up to where sessions are entered and are not back yet.
    unprimed: HashSet<(SessionKey, usize)>,
    /// Sessions that the warmup has brought to where they go on.
    pub(super) waiting: Vec<Waiting>,
    root_failed: bool,
    pub(super) outcome: ReplayOutcome,
}

/// A line of requests at the point where its session is entered.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) session: Arc<Session>,
    /// What it sends next.
    pub(super) turn: usize,
    /// How long after the point that was sent when it was recorded.
    pub(super) after: Nanos,
}

/// How far the replay is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The last request of every line before the point.
    Priming,
    /// All lines go on without pauses, to fill the server's cache.
    Pressing { until: Mono },
    /// That is over, and its last answers come in.
    Paused,
    /// As it was recorded.
    Replaying,
}

impl Trees {
    pub(super) fn of(pace: &Pace) -> Option<Self> {
        let Pace::AgenticReplay(options) = pace else { return None };
        Some(Self {
            options: *options,
            stage: Stage::Priming,
            all: HashMap::new(),
            free: 0,
            unprimed: HashSet::new(),
            waiting: Vec::new(),
            root_failed: false,
            outcome: ReplayOutcome::default(),
        })
    }

    pub(super) fn is_replaying(&self) -> bool {
        self.stage == Stage::Replaying
    }

    pub(super) fn is_priming(&self) -> bool {
        self.stage == Stage::Priming
    }

    /// Whether turns follow each other at once.
    pub(super) fn is_pressing(&self) -> bool {
        matches!(self.stage, Stage::Pressing { .. })
    }

    pub(super) fn pressing_until(&self) -> Option<Mono> {
        if let Stage::Pressing { until } = self.stage { Some(until) } else { None }
    }

    pub(super) fn press(&mut self, until: Mono) {
        self.stage = Stage::Pressing { until };
    }

    pub(super) fn pause(&mut self) {
        self.stage = Stage::Paused;
    }

    pub(super) fn replay(&mut self) {
        self.stage = Stage::Replaying;
        self.outcome.trees_completed = 0;
        self.outcome.idle_jumps = 0;
        self.outcome.idle_skipped = Nanos::ZERO;
    }

    /// A failed answer is read before a line goes on: the prompt may have been too long. In the warmup all are read.
    pub(super) fn follow_up(&self) -> FollowUpNeed {
        if self.is_priming() { FollowUpNeed::Always } else { FollowUpNeed::OnFailure }
    }

    pub(super) fn await_primed(&mut self, session: &Session, turn: usize) {
        self.unprimed.insert((session.id, turn));
    }

    /// Takes in the end of a request that leads up to where its session is entered. Says whether it was one: nothing
    /// follows from it, however late it comes.
    pub(super) fn note_primed(&mut self, session: &Session, turn: usize, failed: bool) -> bool {
        let was_awaited = self.unprimed.remove(&(session.id, turn));
        self.root_failed |= was_awaited && failed && session.is_root && self.is_priming();
        was_awaited
    }

    pub(super) fn is_primed(&self) -> bool {
        self.unprimed.is_empty()
    }

    /// Whether a session's main line could not be brought to where it goes on.
    pub(super) fn has_failed(&self) -> bool {
        self.root_failed
    }

    /// A lane is free, and may be given a session.
    pub(super) fn has_free_lane(&self) -> bool {
        self.free > 0 && (self.is_replaying() || self.is_pressing())
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

    /// So many turns of a conversation have been answered. Says which turns of others waited for that.
    pub(super) fn note_answered(&mut self, number: u64, conversation: usize, turns: usize) -> Vec<Held> {
        let Some(tree) = self.all.get_mut(&number) else { return Vec::new() };
        let known = tree.answered.entry(conversation).or_default();
        *known = turns.max(*known);
        tree.take_free()
    }

    /// A line has ended early: nobody waits for what was to come of it, nor for agents that it has not started.
    pub(super) fn note_ended_early(&mut self, session: &Session, conversations: &[PreparedConversation]) -> Vec<Held> {
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

    /// Keeps a turn until all has been answered that had been before it was recorded; gives it back if that is so.
    pub(super) fn hold(&mut self, held: Held) -> Option<Held> {
        match self.all.get_mut(&held.turn.session.number) {
            Some(tree) if !tree.allows(&held.after) => {
                tree.held.push(held);
                None
            }
            _ => Some(held),
        }
    }

    /// Turns that wait for others come earlier by as much, too.
    pub(super) fn move_forward(&mut self, by: Nanos) {
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
struct Tree {
    open: usize,
    /// Turns that have been answered, by conversation; nothing of one that has not begun.
    answered: HashMap<usize, usize>,
    held: Vec<Held>,
}

/// A turn, and what must have been answered before it: conversation and turn.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) turn: TurnToSend,
    pub(super) after: Vec<(usize, usize)>,
}

impl Tree {
    fn allows(&self, after: &[(usize, usize)]) -> bool {
        let answered = |conversation: &usize| self.answered.get(conversation).copied().unwrap_or(0);
        after.iter().all(|(conversation, turn)| answered(conversation) > *turn)
    }

    fn take_free(&mut self) -> Vec<Held> {
        let (free, held) = std::mem::take(&mut self.held).into_iter().partition(|held| self.allows(&held.after));
        self.held = held;
        free
    }
}
