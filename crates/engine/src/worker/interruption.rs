//! Ends a request early: by its timeout, by a cancellation on purpose, or by the end of the phase. These are looked at when
//! one of them may have happened, and not with each of the hundreds of chunks of a response: their state is spread over
//! memory that a worker with many streams finds in no cache.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

use aiperf_clock::Mono;
use aiperf_transport::TransportError;

use crate::request::finished::ExchangeError;

/// Resolves with the result of `sending`, or with what interrupts it. `last_read` tells when the last read returned.
/// `may_be_due` is asked after a read, and says whether the interruption may have happened by then.
pub(crate) async fn unless_interrupted(
    mut sending: Pin<&mut impl Future<Output = Result<(), TransportError>>>,
    mut interruption: Pin<&mut impl Future<Output = ExchangeError>>,
    last_read: impl Fn() -> Mono,
    may_be_due: impl Fn(Mono) -> bool,
) -> Result<(), ExchangeError> {
    let mut is_armed = false;
    poll_fn(|cx| {
        let before = last_read();
        if let Poll::Ready(sent) = sending.as_mut().poll(cx) {
            return Poll::Ready(sent.map_err(ExchangeError::Transport));
        }
        let read_at = last_read();
        // A request that was woken and has read nothing was woken for something else.
        if is_armed && read_at != before && !may_be_due(read_at) {
            return Poll::Pending;
        }
        is_armed = true;
        interruption.as_mut().poll(cx).map(Err)
    })
    .await
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::future::pending;
    use std::pin::pin;
    use std::task::{Context, Waker};

    use super::*;

    fn at(nanos: u64) -> Mono {
        Mono::from_nanos(nanos)
    }

    /// Polls a request whose polls read at the given times, and returns how often its interruption was polled.
    fn polls_of_interruption(reads: &[u64], may_be_due: impl Fn(Mono) -> bool) -> u32 {
        let (read, next, polled) = (Cell::new(at(0)), Cell::new(0), Cell::new(0));
        let sending = pin!(poll_fn(|_| {
            read.set(at(reads[next.get()]));
            next.set(next.get() + 1);
            Poll::Pending
        }));
        let interruption = pin!(poll_fn(|_| {
            polled.set(polled.get() + 1);
            Poll::Pending
        }));
        let mut request = pin!(unless_interrupted(sending, interruption, || read.get(), may_be_due));
        for _ in reads {
            assert!(request.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        }
        polled.get()
    }

    #[test]
    fn chunks_do_not_ask_for_an_interruption_that_cannot_have_happened() {
        assert_eq!(polls_of_interruption(&[0, 1, 2, 3, 4], |_| false), 1, "once, so that it can wake the request");
    }

    #[test]
    fn a_request_that_was_woken_without_a_chunk_asks_for_its_interruption() {
        assert_eq!(polls_of_interruption(&[0, 1, 1, 2, 2], |_| false), 3);
    }

    #[test]
    fn a_stream_that_never_pauses_is_interrupted_when_it_is_due() {
        assert_eq!(polls_of_interruption(&[0, 1, 2, 3, 4], |read_at| read_at >= at(3)), 3);
    }

    #[test]
    fn an_interruption_ends_the_request() {
        let (sending, interruption) = (pin!(pending()), pin!(async { ExchangeError::TimedOut }));
        let mut request = pin!(unless_interrupted(sending, interruption, || at(0), |_| false));
        let ended = request.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        assert!(matches!(ended, Poll::Ready(Err(ExchangeError::TimedOut))));
    }
}
