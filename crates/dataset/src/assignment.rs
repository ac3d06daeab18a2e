//! What every turn gets that does not bring it along: a model, and an output length.

use std::sync::Arc;

use aiperf_config::{DatasetConfig, Length, ModelSelection};
use aiperf_conversation::{Conversation, Turn};
use aiperf_seed::{Seed, Stream};

use crate::DatasetError;

/// Goes through all turns in data set order, so that the result does not depend on how they are sent.
#[derive(Debug)]
pub(crate) struct Assignment<'c> {
    models: &'c [Arc<str>],
    choice: Choice,
    output_tokens: Option<Length>,
    output_stream: Stream,
}

#[derive(Debug)]
enum Choice {
    RoundRobin { next: usize },
    Random(Stream),
}

impl<'c> Assignment<'c> {
    pub(crate) fn new(config: &'c DatasetConfig, seed: Seed) -> Result<Self, DatasetError> {
        if config.models.is_empty() {
            return Err(DatasetError::NoModels);
        }
        let choice = match config.model_selection {
            ModelSelection::RoundRobin => Choice::RoundRobin { next: 0 },
            ModelSelection::Random => Choice::Random(seed.stream("composer.turn.model_selection")),
        };
        let output_stream = seed.stream("composer.turn.max_tokens");
        Ok(Self { models: &config.models, choice, output_tokens: config.output_tokens, output_stream })
    }

    pub(crate) fn complete(&mut self, conversations: &mut [Conversation]) {
        for turn in conversations.iter_mut().flat_map(|conversation| conversation.turns.iter_mut()) {
            self.complete_turn(turn);
        }
    }

    fn complete_turn(&mut self, turn: &mut Turn) {
        if turn.model.is_empty() {
            let index = match &mut self.choice {
                Choice::RoundRobin { next } => {
                    *next += 1;
                    (*next - 1) % self.models.len()
                }
                Choice::Random(stream) => stream.below(self.models.len() as u64) as usize,
            };
            turn.model = Arc::clone(&self.models[index]);
        }
        if let (None, Some(length)) = (turn.max_tokens, self.output_tokens) {
            let tokens = self.output_stream.positive_normal_integer(length.mean, length.stddev);
            turn.max_tokens = Some(u32::try_from(tokens).unwrap_or(u32::MAX));
        }
    }
}
