//! Contents that are generated when they are needed. A run can start before all of its data is generated, and the data
//! does not have to fit into memory.

use std::fmt::Debug;

use aiperf_conversation::{Conversation, ConversationIndex};

/// Adds the contents that the outlines of conversations lack.
pub(crate) trait Deferred: Debug + Send + Sync {
    /// The outline with its contents. The same conversation always has the same contents, on any thread and at any time.
    fn complete(&self, index: ConversationIndex, outline: &Conversation) -> Conversation;

    /// The outline with at least the contents of one turn, for callers that need no other turn.
    fn complete_turn(&self, index: ConversationIndex, outline: &Conversation, _turn: usize) -> Conversation {
        self.complete(index, outline)
    }

    /// Whether the contents of one turn can be generated without those of the others.
    fn is_made_by_turn(&self) -> bool {
        false
    }

    /// The number of generated texts so far that do not have the requested length.
    fn inexact_texts(&self) -> usize;

    /// Whether the bodies are written to `inputs.json`. Those of traces are not.
    fn writes_inputs(&self) -> bool {
        true
    }
}

/// The conversations of a source.
#[derive(Debug)]
pub(crate) struct Sourced {
    /// Complete, or without the contents that `deferred` adds. Turns, delays and branches are always present.
    pub(crate) conversations: Vec<Conversation>,
    pub(crate) deferred: Option<Box<dyn Deferred>>,
}

impl From<Vec<Conversation>> for Sourced {
    fn from(conversations: Vec<Conversation>) -> Self {
        Self { conversations, deferred: None }
    }
}
