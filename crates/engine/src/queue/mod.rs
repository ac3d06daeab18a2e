//! A queue between threads. Whoever waits at it sleeps: nobody spins, and a sleeper is woken once, however many things come
//! before it gets up.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use aiperf_clock::Mono;

/// Makes a queue that takes any number of things.
pub(crate) fn unbounded<T>() -> (QueueSender<T>, QueueReceiver<T>) {
    with_capacity(usize::MAX)
}

/// Makes a queue that takes `capacity` things and refuses more.
pub fn bounded<T>(capacity: usize) -> (QueueSender<T>, QueueReceiver<T>) {
    with_capacity(capacity)
}

fn with_capacity<T>(capacity: usize) -> (QueueSender<T>, QueueReceiver<T>) {
    let state =
        State { items: VecDeque::new(), senders: 1, receivers: 1, asleep: 0, called: 0, gathering: 0, urgent: false };
    let shared =
        Arc::new(Shared { state: Mutex::new(state), capacity, came: Condvar::new(), gathered: Condvar::new() });
    (QueueSender(Arc::clone(&shared)), QueueReceiver(shared))
}

/// The end that things are put in at.
#[derive(Debug)]
pub struct QueueSender<T>(Arc<Shared<T>>);

/// The end that things come out of, in the order they were put in; several may share one queue.
#[derive(Debug)]
pub struct QueueReceiver<T>(Arc<Shared<T>>);

/// Why something was not taken.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refused<T> {
    Full(T),
    /// No receiver is left.
    Closed,
}

/// What a wait with an end brought.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Waited<T> {
    Came(T),
    TimedOut,
    /// No sender is left, and nothing will come.
    Closed,
}

/// How soon something should be looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Haste {
    /// Somebody waits for what becomes of it.
    Urgent,
    /// It may wait for others to come.
    Patient,
}

#[derive(Debug)]
struct Shared<T> {
    state: Mutex<State<T>>,
    capacity: usize,
    came: Condvar,
    gathered: Condvar,
}

#[derive(Debug)]
struct State<T> {
    items: VecDeque<T>,
    senders: usize,
    receivers: usize,
    /// Receivers that sleep because nothing is there, and how many of them have been called.
    asleep: usize,
    called: usize,
    /// Receivers that know of something and wait for more.
    gathering: usize,
    urgent: bool,
}

impl<T> Shared<T> {
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        // A panic while the lock is held can only come from a failed allocation, which leaves the queue as it was.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls one sleeper that has not been called yet.
    fn call(&self, mut state: MutexGuard<'_, State<T>>) {
        if state.asleep > state.called {
            state.called += 1;
            drop(state);
            self.came.notify_one();
        }
    }

    /// Sleeps until called, or until `until`.
    fn sleep<'a>(&self, mut state: MutexGuard<'a, State<T>>, until: Option<Mono>) -> MutexGuard<'a, State<T>> {
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
        self.try_send(item, Haste::Urgent).is_ok()
    }

    /// Refuses when the queue is full.
    pub(crate) fn try_send(&self, item: T, haste: Haste) -> Result<(), Refused<T>> {
        let mut state = self.0.lock();
        if state.receivers == 0 {
            return Err(Refused::Closed);
        }
        if state.items.len() >= self.0.capacity {
            return Err(Refused::Full(item));
        }
        state.items.push_back(item);
        if state.gathering > 0 {
            let was_urgent = state.urgent;
            state.urgent |= haste == Haste::Urgent;
            let enough = state.items.len() == GATHERED || (state.urgent && !was_urgent);
            drop(state);
            if enough {
                self.0.gathered.notify_one();
            }
        } else {
            state.urgent |= haste == Haste::Urgent;
            self.0.call(state);
        }
        Ok(())
    }
}

/// So many things are worth getting up for.
const GATHERED: usize = 64;
/// How long a receiver that was woken for one thing waits for others.
const GATHER: Duration = Duration::from_millis(1);

impl<T> QueueReceiver<T> {
    /// The next thing; `None` once no sender is left and all has been taken.
    pub fn receive(&self) -> Option<T> {
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

    /// Like [`Self::receive`], for things that need not be looked at one by one as they come: after a sleep it waits a
    /// moment for more, unless something is urgent.
    pub fn receive_gathered(&self) -> Option<T> {
        let mut state = self.0.lock();
        loop {
            if let Some(item) = state.items.pop_front() {
                if state.items.is_empty() {
                    state.urgent = false;
                } else {
                    // There is work for another.
                    self.0.call(state);
                }
                return Some(item);
            }
            if state.senders == 0 {
                return None;
            }
            state = self.0.sleep(state, None);
            if state.items.is_empty() || state.items.len() >= GATHERED || state.urgent || state.senders == 0 {
                continue;
            }
            state.gathering += 1;
            state = self.0.gathered.wait_timeout(state, GATHER).unwrap_or_else(PoisonError::into_inner).0;
            state.gathering -= 1;
        }
    }

    pub(crate) fn receive_until(&self, until: Mono) -> Waited<T> {
        let mut state = self.0.lock();
        loop {
            if let Some(item) = state.items.pop_front() {
                return Waited::Came(item);
            }
            if state.senders == 0 {
                return Waited::Closed;
            }
            if Mono::now() >= until {
                return Waited::TimedOut;
            }
            state = self.0.sleep(state, Some(until));
        }
    }

    /// What is there now.
    pub(crate) fn take(&self) -> Option<T> {
        self.0.lock().items.pop_front()
    }

    pub fn len(&self) -> usize {
        self.0.lock().items.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn capacity(&self) -> usize {
        self.0.capacity
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
            self.0.gathered.notify_all();
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
            // Things may hold senders of this very queue, which are dropped with them.
            let left = std::mem::take(&mut state.items);
            drop(state);
            drop(left);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use aiperf_clock::Nanos;

    use super::*;

    #[test]
    fn things_come_out_in_order_and_end_with_the_last_sender() {
        let (sender, receiver) = unbounded();
        let other = sender.clone();
        let thread = thread::spawn(move || std::iter::from_fn(|| receiver.receive()).collect::<Vec<_>>());
        for number in 0..1_000 {
            assert!(if number % 2 == 0 { sender.send(number) } else { other.send(number) });
        }
        drop((sender, other));
        assert_eq!(thread.join().unwrap(), (0..1_000).collect::<Vec<_>>());
    }

    #[test]
    fn several_receivers_take_everything_once() {
        let (sender, receiver) = bounded(10_000);
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let receiver = receiver.clone();
                thread::spawn(move || std::iter::from_fn(|| receiver.receive_gathered()).collect::<Vec<_>>())
            })
            .collect();
        drop(receiver);
        for number in 0..10_000 {
            let haste = if number % 97 == 0 { Haste::Urgent } else { Haste::Patient };
            sender.try_send(number, haste).unwrap();
            if number % 1_000 == 0 {
                thread::yield_now();
            }
        }
        drop(sender);
        let mut all: Vec<_> = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
        all.sort_unstable();
        assert_eq!(all, (0..10_000).collect::<Vec<_>>());
    }

    #[test]
    fn a_full_queue_refuses_and_one_without_receivers_too() {
        let (sender, receiver) = bounded(1);
        assert_eq!(sender.try_send(1, Haste::Patient), Ok(()));
        assert_eq!(sender.try_send(2, Haste::Patient), Err(Refused::Full(2)));
        assert_eq!((receiver.len(), receiver.capacity(), receiver.take()), (1, 1, Some(1)));
        drop(receiver);
        assert_eq!(sender.try_send(3, Haste::Patient), Err(Refused::Closed));
        assert!(!sender.send(4));
    }

    #[test]
    fn a_wait_ends_at_its_time_or_with_what_came() {
        let (sender, receiver) = unbounded::<u8>();
        assert_eq!(receiver.receive_until(Mono::now() + Nanos(1_000_000)), Waited::TimedOut);
        sender.send(1);
        assert_eq!(receiver.receive_until(Mono::now()), Waited::Came(1));
        drop(sender);
        assert_eq!(receiver.receive_until(Mono::now() + Nanos(3_600_000_000_000)), Waited::Closed);
    }

    #[test]
    fn what_nobody_took_is_dropped_with_the_last_receiver_even_if_it_holds_a_sender() {
        let (sender, receiver) = unbounded::<Option<Box<dyn Send>>>();
        let inside = sender.clone();
        sender.send(Some(Box::new(inside)));
        drop(receiver);
        assert!(!sender.send(None));
    }
}
