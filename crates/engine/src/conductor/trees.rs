//! The sessions of an agentic replay, each with all the agents that it started: how many of a tree are still open, how far
//! the replay is, and what is to go on when the warmup is over.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use aiperf_clock::{Mono, Nanos};
use aiperf_config::{AgenticReplay, Pace};

use crate::credit::{FollowUpNeed, Session, SessionKey};
use crate::phase::ReplayOutcome;

#[derive(Debug)]
pub(super) struct Trees {
    pub(super) options: AgenticReplay,
    stage: Stage,
    /// Open sessions of each tree, by the number that they share.
    open: HashMap<u64, usize>,
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
            open: HashMap::new(),
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
        self.open.len()
    }

    pub(super) fn enter(&mut self, number: u64) {
        match self.open.get_mut(&number) {
            Some(open) => *open += 1,
            None => {
                self.open.insert(number, 1);
                self.free = self.free.saturating_sub(1);
            }
        }
    }

    pub(super) fn leave(&mut self, number: u64) {
        let Some(open) = self.open.get_mut(&number) else { return };
        *open -= 1;
        if *open == 0 {
            self.open.remove(&number);
            self.free += 1;
            self.outcome.trees_completed += 1;
        }
    }
}
