//! Follows an exchange while it runs.

use std::rc::Rc;

use aiperf_clock::{Mono, ReadStamp};

use crate::exchange::Exchange;

/// Is told of the stages of an exchange as they happen. Called between reads, so it must be quick.
pub trait ExchangeObserver {
    /// The socket accepted the last byte of the request.
    fn sent(&self, _at: Mono) {}

    /// The observer in a form that outlives the call. The response is then received by [`Client::receive`](crate::Client::receive)
    /// together with others, and the task of the request sleeps until its end.
    fn shared(&self) -> Option<Rc<dyn ExchangeObserver>> {
        None
    }

    /// A read was added to the exchange. Its observer may take out what has arrived of the body.
    fn read(&self, _stamp: ReadStamp, _exchange: &mut Exchange) {}
}

/// Ignores everything.
#[derive(Debug, Clone, Copy)]
pub struct NoObserver;

impl ExchangeObserver for NoObserver {}
