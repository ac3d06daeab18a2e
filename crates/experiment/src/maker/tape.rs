//! The order in which sessions will begin, and how far ahead of the run their contents are made.

use std::collections::VecDeque;

use crate::sessions::{Counter, Sessions};

/// How far the maker may be ahead.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window {
    pub(crate) bytes: usize,
    pub(crate) sessions: usize,
}

/// One order of conversations, known before the run.
pub(crate) struct Tape {
    order: Box<dyn Iterator<Item = usize> + Send>,
    counter: fn(&Sessions) -> &Counter,
    window: Window,
    /// Places of the order that are behind the maker, made or passed over.
    done: u64,
    /// The bytes of each session that was made and has not begun.
    ahead: VecDeque<usize>,
    ahead_bytes: usize,
    is_over: bool,
}

impl Tape {
    pub(super) fn new(
        order: Box<dyn Iterator<Item = usize> + Send>,
        counter: fn(&Sessions) -> &Counter,
        window: Window,
    ) -> Self {
        Self { order, counter, window, done: 0, ahead: VecDeque::new(), ahead_bytes: 0, is_over: false }
    }

    /// Makes the next session that has not begun. Says whether there was one, and room for it.
    pub(super) fn make_next(&mut self, sessions: &Sessions) -> bool {
        self.follow((self.counter)(sessions).begun());
        if self.is_over || self.ahead.len() >= self.window.sessions || self.ahead_bytes >= self.window.bytes {
            return false;
        }
        let Some(conversation) = self.order.next() else {
            self.is_over = true;
            return false;
        };
        let bytes = sessions.make_ahead(conversation);
        self.done += 1;
        self.ahead.push_back(bytes);
        self.ahead_bytes += bytes;
        true
    }

    /// Forgets what has begun. What began before it was made is made by others.
    fn follow(&mut self, begun: u64) {
        while self.done - (self.ahead.len() as u64) < begun {
            match self.ahead.pop_front() {
                Some(bytes) => self.ahead_bytes -= bytes,
                None => {
                    self.is_over |= self.order.next().is_none();
                    self.done += 1;
                }
            }
        }
    }

    pub(super) fn ahead_bytes(&self) -> usize {
        self.ahead_bytes
    }

    /// Asks to be woken when half of what is ahead has begun. Says whether that is so already.
    pub(super) fn set_alarm(&self, sessions: &Sessions) -> bool {
        let counter = (self.counter)(sessions);
        if self.is_over {
            counter.set_alarm(u64::MAX);
            return false;
        }
        let first = self.done - self.ahead.len() as u64;
        let (mut left, mut at) = (self.ahead_bytes, first);
        for bytes in &self.ahead {
            if left <= self.window.bytes / 2 && self.done - at <= self.window.sessions as u64 / 2 {
                break;
            }
            left -= bytes;
            at += 1;
        }
        counter.set_alarm(at.max(first + 1));
        counter.is_due()
    }

    pub(super) fn silence(&self, sessions: &Sessions) {
        (self.counter)(sessions).set_alarm(u64::MAX);
    }
}
