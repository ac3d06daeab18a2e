//! Conversations from a description: generated prompts of drawn lengths, with prefixes and context in front.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use aiperf_config::{Length, SyntheticSource, TurnDelay};
use aiperf_conversation::{ContextMode, Conversation, ConversationIndex, Lineage, Media, Turn};
use aiperf_seed::{Seed, Stream};
use aiperf_tokenizer::Tokenizer;

use crate::DatasetError;
use crate::deferred::{Deferred, Sourced};
use crate::media::MediaPool;
use crate::session::SessionNames;
use crate::text::{ExactText, TextOrder, Writer};

/// The outlines of the conversations. All draws are made here; the texts are written when they are needed.
pub(crate) fn conversations(
    source: &SyntheticSource,
    seed: Seed,
    tokenizer: &Arc<dyn Tokenizer>,
) -> Result<Sourced, DatasetError> {
    if source.entries == 0 {
        return Err(DatasetError::NoEntries);
    }
    let writer = Writer::new(tokenizer);
    let prefixes = prefix_pool(source, seed, &writer);
    let turn_counts = turn_counts(source, seed);
    let mut first_order = Vec::with_capacity(turn_counts.len());
    let mut orders = 0;
    for turns in &turn_counts {
        first_order.push(orders);
        orders += turns * texts_per_turn(source);
    }
    let media = source.media.as_deref().map(|media| MediaPool::new(media, seed, &turn_counts)).transpose()?;
    let texts = Texts {
        prompts: prompt_orders(source, seed, tokenizer, &prefixes, &turn_counts),
        first_prompt: first_order,
        per_turn: texts_per_turn(source),
        contexts: contexts(source, seed),
        inexact_prefixes: prefixes.iter().filter(|prefix| !prefix.exact).count(),
        inexact: Mutex::default(),
        writer,
        media,
    };
    let mut names = SessionNames::new(seed, HashSet::new());
    let mut delays = seed.stream("composer.conversation.turn_delay");
    let mut turn = |index: usize| {
        let delay_ms = (index > 0).then(|| pause(source.turn_delay, &mut delays)).flatten();
        Turn { delay_ms, ..Turn::default() }
    };
    let mut conversations: Vec<Conversation> = turn_counts
        .into_iter()
        .map(|turns| Conversation {
            session_id: names.next(),
            turns: (0..turns).map(&mut turn).collect(),
            system: None,
            user_context: None,
            context_mode: ContextMode::DeltasWithoutResponses,
            lineage: Lineage::Root,
        })
        .collect();
    if let Some(media) = &texts.media {
        media.announce(&mut conversations);
    }
    Ok(Sourced { conversations, deferred: Some(Box::new(texts)) })
}

/// The texts of all conversations, as orders that are carried out when a conversation is asked for.
#[derive(Debug)]
struct Texts {
    writer: Writer,
    prompts: Vec<TextOrder>,
    /// By conversation, the place of its first prompt.
    first_prompt: Vec<usize>,
    /// Prompts of a turn.
    per_turn: usize,
    /// One for each conversation, or none at all.
    contexts: Vec<TextOrder>,
    inexact_prefixes: usize,
    /// Seeds of the texts that missed their length: one that is written again is not another one.
    inexact: Mutex<HashSet<u64>>,
    media: Option<MediaPool>,
}

impl Texts {
    fn write(&self, order: &TextOrder) -> Arc<str> {
        let written = order.fulfil(&self.writer);
        if !written.exact {
            self.inexact.lock().unwrap_or_else(PoisonError::into_inner).insert(order.seed);
        }
        Arc::from(written.text)
    }
}

impl Deferred for Texts {
    fn complete(&self, index: ConversationIndex, outline: &Conversation) -> Conversation {
        let mut conversation = outline.clone();
        let mut orders = self.prompts[self.first_prompt[index.0]..].chunks(self.per_turn);
        let has_text = self.media.as_ref().is_none_or(MediaPool::leaves_text);
        for turn in conversation.turns.iter_mut().filter(|_| has_text) {
            let contents = orders.next().unwrap_or_default().iter().map(|order| self.write(order)).collect();
            turn.texts = vec![Media { name: "text".to_owned(), contents }];
        }
        if let Some(media) = &self.media {
            media.fill(index, &mut conversation.turns);
        }
        conversation.user_context = self.contexts.get(index.0).map(|order| self.write(order));
        conversation
    }

    fn inexact_texts(&self) -> usize {
        self.inexact_prefixes + self.inexact.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

fn texts_per_turn(source: &SyntheticSource) -> usize {
    source.batch_size.max(1)
}

/// How many turns each conversation has.
fn turn_counts(source: &SyntheticSource, seed: Seed) -> Vec<usize> {
    let mut stream = seed.stream("composer.conversation.turn_count");
    let Length { mean, stddev } = source.turns;
    (0..source.entries).map(|_| stream.positive_normal_integer(mean, stddev) as usize).collect()
}

/// The pause before a turn that is not the first, in milliseconds; none is drawn unless one is asked for.
fn pause(delay: TurnDelay, stream: &mut Stream) -> Option<f64> {
    (delay.mean_ms > 0.0).then(|| stream.positive_normal_integer(delay.mean_ms, delay.stddev_ms) as f64 * delay.ratio)
}

fn prefix_pool(source: &SyntheticSource, seed: Seed, writer: &Writer) -> Vec<ExactText> {
    let Some(prefix) = source.prefix.filter(|prefix| prefix.tokens > 0) else { return Vec::new() };
    let mut stream = seed.stream("dataset.prompt.prefix.text");
    (0..prefix.pool_size)
        .map(|_| TextOrder { prefix: None, tokens: prefix.tokens, seed: stream.next_u64() }.fulfil(writer))
        .collect()
}

fn contexts(source: &SyntheticSource, seed: Seed) -> Vec<TextOrder> {
    let Some(tokens) = source.user_context_tokens.filter(|tokens| *tokens > 0) else { return Vec::new() };
    let mut stream = seed.stream("dataset.prompt.context");
    (0..source.entries).map(|_| TextOrder { prefix: None, tokens, seed: stream.next_u64() }).collect()
}

/// All draws happen here, one after the other; who writes the texts, and when, does not change them.
fn prompt_orders(
    source: &SyntheticSource,
    seed: Seed,
    tokenizer: &Arc<dyn Tokenizer>,
    prefixes: &[ExactText],
    turn_counts: &[usize],
) -> Vec<TextOrder> {
    let (mut lengths, mut texts) = (seed.stream("dataset.prompt.length"), seed.stream("dataset.prompt.corpus"));
    let mut prefix_choice = seed.stream("dataset.prompt.prefix");
    let prefix_tokens = source.prefix.map_or(0, |prefix| prefix.tokens);
    let prefixes: Vec<Arc<str>> = prefixes.iter().map(|written| Arc::from(written.text.as_str())).collect();
    let input = without_special_tokens(source.input_tokens, &**tokenizer);
    let mut orders = Vec::with_capacity(turn_counts.iter().sum::<usize>() * texts_per_turn(source));
    for turns in turn_counts {
        // The history carries it to the later turns.
        let mut prefix = prefix_choice.choose(&prefixes).map(|text| (Arc::clone(text), prefix_tokens));
        for _ in 0..*turns {
            for _ in 0..texts_per_turn(source) {
                let tokens = lengths.positive_normal_integer(input.mean, input.stddev) as usize;
                orders.push(TextOrder { prefix: prefix.clone(), tokens, seed: texts.next_u64() });
            }
            prefix = None;
        }
    }
    orders
}

/// The server adds a BOS or the like by itself: the prompt leaves room for it.
fn without_special_tokens(input: Length, tokenizer: &dyn Tokenizer) -> Length {
    Length { mean: (input.mean - tokenizer.special_tokens_to_add() as f64).max(0.0), ..input }
}
