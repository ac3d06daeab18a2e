//! Anthropic's messages: `POST /v1/messages`.

mod reading;

use std::sync::Arc;

use aiperf_protocol::{EndpointKind, Reply, ReplyError};
use serde_json::{Value, json};

use self::reading::MessagesReader;
use crate::reply::documents::{self, StreamEnd};
use crate::reply::stream_reader::PieceReader;
use crate::request::message::{self, Dialect};
use crate::request::payload::{BodyField, Payload};
use crate::{BuildError, Endpoint, EndpointSettings, ReplyReader, ResponseBody, TurnRequest};

/// The API requires a limit; this one is sent if the turn has none.
const DEFAULT_LIMIT: u32 = 1024;

pub(super) fn endpoint(_: EndpointKind, _: &EndpointSettings) -> Arc<dyn Endpoint> {
    Arc::new(MessagesApi)
}

#[derive(Debug)]
pub(super) struct MessagesApi;

impl Endpoint for MessagesApi {
    fn body(&self, request: &TurnRequest<'_>) -> Result<Vec<u8>, BuildError> {
        let turn = request.current()?;
        let messages = message::items(request, EndpointKind::Messages, Dialect::Anthropic, Some(request.history))?;
        let mut payload = Payload::default();
        payload.set("model", BodyField::Text(&turn.model));
        payload.set("messages", BodyField::Messages(messages));
        payload.set("max_tokens", BodyField::Count(turn.max_tokens.unwrap_or(DEFAULT_LIMIT)));
        if request.options.streaming {
            payload.set("stream", BodyField::Flag(true));
        }
        if let Some(prompt) = message::system(request) {
            payload.set("system", BodyField::Text(prompt));
        }
        if let Some(tools) = message::tools(request)? {
            payload.set("tools", BodyField::GivenList(tools));
        }
        payload.lay_extras(request)?;
        payload.into_bytes(request)
    }

    fn read(&self, body: ResponseBody<'_>) -> Result<Reply, ReplyError> {
        documents::read(body, MessagesReader::default())
    }

    fn reader(&self) -> Option<Box<dyn ReplyReader>> {
        Some(Box::new(PieceReader::new(StreamEnd::Marked, MessagesReader::default())))
    }

    fn carries_content(&self, data: &str) -> bool {
        documents::carries_content(data, MessagesReader::default())
    }

    fn assistant_message(&self, reply: &Reply) -> Option<Value> {
        let blocks = reply.native_message.clone();
        let text = || (!reply.plain_text.is_empty()).then(|| json!(reply.plain_text));
        blocks.or_else(text).map(|content| json!({"role": "assistant", "content": content}))
    }
}
