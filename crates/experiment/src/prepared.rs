//! The data set as it will go over the wire: every body that does not depend on a reply is written before the first
//! request is due, so that no worker spends time on it.

use std::sync::{Arc, OnceLock};

use aiperf_clock::Nanos;
use aiperf_conversation::{BranchKind, ContextMode, Conversation, ConversationIndex, Turn};
use aiperf_dataset::Dataset;
use aiperf_endpoint::{BodyOptions, BuildError, Endpoint, EndpointKind, History, TurnRequest, check_turns};
use aiperf_engine::{FollowUpBodies, PreparedConversation, PreparedTurn, Session};
use aiperf_tokenizer::Tokenizer;
use bytes::Bytes;
use serde_json::Value;

/// One conversation, ready to be sent and to be recognised when it comes back.
#[derive(Debug)]
pub(crate) struct PreparedSession {
    pub(crate) conversation: Arc<Conversation>,
    pub(crate) turns: Vec<TurnFacts>,
}

/// What is known of a turn before the run.
#[derive(Debug)]
pub(crate) struct TurnFacts {
    /// The turn by itself, as `inputs.json` shows it.
    pub(crate) alone: Bytes,
    /// As it will be sent; `None` where that depends on replies.
    fixed: Option<Bytes>,
    pub(crate) max_tokens: Option<u32>,
    /// How long the audio of the turn plays.
    pub(crate) audio_seconds: Option<f64>,
    /// Whether the session has anything in it that could be an image.
    may_hold_images: bool,
    /// Counted when the first record asks: the same body is often sent many times.
    input_tokens: OnceLock<Option<u64>>,
    images: OnceLock<u64>,
}

impl TurnFacts {
    /// Input tokens of the body that was sent, counted by the client; `None` where its text cannot be told.
    pub(crate) fn input_tokens(&self, sent: &Bytes, endpoint: &dyn Endpoint, tokenizer: &dyn Tokenizer) -> Option<u64> {
        let count = || {
            let text = endpoint.input_text(sent)?;
            Some(tokenizer.count(&text.texts.join(" ")) as u64 + text.pretokenised)
        };
        if self.is_fixed(sent) { *self.input_tokens.get_or_init(count) } else { count() }
    }

    /// Images in the body that was sent.
    pub(crate) fn images(&self, sent: &Bytes, endpoint: &dyn Endpoint) -> u64 {
        if !self.may_hold_images {
            return 0;
        }
        let count = || endpoint.input_text(sent).map_or(0, |input| input.images);
        if self.is_fixed(sent) { *self.images.get_or_init(count) } else { count() }
    }

    /// The very bytes that were prepared: comparing their place is enough, and bodies may be large.
    fn is_fixed(&self, sent: &Bytes) -> bool {
        self.fixed.as_ref().is_some_and(|fixed| fixed.as_ptr() == sent.as_ptr())
    }
}

/// Everything that bodies are made of.
#[derive(Debug)]
pub(crate) struct Sessions {
    all: Vec<PreparedSession>,
    endpoint: Arc<dyn Endpoint>,
    options: BodyOptions,
}

impl Sessions {
    pub(crate) fn prepare(
        dataset: &Dataset,
        kind: EndpointKind,
        endpoint: Arc<dyn Endpoint>,
        options: BodyOptions,
    ) -> Result<Self, BuildError> {
        let mut prepared = Self { all: Vec::new(), endpoint, options };
        for index in (0..dataset.len()).map(ConversationIndex) {
            let conversation = dataset.conversation(index);
            check_turns(kind, &conversation)?;
            let session = prepared.session(&conversation)?;
            prepared.all.push(session);
        }
        Ok(prepared)
    }

    pub(crate) fn get(&self, conversation: usize) -> &PreparedSession {
        &self.all[conversation]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &PreparedSession> {
        self.all.iter()
    }

    /// The first turn of a fork is fixed here too, as it would be sent without its parent: the same conversation may be
    /// spawned elsewhere, and a fork brings its own body.
    fn session(&self, conversation: &Arc<Conversation>) -> Result<PreparedSession, BuildError> {
        let could_hold =
            |turn: &Turn| !turn.images.is_empty() || turn.raw_messages.is_some() || turn.raw_payload.is_some();
        let may_hold_images = conversation.turns.iter().any(could_hold);
        let mut history = History::new(conversation.context_mode);
        let mut turns = Vec::with_capacity(conversation.turns.len());
        for (turn, described) in conversation.turns.iter().enumerate() {
            let alone = self.body(conversation, turn, &History::new(conversation.context_mode))?;
            let fixed = match conversation.context_mode {
                ContextMode::DeltasWithResponses => Some(self.body(conversation, turn, &history)?),
                ContextMode::DeltasWithoutResponses if turn > 0 => None,
                ContextMode::DeltasWithoutResponses | ContextMode::MessageArrayWithResponses => Some(alone.clone()),
            };
            history.note(conversation, turn, None);
            turns.push(TurnFacts {
                alone,
                fixed,
                max_tokens: described.max_tokens,
                audio_seconds: described.audio_seconds,
                may_hold_images,
                input_tokens: OnceLock::new(),
                images: OnceLock::new(),
            });
        }
        Ok(PreparedSession { conversation: Arc::clone(conversation), turns })
    }

    fn body(&self, conversation: &Conversation, turn: usize, history: &History) -> Result<Bytes, BuildError> {
        if let Some(payload) = conversation.turns.get(turn).and_then(|turn| turn.raw_payload.as_ref()) {
            return Ok(payload.clone());
        }
        let request = TurnRequest { conversation, turn, history: history.before_next(), options: &self.options };
        self.endpoint.body(&request).map(Bytes::from)
    }

    /// What a turn's reply makes possible: the next turn, and the first turns of forks. `reply` is `None` when the
    /// request failed.
    pub(crate) fn after(
        &self,
        session: &Session,
        turn: usize,
        reply: Option<Value>,
        failed: bool,
    ) -> Result<FollowUpBodies, BuildError> {
        let prepared = self.get(session.conversation);
        let conversation = &prepared.conversation;
        let Ok(mut history) = session.history.lock() else { return Ok(FollowUpBodies::default()) };
        history.note(conversation, turn, reply);
        let next = match prepared.turns.get(turn + 1) {
            Some(facts) if facts.fixed.is_none() => Some(self.body(conversation, turn + 1, &history)?),
            _ => None,
        };
        let mut forks = Vec::new();
        for branch in &conversation.turns[turn].branches {
            if let BranchKind::Fork { .. } = branch.kind {
                for child in &branch.children {
                    let forked = &self.get(child.0).conversation;
                    forks.push((child.0, self.body(forked, 0, &history.fork(forked.context_mode))?));
                }
            }
        }
        Ok(FollowUpBodies { next, forks, failed })
    }

    /// The part of it that the engine sends.
    pub(crate) fn for_engine(&self) -> Vec<PreparedConversation> {
        self.all
            .iter()
            .map(|session| PreparedConversation {
                session_id: Arc::clone(&session.conversation.session_id.0),
                lineage: session.conversation.lineage.clone(),
                context_mode: session.conversation.context_mode,
                turns: session
                    .turns
                    .iter()
                    .zip(&session.conversation.turns)
                    .map(|(facts, turn)| PreparedTurn {
                        body: facts.fixed.clone(),
                        timestamp_ms: turn.timestamp_ms,
                        delay: turn.delay_ms.map(|ms| Nanos::from_secs_f64(ms / 1e3)),
                        branches: turn.branches.clone(),
                    })
                    .collect(),
            })
            .collect()
    }
}
