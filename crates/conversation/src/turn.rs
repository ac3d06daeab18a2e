//! A conversation is an ordered list of turns; a turn becomes exactly one request.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Map, Value};

use crate::{Branch, ConversationIndex, Lineage, Media, ReplayOrigin};

/// The identity of a conversation in the data set, as in `inputs.json`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SessionId(pub Arc<str>);

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// How the history of a multi-turn conversation reaches the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ContextMode {
    /// Each request carries all earlier turns and the server's own replies.
    #[default]
    DeltasWithoutResponses,
    /// The data set holds the assistant's messages; live replies are dropped.
    DeltasWithResponses,
    /// Each request carries its own turn only.
    MessageArrayWithResponses,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Conversation {
    pub session_id: SessionId,
    pub turns: Vec<Turn>,
    /// System message in front of all turns.
    pub system: Option<Arc<str>>,
    /// A user message of this conversation alone, in front of its first turn.
    pub user_context: Option<Arc<str>>,
    pub context_mode: ContextMode,
    /// What it has to do with other conversations of the data set.
    pub lineage: Lineage,
}

/// The role of the message; `user` unless the data set names another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Role(pub Arc<str>);

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Turn {
    pub role: Option<Role>,
    pub texts: Vec<Media>,
    pub images: Vec<Media>,
    /// Ids under which the server may keep the images, one for each content of `images` in order; or none at all. An
    /// image that is named by its id only has an empty content.
    pub image_uuids: Vec<String>,
    pub audios: Vec<Media>,
    /// How long the audio plays, all of it together.
    pub audio_seconds: Option<f64>,
    pub videos: Vec<Media>,
    /// The model that this turn asks for; data sets fill it before the run.
    pub model: Arc<str>,
    /// Length of the whole prompt, if the data set or its description gives one and nothing is put before it.
    pub input_tokens: Option<u32>,
    /// Output length asked for, at least one.
    pub max_tokens: Option<u32>,
    /// When this turn was sent according to the trace, in milliseconds.
    pub timestamp_ms: Option<f64>,
    /// When it was sent within the recording of its session, in milliseconds; for sessions that are entered in the middle.
    pub recorded_ms: Option<f64>,
    /// Turns of other conversations of the same session, with their numbers, that had been answered when it was sent and
    /// that no earlier turn waited for.
    pub answered_before: Vec<(ConversationIndex, usize)>,
    /// Pause after the previous response, in milliseconds.
    pub delay_ms: Option<f64>,
    /// The whole body, sent byte for byte: no option touches it.
    pub raw_payload: Option<Bytes>,
    /// Messages in the API's own shape, sent instead of texts and media.
    pub raw_messages: Option<Vec<Value>>,
    /// Tools in the API's own shape.
    pub raw_tools: Option<Vec<Value>>,
    /// Conversations that start when this turn has been answered.
    pub branches: Vec<Branch>,
    /// Body fields of this turn alone, laid over everything else.
    pub extra_body: Option<Map<String, Value>>,
    /// The recorded request that it replays, if the data set is a recording.
    pub origin: Option<Box<ReplayOrigin>>,
}

impl Turn {
    /// All texts in order, whatever their names.
    pub fn all_texts(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().flat_map(|m| m.contents.iter().map(|content| &**content))
    }
}
