//! Queries with their passages, for ranking endpoints.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use aiperf_config::Rankings;
use aiperf_conversation::{Conversation, ConversationIndex, Media};
use aiperf_seed::Seed;

use crate::deferred::Deferred;
use crate::length;
use crate::text::{TextPlan, TextWriter};

#[derive(Debug)]
pub(super) struct RankingTexts {
    writer: Arc<TextWriter>,
    /// The query of each conversation.
    queries: Vec<TextPlan>,
    passages: Vec<Vec<TextPlan>>,
    /// The seeds of texts that do not have the requested length.
    inexact: Mutex<HashSet<u64>>,
}

impl RankingTexts {
    pub(super) fn new(rankings: &Rankings, entries: usize, seed: Seed, writer: &Arc<TextWriter>) -> Self {
        let special = writer.tokenizer().special_tokens_to_add();
        let mut counts = seed.stream("dataset.rankings.passages");
        let mut passage_lengths = seed.stream("dataset.rankings.passages.tokens");
        let mut query_lengths = seed.stream("dataset.rankings.query.tokens");
        let mut texts = seed.stream("dataset.prompt.corpus");
        let mut number = 0;
        let mut plan = |drawn: u64| {
            let tokens = (drawn as usize).saturating_sub(special).max(1);
            number += 1;
            TextPlan { prefix: None, tokens, seed: writer.draw(&mut texts, number - 1) }
        };
        let (mut queries, mut passages) = (Vec::with_capacity(entries), Vec::with_capacity(entries));
        for _ in 0..entries {
            queries.push(plan(length::whole(&rankings.query_tokens, &mut query_lengths)));
            let count = length::whole(&rankings.passages, &mut counts);
            let each = (0..count).map(|_| plan(length::whole(&rankings.passage_tokens, &mut passage_lengths)));
            passages.push(each.collect());
        }
        Self { writer: Arc::clone(writer), queries, passages, inexact: Mutex::default() }
    }

    fn write(&self, plan: &TextPlan) -> Arc<str> {
        let written = plan.write(&self.writer);
        if !written.exact {
            self.inexact.lock().unwrap_or_else(PoisonError::into_inner).insert(plan.seed);
        }
        Arc::from(written.text)
    }

    fn texts(&self, name: &str, plans: &[TextPlan]) -> Media {
        Media { name: name.to_owned(), contents: plans.iter().map(|plan| self.write(plan)).collect() }
    }
}

impl Deferred for RankingTexts {
    fn complete(&self, ConversationIndex(index): ConversationIndex, outline: &Conversation) -> Conversation {
        let mut conversation = outline.clone();
        let query = self.texts("query", &self.queries[index..=index]);
        let passages = self.texts("passages", &self.passages[index]);
        if let Some(turn) = conversation.turns.first_mut() {
            turn.texts = vec![query, passages];
        }
        conversation
    }

    fn inexact_texts(&self) -> usize {
        self.inexact.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}
