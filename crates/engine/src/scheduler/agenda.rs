//! Turns and sessions that wait: for a time, for an arrival, for room.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::sync::Arc;

use aiperf_clock::{Mono, Nanos};

use crate::request::credit::{Session, SessionKey, TurnBody};

/// A turn of an open session that waits to be sent.
#[derive(Debug)]
pub(super) struct TurnToSend {
    pub(super) due: Mono,
    pub(super) session: Arc<Session>,
    pub(super) turn: usize,
    pub(super) body: TurnBody,
    pub(super) queued: LimitHits,
}

/// A session that waits to be started.
#[derive(Debug)]
pub(super) struct SessionToStart {
    pub(super) due: Mono,
    pub(super) conversation: usize,
    /// `None`: a random id.
    pub(super) correlation_id: Option<String>,
    /// How many of its turns it sends; `None`: all.
    pub(super) turns: Option<usize>,
    pub(super) queued: LimitHits,
}

/// How often limits had stopped the queues when an item entered one. If the number is higher when the item leaves,
/// a limit held the item back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct LimitHits(pub(super) u64);

/// Something that happens at a known time.
#[derive(Debug)]
pub(super) enum AgendaItem {
    Turn(TurnToSend),
    /// The next round of an orchestrator begins.
    Round(SessionKey),
}

/// What happens at known times, in order of time; at equal times in the order it was put in.
#[derive(Debug, Default)]
pub(super) struct Agenda {
    entries: BinaryHeap<Reverse<AgendaEntry>>,
    order: u64,
}

#[derive(Debug)]
struct AgendaEntry {
    at: Mono,
    order: u64,
    item: AgendaItem,
}

impl Agenda {
    pub(super) fn put(&mut self, at: Mono, item: AgendaItem) {
        self.order += 1;
        self.entries.push(Reverse(AgendaEntry { at, order: self.order, item }));
    }

    pub(super) fn next_at(&self) -> Option<Mono> {
        self.entries.peek().map(|Reverse(entry)| entry.at)
    }

    pub(super) fn take_due(&mut self, now: Mono) -> Option<AgendaItem> {
        if self.next_at()? > now {
            return None;
        }
        self.entries.pop().map(|Reverse(entry)| entry.item)
    }

    /// Moves everything to an earlier time, without changing the order.
    pub(super) fn advance_by(&mut self, by: Nanos) {
        let moved = std::mem::take(&mut self.entries).into_iter().map(|Reverse(mut entry)| {
            entry.at = entry.at - by;
            if let AgendaItem::Turn(turn) = &mut entry.item {
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

impl PartialEq for AgendaEntry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for AgendaEntry {}
impl PartialOrd for AgendaEntry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for AgendaEntry {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.at, self.order).cmp(&(other.at, other.order))
    }
}
