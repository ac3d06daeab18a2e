//! The texts of all conversations, planned at the start, and written when a conversation is needed.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use aiperf_config::SyntheticSource;
use aiperf_conversation::{Conversation, ConversationIndex, Media};
use aiperf_seed::Seed;

use super::layout::ChatLayout;
use crate::DatasetError;
use crate::cache_bust::average_marker_tokens;
use crate::deferred::Deferred;
use crate::media::MediaPool;
use crate::text::{ExactText, TextPlan, TextWriter};

#[derive(Debug)]
pub(super) struct PromptTexts {
    writer: Arc<TextWriter>,
    prompts: Vec<TextPlan>,
    /// For each conversation, the index of its first prompt.
    first_prompt: Vec<usize>,
    /// The number of prompts per turn.
    per_turn: usize,
    /// One user context per conversation, or none at all.
    contexts: Vec<TextPlan>,
    /// Present if lengths include the tokens of a chat template.
    layout: Option<ChatLayout>,
    /// The number of tokens that the first prompt of a conversation reserves for a marker.
    marker: usize,
    /// The seeds of texts that do not have the requested length. A set, since a text may be written more than once.
    inexact: Mutex<HashSet<u64>>,
    media: Option<MediaPool>,
}

impl PromptTexts {
    pub(super) fn new(
        source: &SyntheticSource,
        seed: Seed,
        writer: &Arc<TextWriter>,
        prompts: Vec<TextPlan>,
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
        let marker = if source.marked_first_turn { average_marker_tokens(|marker| writer.count(marker)) } else { 0 };
        let layout = match writer.tokenizer().chat_template() {
            Some(template) => Some(ChatLayout::new(source, template, writer)?),
            None => None,
        };
        let contexts = contexts(source, seed, writer);
        let (writer, inexact) = (Arc::clone(writer), Mutex::default());
        Ok(Self { writer, prompts, first_prompt, per_turn, contexts, layout, marker, inexact, media })
    }

    fn keep(&self, plan: &TextPlan, written: ExactText) -> Arc<str> {
        if !written.exact {
            self.inexact.lock().unwrap_or_else(PoisonError::into_inner).insert(plan.seed);
        }
        Arc::from(written.text)
    }

    /// The first text of a turn, shortened by the tokens of the marker and the template.
    fn write_first(&self, plan: &TextPlan, turn: usize, rest: &[Arc<str>], conversation: &Conversation) -> ExactText {
        let room = if turn == 0 { self.marker } else { 0 };
        let tokens = plan.tokens.saturating_sub(room).max(1);
        match &self.layout {
            Some(_) if turn == 0 => ChatLayout::write_first(&self.writer, plan, tokens, rest, conversation),
            Some(layout) => layout.write_later(&self.writer, plan, tokens),
            None => plan.write_with(&self.writer, tokens),
        }
    }
}

impl Deferred for PromptTexts {
    fn complete(&self, index: ConversationIndex, outline: &Conversation) -> Conversation {
        let mut conversation = outline.clone();
        let context = self.contexts.get(index.0);
        conversation.user_context = context.map(|plan| self.keep(plan, plan.write(&self.writer)));
        let mut plans = self.prompts[self.first_prompt[index.0]..].chunks(self.per_turn);
        let has_text = self.media.as_ref().is_none_or(MediaPool::leaves_text);
        for turn in (0..conversation.turns.len()).filter(|_| has_text) {
            let Some((first, others)) = plans.next().and_then(<[TextPlan]>::split_first) else { break };
            let others: Vec<Arc<str>> = others.iter().map(|plan| self.keep(plan, plan.write(&self.writer))).collect();
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

fn contexts(source: &SyntheticSource, seed: Seed, writer: &TextWriter) -> Vec<TextPlan> {
    let Some(tokens) = source.user_context_tokens.filter(|tokens| *tokens > 0) else { return Vec::new() };
    let mut stream = seed.stream("dataset.prompt.context");
    let plan = |number| TextPlan { prefix: None, tokens, seed: writer.draw(&mut stream, number) };
    (0..source.entries).map(plan).collect()
}
