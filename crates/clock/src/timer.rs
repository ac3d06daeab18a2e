//! A timer for single-threaded runtimes that fires when due: tokio's own timer works in steps of one millisecond,
//! which is as long as the gaps we measure. One `timerfd` per runtime thread wakes all sleepers of that thread.

use std::cell::{Cell, RefCell};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use crate::Mono;
use crate::wake_source::WakeSource;

/// Handle to the timer of one runtime thread. Cheap to clone; not `Send`.
#[derive(Debug, Clone)]
pub struct Timer {
    shared: Rc<TimerShared>,
}

#[derive(Debug)]
struct TimerShared {
    queue: RefCell<TimerQueue>,
    wake: WakeSource,
}

#[derive(Debug, Default)]
struct TimerQueue {
    due: BinaryHeap<Reverse<TimerEntry>>,
    /// How many entries of `due` belong to sleepers that are gone.
    abandoned: usize,
    next_id: u64,
}

/// A sleeper in the order of waking.
#[derive(Debug)]
struct TimerEntry {
    deadline: Mono,
    id: u64,
    sleep: Rc<SleepState>,
}

/// What a sleeper and its timer entry share.
#[derive(Debug)]
struct SleepState {
    status: Cell<SleepStatus>,
    waker: RefCell<Waker>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SleepStatus {
    Waiting,
    Fired,
    /// The sleeper was dropped before its time.
    Abandoned,
}

impl PartialEq for TimerEntry {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for TimerEntry {}

impl PartialOrd for TimerEntry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for TimerEntry {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.deadline, self.id).cmp(&(other.deadline, other.id))
    }
}

impl TimerQueue {
    /// Drops the entries of sleepers that are gone. A request that ends long before its timeout leaves one, so without
    /// this the heap would grow with every request sent.
    fn forget_abandoned(&mut self) {
        if self.due.len() > 64 && 2 * self.abandoned > self.due.len() {
            self.due.retain(|Reverse(entry)| entry.sleep.status.get() == SleepStatus::Waiting);
            self.abandoned = 0;
        }
    }
}

/// Waits until a point in time; see [`Timer::sleep_until`].
#[derive(Debug)]
pub struct Sleep {
    shared: Rc<TimerShared>,
    deadline: Mono,
    state: Option<Rc<SleepState>>,
}

impl Timer {
    /// Starts the timer on the current thread.
    ///
    /// # Panics
    /// Outside a tokio `LocalSet` on a current-thread runtime with I/O enabled.
    pub fn start() -> std::io::Result<Self> {
        let shared = Rc::new(TimerShared { queue: RefCell::default(), wake: WakeSource::new()? });
        let driver = Rc::downgrade(&shared);
        tokio::task::spawn_local(async move {
            while let Some(shared) = driver.upgrade() {
                if shared.wake.fired().await.is_err() {
                    return;
                }
                shared.wake_due();
            }
        });
        Ok(Self { shared })
    }

    /// Resolves at `deadline`, within a few microseconds when the thread is free.
    pub fn sleep_until(&self, deadline: Mono) -> Sleep {
        Sleep { shared: Rc::clone(&self.shared), deadline, state: None }
    }

    /// The earliest time at which the timer may fire next.
    pub fn next_due(&self) -> Option<Mono> {
        self.shared.queue.borrow().due.peek().map(|Reverse(entry)| entry.deadline)
    }
}

impl TimerShared {
    fn wake_due(&self) {
        let now = Mono::now();
        let mut ready = Vec::new();
        {
            let mut queue = self.queue.borrow_mut();
            while let Some(Reverse(entry)) = queue.due.peek() {
                let abandoned = entry.sleep.status.get() == SleepStatus::Abandoned;
                if entry.deadline > now && !abandoned {
                    self.wake.set(entry.deadline);
                    break;
                }
                if let Some(Reverse(entry)) = queue.due.pop() {
                    if abandoned {
                        queue.abandoned -= 1;
                    } else {
                        ready.push(entry.sleep);
                    }
                }
            }
        }
        for sleep in ready {
            sleep.status.set(SleepStatus::Fired);
            sleep.waker.borrow().wake_by_ref();
        }
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        // Polled with every chunk of the response that it limits, so this must be quick.
        if let Some(sleep) = &self.state {
            if sleep.status.get() == SleepStatus::Fired {
                return Poll::Ready(());
            }
            let mut waker = sleep.waker.borrow_mut();
            if !waker.will_wake(cx.waker()) {
                waker.clone_from(cx.waker());
            }
            return Poll::Pending;
        }
        if Mono::now() >= self.deadline {
            return Poll::Ready(());
        }
        let sleep =
            Rc::new(SleepState { status: Cell::new(SleepStatus::Waiting), waker: RefCell::new(cx.waker().clone()) });
        self.state = Some(Rc::clone(&sleep));
        let shared = Rc::clone(&self.shared);
        let mut queue = shared.queue.borrow_mut();
        let earliest = queue.due.peek().is_none_or(|Reverse(first)| self.deadline < first.deadline);
        queue.forget_abandoned();
        let id = queue.next_id;
        queue.next_id += 1;
        queue.due.push(Reverse(TimerEntry { deadline: self.deadline, id, sleep }));
        if earliest {
            shared.wake.set(self.deadline);
        }
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if let Some(sleep) = self.state.take().filter(|sleep| sleep.status.get() == SleepStatus::Waiting) {
            sleep.status.set(SleepStatus::Abandoned);
            self.shared.queue.borrow_mut().abandoned += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Nanos;

    fn on_runtime<F: Future>(body: F) -> F::Output {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        tokio::task::LocalSet::new().block_on(&runtime, body)
    }

    #[test]
    fn sleepers_wake_in_the_order_they_are_due() {
        on_runtime(async {
            let timer = Timer::start().unwrap();
            let start = Mono::now();
            let order = Rc::new(RefCell::new(Vec::new()));
            let mut tasks = Vec::new();
            for (name, micros) in [("late", 9_000), ("early", 3_000), ("middle", 6_000)] {
                let (timer, order) = (timer.clone(), Rc::clone(&order));
                tasks.push(tokio::task::spawn_local(async move {
                    let due = start + Nanos(micros * 1_000);
                    timer.sleep_until(due).await;
                    assert!(Mono::now() >= due);
                    order.borrow_mut().push(name);
                }));
            }
            for task in tasks {
                task.await.unwrap();
            }
            assert_eq!(*order.borrow(), ["early", "middle", "late"]);
        });
    }

    #[test]
    fn abandoned_sleepers_do_not_pile_up() {
        on_runtime(async {
            let timer = Timer::start().unwrap();
            let far = Mono::now() + Nanos(3_600_000_000_000);
            for _ in 0..10_000 {
                let mut sleep = Box::pin(timer.sleep_until(far));
                std::future::poll_fn(|cx| {
                    assert!(sleep.as_mut().poll(cx).is_pending());
                    Poll::Ready(())
                })
                .await;
            }
            assert!(timer.shared.queue.borrow().due.len() <= 128);
        });
    }

    #[test]
    fn a_dropped_sleeper_does_not_hold_up_the_others() {
        on_runtime(async {
            let timer = Timer::start().unwrap();
            let far = Mono::now() + Nanos(3_600_000_000_000);
            {
                let mut abandoned = Box::pin(timer.sleep_until(Mono::now() + Nanos(2_000_000)));
                std::future::poll_fn(|cx| {
                    let _ = abandoned.as_mut().poll(cx);
                    Poll::Ready(())
                })
                .await;
            }
            let due = Mono::now() + Nanos(4_000_000);
            tokio::select! {
                () = timer.sleep_until(due) => {}
                () = timer.sleep_until(far) => panic!("the far sleeper must not win"),
            }
            assert!(Mono::now() >= due);
        });
    }
}
