//! Turns that wait: for a time, for an arrival, for room.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::sync::Arc;

use aiperf_clock::{Mono, Nanos};

use crate::request::credit::{Session, SessionKey, TurnBody};

/// A turn of an open session that only waits to be let out.
#[derive(Debug)]
pub(super) struct TurnToSend {
    pub(super) due: Mono,
    pub(super) session: Arc<Session>,
    pub(super) turn: usize,
    pub(super) body: TurnBody,
    pub(super) queued: Queued,
}

/// A session that only waits to be let in.
#[derive(Debug)]
pub(super) struct SessionToStart {
    pub(super) due: Mono,
    pub(super) conversation: usize,
    /// `None`: a random one.
    pub(super) correlation_id: Option<String>,
    /// Sends only its first turns.
    pub(super) turns: Option<usize>,
    pub(super) queued: Queued,
}

/// How often a limit had stopped the queue when something entered it. If it has stopped again by the time that leaves,
/// a limit held it back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Queued(pub(super) u64);

/// Something that is to happen later.
#[derive(Debug)]
pub(super) enum Later {
    Turn(TurnToSend),
    /// The next round of an orchestrator.
    Round(SessionKey),
}

/// What is to happen, in order of time; at equal times in the order it was put in.
#[derive(Debug, Default)]
pub(super) struct Agenda {
    entries: BinaryHeap<Reverse<Entry>>,
    order: u64,
}

#[derive(Debug)]
struct Entry {
    at: Mono,
    order: u64,
    what: Later,
}

impl Agenda {
    pub(super) fn put(&mut self, at: Mono, what: Later) {
        self.order += 1;
        self.entries.push(Reverse(Entry { at, order: self.order, what }));
    }

    pub(super) fn next_at(&self) -> Option<Mono> {
        self.entries.peek().map(|Reverse(entry)| entry.at)
    }

    pub(super) fn take_due(&mut self, now: Mono) -> Option<Later> {
        if self.next_at()? > now {
            return None;
        }
        self.entries.pop().map(|Reverse(entry)| entry.what)
    }

    /// Moves everything to an earlier time, and leaves the order as it is.
    pub(super) fn move_forward(&mut self, by: Nanos) {
        let moved = std::mem::take(&mut self.entries).into_iter().map(|Reverse(mut entry)| {
            entry.at = entry.at - by;
            if let Later::Turn(turn) = &mut entry.what {
                turn.due = turn.due - by;
            }
            Reverse(entry)
        });
        self.entries = moved.collect();
    }

    pub(super) fn clear(&mut self) {
        self.entries.clear();
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Entry {}
impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.at, self.order).cmp(&(other.at, other.order))
    }
}
