//! Contents that are made when they are needed, so that a run starts before all of its data is there, and so that data
//! which does not fit into memory need not be in it at once.

use std::fmt::Debug;

use aiperf_conversation::{Conversation, ConversationIndex};

/// What is still missing from the outlines of conversations.
pub(crate) trait Deferred: Debug + Send + Sync {
    /// The outline with its contents. The same conversation has the same contents whenever, wherever and however often
    /// it is asked for.
    fn complete(&self, index: ConversationIndex, outline: &Conversation) -> Conversation;

    /// The outline with the contents of one turn at least, for those who need no other.
    fn complete_turn(&self, index: ConversationIndex, outline: &Conversation, _turn: usize) -> Conversation {
        self.complete(index, outline)
    }

    /// Whether contents of one turn are made without those of the others, which may be too many to be held at once.
    fn is_made_by_turn(&self) -> bool {
        false
    }

    /// Generated texts so far that could not be given the length that was asked for.
    fn inexact_texts(&self) -> usize;

    /// Whether the bodies belong into `inputs.json`. Those of traces do not.
    fn writes_inputs(&self) -> bool {
        true
    }
}

/// Conversations as a source gives them.
#[derive(Debug)]
pub(crate) struct Sourced {
    /// Complete, or without what `deferred` adds. Everything but contents is there: turns, pauses, branches.
    pub(crate) conversations: Vec<Conversation>,
    pub(crate) deferred: Option<Box<dyn Deferred>>,
}

impl From<Vec<Conversation>> for Sourced {
    fn from(conversations: Vec<Conversation>) -> Self {
        Self { conversations, deferred: None }
    }
}
