//! Prompts built from blocks. A block has the same text everywhere, and is written again each time: that takes microseconds,
//! and a trace needs no more memory than its block ids.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use aiperf_config::TraceCorpus;
use aiperf_conversation::{Conversation, ConversationIndex, Media};
use aiperf_seed::Seed;
use aiperf_tokenizer::Tokenizer;

use super::text_pool::TextPool;
use crate::deferred::Deferred;

/// The prompts of all conversations, turn by turn; `None` for a turn that has its contents.
#[derive(Debug)]
pub(crate) struct PromptPlans {
    pub(super) plans: Vec<Vec<Option<PromptPlan>>>,
    /// The number of tokens in a block.
    pub(super) block_size: usize,
    pub(super) seed: u64,
    pub(super) corpus: TraceCorpus,
}

#[derive(Debug)]
pub(super) struct PromptPlan {
    pub(super) tokens: usize,
    pub(super) blocks: Box<[i64]>,
    /// The line in the file, which seeds the text outside of blocks.
    pub(super) line: usize,
}

#[derive(Debug)]
pub(crate) struct TracePrompts {
    plans: PromptPlans,
    pool: TextPool,
    /// Lines whose prompts do not have the recorded length. A set, since a prompt may be generated more than once.
    inexact: Mutex<HashSet<usize>>,
}

impl TracePrompts {
    pub(crate) fn new(plans: PromptPlans, tokenizer: &Arc<dyn Tokenizer>) -> Self {
        Self { pool: TextPool::new(tokenizer, plans.corpus), plans, inexact: Mutex::default() }
    }

    fn text(&self, plan: &PromptPlan) -> Arc<str> {
        let seed = Seed::fixed(self.plans.seed);
        let mut text = String::with_capacity(plan.tokens * 7);
        let mut left = plan.tokens;
        for block in &plan.blocks {
            let tokens = left.min(self.plans.block_size);
            // Seeded by the id alone; a partial block is the beginning of the whole one.
            self.pool.extend(&mut text, tokens, &mut seed.stream(&format!("block:{block}")));
            left -= tokens;
        }
        let mut own = seed.stream(&format!("own:{}", plan.line));
        self.pool.extend(&mut text, left, &mut own);
        let (text, exact) = self.pool.finish(text, plan.tokens, &mut own);
        if !exact {
            self.inexact.lock().unwrap_or_else(PoisonError::into_inner).insert(plan.line);
        }
        Arc::from(text)
    }
}

impl Deferred for TracePrompts {
    fn complete(&self, index: ConversationIndex, outline: &Conversation) -> Conversation {
        let mut conversation = outline.clone();
        for (turn, plan) in conversation.turns.iter_mut().zip(&self.plans.plans[index.0]) {
            if let Some(plan) = plan {
                turn.texts = vec![Media { name: "text".to_owned(), contents: vec![self.text(plan)] }];
            }
        }
        conversation
    }

    fn inexact_texts(&self) -> usize {
        self.inexact.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}
