//! Finds where one event ends and the next begins in a growing buffer of `text/event-stream` bytes.

use std::ops::Range;

use memchr::memchr2;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// One event's place in the body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SseFrame {
    /// The bytes of its lines, without the blank line that ends it.
    pub lines: Range<usize>,
    /// The event is complete once this many bytes of the body have arrived. Where the blank line ends in CR LF that is
    /// its CR: the LF after it adds nothing.
    pub complete_at: usize,
}

/// Walks a body that may still be growing. Every call must be given all bytes so far, the earlier ones unchanged, except those that
/// [`Self::forget_events`] gave up.
#[derive(Debug, Clone, Default)]
pub struct SseScanner {
    event_start: usize,
    line_start: usize,
    /// The last line ended in CR, so a LF right after it belongs to that line end.
    after_cr: bool,
    /// Everything before this has been looked at.
    seen: usize,
    /// Bytes at the start of the body that the caller no longer gives.
    forgotten: usize,
}

impl SseScanner {
    pub fn new() -> Self {
        Self::default()
    }

    /// The next event that is complete in `body`, if there is one.
    pub fn next_frame(&mut self, body: &[u8]) -> Option<SseFrame> {
        loop {
            if self.after_cr {
                let next = body.get(self.seen)?;
                self.after_cr = false;
                if *next == b'\n' {
                    self.seen += 1;
                    if self.event_start == self.line_start {
                        self.event_start = self.seen;
                    }
                    self.line_start = self.seen;
                }
            }
            let Some(offset) = memchr2(b'\n', b'\r', body.get(self.seen..)?) else {
                self.seen = body.len();
                return None;
            };
            let end = self.seen + offset;
            self.after_cr = body[end] == b'\r';
            self.seen = end + 1;
            let lines = self.event_start..self.line_start;
            let line_is_blank = end == self.line_start;
            self.line_start = self.seen;
            if line_is_blank {
                self.event_start = self.seen;
                if !lines.is_empty() {
                    return Some(SseFrame { lines: self.after_mark(body, lines), complete_at: self.seen });
                }
            }
        }
    }

    /// What is left when the body has ended: an event that no blank line closes is one all the same.
    pub fn last_frame(&mut self, body: &[u8]) -> Option<SseFrame> {
        let lines = self.event_start..body.len();
        let end = lines.end;
        *self = Self { event_start: end, line_start: end, after_cr: false, seen: end, forgotten: self.forgotten };
        (!lines.is_empty()).then(|| SseFrame { lines: self.after_mark(body, lines), complete_at: body.len() })
    }

    /// Forgets the bytes before the first event that was not found yet, and returns how many they are. From now on the body is given
    /// without them, and offsets count from after them.
    pub fn forget_events(&mut self) -> usize {
        let read = self.event_start;
        self.event_start = 0;
        self.line_start -= read;
        self.seen -= read;
        self.forgotten += read;
        read
    }

    /// A byte order mark may begin a body; it does not belong to the first line.
    fn after_mark(&self, body: &[u8], lines: Range<usize>) -> Range<usize> {
        let marked = lines.start + self.forgotten == 0 && body.starts_with(BYTE_ORDER_MARK);
        if marked { BYTE_ORDER_MARK.len().min(lines.end)..lines.end } else { lines }
    }
}
