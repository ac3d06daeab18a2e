//! Prompts put together from blocks. A block has the same text wherever it stands, and is written anew each time: that
//! takes microseconds, and so that no trace needs more memory than its ids.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use aiperf_config::TraceCorpus;
use aiperf_conversation::{Conversation, ConversationIndex, Media};
use aiperf_seed::Seed;
use aiperf_tokenizer::Tokenizer;

use super::text_pool::TextPool;
use crate::deferred::Deferred;

/// The prompts of all conversations, turn by turn; `None` where a turn has its contents.
#[derive(Debug)]
pub(crate) struct PromptOrders {
    pub(super) orders: Vec<Vec<Option<PromptOrder>>>,
    /// Tokens of a block.
    pub(super) block_size: usize,
    pub(super) seed: u64,
    pub(super) corpus: TraceCorpus,
}

#[derive(Debug)]
pub(super) struct PromptOrder {
    pub(super) tokens: usize,
    pub(super) blocks: Box<[i64]>,
    /// What it is drawn from where it has no block.
    pub(super) line: usize,
}

#[derive(Debug)]
pub(crate) struct TracePrompts {
    orders: PromptOrders,
    pool: TextPool,
    /// Lines whose prompts missed their length: one that is made again is not another one.
    inexact: Mutex<HashSet<usize>>,
}

impl TracePrompts {
    pub(crate) fn new(orders: PromptOrders, tokenizer: &Arc<dyn Tokenizer>) -> Self {
        Self { pool: TextPool::new(tokenizer, orders.corpus), orders, inexact: Mutex::default() }
    }

    fn text(&self, order: &PromptOrder) -> Arc<str> {
        let seed = Seed::fixed(self.orders.seed);
        let mut text = String::with_capacity(order.tokens * 7);
        let mut left = order.tokens;
        for block in &order.blocks {
            let tokens = left.min(self.orders.block_size);
            // Drawn from the id alone; a partial block is the front of the whole one.
            self.pool.extend(&mut text, tokens, &mut seed.stream(&format!("block:{block}")));
            left -= tokens;
        }
        let mut own = seed.stream(&format!("own:{}", order.line));
        self.pool.extend(&mut text, left, &mut own);
        let (text, exact) = self.pool.finish(text, order.tokens, &mut own);
        if !exact {
            self.inexact.lock().unwrap_or_else(PoisonError::into_inner).insert(order.line);
        }
        Arc::from(text)
    }
}

impl Deferred for TracePrompts {
    fn complete(&self, index: ConversationIndex, outline: &Conversation) -> Conversation {
        let mut conversation = outline.clone();
        for (turn, order) in conversation.turns.iter_mut().zip(&self.orders.orders[index.0]) {
            if let Some(order) = order {
                turn.texts = vec![Media { name: "text".to_owned(), contents: vec![self.text(order)] }];
            }
        }
        conversation
    }

    fn inexact_texts(&self) -> usize {
        self.inexact.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}
