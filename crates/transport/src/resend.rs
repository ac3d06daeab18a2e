//! When a request that failed is sent again.

use aiperf_clock::{Mono, Nanos};

use crate::error::TransportError;
use crate::exchange::Exchange;

/// How often an HTTP/2 request is sent again after the server said that it did not accept it.
pub(crate) const MOST_RESENDS: u32 = 3;

/// Whether a request that the server left without an answer is sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resend {
    /// Over HTTP/1.1, if the server left a kept connection within this time of the end of the sending. A server that closed the
    /// connection before the request reached it says so as soon as the request comes; one that was silent for longer had the
    /// request, and failed it. Over HTTP/2, if the server says that it did not take the request.
    IfLeftWithin(Nanos),
    /// Only if no byte of it was sent.
    Never,
}

impl Default for Resend {
    fn default() -> Self {
        Self::IfLeftWithin(Nanos(50_000_000))
    }
}

impl Resend {
    /// Whether a kept HTTP/1.1 connection turned out to be one that the server had left: it closed or broke it without a byte of
    /// an answer. Some servers close after every stream without saying so (llama.cpp), others after a while, load balancers forget
    /// connections and break them when something comes, and a request may be on its way by then. It is sent once more, over a new
    /// connection, as curl and browsers do; its time goes on meanwhile.
    pub(crate) fn allows_on_left_connection(self, error: &TransportError, exchange: &Exchange) -> bool {
        let trace = &exchange.trace;
        let left = matches!(error, TransportError::Disconnected | TransportError::Severed(_) | TransportError::Send(_));
        if !left || trace.head_bytes_received > 0 {
            return false;
        }
        match self {
            _ if trace.head_bytes_sent == 0 => true,
            Self::IfLeftWithin(limit) => {
                let sent = trace.send_end.or(trace.send_start);
                sent.is_none_or(|sent| Mono::now().since(sent) <= limit)
            }
            Self::Never => false,
        }
    }

    /// Whether an HTTP/2 request that was discarded `before` times is sent again.
    pub(crate) fn allows_when_not_taken(self, error: &TransportError, exchange: &Exchange, before: u32) -> bool {
        let unsent = exchange.trace.head_bytes_sent == 0;
        matches!(error, TransportError::NotTaken(_)) && before < MOST_RESENDS && (unsent || self != Self::Never)
    }
}
