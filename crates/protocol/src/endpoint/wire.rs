//! What carries requests.

use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Wire {
    #[default]
    Http,
    Grpc {
        /// How long the server is told that it may take; `None` tells it nothing.
        deadline: Option<Duration>,
        /// The longest message, in bytes.
        message_limit: usize,
    },
}

impl Wire {
    pub const fn is_grpc(self) -> bool {
        matches!(self, Self::Grpc { .. })
    }
}
