//! What is kept of every turn, whether its contents are in memory or not.

use std::sync::{Arc, OnceLock};

use aiperf_conversation::{BlockReuse, Conversation};
use aiperf_endpoint::Endpoint;
use aiperf_engine::Finished;
use aiperf_tokenizer::{ChatTemplate, Tokenizer};
use memchr::memmem;
use serde_json::Value;

use crate::record::warnings::ResponseWarnings;

#[derive(Debug, Clone, Copy)]
pub(crate) struct TurnFacts<'s> {
    pub(crate) max_tokens: Option<u32>,
    /// Length that the whole prompt was to have, where that is known.
    pub(crate) asked_input: Option<u32>,
    /// How long the audio plays that is sent.
    pub(crate) audio_seconds: Option<f64>,
    /// Of the prompt, where the data knows them.
    pub(crate) blocks: Option<BlockReuse>,
    pub(super) input: &'s InputCount,
}

/// What was counted in the body of a turn that is sent with the same body each time.
#[derive(Debug, Default)]
pub(crate) struct InputCount {
    tokens: OnceLock<Option<u64>>,
    images: OnceLock<u64>,
}

impl TurnFacts<'_> {
    /// Input tokens of the body that was sent, counted by the client; `None` where its text cannot be told. A body that is
    /// the same each time is counted once.
    pub(crate) fn input_tokens(
        &self,
        finished: &Finished,
        endpoint: &dyn Endpoint,
        tokenizer: &dyn Tokenizer,
        warnings: &ResponseWarnings,
    ) -> Option<u64> {
        let count = || {
            if let Some(template) = tokenizer.chat_template() {
                match laid_out(&finished.body, template) {
                    Ok(prompt) => return Some(tokenizer.count(&prompt) as u64),
                    Err(reason) => warnings.chat_template.warn(|| {
                        format!("The chat template cannot render a request, which is counted without it: {reason}")
                    }),
                }
            }
            let text = endpoint.input_text(&finished.body)?;
            Some(text.texts.iter().map(|text| tokenizer.count(text) as u64).sum::<u64>() + text.pretokenised)
        };
        if finished.body_is_fixed { *self.input.tokens.get_or_init(count) } else { count() }
    }

    /// Images in the body that was sent.
    pub(crate) fn images(&self, finished: &Finished, endpoint: &dyn Endpoint) -> u64 {
        // All that can hold an image names it so, and most bodies hold none.
        let may_hold = || memmem::find(&finished.body, b"image").is_some();
        let count = || if may_hold() { endpoint.input_text(&finished.body).map_or(0, |input| input.images) } else { 0 };
        if finished.body_is_fixed { *self.input.images.get_or_init(count) } else { count() }
    }
}

/// The prompt that a server renders from a chat request.
fn laid_out(body: &[u8], template: &ChatTemplate) -> Result<String, String> {
    let body: Value = serde_json::from_slice(body).map_err(|error| error.to_string())?;
    let list = |name: &str| body.get(name).and_then(Value::as_array).map(Vec::as_slice);
    template.render(list("messages").ok_or("it has no messages")?, list("tools"))
}

/// The counts of every turn, once they were made.
#[derive(Debug)]
pub(super) struct InputCounts {
    /// By conversation, the place of its first turn.
    first: Vec<usize>,
    counts: Vec<InputCount>,
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
        Self { first, counts: (0..turns).map(|_| InputCount::default()).collect() }
    }

    pub(super) fn of(&self, conversation: usize, turn: usize) -> &InputCount {
        &self.counts[self.first[conversation] + turn]
    }
}
