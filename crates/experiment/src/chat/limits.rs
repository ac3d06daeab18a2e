//! How long a chat waits for the server.

use std::time::Duration;

use aiperf_clock::Mono;

use super::error::ChatError;
use super::listener::{ExchangeStage, ReplyListener};

#[derive(Debug, Clone, Copy)]
pub(super) struct ChatLimits {
    /// Until the request is out.
    pub(super) connect: Duration,
    /// Between any two arrivals after that.
    pub(super) read: Duration,
}

impl ChatLimits {
    /// Comes back with an error when the exchange that `listener` follows has waited too long.
    pub(super) async fn overrun(&self, listener: &ReplyListener<'_>) -> ChatError {
        loop {
            let (since, limit) = match listener.stage() {
                ExchangeStage::Sending { since } => (since, self.connect),
                ExchangeStage::Waiting { since } => (since, self.read),
            };
            let waited = Mono::now().since(since).as_duration();
            let Some(left) = limit.checked_sub(waited).filter(|left| !left.is_zero()) else {
                return match listener.stage() {
                    ExchangeStage::Sending { .. } => ChatError::NotSent { limit },
                    ExchangeStage::Waiting { .. } => ChatError::Stalled { limit },
                };
            };
            tokio::time::sleep(left).await;
        }
    }
}
