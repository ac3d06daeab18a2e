//! Conversations from a description: generated prompts of drawn lengths, with prefixes and user context. All random choices
//! are made here, in a fixed order; the texts are generated when they are needed.

mod layout;
mod prompts;
mod rankings;
mod texts;

use std::collections::HashSet;
use std::sync::Arc;

use aiperf_config::{Length, SyntheticSource, TurnDelay};
use aiperf_conversation::{ContextMode, Conversation, Lineage, Turn};
use aiperf_seed::{Seed, Stream};

use crate::deferred::Sourced;
use crate::media::MediaPool;
use crate::session_names::SessionNames;
use crate::text::{TextPlan, TextWriter};
use crate::{DatasetError, length};

/// The outlines of the conversations, and what completes them.
pub(crate) fn conversations(
    source: &SyntheticSource,
    seed: Seed,
    writer: &Arc<TextWriter>,
) -> Result<Sourced, DatasetError> {
    if source.entries == 0 {
        return Err(DatasetError::NoEntries);
    }
    if let Some(rankings) = &source.rankings {
        let texts = rankings::RankingTexts::new(rankings, source.entries, seed, writer);
        let turn_counts = vec![1; source.entries];
        let conversations = outlines(source, seed, &turn_counts, &[]);
        return Ok(Sourced { conversations, deferred: Some(Box::new(texts)) });
    }
    let turn_counts = turn_counts(&source.turns, source.entries, seed);
    let prompts::SyntheticPrompts { plans, outputs } = prompts::draw(source, seed, writer, &turn_counts)?;
    let mut conversations = outlines(source, seed, &turn_counts, &outputs);
    if source.batch_size <= 1 && source.prefix.is_none() && source.user_context_tokens.is_none() {
        note_lengths(&mut conversations, &plans);
    }
    let media = source.media.as_deref().map(|media| MediaPool::new(media, seed, &turn_counts)).transpose()?;
    if let Some(media) = &media {
        media.announce(&mut conversations);
    }
    let texts = texts::PromptTexts::new(source, seed, writer, plans, &turn_counts, media)?;
    Ok(Sourced { conversations, deferred: Some(Box::new(texts)) })
}

/// The conversations without contents. `outputs` has the output length of every turn, or is empty.
fn outlines(source: &SyntheticSource, seed: Seed, turn_counts: &[usize], outputs: &[u32]) -> Vec<Conversation> {
    let mut names = SessionNames::new(seed, HashSet::new());
    let mut delays = seed.stream("composer.conversation.turn_delay");
    let mut outputs = outputs.iter().copied();
    let mut turn = |index: usize| {
        let delay_ms = (index > 0).then(|| pause(&source.turn_delay, &mut delays)).flatten();
        Turn { delay_ms, max_tokens: outputs.next(), ..Turn::default() }
    };
    let conversation = |turns: &usize| Conversation {
        session_id: names.next(),
        turns: (0..*turns).map(&mut turn).collect(),
        system: None,
        user_context: None,
        context_mode: ContextMode::DeltasWithoutResponses,
        lineage: Lineage::Root,
    };
    turn_counts.iter().map(conversation).collect()
}

/// Records the input length of first turns. Later turns also contain the history.
fn note_lengths(conversations: &mut [Conversation], plans: &[TextPlan]) {
    let mut rest = plans;
    for conversation in conversations {
        let (own, others) = rest.split_at(conversation.turns.len().min(rest.len()));
        if let (Some(turn), Some(plan)) = (conversation.turns.first_mut(), own.first()) {
            turn.input_tokens = u32::try_from(plan.tokens).ok();
        }
        rest = others;
    }
}

/// Draws the number of turns of each conversation.
fn turn_counts(turns: &Length, entries: usize, seed: Seed) -> Vec<usize> {
    let mut stream = seed.stream("composer.conversation.turn_count");
    (0..entries).map(|_| length::whole(turns, &mut stream) as usize).collect()
}

/// Draws the delay before a later turn in milliseconds; nothing is drawn if no delay is configured.
fn pause(delay: &TurnDelay, stream: &mut Stream) -> Option<f64> {
    delay.pause_ms.as_ref().map(|pause| length::real(pause, stream) * delay.ratio)
}
