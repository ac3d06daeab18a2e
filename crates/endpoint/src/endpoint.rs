//! The interface of every API: how a turn becomes a body, how a response is read, which of the sent text is input.

use std::fmt::Debug;

use aiperf_conversation::{ContextMode, Conversation, Turn};
use aiperf_protocol::{EndpointKind, Medium, Reply, ReplyError};
use bytes::Bytes;
use serde_json::{Map, Value};
use thiserror::Error;

use crate::{InputText, Job, Past, ReplyReader, ResponseBody};

/// One API. Implementations hold the settings of the run at most: the same turn always gives the same bytes.
pub trait Endpoint: Debug + Send + Sync {
    /// The request body: compact JSON with keys in the order of the reference, or a form.
    fn body(&self, request: &TurnRequest<'_>) -> Result<Vec<u8>, BuildError>;

    /// Reads a 2xx response; of a job, its first and its last answer, one on each line.
    fn read(&self, body: ResponseBody<'_>) -> Result<Reply, ReplyError>;

    /// Reads a 2xx response of the type `text/event-stream` while it arrives. `None` if this API reads whole responses only.
    fn reader(&self) -> Option<Box<dyn ReplyReader>> {
        None
    }

    /// Whether the data of one stream event, or a whole document, carries content: what ends the prefill of a request
    /// that is still running.
    fn carries_content(&self, data: &str) -> bool;

    /// The reply as a message in the shape of this API, for the history of the turns after it. `None` if the reply has no
    /// content that could be sent again, and for an API without history.
    fn assistant_message(&self, _reply: &Reply) -> Option<Value> {
        None
    }

    /// The text in a sent body that counts as input; `None` if the body has no known shape.
    fn input_text(&self, body: &[u8]) -> Option<InputText> {
        InputText::of_body(body)
    }

    /// A body that the data set brings ready-made, as it is sent.
    fn ready_made(&self, _request: &TurnRequest<'_>, payload: &Bytes) -> Result<Bytes, BuildError> {
        Ok(payload.clone())
    }

    /// Whether one message of a gRPC answer carries content, as [`Self::carries_content`] does for events.
    fn message_carries_content(&self, _message: &[u8]) -> bool {
        false
    }

    /// A sent body as JSON, if it has another format on the wire.
    fn legible_body(&self, _body: &[u8]) -> Option<String> {
        None
    }

    /// The messages of an answer as JSON, each with the length of the body up to its end, where they are something else
    /// on the wire.
    fn legible_messages(&self, _body: &[u8]) -> Option<Vec<(usize, String)>> {
        None
    }

    /// What is to be asked after the first answer, for an API that answers with a job.
    fn job(&self) -> Option<Box<dyn Job>> {
        None
    }
}

/// The turn to send and all that its body depends on.
#[derive(Debug, Clone, Copy)]
pub struct TurnRequest<'a> {
    pub conversation: &'a Conversation,
    /// Index of the turn to send.
    pub turn: usize,
    /// The messages before it, oldest first; empty if each turn is sent alone. See [`crate::History`].
    pub history: &'a [Past],
    pub options: &'a BodyOptions,
}

/// The settings of a run that shape bodies.
#[derive(Debug, Clone, Default)]
pub struct BodyOptions {
    pub streaming: bool,
    /// Chat: `max_tokens` instead of `max_completion_tokens`.
    pub legacy_max_tokens: bool,
    /// Laid over the built fields; a turn's own extras are laid over these.
    pub extra_inputs: Map<String, Value>,
    /// Chat: ask for usage on every chunk.
    pub per_chunk_usage: bool,
    /// Messages: write the content as a list of parts even if a string would do.
    pub force_content_parts: bool,
    /// Token counts are the server's: where an API has to be asked for them, it is.
    pub server_token_count: bool,
}

/// Why no body could be made of a turn.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BuildError {
    #[error("session {session} has no turn {turn}; it has {turns} turns")]
    NoSuchTurn { session: String, turn: usize, turns: usize },
    #[error(
        "--endpoint-type {endpoint} takes one turn per request, but session {session} carries history; \
         use --endpoint-type chat for conversations"
    )]
    OneTurnOnly { endpoint: &'static str, session: String },
    #[error(
        "--endpoint-type {endpoint} takes text only, but turn {turn} of session {session} has {media}; \
         use --endpoint-type chat, or leave the media out"
    )]
    TextOnly { endpoint: &'static str, session: String, turn: usize, media: &'static str },
    #[error(
        "--endpoint-type {endpoint} takes plain text, but turn {turn} of session {session} is a list of chat messages; \
         use --endpoint-type chat"
    )]
    NoMessages { endpoint: &'static str, session: String, turn: usize },
    #[error("turn {turn} of session {session} has no text, and --endpoint-type {endpoint} sends nothing else")]
    NoText { endpoint: &'static str, session: String, turn: usize },
    #[error(
        "audio {start:?} of session {session} is neither \"<format>,<base64>\" nor a data:audio/<format>;base64 URL; \
         give it in one of these forms"
    )]
    AudioForm { session: String, start: String },
    #[error("the body of turn {turn} of session {session} cannot be written as JSON: {reason}")]
    Unwritable { session: String, turn: usize, reason: String },
    #[error(
        "--endpoint-type {endpoint} does not take {media}, but turn {turn} of session {session} has {media}; leave it out, or use \
         --endpoint-type chat"
    )]
    Medium { endpoint: &'static str, session: String, turn: usize, media: &'static str },
    #[error(
        "turn {turn} of session {session} has no {media}, which --endpoint-type {endpoint} needs; give one in the row of the \
         --input-file, or have it generated"
    )]
    NoMedium { endpoint: &'static str, session: String, turn: usize, media: &'static str },
    #[error(
        "image {start:?} of session {session} is neither a data URL nor PNG, JPEG, GIF, WebP or BMP in base64; give it in \
         one of these forms"
    )]
    ImageForm { session: String, start: String },
    #[error(
        "turn {turn} of session {session} has {texts} texts and {images} images; --endpoint-type {endpoint} sends them in \
         pairs, or one kind alone"
    )]
    Unpaired { endpoint: &'static str, session: String, turn: usize, texts: usize, images: usize },
    #[error(
        "turn {turn} of session {session} has no text named `query`; --endpoint-type {endpoint} needs texts named `query` \
         and `passages`"
    )]
    NoQuery { endpoint: &'static str, session: String, turn: usize },
    #[error(
        "turn {turn} of session {session} has no ready-made body, and --endpoint-type raw sends nothing else; give an \
         --input-file of --custom-dataset-type raw_payload or inputs_json"
    )]
    NoPayload { session: String, turn: usize },
    #[error("--endpoint-type template needs --extra-inputs payload_template:<name, file or template>")]
    NoTemplate,
    #[error(
        "turn {turn} of session {session} has no ready-made body, and there is no template; --endpoint-type dynamic_grpc \
         needs --extra-inputs payload_template:<file or template>, or an --input-file of --custom-dataset-type raw_payload"
    )]
    NoMessage { session: String, turn: usize },
    #[error("turn {turn} of session {session}: {reason}")]
    Message { session: String, turn: usize, reason: String },
    #[error("turn {turn} of session {session}, model {model}: {reason}")]
    Tensors { session: String, turn: usize, model: String, reason: String },
    #[error(
        "turn {turn} of session {session} makes a message of {length} bytes, and {limit} is the limit; raise \
         --grpc-max-message-size"
    )]
    MessageTooLong { session: String, turn: usize, length: usize, limit: usize },
    #[error("the payload template, with turn {turn} of session {session}: {reason}")]
    Template { session: String, turn: usize, reason: String },
}

/// Why a declared endpoint type cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DeclarationError {
    #[error("the template: {0}")]
    Template(String),
    #[error("{0}")]
    Rule(String),
}

/// Looks before the run at what would fail at the second turn: a conversation with history, for an API that takes none.
pub fn check_turns(kind: EndpointKind, conversation: &Conversation) -> Result<(), BuildError> {
    let has_history =
        conversation.turns.len() > 1 && conversation.context_mode != ContextMode::MessageArrayWithResponses;
    if has_history && kind.facts().refuses_history {
        let session = conversation.session_id.to_string();
        return Err(BuildError::OneTurnOnly { endpoint: kind.facts().name, session });
    }
    Ok(())
}

/// A turn of a conversation by its index.
pub(crate) fn turn_of(conversation: &Conversation, turn: usize) -> Result<&Turn, BuildError> {
    conversation.turns.get(turn).ok_or_else(|| BuildError::NoSuchTurn {
        session: conversation.session_id.to_string(),
        turn,
        turns: conversation.turns.len(),
    })
}

impl<'a> TurnRequest<'a> {
    /// The turn that is sent.
    pub(crate) fn current(&self) -> Result<&'a Turn, BuildError> {
        turn_of(self.conversation, self.turn)
    }

    pub(crate) fn session(&self) -> String {
        self.conversation.session_id.to_string()
    }

    /// The texts of a lone turn, for an API that takes nothing but text.
    pub(crate) fn lone_texts(&self, kind: EndpointKind) -> Result<Vec<&'a str>, BuildError> {
        let texts: Vec<&str> = self.lone_turn(kind)?.all_texts().collect();
        if texts.is_empty() {
            return Err(self.no_text(kind));
        }
        Ok(texts)
    }

    /// The turn, for an API that takes one with no history before it.
    pub(crate) fn lone_turn(&self, kind: EndpointKind) -> Result<&'a Turn, BuildError> {
        if !self.history.is_empty() {
            return Err(BuildError::OneTurnOnly { endpoint: kind.facts().name, session: self.session() });
        }
        self.plain_turn(kind)
    }

    /// The turn, for an API that takes no chat messages, with no medium in it that the API does not take.
    pub(crate) fn plain_turn(&self, kind: EndpointKind) -> Result<&'a Turn, BuildError> {
        let turn = self.current()?;
        self.check_media(kind, turn)?;
        if turn.raw_messages.is_some() {
            let endpoint = kind.facts().name;
            return Err(BuildError::NoMessages { endpoint, session: self.session(), turn: self.turn });
        }
        Ok(turn)
    }

    pub(crate) fn check_media(&self, kind: EndpointKind, turn: &Turn) -> Result<(), BuildError> {
        let facts = kind.facts();
        let media = [(Medium::Image, &turn.images), (Medium::Audio, &turn.audios), (Medium::Video, &turn.videos)];
        let untaken = media.into_iter().find(|(medium, there)| !there.is_empty() && !facts.takes.contains(medium));
        let Some((medium, _)) = untaken else { return Ok(()) };
        let (endpoint, session, media) = (facts.name, self.session(), medium.name());
        Err(if facts.takes.is_empty() {
            BuildError::TextOnly { endpoint, session, turn: self.turn, media }
        } else {
            BuildError::Medium { endpoint, session, turn: self.turn, media }
        })
    }

    pub(crate) fn no_text(&self, kind: EndpointKind) -> BuildError {
        BuildError::NoText { endpoint: kind.facts().name, session: self.session(), turn: self.turn }
    }

    pub(crate) fn no_medium(&self, kind: EndpointKind, medium: Medium) -> BuildError {
        let (endpoint, session, media) = (kind.facts().name, self.session(), medium.name());
        BuildError::NoMedium { endpoint, session, turn: self.turn, media }
    }
}
