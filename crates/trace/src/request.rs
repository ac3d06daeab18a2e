//! One recorded request.

use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// A block of tokens that has the same content wherever it stands. Ids of more than 63 bits are kept by their bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub i64);

/// Longer than any context, and short enough to be written.
pub(crate) const MOST_TOKENS: u64 = 100_000_000;

#[derive(Debug, Clone)]
pub struct Request {
    /// Where it stands in the file, from one.
    pub line: usize,
    /// When it was sent, in milliseconds of the trace's own time.
    pub timestamp_ms: Option<f64>,
    /// Pause after the previous answer of its session.
    pub delay_ms: Option<f64>,
    /// How long it took when it was recorded.
    pub duration_ms: Option<f64>,
    /// The conversation that it belongs to.
    pub session: Option<Arc<str>>,
    /// Whether the prompt holds the earlier turns of its session, so that it is sent alone.
    pub holds_history: bool,
    pub prompt: Prompt,
    /// Zero where the trace says that nothing came back.
    pub output_tokens: Option<u64>,
    /// Body fields of this request alone.
    pub extra: Option<Map<String, Value>>,
}

#[derive(Debug, Clone)]
pub enum Prompt {
    /// Only the length is known, and which blocks it has in common with others.
    Length {
        tokens: u64,
        blocks: Vec<BlockId>,
    },
    Text(String),
    /// What was said, and what is known of it.
    Recorded {
        text: String,
        tokens: u64,
        blocks: Vec<BlockId>,
        /// Whether an id has a sign; else they are numbers of 64 bits without one.
        has_signed_ids: bool,
    },
    Messages {
        messages: Vec<Value>,
        tools: Option<Vec<Value>>,
    },
    /// A whole body, as it was written.
    Payload(Box<RawValue>),
}

impl Request {
    /// The prompt's length, where the trace records it.
    pub fn input_tokens(&self) -> Option<u64> {
        match &self.prompt {
            Prompt::Length { tokens, .. } | Prompt::Recorded { tokens, .. } => Some(*tokens),
            _ => None,
        }
    }

    pub fn blocks(&self) -> &[BlockId] {
        match &self.prompt {
            Prompt::Length { blocks, .. } | Prompt::Recorded { blocks, .. } => blocks,
            _ => &[],
        }
    }

    /// Whether there is a block that the prompt has not a single token for.
    pub(crate) fn has_too_many_blocks(&self, block_size: u32) -> bool {
        let tokens = self.input_tokens().unwrap_or(0);
        self.blocks().len() as u64 > tokens.div_ceil(u64::from(block_size))
    }
}
