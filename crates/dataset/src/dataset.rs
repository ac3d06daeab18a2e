//! The whole data set of a run, and the steps that build it.

use std::sync::Arc;

use aiperf_config::{DatasetConfig, DatasetSource, Sampling, SystemPrompt};
use aiperf_conversation::{Conversation, ConversationIndex, Lineage};
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
    /// Pauses of a file that are longer than a minute and that no cap shortens. Worth a warning: they hold a session, and
    /// perhaps its slot, for that long.
    pub long_pauses: usize,
    roots: Vec<ConversationIndex>,
    sampling: Sampling,
}

/// A pause of more than this many milliseconds is a long one.
const LONG_PAUSE_MS: f64 = 60_000.0;

impl Dataset {
    /// The conversations that are drawn as sessions, in order; at least one. The others are started by these.
    pub fn roots(&self) -> &[ConversationIndex] {
        &self.roots
    }

    /// When the data says that a conversation begins, in milliseconds of its own time.
    pub fn first_timestamp_ms(&self, index: ConversationIndex) -> Option<f64> {
        self.conversations.get(index.0)?.turns.first()?.timestamp_ms
    }

    /// Every root with the time in milliseconds at which it begins, the earliest first; those that begin together stay
    /// in the order of the data.
    pub fn schedule(&self) -> Result<Vec<(ConversationIndex, f64)>, DatasetError> {
        let timed = self.roots.iter().map(|root| match self.first_timestamp_ms(*root) {
            Some(time) => Ok((*root, time)),
            None => Err(DatasetError::NoTimestamp { session: self.conversations[root.0].session_id.to_string() }),
        });
        let mut schedule: Vec<(ConversationIndex, f64)> = timed.collect::<Result<_, _>>()?;
        schedule.sort_by(|a, b| a.1.total_cmp(&b.1));
        Ok(schedule)
    }

    /// Draws roots as the configuration says. Make one per run, and share it between its phases.
    pub fn sampler(&self, seed: Seed) -> Sampler {
        Sampler::new(self.sampling, self.roots.clone(), seed)
    }
}

/// Builds the data set. Everything that can be wrong with it comes to light here, before the first request.
pub fn build(config: &DatasetConfig, seed: Seed, tokenizer: &dyn Tokenizer) -> Result<Dataset, DatasetError> {
    let mut assignment = Assignment::new(config, seed)?;
    let (mut conversations, mut inexact_texts) = match &config.source {
        DatasetSource::Synthetic(source) => synthetic::conversations(source, seed, tokenizer)?,
        DatasetSource::File(source) => (file::conversations(source, config.has_system_role, seed)?, 0),
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
    let is_root = |conversation: &Conversation| conversation.lineage != Lineage::Child;
    Ok(Dataset {
        roots: (0..conversations.len())
            .filter(|place| is_root(&conversations[*place]))
            .map(ConversationIndex)
            .collect(),
        long_pauses: long_pauses(&config.source, &conversations),
        conversations: conversations.into_iter().map(Arc::new).collect(),
        inexact_texts,
        sampling: config.sampling,
    })
}

fn long_pauses(source: &DatasetSource, conversations: &[Conversation]) -> usize {
    match source {
        DatasetSource::File(file) if file.delay_cap_ms.is_none() => {
            let turns = conversations.iter().flat_map(|conversation| &conversation.turns);
            turns.filter(|turn| turn.delay_ms.is_some_and(|delay| delay > LONG_PAUSE_MS)).count()
        }
        DatasetSource::File(_) | DatasetSource::Synthetic(_) => 0,
    }
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
