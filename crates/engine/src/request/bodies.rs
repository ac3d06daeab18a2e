//! The source of bodies that do not depend on replies. They are made about when they are needed, not before the run.

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

    /// The body of a turn that asks for a single token: a warm-up wants the server to process its prompt, no more.
    fn single_token(&self, conversation: usize, turn: usize) -> Result<Bytes, BuildError>;

    /// The body as this session sends it, if that differs from the bytes that all sessions of the conversation share.
    fn per_session(&self, _session: &Session, _body: &Bytes) -> Option<Bytes> {
        None
    }

    /// A session of this conversation begins. Called on the scheduler's thread, which must not be held up.
    fn begin(&self, conversation: usize, began: Began);

    /// A session of this conversation is over, and so are its records.
    fn end(&self, conversation: usize);
}

/// What made a session begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Began {
    /// It was drawn from the data set.
    Drawn,
    /// The fixed schedule started it.
    Scheduled,
    /// Another session started it.
    Branched,
}

/// Held by a session: tells the bodies when the last reference to the session is gone.
#[derive(Debug)]
pub(crate) struct ConversationLease {
    bodies: Arc<dyn Bodies>,
    conversation: usize,
}

impl ConversationLease {
    pub(crate) fn take(bodies: &Arc<dyn Bodies>, conversation: usize, began: Began) -> Self {
        bodies.begin(conversation, began);
        Self { bodies: Arc::clone(bodies), conversation }
    }
}

impl Drop for ConversationLease {
    fn drop(&mut self) {
        self.bodies.end(self.conversation);
    }
}
