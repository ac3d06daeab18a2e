//! One recorded request.

use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// The id of a block of tokens with the same content everywhere. Unsigned 64-bit ids keep their bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub i64);

/// The most tokens in a prompt or output: more than any context.
pub(crate) const MOST_TOKENS: u64 = 100_000_000;

#[derive(Debug, Clone)]
pub struct TraceRequest {
    /// The line in the file, from one.
    pub line: usize,
    /// The time at which it was sent, in milliseconds on the clock of the trace.
    pub timestamp_ms: Option<f64>,
    /// The delay after the previous answer of its session.
    pub delay_ms: Option<f64>,
    /// The recorded duration.
    pub duration_ms: Option<f64>,
    /// The session that it belongs to.
    pub session: Option<Arc<str>>,
    /// Whether the prompt contains the earlier turns of its session, so that it is sent alone.
    pub holds_history: bool,
    pub prompt: TracePrompt,
    /// The recorded output length; zero if there was no output.
    pub output_tokens: Option<u64>,
    /// Additional body fields of this request.
    pub extra: Option<Map<String, Value>>,
}

#[derive(Debug, Clone)]
pub enum TracePrompt {
    /// Only the length and the blocks are known.
    Length {
        tokens: u64,
        blocks: Vec<BlockId>,
    },
    Text(String),
    /// The literal text, with its recorded length and blocks.
    Recorded {
        text: String,
        tokens: u64,
        blocks: Vec<BlockId>,
        /// Whether an id is negative; otherwise ids are unsigned 64-bit numbers.
        has_signed_ids: bool,
    },
    Messages {
        messages: Vec<Value>,
        tools: Option<Vec<Value>>,
    },
    /// A whole body, as it is written in the file.
    Payload(Box<RawValue>),
}

impl TraceRequest {
    /// The length of the prompt, if the trace records it.
    pub fn input_tokens(&self) -> Option<u64> {
        match &self.prompt {
            TracePrompt::Length { tokens, .. } | TracePrompt::Recorded { tokens, .. } => Some(*tokens),
            _ => None,
        }
    }

    pub fn blocks(&self) -> &[BlockId] {
        match &self.prompt {
            TracePrompt::Length { blocks, .. } | TracePrompt::Recorded { blocks, .. } => blocks,
            _ => &[],
        }
    }

    /// Whether there are more blocks than fit into the prompt.
    pub(crate) fn has_too_many_blocks(&self, block_size: u32) -> bool {
        let tokens = self.input_tokens().unwrap_or(0);
        self.blocks().len() as u64 > tokens.div_ceil(u64::from(block_size))
    }
}
