//! The messages before a turn: earlier turns of the data set and the server's own replies, as the context mode requires.

use std::sync::Arc;

use aiperf_conversation::{ContextMode, Conversation, Turn};
use serde_json::Value;

use crate::BuildError;
use crate::endpoint::turn_of;

/// One step before the turn that is sent. Cheap to clone: texts stay where they are.
#[derive(Debug, Clone, PartialEq)]
pub enum Past {
    /// A turn that was sent. It names its conversation, since a forked session goes on from its parent's turns.
    Turn { conversation: Arc<Conversation>, turn: usize },
    /// A message in the shape of the API, sent as it is: the server's own reply.
    Message(Arc<Value>),
}

impl Past {
    /// The turn, if it is one.
    pub(crate) fn turn(&self) -> Result<Option<&Turn>, BuildError> {
        match self {
            Self::Turn { conversation, turn } => turn_of(conversation, *turn).map(Some),
            Self::Message(_) => Ok(None),
        }
    }
}

/// The memory of one live session.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    mode: ContextMode,
    messages: Vec<Past>,
}

impl History {
    /// The history of a session that starts empty: a root, or a spawned child.
    pub const fn new(mode: ContextMode) -> Self {
        Self { mode, messages: Vec::new() }
    }

    /// What goes in front of the next turn: the `history` of its [`crate::TurnRequest`].
    pub fn before_next(&self) -> &[Past] {
        match self.mode {
            ContextMode::DeltasWithoutResponses | ContextMode::DeltasWithResponses => &self.messages,
            ContextMode::MessageArrayWithResponses => &[],
        }
    }

    /// Remembers a turn that was sent, and what [`crate::Endpoint::assistant_message`] made of its reply: `None` where
    /// the request failed or its reply has no text. The next turn is sent all the same, without a reply between the two.
    pub fn note(&mut self, conversation: &Arc<Conversation>, turn: usize, reply: Option<Value>) {
        if self.mode == ContextMode::MessageArrayWithResponses {
            // The next turn brings all of its context along; only a fork needs the messages of this one.
            self.messages.clear();
        }
        self.messages.push(Past::Turn { conversation: Arc::clone(conversation), turn });
        match self.mode {
            // The data set brings the assistant's messages itself.
            ContextMode::DeltasWithResponses => {}
            ContextMode::DeltasWithoutResponses | ContextMode::MessageArrayWithResponses => {
                self.messages.extend(reply.map(|message| Past::Message(Arc::new(message))));
            }
        }
    }

    /// The history of a child that goes on from here, the last reply included, in its own mode.
    pub fn fork(&self, mode: ContextMode) -> Self {
        Self { mode, messages: self.messages.clone() }
    }
}

#[cfg(test)]
mod tests {
    use aiperf_conversation::{Lineage, SessionId};
    use serde_json::json;

    use super::*;

    fn conversation(name: &str) -> Arc<Conversation> {
        Arc::new(Conversation {
            session_id: SessionId(name.into()),
            turns: vec![Turn::default(), Turn::default()],
            system: None,
            user_context: None,
            context_mode: ContextMode::default(),
            lineage: Lineage::Root,
        })
    }

    fn gist(past: &[Past]) -> Vec<String> {
        past.iter()
            .map(|past| match past {
                Past::Turn { conversation, turn } => format!("{}{turn}", conversation.session_id),
                Past::Message(message) => message.as_str().unwrap().to_owned(),
            })
            .collect()
    }

    fn after_two_turns(mode: ContextMode) -> History {
        let root = conversation("root");
        let mut history = History::new(mode);
        assert!(history.before_next().is_empty());
        history.note(&root, 0, Some(json!("one")));
        history.note(&root, 1, Some(json!("two")));
        history
    }

    #[test]
    fn the_context_mode_decides_what_goes_in_front_of_the_next_turn() {
        let before = |mode| gist(after_two_turns(mode).before_next());
        assert_eq!(before(ContextMode::DeltasWithoutResponses), ["root0", "one", "root1", "two"]);
        assert_eq!(before(ContextMode::DeltasWithResponses), ["root0", "root1"]);
        assert!(before(ContextMode::MessageArrayWithResponses).is_empty());
    }

    #[test]
    fn a_turn_without_reply_stands_alone() {
        let root = conversation("root");
        let mut history = History::new(ContextMode::DeltasWithoutResponses);
        history.note(&root, 0, None);
        history.note(&root, 1, Some(json!("two")));
        assert_eq!(gist(history.before_next()), ["root0", "root1", "two"]);
    }

    #[test]
    fn a_fork_goes_on_from_its_parent_and_leaves_it_as_it_was() {
        let parent = after_two_turns(ContextMode::DeltasWithoutResponses);
        let mut child = parent.fork(ContextMode::DeltasWithoutResponses);
        child.note(&conversation("child"), 0, Some(json!("three")));
        assert_eq!(gist(child.before_next()), ["root0", "one", "root1", "two", "child0", "three"]);
        assert_eq!(gist(parent.before_next()), ["root0", "one", "root1", "two"]);
    }

    #[test]
    fn a_fork_of_a_session_that_sends_whole_arrays_goes_on_from_the_last_array() {
        let child = after_two_turns(ContextMode::MessageArrayWithResponses).fork(ContextMode::DeltasWithoutResponses);
        assert_eq!(gist(child.before_next()), ["root1", "two"]);
    }
}
