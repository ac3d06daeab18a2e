//! Lines on their way from the reader of a folder to the merged file. Used batches go back to the reader, so that memory is not
//! asked for again.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};

use super::request_ids::RequestKey;

/// Bytes of a batch, and how many batches may wait: memory does not grow with the records.
const BATCH_BYTES: usize = 1 << 18;
const BATCHES: usize = 4;

/// A record on its way to the merged file.
#[derive(Debug, Clone)]
pub(super) struct NodeLine {
    pub(super) end_ns: u64,
    pub(super) first_ns: u64,
    pub(super) id: Option<RequestKey>,
    pub(super) phase: Arc<str>,
    pub(super) failed: bool,
    pub(super) cancelled: bool,
}

#[derive(Debug, Default)]
struct Batch {
    text: Vec<u8>,
    /// With the place in the text where each ends.
    lines: Vec<(NodeLine, usize)>,
}

/// The end that a reader has.
#[derive(Debug)]
pub(super) struct BatchSender {
    filled: SyncSender<Batch>,
    used: Receiver<Batch>,
    batch: Batch,
}

/// The end that the writer has: the lines of one folder.
#[derive(Debug)]
pub(super) struct Lines {
    filled: Receiver<Batch>,
    used: Sender<Batch>,
    batch: Batch,
    /// The line that is next, and where its text begins.
    next: usize,
    begin: usize,
}

pub(super) fn connect() -> (BatchSender, Lines) {
    let (filled, to_write) = sync_channel(BATCHES);
    let (spent, used) = channel();
    let sender = BatchSender { filled, used, batch: Batch::default() };
    (sender, Lines { filled: to_write, used: spent, batch: Batch::default(), next: 0, begin: 0 })
}

impl BatchSender {
    /// Where the text of the next line goes.
    pub(super) fn text(&mut self) -> &mut Vec<u8> {
        &mut self.batch.text
    }

    /// Ends the line whose text was appended last; returns whether somebody still wants lines.
    pub(super) fn end_line(&mut self, line: NodeLine) -> bool {
        self.batch.text.push(b'\n');
        self.batch.lines.push((line, self.batch.text.len()));
        self.batch.text.len() < BATCH_BYTES || self.send()
    }

    pub(super) fn send(&mut self) -> bool {
        let mut empty = self.used.try_recv().unwrap_or_default();
        empty.text.clear();
        empty.lines.clear();
        self.filled.send(std::mem::replace(&mut self.batch, empty)).is_ok()
    }
}

impl Lines {
    /// When the next line ends; `None` after the last.
    pub(super) fn next_end(&mut self) -> Option<u64> {
        while self.next == self.batch.lines.len() {
            let batch = self.filled.recv().ok()?;
            // The reader may have ended: then nobody needs it.
            let _ = self.used.send(std::mem::replace(&mut self.batch, batch));
            (self.next, self.begin) = (0, 0);
        }
        self.batch.lines.get(self.next).map(|(line, _)| line.end_ns)
    }

    /// The next line and its text, after `next_end` has found one.
    pub(super) fn take(&mut self) -> Option<(&NodeLine, &[u8])> {
        let (line, end) = self.batch.lines.get(self.next)?;
        let text = self.batch.text.get(self.begin..*end)?;
        (self.next, self.begin) = (self.next + 1, *end);
        Some((line, text))
    }
}
