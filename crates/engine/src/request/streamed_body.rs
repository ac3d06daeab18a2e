//! The body of a response that record threads read while its rest arrives, so that an open stream takes little memory.

use std::sync::{Mutex, MutexGuard, PoisonError};

use aiperf_clock::{Nanos, ReadTally};
use aiperf_endpoint::ReplyReader;
use aiperf_transport::BodySegment;

/// Shared by the worker that receives a response and the record threads that read it.
#[derive(Debug)]
pub struct StreamedBody {
    /// Segments that were received and not read yet.
    waiting: Mutex<Vec<BodySegment>>,
    /// Locked before segments are taken out of `waiting`, so that they are read in order whichever thread reads them.
    read: Mutex<ReadPart>,
}

/// What was read of a response.
#[derive(Debug, Default)]
pub struct ReadPart {
    /// Has the reply so far; `None` if nothing was read while the response arrived.
    pub reader: Option<Box<dyn ReplyReader>>,
    pub reads: ReadTally,
}

impl StreamedBody {
    pub(crate) fn new(reader: Box<dyn ReplyReader>) -> Self {
        Self {
            waiting: Mutex::default(),
            read: Mutex::new(ReadPart { reader: Some(reader), reads: ReadTally::default() }),
        }
    }

    /// Adds what arrived. True if nothing else waits, so that a record thread must be told.
    pub(crate) fn add(&self, segment: BodySegment) -> bool {
        let mut waiting = lock(&self.waiting);
        waiting.push(segment);
        waiting.len() == 1
    }

    /// Reads what has arrived, and returns how many bytes of memory that set free. Reads whose bytes waited longer than `longest` are
    /// remembered.
    pub fn read_waiting(&self, longest: Nanos) -> usize {
        let mut read = lock(&self.read);
        self.read_into(&mut read, longest)
    }

    fn read_into(&self, read: &mut ReadPart, longest: Nanos) -> usize {
        let segments = std::mem::take(&mut *lock(&self.waiting));
        segments.into_iter().map(|segment| read.take(&segment, longest)).sum()
    }

    /// Reads the rest of the body, of which `last` is the end, and takes out what was read. Also returns how many bytes of memory the
    /// segments before `last` had. The caller has the finished request, so that nothing follows.
    pub(crate) fn read_rest(&self, last: &BodySegment, longest: Nanos) -> (ReadPart, usize) {
        let mut read = lock(&self.read);
        let freed = self.read_into(&mut read, longest);
        read.take(last, longest);
        (std::mem::take(&mut *read), freed)
    }
}

impl ReadPart {
    fn take(&mut self, segment: &BodySegment, longest: Nanos) -> usize {
        if let Some(reader) = &mut self.reader {
            reader.feed(&segment.bytes, &segment.marks);
        }
        self.reads.add(&segment.marks, longest);
        segment.memory()
    }
}

/// A reader that panics leaves a reply that is not complete, and its thread has ended the run by then.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
