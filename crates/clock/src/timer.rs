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

/// Handle to the timer of one runtime thread. Cheap to clone; not `Send`.
#[derive(Debug, Clone)]
pub struct Timer {
    shared: Rc<Shared>,
}

#[derive(Debug)]
struct Shared {
    queue: RefCell<Queue>,
    alarm: alarm::Alarm,
}

#[derive(Debug, Default)]
struct Queue {
    due: BinaryHeap<Reverse<Place>>,
    /// Places in `due` whose sleepers are gone.
    abandoned: usize,
    next_id: u64,
}

/// A sleeper's place in the order of waking.
#[derive(Debug)]
struct Place {
    deadline: Mono,
    id: u64,
    bell: Rc<Bell>,
}

/// What a sleeper and its place share.
#[derive(Debug)]
struct Bell {
    state: Cell<BellState>,
    waker: RefCell<Waker>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BellState {
    Waiting,
    Rung,
    /// Nobody listens any more.
    Abandoned,
}

impl PartialEq for Place {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Place {}

impl PartialOrd for Place {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Place {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.deadline, self.id).cmp(&(other.deadline, other.id))
    }
}

impl Queue {
    /// Drops the places of sleepers that are gone. A request that ends long before its timeout leaves one, so without
    /// this the heap would grow with every request sent.
    fn forget_abandoned(&mut self) {
        if self.due.len() > 64 && 2 * self.abandoned > self.due.len() {
            self.due.retain(|Reverse(place)| place.bell.state.get() == BellState::Waiting);
            self.abandoned = 0;
        }
    }
}

/// Waits until a point in time; see [`Timer::sleep_until`].
#[derive(Debug)]
pub struct Sleep {
    shared: Rc<Shared>,
    deadline: Mono,
    bell: Option<Rc<Bell>>,
}

impl Timer {
    /// Starts the timer on the current thread.
    ///
    /// # Panics
    /// Outside a tokio `LocalSet` on a current-thread runtime with I/O enabled.
    pub fn start() -> std::io::Result<Self> {
        let shared = Rc::new(Shared { queue: RefCell::default(), alarm: alarm::Alarm::new()? });
        let driver = Rc::downgrade(&shared);
        tokio::task::spawn_local(async move {
            while let Some(shared) = driver.upgrade() {
                if shared.alarm.rang().await.is_err() {
                    return;
                }
                shared.wake_due();
            }
        });
        Ok(Self { shared })
    }

    /// Resolves at `deadline`, within a few microseconds when the thread is free.
    pub fn sleep_until(&self, deadline: Mono) -> Sleep {
        Sleep { shared: Rc::clone(&self.shared), deadline, bell: None }
    }

    /// When it will ring next, at the earliest.
    pub fn next_due(&self) -> Option<Mono> {
        self.shared.queue.borrow().due.peek().map(|Reverse(place)| place.deadline)
    }
}

impl Shared {
    fn wake_due(&self) {
        let now = Mono::now();
        let mut ready = Vec::new();
        {
            let mut queue = self.queue.borrow_mut();
            while let Some(Reverse(place)) = queue.due.peek() {
                let abandoned = place.bell.state.get() == BellState::Abandoned;
                if place.deadline > now && !abandoned {
                    self.alarm.set(place.deadline);
                    break;
                }
                if let Some(Reverse(place)) = queue.due.pop() {
                    if abandoned {
                        queue.abandoned -= 1;
                    } else {
                        ready.push(place.bell);
                    }
                }
            }
        }
        for bell in ready {
            bell.state.set(BellState::Rung);
            bell.waker.borrow().wake_by_ref();
        }
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        // Polled with every chunk of the response that it limits, so this must be quick.
        if let Some(bell) = &self.bell {
            if bell.state.get() == BellState::Rung {
                return Poll::Ready(());
            }
            let mut waker = bell.waker.borrow_mut();
            if !waker.will_wake(cx.waker()) {
                waker.clone_from(cx.waker());
            }
            return Poll::Pending;
        }
        if Mono::now() >= self.deadline {
            return Poll::Ready(());
        }
        let bell = Rc::new(Bell { state: Cell::new(BellState::Waiting), waker: RefCell::new(cx.waker().clone()) });
        self.bell = Some(Rc::clone(&bell));
        let shared = Rc::clone(&self.shared);
        let mut queue = shared.queue.borrow_mut();
        let earliest = queue.due.peek().is_none_or(|Reverse(first)| self.deadline < first.deadline);
        queue.forget_abandoned();
        let id = queue.next_id;
        queue.next_id += 1;
        queue.due.push(Reverse(Place { deadline: self.deadline, id, bell }));
        if earliest {
            shared.alarm.set(self.deadline);
        }
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if let Some(bell) = self.bell.take().filter(|bell| bell.state.get() == BellState::Waiting) {
            bell.state.set(BellState::Abandoned);
            self.shared.queue.borrow_mut().abandoned += 1;
        }
    }
}

#[cfg(target_os = "linux")]
mod alarm {
    use std::os::fd::OwnedFd;

    use rustix::time::{
        Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
    };
    use tokio::io::unix::AsyncFd;

    use crate::Mono;

    #[derive(Debug)]
    pub(super) struct Alarm(AsyncFd<OwnedFd>);

    impl Alarm {
        pub(super) fn new() -> std::io::Result<Self> {
            let fd = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC)?;
            // SAFETY: the descriptor is owned by the `AsyncFd`, never replaced and closed only when both are dropped.
            #[allow(unsafe_code)]
            let registered = unsafe { AsyncFd::register(fd) };
            Ok(Self(registered.map_err(|e| e.into_parts().1)?))
        }

        pub(super) fn set(&self, at: Mono) {
            let nanos = at.as_nanos().max(1);
            let spec = Itimerspec {
                it_interval: Timespec { tv_sec: 0, tv_nsec: 0 },
                it_value: Timespec { tv_sec: (nanos / 1_000_000_000) as i64, tv_nsec: (nanos % 1_000_000_000) as i64 },
            };
            // Only a bad descriptor or a bad time can fail here, and both are made above.
            let _ = timerfd_settime(self.0.get_ref(), TimerfdTimerFlags::ABSTIME, &spec);
        }

        pub(super) async fn rang(&self) -> std::io::Result<()> {
            let mut guard = self.0.readable().await?;
            let mut count = [0_u8; 8];
            let _ = rustix::io::read(self.0.get_ref(), &mut count);
            guard.clear_ready();
            Ok(())
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod alarm {
    use std::cell::Cell;
    use std::time::Duration;

    use tokio::sync::Notify;

    use crate::Mono;

    /// Without `timerfd`, the runtime's own timer: one millisecond coarse.
    #[derive(Debug)]
    pub(super) struct Alarm {
        at: Cell<Option<Mono>>,
        changed: Notify,
    }

    impl Alarm {
        #[allow(clippy::unnecessary_wraps)]
        pub(super) fn new() -> std::io::Result<Self> {
            Ok(Self { at: Cell::new(None), changed: Notify::new() })
        }

        pub(super) fn set(&self, at: Mono) {
            self.at.set(Some(at));
            self.changed.notify_one();
        }

        #[allow(clippy::unnecessary_wraps)]
        pub(super) async fn rang(&self) -> std::io::Result<()> {
            loop {
                match self.at.get() {
                    None => self.changed.notified().await,
                    Some(at) => {
                        let left = Duration::from_nanos(at.since(Mono::now()).0);
                        tokio::select! {
                            () = tokio::time::sleep(left) => { self.at.set(None); return Ok(()); }
                            () = self.changed.notified() => {}
                        }
                    }
                }
            }
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
