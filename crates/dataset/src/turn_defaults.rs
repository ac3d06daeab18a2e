//! Defaults for turns that do not set them: a model and an output length.

use std::sync::Arc;

use aiperf_config::{DatasetConfig, Length, ModelSelection};
use aiperf_conversation::{Conversation, Turn};
use aiperf_seed::{Seed, Stream};

use crate::{DatasetError, length};

/// Goes through all turns in data set order, so that the result does not depend on how they are sent.
#[derive(Debug)]
pub(crate) struct TurnDefaults<'c> {
    models: &'c [Arc<str>],
    selection: ModelSelection,
    model_stream: Stream,
    /// The number of turns that have been given a model.
    turns: usize,
    output_tokens: Option<&'c Length>,
    output_stream: Stream,
}

impl<'c> TurnDefaults<'c> {
    pub(crate) fn new(config: &'c DatasetConfig, seed: Seed) -> Result<Self, DatasetError> {
        if config.models.is_empty() {
            return Err(DatasetError::NoModels);
        }
        Ok(Self {
            models: &config.models,
            selection: config.model_selection.clone(),
            model_stream: seed.stream("composer.turn.model_selection"),
            turns: 0,
            output_tokens: config.output_tokens.as_ref(),
            output_stream: seed.stream("composer.turn.max_tokens"),
        })
    }

    pub(crate) fn complete(&mut self, conversations: &mut [Conversation]) {
        for turn in conversations.iter_mut().flat_map(|conversation| conversation.turns.iter_mut()) {
            self.complete_turn(turn);
        }
    }

    fn complete_turn(&mut self, turn: &mut Turn) {
        if turn.model.is_empty() {
            let index = match &self.selection {
                ModelSelection::RoundRobin => self.turns % self.models.len(),
                ModelSelection::Random => self.model_stream.below(self.models.len() as u64) as usize,
                ModelSelection::Weighted(weights) => weighted(weights, self.model_stream.unit()),
            };
            self.turns += 1;
            turn.model = Arc::clone(&self.models[index]);
        }
        if let (None, Some(length)) = (turn.max_tokens, self.output_tokens) {
            let tokens = length::whole(length, &mut self.output_stream);
            turn.max_tokens = Some(u32::try_from(tokens).unwrap_or(u32::MAX));
        }
    }
}

/// The place in a list of shares that a number from 0 to 1 falls on.
fn weighted(weights: &[f64], unit: f64) -> usize {
    let mut left = unit * weights.iter().sum::<f64>();
    let place = weights.iter().position(|weight| {
        left -= weight;
        left < 0.0
    });
    // Rounding can leave a rest; the last model that has a share takes it.
    place.or_else(|| weights.iter().rposition(|weight| *weight > 0.0)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_the_unit_belong_to_the_models_in_order() {
        let weights = [0.5, 0.0, 0.3, 0.2];
        for (unit, place) in [(0.0, 0), (0.49, 0), (0.5, 2), (0.79, 2), (0.81, 3), (0.999_999, 3), (1.0, 3)] {
            assert_eq!(weighted(&weights, unit), place, "{unit}");
        }
        assert_eq!(weighted(&[0.5, 0.5, 0.0], 1.0), 1);
    }
}
