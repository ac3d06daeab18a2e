//! The data set as it will go over the wire: every body is written before the first request is due, so that no worker
//! spends time on it, and the same bytes are in `inputs.json`.

use std::sync::OnceLock;

use aiperf_clock::Nanos;
use aiperf_conversation::SessionId;
use aiperf_dataset::Dataset;
use aiperf_endpoint::{BodyOptions, BuildError, Endpoint, TurnRequest};
use aiperf_engine::{PreparedConversation, PreparedTurn};
use aiperf_tokenizer::Tokenizer;
use bytes::Bytes;

/// One conversation, ready to be sent and to be recognised when it comes back.
#[derive(Debug)]
pub(crate) struct PreparedSession {
    pub(crate) session_id: SessionId,
    pub(crate) turns: Vec<TurnFacts>,
}

/// What records need to know of a turn.
#[derive(Debug)]
pub(crate) struct TurnFacts {
    pub(crate) body: Bytes,
    pub(crate) max_tokens: Option<u32>,
    delay: Nanos,
    /// Counted when the first record asks: the same body is often sent many times.
    input_tokens: OnceLock<u64>,
}

impl TurnFacts {
    /// Input tokens of the body, counted by the client.
    pub(crate) fn input_tokens(&self, endpoint: &dyn Endpoint, tokenizer: &dyn Tokenizer) -> u64 {
        *self.input_tokens.get_or_init(|| {
            let text = endpoint.input_text(&self.body);
            tokenizer.count(&text.texts.join(" ")) as u64 + text.pretokenised
        })
    }
}

pub(crate) fn sessions(
    dataset: &Dataset,
    endpoint: &dyn Endpoint,
    options: &BodyOptions,
) -> Result<Vec<PreparedSession>, BuildError> {
    dataset
        .conversations
        .iter()
        .map(|conversation| {
            let turns = (0..conversation.turns.len())
                .map(|turn| {
                    let body = endpoint.body(&TurnRequest { conversation, turn, history: &[], options })?;
                    let described = &conversation.turns[turn];
                    Ok(TurnFacts {
                        body: Bytes::from(body),
                        max_tokens: described.max_tokens,
                        delay: Nanos::from_secs_f64(described.delay_ms.unwrap_or(0.0) / 1e3),
                        input_tokens: OnceLock::new(),
                    })
                })
                .collect::<Result<_, BuildError>>()?;
            Ok(PreparedSession { session_id: conversation.session_id.clone(), turns })
        })
        .collect()
}

/// The part of it that the engine sends.
pub(crate) fn for_engine(sessions: &[PreparedSession]) -> Vec<PreparedConversation> {
    sessions
        .iter()
        .map(|session| PreparedConversation {
            turns: session
                .turns
                .iter()
                .map(|turn| PreparedTurn { body: turn.body.clone(), delay: turn.delay })
                .collect(),
        })
        .collect()
}
