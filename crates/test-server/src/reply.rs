//! What a test server writes, byte by byte, and what it does afterwards.

use std::time::Duration;

/// The bytes of a response in the writes that send them.
#[derive(Debug, Clone, Default)]
pub struct TestReply {
    pub writes: Vec<Vec<u8>>,
    /// The time before each write after the first.
    pub pause: Duration,
    pub after: AfterReply,
}

/// What becomes of the connection after a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AfterReply {
    #[default]
    AwaitNext,
    Close,
    /// Reset, so that the client may lose what it has not read.
    Reset,
    /// Left open, and whatever comes is not answered.
    Ignore,
}

impl TestReply {
    /// A reply of one write.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self { writes: vec![bytes.into()], ..Self::default() }
    }

    /// A reply of several writes with a pause between them.
    pub fn paced(writes: Vec<Vec<u8>>, pause: Duration) -> Self {
        Self { writes, pause, after: AfterReply::AwaitNext }
    }

    /// No reply at all: the client waits until it gives up.
    pub fn silence() -> Self {
        Self { after: AfterReply::Ignore, ..Self::default() }
    }

    pub fn then(self, after: AfterReply) -> Self {
        Self { after, ..self }
    }
}
