//! Anthropic's messages: `POST /v1/messages`.

mod reading;

use std::sync::Arc;

use aiperf_protocol::{EndpointKind, Reply, ReplyError};
use serde_json::{Value, json};

use self::reading::Reader;
use crate::reply::documents;
use crate::reply::surrogate;
use crate::request::message::{self, Dialect};
use crate::request::payload::{Field, Payload};
use crate::{BuildError, Endpoint, EndpointSettings, ResponseBody, TurnRequest};

/// The API wants a limit; this is sent where the turn names none.
const DEFAULT_LIMIT: u32 = 1024;

pub(super) fn endpoint(_: EndpointKind, _: &EndpointSettings) -> Arc<dyn Endpoint> {
    Arc::new(Messages)
}

#[derive(Debug)]
pub(super) struct Messages;

impl Endpoint for Messages {
    fn body(&self, request: &TurnRequest<'_>) -> Result<Vec<u8>, BuildError> {
        let turn = request.current()?;
        let messages = message::items(request, EndpointKind::Messages, Dialect::Anthropic, Some(request.history))?;
        let mut payload = Payload::default();
        payload.set("model", Field::Text(&turn.model));
        payload.set("messages", Field::Messages(messages));
        payload.set("max_tokens", Field::Count(turn.max_tokens.unwrap_or(DEFAULT_LIMIT)));
        if request.options.streaming {
            payload.set("stream", Field::Flag(true));
        }
        if let Some(prompt) = message::system(request) {
            payload.set("system", Field::Text(prompt));
        }
        if let Some(tools) = message::tools(request)? {
            payload.set("tools", Field::GivenList(tools));
        }
        payload.lay_extras(request)?;
        payload.into_bytes(request)
    }

    fn read(&self, body: ResponseBody<'_>) -> Result<Reply, ReplyError> {
        let mut reader = Reader::default();
        let mut reply = documents::read(body, |data, transcript| reader.hear(data, transcript))?;
        reply.said = reader.into_said();
        reply.said.iter_mut().for_each(surrogate::resolve_value);
        Ok(reply)
    }

    fn carries_content(&self, data: &str) -> bool {
        let mut reader = Reader::default();
        documents::carries_content(data, |data, transcript| reader.hear(data, transcript))
    }

    fn assistant_message(&self, reply: &Reply) -> Option<Value> {
        let blocks = reply.said.clone();
        let text = || (!reply.plain_text.is_empty()).then(|| json!(reply.plain_text));
        blocks.or_else(text).map(|content| json!({"role": "assistant", "content": content}))
    }
}
