//! What stays known of every turn, whether its contents are held or not.

use std::sync::{Arc, OnceLock};

use aiperf_conversation::Conversation;
use aiperf_endpoint::Endpoint;
use aiperf_engine::Finished;
use aiperf_tokenizer::Tokenizer;

#[derive(Debug, Clone, Copy)]
pub(crate) struct TurnFacts<'s> {
    pub(crate) max_tokens: Option<u32>,
    pub(super) input_tokens: &'s OnceLock<u64>,
}

impl TurnFacts<'_> {
    /// Input tokens of the body that was sent, counted by the client. A body that is the same each time is counted once.
    pub(crate) fn input_tokens(&self, finished: &Finished, endpoint: &dyn Endpoint, tokenizer: &dyn Tokenizer) -> u64 {
        let count = || {
            let text = endpoint.input_text(&finished.body);
            tokenizer.count(&text.texts.join(" ")) as u64 + text.pretokenised
        };
        if finished.body_is_fixed { *self.input_tokens.get_or_init(count) } else { count() }
    }
}

/// Input tokens of every turn that is sent with the same body each time, once they were counted.
#[derive(Debug)]
pub(super) struct InputCounts {
    /// By conversation, the place of its first turn.
    first: Vec<usize>,
    counts: Vec<OnceLock<u64>>,
}

impl InputCounts {
    pub(super) fn new(outlines: &[Arc<Conversation>]) -> Self {
        let mut turns = 0;
        let first = outlines
            .iter()
            .map(|outline| {
                turns += outline.turns.len();
                turns - outline.turns.len()
            })
            .collect();
        Self { first, counts: (0..turns).map(|_| OnceLock::new()).collect() }
    }

    pub(super) fn of(&self, conversation: usize, turn: usize) -> &OnceLock<u64> {
        &self.counts[self.first[conversation] + turn]
    }
}
