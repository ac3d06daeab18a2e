//! Conversations from a description: generated prompts of drawn lengths, with prefixes and context in front. All draws
//! are made here, one after the other; the texts are written when they are needed.

mod layout;
mod marker_room;
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
use crate::session::SessionNames;
use crate::text::{TextOrder, Writer};
use crate::{DatasetError, length};

/// The outlines of the conversations, and what completes them.
pub(crate) fn conversations(
    source: &SyntheticSource,
    seed: Seed,
    writer: &Arc<Writer>,
) -> Result<Sourced, DatasetError> {
    if source.entries == 0 {
        return Err(DatasetError::NoEntries);
    }
    if let Some(rankings) = &source.rankings {
        let texts = rankings::Texts::new(rankings, source.entries, seed, writer);
        let turn_counts = vec![1; source.entries];
        let conversations = outlines(source, seed, &turn_counts, &[]);
        return Ok(Sourced { conversations, deferred: Some(Box::new(texts)) });
    }
    let turn_counts = turn_counts(&source.turns, source.entries, seed);
    let prompts::Prompts { orders, outputs } = prompts::draw(source, seed, writer, &turn_counts)?;
    let mut conversations = outlines(source, seed, &turn_counts, &outputs);
    if source.batch_size <= 1 && source.prefix.is_none() && source.user_context_tokens.is_none() {
        note_lengths(&mut conversations, &orders);
    }
    let media = source.media.as_deref().map(|media| MediaPool::new(media, seed, &turn_counts)).transpose()?;
    if let Some(media) = &media {
        media.announce(&mut conversations);
    }
    let texts = texts::Texts::new(source, seed, writer, orders, &turn_counts, media)?;
    Ok(Sourced { conversations, deferred: Some(Box::new(texts)) })
}

/// Everything but contents; `outputs` has the output length of every turn, or of none.
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

/// First turns are to be as long as their text; later ones carry what was said before.
fn note_lengths(conversations: &mut [Conversation], orders: &[TextOrder]) {
    let mut rest = orders;
    for conversation in conversations {
        let (own, others) = rest.split_at(conversation.turns.len().min(rest.len()));
        if let (Some(turn), Some(order)) = (conversation.turns.first_mut(), own.first()) {
            turn.input_tokens = u32::try_from(order.tokens).ok();
        }
        rest = others;
    }
}

/// How many turns each conversation has.
fn turn_counts(turns: &Length, entries: usize, seed: Seed) -> Vec<usize> {
    let mut stream = seed.stream("composer.conversation.turn_count");
    (0..entries).map(|_| length::whole(turns, &mut stream) as usize).collect()
}

/// The pause before a turn that is not the first, in milliseconds; none is drawn unless one is asked for.
fn pause(delay: &TurnDelay, stream: &mut Stream) -> Option<f64> {
    delay.pause_ms.as_ref().map(|pause| length::real(pause, stream) * delay.ratio)
}
