//! The order in which sessions will begin, and how far ahead of the run their contents are made.

use std::collections::VecDeque;
use std::iter::Peekable;

use crate::contents::sessions::{Counter, Sessions};

/// How far the maker may be ahead.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window {
    pub(crate) bytes: usize,
    pub(crate) sessions: usize,
}

/// Conversations, one after the other.
pub(crate) type Order = Box<dyn Iterator<Item = usize> + Send>;

/// One order of conversations, known before the run.
pub(crate) struct Tape {
    order: Peekable<Order>,
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
    pub(super) fn new(order: Order, counter: fn(&Sessions) -> &Counter, window: Window) -> Self {
        Self {
            order: order.peekable(),
            counter,
            window,
            done: 0,
            ahead: VecDeque::new(),
            ahead_bytes: 0,
            is_over: false,
        }
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
            if let Some(bytes) = self.ahead.pop_front() {
                self.ahead_bytes -= bytes;
            } else {
                self.is_over |= self.order.next().is_none();
                self.done += 1;
            }
        }
    }

    /// Whether this is what it will make when there is room.
    pub(super) fn comes_to(&mut self, conversation: usize) -> bool {
        self.order.peek() == Some(&conversation)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contents::sessions::testing::synthetic;

    fn tape(order: impl Iterator<Item = usize> + Send + 'static, sessions: usize) -> Tape {
        let window = Window { bytes: usize::MAX, sessions };
        Tape::new(Box::new(order), |sessions| &sessions.lookout.drawn, window)
    }

    fn made(tape: &mut Tape, sessions: &Sessions) -> usize {
        std::iter::repeat_with(|| tape.make_next(sessions)).take_while(|made| *made).count()
    }

    #[test]
    fn it_stays_within_its_window_and_moves_on_with_the_run() {
        let sessions = synthetic(20);
        let mut tape = tape(0..20, 4);
        assert_eq!(made(&mut tape, &sessions), 4);
        assert!(tape.comes_to(4));
        assert!(!tape.set_alarm(&sessions));
        sessions.lookout.drawn.advance();
        assert!(!sessions.lookout.drawn.is_due(), "a window that is nearly full wakes nobody");
        sessions.lookout.drawn.advance();
        assert!(sessions.lookout.drawn.is_due());
        assert_eq!(made(&mut tape, &sessions), 2);
    }

    #[test]
    fn bytes_bound_it_too_but_one_session_always_fits() {
        let sessions = synthetic(20);
        let mut tape = tape(0..20, 4);
        tape.window.bytes = 1;
        assert_eq!(made(&mut tape, &sessions), 1);
        assert!(!tape.set_alarm(&sessions));
        sessions.lookout.drawn.advance();
        assert!(sessions.lookout.drawn.is_due());
        assert_eq!(made(&mut tape, &sessions), 1);
    }

    #[test]
    fn what_has_begun_is_passed_over() {
        let sessions = synthetic(20);
        let mut tape = tape(0..20, 4);
        (0..10).for_each(|_| _ = sessions.lookout.drawn.advance());
        assert_eq!(made(&mut tape, &sessions), 4);
        assert!(tape.comes_to(14));
    }

    #[test]
    fn the_end_of_the_order_is_the_end() {
        let sessions = synthetic(3);
        let mut tape = tape(0..3, 4);
        assert_eq!(made(&mut tape, &sessions), 3);
        (0..5).for_each(|_| _ = sessions.lookout.drawn.advance());
        assert_eq!(made(&mut tape, &sessions), 0);
        assert!(!tape.set_alarm(&sessions), "nothing is left to wake up for");
    }
}
