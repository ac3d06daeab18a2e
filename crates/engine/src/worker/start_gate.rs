//! Keeps the starts of requests from holding up everything else on a worker thread. Opening a connection and writing a
//! request takes a fraction of a millisecond; hundreds of requests that may start at the same time would keep the thread
//! from its sockets for as long as all of them take, and chunks that arrive meanwhile would share one read.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use aiperf_clock::{Mono, Nanos};
use tokio::sync::Semaphore;

/// How long requests may start one after the other before the thread looks at its sockets again.
const LONGEST_BURST: Nanos = Nanos(100_000);

/// Where requests wait for their turn to start: in the order in which they came, and after what has arrived was read.
#[derive(Debug)]
pub(crate) struct StartGate {
    /// When the thread last looked at its sockets.
    looked: Cell<Mono>,
    /// Held by the request whose turn is next.
    order: Semaphore,
}

thread_local! {
    static OF_THIS_THREAD: RefCell<Option<Rc<StartGate>>> = const { RefCell::new(None) };
}

/// To be called when the thread has looked at its sockets.
pub(crate) fn after_unpark() {
    OF_THIS_THREAD.with_borrow(|gate| {
        if let Some(gate) = gate {
            gate.looked.set(Mono::now());
        }
    });
}

impl StartGate {
    pub(crate) fn new() -> Rc<Self> {
        Rc::new(Self { looked: Cell::new(Mono::now()), order: Semaphore::new(1) })
    }

    /// From now on the calling thread's looks at its sockets count for this gate.
    pub(crate) fn install(gate: &Rc<Self>) {
        OF_THIS_THREAD.set(Some(Rc::clone(gate)));
    }

    pub(crate) fn uninstall() {
        OF_THIS_THREAD.set(None);
    }

    /// Resolves when the request may start. Until it waits for its server, nothing else runs on this thread.
    pub(crate) async fn turn(&self) {
        let order = match self.order.try_acquire() {
            Ok(free) => Ok(free),
            Err(_) => self.order.acquire().await,
        };
        if Mono::now().since(self.looked.get()) > LONGEST_BURST {
            // The runtime continues this request after it has looked at all sockets and run what they had.
            tokio::task::yield_now().await;
            self.looked.set(Mono::now());
        }
        // The next in line is woken, and runs once this request waits for its server.
        drop(order);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::time::Duration;

    use tokio::io::AsyncReadExt;
    use tokio::net::UnixStream;
    use tokio::runtime::LocalOptions;

    use super::*;

    fn on_runtime<F: Future>(body: F) -> F::Output {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_io().build_local(LocalOptions::default()).unwrap();
        runtime.block_on(body)
    }

    /// Takes longer than a burst may last.
    fn start_slowly() {
        std::thread::sleep(Duration::from_nanos(LONGEST_BURST.0 + 1));
    }

    #[test]
    fn requests_start_in_the_order_they_came() {
        on_runtime(async {
            let gate = StartGate::new();
            let started = Rc::new(RefCell::new(Vec::new()));
            let tasks: Vec<_> = (0..50)
                .map(|number| {
                    let (gate, started) = (Rc::clone(&gate), Rc::clone(&started));
                    tokio::task::spawn_local(async move {
                        gate.turn().await;
                        if number % 7 == 0 {
                            start_slowly();
                        }
                        started.borrow_mut().push(number);
                    })
                })
                .collect();
            for task in tasks {
                task.await.unwrap();
            }
            assert_eq!(*started.borrow(), (0..50).collect::<Vec<_>>());
        });
    }

    #[test]
    fn what_arrives_during_a_storm_is_read_before_the_storm_is_over() {
        on_runtime(async {
            let gate = StartGate::new();
            let (ours, theirs) = std::os::unix::net::UnixStream::pair().unwrap();
            ours.set_nonblocking(true).unwrap();
            let (mut ours, theirs) = (UnixStream::from_std(ours).unwrap(), Rc::new(theirs));
            let started = Rc::new(Cell::new(0));
            let tasks: Vec<_> = (0..20)
                .map(|number| {
                    let (gate, started) = (Rc::clone(&gate), Rc::clone(&started));
                    let theirs = Rc::clone(&theirs);
                    tokio::task::spawn_local(async move {
                        gate.turn().await;
                        start_slowly();
                        started.set(started.get() + 1);
                        if number == 4 {
                            theirs.as_ref().write_all(b"x").unwrap();
                        }
                    })
                })
                .collect();
            let reader = tokio::task::spawn_local({
                let started = Rc::clone(&started);
                async move {
                    ours.read_u8().await.unwrap();
                    started.get()
                }
            });
            for task in tasks {
                task.await.unwrap();
            }
            // Written by the fifth request, and read before the seventh.
            assert!(reader.await.unwrap() <= 6);
        });
    }

    #[test]
    fn a_request_that_is_given_up_while_it_waits_does_not_hold_up_the_others() {
        on_runtime(async {
            let gate = StartGate::new();
            start_slowly();
            let given_up = tokio::task::spawn_local({
                let gate = Rc::clone(&gate);
                async move { gate.turn().await }
            });
            let next = tokio::task::spawn_local({
                let gate = Rc::clone(&gate);
                async move { gate.turn().await }
            });
            given_up.abort();
            next.await.unwrap();
            assert!(given_up.await.is_err());
        });
    }
}
