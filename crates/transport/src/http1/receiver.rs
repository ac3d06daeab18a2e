//! Receives the rest of streamed responses for all requests of a thread in one place. A chunk that woke the task of its
//! request would touch the state of the runtime, of the task and of every future within it: a dozen cache lines that a
//! thread with hundreds of streams finds in no cache. Here it touches the connection and the response, and the task is
//! woken when the response is over.

use std::cell::RefCell;
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use super::exchange_io::{HttpConnection, poll_take};
use super::response::{ReadProgress, ResponseReader};
use crate::error::TransportError;
use crate::exchange::Exchange;
use crate::observer::ExchangeObserver;

/// Responses that are advanced before other tasks of the thread run.
const BATCH: usize = 128;

/// Responses whose state is brought into the cache together.
const GROUP: usize = 8;

/// The responses that are being received on this thread.
#[derive(Debug, Default)]
pub(crate) struct Receiver {
    slots: RefCell<Slots>,
    ready: Arc<ReadyList>,
}

#[derive(Debug, Default)]
struct Slots {
    receiving: Vec<Option<Box<Receiving>>>,
    /// What wakes the receiver for the response in each slot. A slot keeps its waker when it is used again.
    wakers: Vec<Waker>,
    free: Vec<usize>,
}

/// One response on its way.
struct Receiving {
    connection: HttpConnection,
    reader: ResponseReader,
    exchange: Exchange,
    observer: Rc<dyn ExchangeObserver>,
    /// Puts its slot on the list of those that are ready.
    waker: Waker,
    /// Of the request, which is woken when the response is over.
    task: Waker,
    result: Option<Result<bool, TransportError>>,
}

impl fmt::Debug for Receiving {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiving").field("connection", &self.connection).finish_non_exhaustive()
    }
}

/// Slots whose connections have something to read. Only the receiver's own thread uses it; wakers must be able to move
/// between threads all the same.
#[derive(Debug, Default)]
struct ReadyList(Mutex<Ready>);

#[derive(Debug, Default)]
struct Ready {
    slots: Vec<usize>,
    receiver: Option<Waker>,
}

struct SlotWaker {
    slot: usize,
    ready: Arc<ReadyList>,
}

impl Wake for SlotWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let receiver = self.ready.with(|ready| {
            ready.slots.push(self.slot);
            ready.receiver.take()
        });
        if let Some(receiver) = receiver {
            receiver.wake();
        }
    }
}

impl ReadyList {
    fn with<T>(&self, change: impl FnOnce(&mut Ready) -> T) -> T {
        // A panic while the lock is held can only come from a failed allocation, which leaves the list as it was.
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Exchanges an empty list for the slots that are ready.
    fn poll_take(&self, batch: &mut Vec<usize>, cx: &mut Context<'_>) -> Poll<()> {
        self.with(|ready| {
            if ready.slots.is_empty() {
                ready.receiver = Some(cx.waker().clone());
                return Poll::Pending;
            }
            std::mem::swap(&mut ready.slots, batch);
            Poll::Ready(())
        })
    }
}

impl Slots {
    /// An empty slot, and its waker.
    fn reserve(&mut self, ready: &Arc<ReadyList>) -> (usize, Waker) {
        let slot = self.free.pop().unwrap_or_else(|| {
            let slot = self.receiving.len();
            self.receiving.push(None);
            self.wakers.push(Arc::new(SlotWaker { slot, ready: Arc::clone(ready) }).into());
            slot
        });
        (slot, self.wakers[slot].clone())
    }

    fn remove(&mut self, slot: usize) -> Option<Box<Receiving>> {
        let receiving = self.receiving[slot].take()?;
        self.free.push(slot);
        Some(receiving)
    }
}

impl Receiving {
    /// A number that depends on what the next read will use.
    fn touch(&self) -> usize {
        let Exchange { body, marks, .. } = &self.exchange;
        let last_byte = body.last().copied().unwrap_or_default();
        let last_mark = marks.last().map_or(0, |mark| mark.end);
        let stamp = self.connection.0.stream.socket().last_read().read_at.as_nanos();
        usize::from(last_byte)
            + last_mark
            + stamp as usize
            + usize::from(self.reader.has_begun())
            + Rc::strong_count(&self.observer)
    }

    /// Adds what can be read without waiting. Returns whether the response is over.
    fn advance(&mut self, scratch: &RefCell<Box<[u8]>>) -> bool {
        let Self { connection, reader, exchange, observer, waker, result, .. } = self;
        let mut cx = Context::from_waker(waker);
        while result.is_none() {
            match poll_take(&mut connection.0.stream, reader, scratch, exchange, &**observer, &mut cx) {
                Poll::Pending => return false,
                Poll::Ready(Ok(ReadProgress::Reading)) => {}
                Poll::Ready(Ok(ReadProgress::Complete { reusable })) => *result = Some(Ok(reusable)),
                Poll::Ready(Err(error)) => *result = Some(Err(error)),
            }
        }
        true
    }
}

impl Receiver {
    /// Advances responses as their bytes arrive, without end.
    pub(crate) async fn run(&self, scratch: &RefCell<Box<[u8]>>) {
        let mut batch = Vec::new();
        // The runtime's own limit on what a task does at once would have sockets say that they have nothing.
        tokio::task::coop::unconstrained(async {
            loop {
                poll_fn(|cx| self.ready.poll_take(&mut batch, cx)).await;
                for (number, group) in batch.chunks(GROUP).enumerate() {
                    if number > 0 && number % (BATCH / GROUP) == 0 {
                        let_others_run().await;
                    }
                    self.bring_into_cache(group);
                    for slot in group {
                        self.advance(*slot, scratch);
                    }
                }
                batch.clear();
            }
        })
        .await;
    }

    /// Reads a little of the state of each response. These reads do not depend on each other, so the processor waits for
    /// the memory of all of them at once, and not for one after the other while the responses are advanced.
    fn bring_into_cache(&self, group: &[usize]) {
        let slots = self.slots.borrow();
        let mut sum = 0_usize;
        for receiving in group.iter().filter_map(|slot| slots.receiving.get(*slot)?.as_ref()) {
            sum = sum.wrapping_add(receiving.touch());
        }
        std::hint::black_box(sum);
    }

    fn advance(&self, slot: usize, scratch: &RefCell<Box<[u8]>>) {
        // Its request may be gone.
        let taken = self.slots.borrow_mut().receiving.get_mut(slot).and_then(Option::take);
        let Some(mut receiving) = taken else { return };
        if receiving.advance(scratch) {
            receiving.task.wake_by_ref();
        }
        self.slots.borrow_mut().receiving[slot] = Some(receiving);
    }

    /// Receives the rest of a response. Whether the connection can carry another request comes back with it.
    pub(crate) async fn receive(
        &self,
        connection: HttpConnection,
        reader: ResponseReader,
        scratch: &RefCell<Box<[u8]>>,
        exchange: &mut Exchange,
        observer: Rc<dyn ExchangeObserver>,
    ) -> Result<(HttpConnection, bool), TransportError> {
        let task = poll_fn(|cx| Poll::Ready(cx.waker().clone())).await;
        let slot = {
            let mut slots = self.slots.borrow_mut();
            let (slot, waker) = slots.reserve(&self.ready);
            let (exchange, result) = (std::mem::take(exchange), None);
            let receiving = Receiving { connection, reader, exchange, observer, waker, task, result };
            slots.receiving[slot] = Some(Box::new(receiving));
            slot
        };
        let response = Response { receiver: self, slot: Some(slot), exchange };
        // From here on its own waker is told of what arrives.
        self.advance(slot, scratch);
        response.await
    }
}

/// Lets the other tasks of the thread run before this one goes on.
async fn let_others_run() {
    let mut has_yielded = false;
    poll_fn(|cx| {
        if std::mem::replace(&mut has_yielded, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Resolves when the response in a slot is over. The exchange comes back when it is dropped, with what was read until then.
struct Response<'a> {
    receiver: &'a Receiver,
    /// `None` once the response is over.
    slot: Option<usize>,
    exchange: &'a mut Exchange,
}

impl Future for Response<'_> {
    type Output = Result<(HttpConnection, bool), TransportError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        if let Some(slot) = this.slot
            && let Some(receiving) = &mut this.receiver.slots.borrow_mut().receiving[slot]
            && receiving.result.is_none()
        {
            if !receiving.task.will_wake(cx.waker()) {
                receiving.task.clone_from(cx.waker());
            }
            return Poll::Pending;
        }
        match this.take_back() {
            Some((connection, Some(Ok(reusable)))) => Poll::Ready(Ok((connection, reusable))),
            Some((_, Some(Err(error)))) => Poll::Ready(Err(error)),
            // Polled again after its end.
            Some((_, None)) | None => Poll::Pending,
        }
    }
}

impl Response<'_> {
    /// Empties the slot, and gives the exchange back.
    fn take_back(&mut self) -> Option<(HttpConnection, Option<Result<bool, TransportError>>)> {
        let receiving = self.receiver.slots.borrow_mut().remove(self.slot.take()?)?;
        let Receiving { connection, exchange, result, .. } = *receiving;
        *self.exchange = exchange;
        Some((connection, result))
    }
}

impl Drop for Response<'_> {
    fn drop(&mut self) {
        self.take_back();
    }
}
