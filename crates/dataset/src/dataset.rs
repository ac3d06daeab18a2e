//! The whole data set of a run, and the steps that build it.

use std::num::NonZeroUsize;
use std::sync::Arc;

use aiperf_config::{DatasetConfig, DatasetSource, Sampling, SystemPrompt};
use aiperf_conversation::Conversation;
use aiperf_seed::Seed;
use aiperf_tokenizer::Tokenizer;

use crate::assignment::Assignment;
use crate::text::Writer;
use crate::{DatasetError, Sampler, file, synthetic};

/// All conversations, in file or generation order; at least one.
#[derive(Debug, Clone)]
pub struct Dataset {
    pub conversations: Vec<Arc<Conversation>>,
    /// Generated texts that could not be given the length that was asked for, because the tokenizer has no text of that
    /// length. Worth a warning: their true length is what is reported.
    pub inexact_texts: usize,
    sampling: Sampling,
}

impl Dataset {
    /// Draws conversations as the configuration says. Make one per run, and share it between its phases.
    pub fn sampler(&self, seed: Seed) -> Sampler {
        let conversations = NonZeroUsize::new(self.conversations.len()).unwrap_or(NonZeroUsize::MIN);
        Sampler::new(self.sampling, conversations, seed)
    }
}

/// Builds the data set. Everything that can be wrong with it comes to light here, before the first request.
pub fn build(config: &DatasetConfig, seed: Seed, tokenizer: &dyn Tokenizer) -> Result<Dataset, DatasetError> {
    let mut assignment = Assignment::new(config, seed)?;
    let (mut conversations, mut inexact_texts) = match &config.source {
        DatasetSource::Synthetic(source) => synthetic::conversations(source, seed, tokenizer)?,
        DatasetSource::File(source) => (file::conversations(source, seed)?, 0),
    };
    if let Some(system) = system_prompt(&config.system_prompt, seed, tokenizer, &mut inexact_texts) {
        for conversation in &mut conversations {
            conversation.system = Some(match conversation.system.take() {
                Some(own) => Arc::from(format!("{system}\n\n{own}")),
                None => Arc::clone(&system),
            });
        }
    }
    assignment.complete(&mut conversations);
    let conversations = conversations.into_iter().map(Arc::new).collect();
    Ok(Dataset { conversations, inexact_texts, sampling: config.sampling })
}

fn system_prompt(
    prompt: &SystemPrompt,
    seed: Seed,
    tokenizer: &dyn Tokenizer,
    inexact_texts: &mut usize,
) -> Option<Arc<str>> {
    match prompt {
        SystemPrompt::None => None,
        SystemPrompt::Verbatim(text) => Some(Arc::clone(text)),
        SystemPrompt::Synthetic(tokens) => {
            let text_seed = seed.stream("dataset.prompt.system").next_u64();
            let written = Writer::new(tokenizer).write("", *tokens, text_seed);
            *inexact_texts += usize::from(!written.exact);
            Some(Arc::from(written.text))
        }
    }
}
