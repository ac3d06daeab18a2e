//! Finished requests on their way from the record threads to the exporter. Bounded: beyond its room the oldest are dropped and
//! counted, so that nothing ever waits for a collector.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A queue that drops its oldest items when it is full.
#[derive(Debug)]
pub(crate) struct DroppingQueue<T> {
    state: Mutex<QueueState<T>>,
    /// Half of the room is used, or the queue was closed.
    pressing: Condvar,
    room: usize,
}

#[derive(Debug)]
struct QueueState<T> {
    items: VecDeque<T>,
    dropped: u64,
    is_closed: bool,
}

impl<T> DroppingQueue<T> {
    pub(crate) fn new(room: usize) -> Self {
        let state = QueueState { items: VecDeque::new(), dropped: 0, is_closed: false };
        Self { state: Mutex::new(state), pressing: Condvar::new(), room: room.max(1) }
    }

    pub(crate) fn push(&self, item: T) {
        let mut state = self.lock();
        if state.items.len() >= self.room {
            state.items.pop_front();
            state.dropped += 1;
        }
        state.items.push_back(item);
        if state.items.len() == self.room.div_ceil(2) {
            self.pressing.notify_one();
        }
    }

    /// Up to `most` of the oldest items, as they are.
    pub(crate) fn take(&self, most: usize) -> Vec<T> {
        let mut state = self.lock();
        let count = most.min(state.items.len());
        state.items.drain(..count).collect()
    }

    /// Waits until half of the room is used, the queue is closed, or the time is over. Whether it is closed.
    pub(crate) fn wait(&self, limit: Duration) -> bool {
        let half = self.room.div_ceil(2);
        let calm = |state: &mut QueueState<T>| !state.is_closed && state.items.len() < half;
        let waited = self.pressing.wait_timeout_while(self.lock(), limit, calm);
        waited.unwrap_or_else(PoisonError::into_inner).0.is_closed
    }

    /// Nothing more will come.
    pub(crate) fn close(&self) {
        self.lock().is_closed = true;
        self.pressing.notify_all();
    }

    pub(crate) fn dropped(&self) -> u64 {
        self.lock().dropped
    }

    pub(crate) fn len(&self) -> usize {
        self.lock().items.len()
    }

    fn lock(&self) -> MutexGuard<'_, QueueState<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_queue_drops_the_oldest_and_counts_them() {
        let queue = DroppingQueue::new(3);
        (0..5).for_each(|number| queue.push(number));
        assert_eq!((queue.take(2), queue.take(9), queue.dropped()), (vec![2, 3], vec![4], 2));
    }

    #[test]
    fn a_closed_queue_ends_a_wait() {
        let queue = DroppingQueue::<u8>::new(4);
        assert!(!queue.wait(Duration::from_millis(1)));
        queue.close();
        assert!(queue.wait(Duration::from_secs(3_600)));
    }
}
