//! The messages of recorded sessions, generated when a turn is due. A block id has the same text everywhere in the trace, so
//! that requests share the same blocks as in the recording.

use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use aiperf_config::TraceCorpus;
use aiperf_conversation::{Conversation, ConversationIndex};
use aiperf_seed::Seed;
use aiperf_tokenizer::Tokenizer;
use serde_json::{Value, json};

use super::layout::{LayoutPrompt, MessageLayout, MessageSegment, Speaker};
use crate::deferred::Deferred;
use crate::trace::text_pool::TextPool;

/// The prompts of all conversations.
#[derive(Debug)]
pub(crate) struct AgentPrompts {
    pub(super) scripts: Vec<ConversationPrompts>,
    pub(super) key: u64,
    /// Whether results of tools are sent with the role `tool`.
    pub(super) tool_shaped: bool,
    pub(super) corpus: TraceCorpus,
}

/// The prompts of one conversation.
#[derive(Debug)]
pub(super) struct ConversationPrompts {
    /// The id of the trace. Blocks of different traces have different texts.
    pub(super) trace: Arc<str>,
    pub(super) block_size: usize,
    pub(super) layout: MessageLayout,
}

#[derive(Debug)]
pub(crate) struct AgentMessages {
    prompts: AgentPrompts,
    pool: TextPool,
    /// Turns with a message that does not have its recorded length. A set, since a turn may be generated more than once.
    inexact: Mutex<HashSet<(usize, usize)>>,
}

impl AgentMessages {
    pub(crate) fn new(prompts: AgentPrompts, tokenizer: &Arc<dyn Tokenizer>) -> Self {
        Self { pool: TextPool::of_neighbours(tokenizer, prompts.corpus), prompts, inexact: Mutex::default() }
    }

    fn messages(&self, index: usize, turn: usize) -> Vec<Value> {
        let script = &self.prompts.scripts[index];
        let prompt = script.layout.prompt(turn);
        let mut messages: Vec<Value> = Vec::with_capacity(prompt.segments.len());
        let mut called: Option<usize> = None;
        for segment in &prompt.segments {
            let (text, exact) = self.text(script, index, &prompt, segment);
            if !exact {
                self.inexact.lock().unwrap_or_else(PoisonError::into_inner).insert((index, turn));
            }
            let calls_tool = self.prompts.tool_shaped && script.layout.calls_tool(segment.step);
            messages.push(match segment.speaker {
                Speaker::System => json!({"role": "system", "content": text}),
                Speaker::Assistant if calls_tool => {
                    called = Some(segment.step);
                    let call = json!({"name": "recorded_tool", "arguments": "{}"});
                    let call = json!({"id": call_id(segment.step), "type": "function", "function": call});
                    json!({"role": "assistant", "content": text, "tool_calls": [call]})
                }
                Speaker::Assistant => json!({"role": "assistant", "content": text}),
                Speaker::User if called == Some(segment.step) => {
                    json!({"role": "tool", "tool_call_id": call_id(segment.step), "content": text})
                }
                Speaker::User => json!({"role": "user", "content": text}),
            });
        }
        messages
    }

    /// The text of one message, and whether it has its recorded length.
    fn text(
        &self,
        script: &ConversationPrompts,
        index: usize,
        prompt: &LayoutPrompt,
        segment: &MessageSegment,
    ) -> (String, bool) {
        let seed = Seed::fixed(self.prompts.key);
        let stream = |kind: &str, what: &dyn fmt::Display| seed.stream(&format!("{kind}:{}:{what}", script.trace));
        let (blocks, tail) = (&prompt.ids[segment.start..segment.end], segment.tail);
        let tokens = blocks.len() * script.block_size + tail;
        let mut text = String::with_capacity(tokens * 5);
        for id in blocks {
            self.pool.extend(&mut text, script.block_size, &mut stream("block", id));
        }
        let own = format!("{index}:{}", segment.step);
        self.pool.extend(&mut text, tail, &mut stream("tail", &own));
        // Seeded by the contents of the message, so that it ends the same in every turn that repeats it.
        let key = format!("{:?}:{}:{tail}", blocks.last(), blocks.len());
        self.pool.finish(text, tokens, &mut stream("end", &key))
    }
}

fn call_id(step: usize) -> String {
    format!("call_turn_{step}")
}

impl Deferred for AgentMessages {
    fn complete(&self, index: ConversationIndex, outline: &Conversation) -> Conversation {
        let mut conversation = outline.clone();
        for (turn, contents) in conversation.turns.iter_mut().enumerate() {
            contents.raw_messages = Some(self.messages(index.0, turn));
        }
        conversation
    }

    fn complete_turn(&self, index: ConversationIndex, outline: &Conversation, turn: usize) -> Conversation {
        let mut conversation = outline.clone();
        if let Some(contents) = conversation.turns.get_mut(turn) {
            contents.raw_messages = Some(self.messages(index.0, turn));
        }
        conversation
    }

    fn is_made_by_turn(&self) -> bool {
        true
    }

    fn inexact_texts(&self) -> usize {
        self.inexact.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn writes_inputs(&self) -> bool {
        false
    }
}
