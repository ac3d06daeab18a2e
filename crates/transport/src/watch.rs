//! A look over the shoulder of a running exchange.

use aiperf_clock::{Mono, ReadStamp};

use crate::exchange::Exchange;

/// Told of the stages of an exchange as they happen. Called between reads: it must be quick.
pub trait Watch {
    /// The last byte of the request was taken by the socket.
    fn sent(&self, _at: Mono) {}

    /// A read was taken in.
    fn read(&self, _stamp: ReadStamp, _exchange: &Exchange) {}
}

/// Looks away.
#[derive(Debug, Clone, Copy)]
pub struct NoWatch;

impl Watch for NoWatch {}
