//! The conversations of a trace, without the prompts that are generated later.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use aiperf_config::{Replay, TraceCorpus, TraceOptions};
use aiperf_conversation::{ContextMode, Conversation, Lineage, Media, SessionId, Turn};
use aiperf_seed::Seed;
use aiperf_trace::{BlockId, Trace, TracePrompt, TraceRequest};
use bytes::Bytes;
use serde_json::{Map, Value, json};

use super::prompt::{PromptPlan, PromptPlans};
use super::stream_seed;
use crate::file::{DeferredPrompts, FileContents, payload_turn};
use crate::session_names::SessionNames;

/// One conversation per session, in order of appearance. A request without a session is a conversation of its own.
pub(super) fn of(trace: Trace, options: &TraceOptions, seed: Seed, content_key: u64) -> FileContents {
    let Trace { block_size, requests, .. } = trace;
    let taken: HashSet<SessionId> =
        requests.iter().filter_map(|request| request.session.clone()).map(SessionId).collect();
    let mut names = SessionNames::new(seed, taken);
    let mut conversations: Vec<Conversation> = Vec::new();
    let mut plans: Vec<Vec<Option<PromptPlan>>> = Vec::new();
    let mut places: HashMap<Arc<str>, usize> = HashMap::new();
    let mut empty_outputs = 0;
    for request in requests {
        empty_outputs += usize::from(request.output_tokens == Some(0));
        let known = request.session.as_ref().and_then(|session| places.get(session)).copied();
        let place = known.unwrap_or(conversations.len());
        if known.is_none() {
            if let Some(session) = &request.session {
                places.insert(Arc::clone(session), place);
            }
            conversations.push(Conversation {
                session_id: request.session.clone().map_or_else(|| names.next(), SessionId),
                turns: Vec::new(),
                system: None,
                user_context: None,
                context_mode: if request.holds_history {
                    ContextMode::MessageArrayWithResponses
                } else {
                    ContextMode::DeltasWithoutResponses
                },
                lineage: Lineage::Root,
            });
            plans.push(Vec::new());
        }
        let (turn, plan) = turn(request, &options.replay, block_size);
        conversations[place].turns.push(turn);
        plans[place].push(plan);
    }
    let prompts = PromptPlans {
        plans,
        block_size: block_size as usize,
        seed: stream_seed(seed, content_key),
        corpus: options.corpus.unwrap_or(TraceCorpus::Prose),
    };
    FileContents { conversations, prompts: Some(DeferredPrompts::Blocks(prompts)), empty_outputs }
}

fn turn(request: TraceRequest, replay: &Replay, block_size: u32) -> (Turn, Option<PromptPlan>) {
    let mut turn = Turn {
        max_tokens: request.output_tokens.map(|tokens| u32::try_from(tokens.max(1)).unwrap_or(u32::MAX)),
        timestamp_ms: request.timestamp_ms,
        delay_ms: request.delay_ms,
        extra_body: request.extra,
        ..Turn::default()
    };
    let mut plan = None;
    match request.prompt {
        TracePrompt::Length { tokens, blocks } => {
            turn.input_tokens = u32::try_from(tokens).ok();
            let blocks = blocks.into_iter().map(|block| block.0).collect();
            plan = Some(PromptPlan { tokens: tokens as usize, blocks, line: request.line });
        }
        TracePrompt::Text(text) => {
            turn.texts = vec![Media { name: "text".to_owned(), contents: vec![Arc::from(text)] }];
        }
        TracePrompt::Recorded { text, blocks, has_signed_ids, .. } => {
            turn.extra_body = Some(hints(&ids(&blocks, has_signed_ids), turn.max_tokens, replay, block_size));
            turn.texts = vec![Media { name: "text".to_owned(), contents: vec![Arc::from(text)] }];
        }
        TracePrompt::Messages { messages, tools } => {
            turn.raw_messages = Some(messages);
            turn.raw_tools = tools;
        }
        TracePrompt::Payload(body) => {
            let fields: Map<String, Value> = serde_json::from_str(body.get()).unwrap_or_default();
            let said = payload_turn(&fields, Bytes::from(String::from(Box::<str>::from(body))));
            (turn.raw_payload, turn.model) = (said.raw_payload, said.model);
            turn.max_tokens = turn.max_tokens.or(said.max_tokens);
        }
    }
    (turn, plan)
}

/// Body fields that describe the recorded request to the server.
fn hints(ids: &[Value], output: Option<u32>, replay: &Replay, block_size: u32) -> Map<String, Value> {
    let mut hints = Map::new();
    if let Some(tokens) = output.filter(|_| replay.min_tokens) {
        hints.insert("min_tokens".to_owned(), tokens.into());
    }
    if replay.block_hints {
        // A row without ids is not a row without blocks.
        if !ids.is_empty() {
            hints.insert("hash_ids".to_owned(), json!(ids));
        }
        hints.insert("block_size".to_owned(), block_size.into());
    }
    hints
}

/// Block ids as they were recorded: unsigned 64-bit numbers, unless one of them is negative.
fn ids(blocks: &[BlockId], are_signed: bool) -> Vec<Value> {
    blocks.iter().map(|block| if are_signed { json!(block.0) } else { json!(block.0.cast_unsigned()) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_sent_as_they_were_recorded() {
        let blocks = [BlockId(7), BlockId(-1)];
        assert_eq!(ids(&blocks, false), [json!(7), json!(u64::MAX)]);
        assert_eq!(ids(&blocks, true), [json!(7), json!(-1)]);
    }
}
