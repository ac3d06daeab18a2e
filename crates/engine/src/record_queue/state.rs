//! What is in the queue to the record threads, in which order it comes out, and which reader is woken for it.

use std::collections::VecDeque;
use std::sync::Arc;

use aiperf_transport::BodySegment;

use super::spill::SpilledExchange;
use super::{HeldBack, Wake};
use crate::request::finished::Finished;
use crate::request::streamed_body::StreamedBody;

/// With this many items in the queue another reader is woken, and a reader that waits for more items waits no longer.
pub(super) const GATHERED: usize = 64;
/// Most items that a reader takes at once.
const BATCH: usize = 32;
/// A reader takes no more items once it has this many bytes: others may be idle.
const BATCH_BYTES: usize = 64 * 1024;

/// One thing to do for a record thread.
#[derive(Debug)]
pub(super) enum QueueItem {
    Finished { finished: Box<Finished>, may_spill: bool },
    Segments(Arc<StreamedBody>),
    Spilled(Box<SpilledExchange>),
}

/// An item with the bytes of memory that are released when it is done. Those of segments are known when they are read.
#[derive(Debug)]
pub(super) struct HeldItem {
    pub(super) item: QueueItem,
    pub(super) bytes: usize,
}

#[derive(Debug)]
pub(super) struct RecordQueueState {
    /// A session waits for their records.
    urgent: VecDeque<HeldItem>,
    /// Parts of bodies that are still arriving.
    segments: VecDeque<HeldItem>,
    waiting: VecDeque<HeldItem>,
    /// Read back when nothing else is left to do.
    spilled: VecDeque<Box<SpilledExchange>>,
    pub(super) senders: usize,
    pub(super) readers: usize,
    /// Readers that sleep because the queue is empty.
    pub(super) asleep: usize,
    /// How many of the sleeping readers have been woken and do not run yet.
    pub(super) called: usize,
    /// Readers that were woken and wait for more items.
    pub(super) gathering: usize,
    /// Readers that work on so much that others must not wait for them.
    pub(super) occupied: usize,
    pub(super) spiller_waits: bool,
    /// Requests that the spill thread is writing.
    pub(super) being_spilled: usize,
    pub(super) most_held: usize,
    pub(super) held_back: HeldBack,
    pub(super) spilled_count: u64,
    pub(super) spilled_bytes: u64,
}

impl RecordQueueState {
    pub(super) fn new() -> Self {
        Self {
            urgent: VecDeque::new(),
            segments: VecDeque::new(),
            waiting: VecDeque::new(),
            spilled: VecDeque::new(),
            senders: 1,
            readers: 0,
            asleep: 0,
            called: 0,
            gathering: 0,
            occupied: 0,
            spiller_waits: false,
            being_spilled: 0,
            most_held: 0,
            held_back: HeldBack::default(),
            spilled_count: 0,
            spilled_bytes: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.urgent.len() + self.segments.len() + self.waiting.len() + self.spilled.len()
    }

    pub(super) fn has_urgent(&self) -> bool {
        !self.urgent.is_empty()
    }

    /// Whether nothing is left and nothing can come any more.
    pub(super) fn is_over(&self) -> bool {
        self.senders == 0 && self.being_spilled == 0 && self.len() == 0
    }

    pub(super) fn push(&mut self, item: QueueItem, bytes: usize, urgent: bool) {
        let queue = match &item {
            _ if urgent => &mut self.urgent,
            QueueItem::Segments(_) => &mut self.segments,
            QueueItem::Finished { .. } | QueueItem::Spilled(_) => &mut self.waiting,
        };
        queue.push_back(HeldItem { item, bytes });
    }

    pub(super) fn push_spilled(&mut self, spilled: Box<SpilledExchange>) {
        self.spilled_count += 1;
        self.spilled_bytes += spilled.length();
        self.spilled.push_back(spilled);
    }

    /// Which reader to wake for an item that was just added. A reader that runs sees it before it sleeps. One that works on a long answer
    /// does not count, and many items are worth another one.
    pub(super) fn wake_for_push(&mut self, urgent: bool) -> Option<Wake> {
        let many = self.len() >= GATHERED;
        if self.gathering > 0 && (urgent || self.len() == GATHERED) {
            return Some(Wake::Gathering);
        }
        let free = self.readers.saturating_sub(self.asleep + self.occupied) + self.called;
        (urgent || many || free == 0).then(|| self.call()).flatten()
    }

    /// Calls a reader that sleeps, if there is one that was not called yet.
    pub(super) fn call(&mut self) -> Option<Wake> {
        (self.asleep > self.called).then(|| {
            self.called += 1;
            Wake::Sleeping
        })
    }

    /// Moves the next items into `batch`; says how many bytes they have. One urgent item comes alone: another reader may take the next.
    pub(super) fn take_batch(&mut self, batch: &mut VecDeque<HeldItem>) -> usize {
        if let Some(item) = self.urgent.pop_front() {
            let bytes = item.bytes;
            batch.push_back(item);
            return bytes;
        }
        let mut taken = 0;
        while batch.len() < BATCH && taken < BATCH_BYTES {
            let Some(held) = self.segments.pop_front().or_else(|| self.waiting.pop_front()).or_else(|| {
                let spilled = self.spilled.pop_front()?;
                Some(HeldItem { bytes: 0, item: QueueItem::Spilled(spilled) })
            }) else {
                break;
            };
            taken += match &held.item {
                QueueItem::Spilled(spilled) => usize::try_from(spilled.length()).unwrap_or(usize::MAX),
                QueueItem::Segments(_) => BodySegment::LENGTH,
                QueueItem::Finished { .. } => held.bytes,
            };
            batch.push_back(held);
        }
        taken
    }

    /// Empties the queue.
    pub(super) fn take_all(&mut self) -> Vec<HeldItem> {
        let Self { urgent, segments, waiting, spilled, .. } = self;
        spilled.clear();
        [urgent, segments, waiting].into_iter().flat_map(std::mem::take).collect()
    }

    /// Whether a batch of this size keeps a reader so long that others must not wait for it.
    pub(super) fn is_large(bytes: usize) -> bool {
        bytes >= BATCH_BYTES
    }

    /// Takes out the request that came last and may be spilled: it would wait longest. Others are put back.
    pub(super) fn take_to_spill(&mut self) -> Option<HeldItem> {
        let place =
            self.waiting.iter().rposition(|held| matches!(held.item, QueueItem::Finished { may_spill: true, .. }))?;
        let held = self.waiting.swap_remove_back(place)?;
        self.being_spilled += 1;
        Some(held)
    }
}
