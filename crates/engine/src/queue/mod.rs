//! A queue between threads. A thread that waits sleeps and never spins, and it is woken once, however many items come in
//! before it runs.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use aiperf_clock::Mono;

/// Makes a queue that takes any number of items.
pub(crate) fn unbounded<T>() -> (QueueSender<T>, QueueReceiver<T>) {
    let state = QueueState { items: VecDeque::new(), senders: 1, receivers: 1, asleep: 0, called: 0 };
    let shared = Arc::new(QueueShared { state: Mutex::new(state), came: Condvar::new() });
    (QueueSender(Arc::clone(&shared)), QueueReceiver(shared))
}

/// The sending end of a queue.
#[derive(Debug)]
pub(crate) struct QueueSender<T>(Arc<QueueShared<T>>);

/// The receiving end of a queue: items come out in the order they were put in. Several receivers may share one queue.
#[derive(Debug)]
pub(crate) struct QueueReceiver<T>(Arc<QueueShared<T>>);

/// The result of a wait with a time limit.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum WaitResult<T> {
    Item(T),
    TimedOut,
    /// No sender is left, and nothing will come in.
    Closed,
}

#[derive(Debug)]
struct QueueShared<T> {
    state: Mutex<QueueState<T>>,
    came: Condvar,
}

#[derive(Debug)]
struct QueueState<T> {
    items: VecDeque<T>,
    senders: usize,
    receivers: usize,
    /// Receivers that sleep because the queue is empty.
    asleep: usize,
    /// How many of the sleeping receivers have been woken and do not run yet.
    called: usize,
}

impl<T> QueueShared<T> {
    fn lock(&self) -> MutexGuard<'_, QueueState<T>> {
        // A panic while the lock is held can only come from a failed allocation, which leaves the queue as it was.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes one sleeping receiver that has not been woken yet.
    fn call(&self, mut state: MutexGuard<'_, QueueState<T>>) {
        if state.asleep > state.called {
            state.called += 1;
            drop(state);
            self.came.notify_one();
        }
    }

    /// Sleeps until woken, or until `until`.
    fn sleep<'a>(
        &self,
        mut state: MutexGuard<'a, QueueState<T>>,
        until: Option<Mono>,
    ) -> MutexGuard<'a, QueueState<T>> {
        state.asleep += 1;
        state = match until {
            None => self.came.wait(state).unwrap_or_else(PoisonError::into_inner),
            Some(until) => {
                let left = until.since(Mono::now()).as_duration();
                self.came.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0
            }
        };
        state.asleep -= 1;
        state.called = state.called.saturating_sub(1);
        state
    }
}

impl<T> QueueSender<T> {
    /// False when no receiver is left.
    pub(crate) fn send(&self, item: T) -> bool {
        let mut state = self.0.lock();
        if state.receivers == 0 {
            return false;
        }
        state.items.push_back(item);
        self.0.call(state);
        true
    }

    /// Whether an item that waits is one of these.
    pub(crate) fn has(&self, is_one: impl FnMut(&T) -> bool) -> bool {
        self.0.lock().items.iter().any(is_one)
    }

    /// Puts in an item that nobody needs to be woken for. False when no receiver is left.
    pub(crate) fn send_quietly(&self, item: T) -> bool {
        let mut state = self.0.lock();
        if state.receivers > 0 {
            state.items.push_back(item);
        }
        state.receivers > 0
    }
}

impl<T> QueueReceiver<T> {
    /// The next item; `None` once no sender is left and all items have been taken.
    pub(crate) fn receive(&self) -> Option<T> {
        let mut state = self.0.lock();
        loop {
            if let Some(item) = state.items.pop_front() {
                return Some(item);
            }
            if state.senders == 0 {
                return None;
            }
            state = self.0.sleep(state, None);
        }
    }

    pub(crate) fn receive_until(&self, until: Mono) -> WaitResult<T> {
        let mut state = self.0.lock();
        loop {
            if let Some(item) = state.items.pop_front() {
                return WaitResult::Item(item);
            }
            if state.senders == 0 {
                return WaitResult::Closed;
            }
            if Mono::now() >= until {
                return WaitResult::TimedOut;
            }
            state = self.0.sleep(state, Some(until));
        }
    }

    /// The next item, if one is there now.
    pub(crate) fn take(&self) -> Option<T> {
        self.0.lock().items.pop_front()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.lock().items.is_empty()
    }
}

impl<T> Clone for QueueSender<T> {
    fn clone(&self) -> Self {
        self.0.lock().senders += 1;
        Self(Arc::clone(&self.0))
    }
}

impl<T> Drop for QueueSender<T> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.senders -= 1;
        if state.senders == 0 {
            drop(state);
            self.0.came.notify_all();
        }
    }
}

impl<T> Clone for QueueReceiver<T> {
    fn clone(&self) -> Self {
        self.0.lock().receivers += 1;
        Self(Arc::clone(&self.0))
    }
}

impl<T> Drop for QueueReceiver<T> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.receivers -= 1;
        if state.receivers == 0 {
            // Items may hold senders of this very queue, which are dropped with them.
            let left = std::mem::take(&mut state.items);
            drop(state);
            drop(left);
        }
    }
}

#[cfg(test)]
mod tests;
