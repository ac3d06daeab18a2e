//! The texts of all conversations, as orders that are carried out when a conversation is asked for.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use aiperf_config::SyntheticSource;
use aiperf_conversation::{Conversation, ConversationIndex, Media};
use aiperf_seed::Seed;

use super::layout::ChatLayout;
use super::marker_room;
use crate::DatasetError;
use crate::deferred::Deferred;
use crate::media::MediaPool;
use crate::text::{ExactText, TextOrder, Writer};

#[derive(Debug)]
pub(super) struct Texts {
    writer: Arc<Writer>,
    prompts: Vec<TextOrder>,
    /// By conversation, the place of its first prompt.
    first_prompt: Vec<usize>,
    /// Prompts of a turn.
    per_turn: usize,
    /// One for each conversation, or none at all.
    contexts: Vec<TextOrder>,
    /// Where input is counted with the tokens of a chat template.
    layout: Option<ChatLayout>,
    /// Tokens that the first prompt of a conversation leaves to a marker.
    marker: usize,
    /// Seeds of the texts that missed their length: one that is written again is not another one.
    inexact: Mutex<HashSet<u64>>,
    media: Option<MediaPool>,
}

impl Texts {
    pub(super) fn new(
        source: &SyntheticSource,
        seed: Seed,
        writer: &Arc<Writer>,
        prompts: Vec<TextOrder>,
        turn_counts: &[usize],
        media: Option<MediaPool>,
    ) -> Result<Self, DatasetError> {
        let per_turn = source.batch_size.max(1);
        let mut next = 0;
        let first_prompt = turn_counts
            .iter()
            .map(|turns| {
                let first = next;
                next += turns * per_turn;
                first
            })
            .collect();
        let marker = if source.marked_first_turn { marker_room::tokens(writer) } else { 0 };
        let layout = match writer.tokenizer().chat_template() {
            Some(template) => Some(ChatLayout::new(source, template, writer)?),
            None => None,
        };
        let contexts = contexts(source, seed, writer);
        let (writer, inexact) = (Arc::clone(writer), Mutex::default());
        Ok(Self { writer, prompts, first_prompt, per_turn, contexts, layout, marker, inexact, media })
    }

    fn keep(&self, order: &TextOrder, written: ExactText) -> Arc<str> {
        if !written.exact {
            self.inexact.lock().unwrap_or_else(PoisonError::into_inner).insert(order.seed);
        }
        Arc::from(written.text)
    }

    /// The first text of a turn, which makes room for whatever stands around it.
    fn write_first(&self, order: &TextOrder, turn: usize, rest: &[Arc<str>], conversation: &Conversation) -> ExactText {
        let room = if turn == 0 { self.marker } else { 0 };
        let tokens = order.tokens.saturating_sub(room).max(1);
        match &self.layout {
            Some(layout) if turn == 0 => layout.write_first(&self.writer, order, tokens, rest, conversation),
            Some(layout) => layout.write_later(&self.writer, order, tokens),
            None => order.fulfil_with(&self.writer, tokens),
        }
    }
}

impl Deferred for Texts {
    fn complete(&self, index: ConversationIndex, outline: &Conversation) -> Conversation {
        let mut conversation = outline.clone();
        let context = self.contexts.get(index.0);
        conversation.user_context = context.map(|order| self.keep(order, order.fulfil(&self.writer)));
        let mut orders = self.prompts[self.first_prompt[index.0]..].chunks(self.per_turn);
        let has_text = self.media.as_ref().is_none_or(MediaPool::leaves_text);
        for turn in (0..conversation.turns.len()).filter(|_| has_text) {
            let Some((first, others)) = orders.next().and_then(<[TextOrder]>::split_first) else { break };
            let others: Vec<Arc<str>> =
                others.iter().map(|order| self.keep(order, order.fulfil(&self.writer))).collect();
            let written = self.keep(first, self.write_first(first, turn, &others, &conversation));
            let contents = [written].into_iter().chain(others).collect();
            conversation.turns[turn].texts = vec![Media { name: "text".to_owned(), contents }];
        }
        if let Some(media) = &self.media {
            media.fill(index, &mut conversation.turns);
        }
        conversation
    }

    fn inexact_texts(&self) -> usize {
        self.inexact.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

fn contexts(source: &SyntheticSource, seed: Seed, writer: &Writer) -> Vec<TextOrder> {
    let Some(tokens) = source.user_context_tokens.filter(|tokens| *tokens > 0) else { return Vec::new() };
    let mut stream = seed.stream("dataset.prompt.context");
    let order = |number| TextOrder { prefix: None, tokens, seed: writer.draw(&mut stream, number) };
    (0..source.entries).map(order).collect()
}
