//! Where bodies come from that do not depend on replies. They are made about when they are needed, not before the run.

use std::fmt::Debug;
use std::sync::Arc;

use aiperf_endpoint::BuildError;
use bytes::Bytes;

use crate::request::credit::Session;

/// Makes bodies, and may make them ahead: it is told which sessions begin and which are over.
pub trait Bodies: Debug + Send + Sync {
    /// The body of a turn that needs no replies; the same bytes each time. A worker asks just before it sends, and
    /// spends the time that it takes to make the body if it is not at hand.
    fn fixed(&self, conversation: usize, turn: usize) -> Result<Bytes, BuildError>;

    /// The same, asking for a single token: all that a warmup wants of it is the prompt.
    fn brief(&self, conversation: usize, turn: usize) -> Result<Bytes, BuildError>;

    /// The body as this session sends it, where that differs from the bytes that all its sessions share.
    fn personal(&self, _session: &Session, _body: &Bytes) -> Option<Bytes> {
        None
    }

    /// A session of this conversation begins. The conductor says so, and must not be held up.
    fn begin(&self, conversation: usize, began: Began);

    /// A session of this conversation is over, and so are its records.
    fn end(&self, conversation: usize);
}

/// What made a session begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Began {
    /// It was drawn from the data set.
    Drawn,
    /// The fixed schedule.
    Scheduled,
    /// Another session.
    Branched,
}

/// Held by a session for as long as anyone knows it.
#[derive(Debug)]
pub(crate) struct Lease {
    bodies: Arc<dyn Bodies>,
    conversation: usize,
}

impl Lease {
    pub(crate) fn take(bodies: &Arc<dyn Bodies>, conversation: usize, began: Began) -> Self {
        bodies.begin(conversation, began);
        Self { bodies: Arc::clone(bodies), conversation }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.bodies.end(self.conversation);
    }
}
