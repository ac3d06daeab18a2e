//! How long a talk waits for the server.

use std::time::Duration;

use aiperf_clock::Mono;

use super::error::TalkError;
use super::listener::{Listener, Stage};

#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Until the request is out.
    pub(super) connect: Duration,
    /// Between any two arrivals after that.
    pub(super) read: Duration,
}

impl Limits {
    /// Comes back with an error when the exchange that `listener` follows has waited too long.
    pub(super) async fn overrun(&self, listener: &Listener<'_>) -> TalkError {
        loop {
            let (since, limit) = match listener.stage() {
                Stage::Sending { since } => (since, self.connect),
                Stage::Waiting { since } => (since, self.read),
            };
            let waited = Mono::now().since(since).as_duration();
            let Some(left) = limit.checked_sub(waited).filter(|left| !left.is_zero()) else {
                return match listener.stage() {
                    Stage::Sending { .. } => TalkError::NotSent { limit },
                    Stage::Waiting { .. } => TalkError::Stalled { limit },
                };
            };
            tokio::time::sleep(left).await;
        }
    }
}
