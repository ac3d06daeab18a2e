//! Bodies from contents: what the endpoint makes of a turn, alone or with what was said before it.

use std::sync::Arc;

use aiperf_conversation::{ContextMode, Conversation};
use aiperf_endpoint::{BodyOptions, BuildError, Endpoint, History, TurnRequest};
use bytes::Bytes;

#[derive(Debug)]
pub(crate) struct Renderer {
    pub(crate) endpoint: Arc<dyn Endpoint>,
    pub(crate) options: BodyOptions,
}

impl Renderer {
    /// Whether the body of a turn can be made only when the replies before it are there.
    pub(crate) fn needs_replies(conversation: &Conversation, turn: usize) -> bool {
        turn > 0 && conversation.context_mode == ContextMode::DeltasWithoutResponses
    }

    /// Whether a turn is sent just as it stands by itself. The first turn is, also that of a fork: the same conversation
    /// may be spawned elsewhere, and a fork brings its own body.
    pub(crate) fn alone_is_fixed(conversation: &Conversation, turn: usize) -> bool {
        turn == 0 || conversation.context_mode == ContextMode::MessageArrayWithResponses
    }

    /// The turn by itself.
    pub(crate) fn alone(&self, conversation: &Conversation, turn: usize) -> Result<Bytes, BuildError> {
        self.body(conversation, turn, &History::new(conversation.context_mode))
    }

    /// The turn as it is sent, if that needs no replies.
    pub(crate) fn fixed(&self, conversation: &Arc<Conversation>, turn: usize) -> Result<Bytes, BuildError> {
        let mut history = History::new(conversation.context_mode);
        if !Self::alone_is_fixed(conversation, turn) {
            (0..turn).for_each(|earlier| history.note(conversation, earlier, None));
        }
        self.body(conversation, turn, &history)
    }

    pub(crate) fn body(
        &self,
        conversation: &Conversation,
        turn: usize,
        history: &History,
    ) -> Result<Bytes, BuildError> {
        let request = TurnRequest { conversation, turn, history: history.before_next(), options: &self.options };
        if let Some(payload) = conversation.turns.get(turn).and_then(|turn| turn.raw_payload.as_ref()) {
            return self.endpoint.ready_made(&request, payload);
        }
        // Boxed, so that the room for which the writer grew is given back.
        self.endpoint.body(&request).map(|body| Bytes::from(body.into_boxed_slice()))
    }
}
