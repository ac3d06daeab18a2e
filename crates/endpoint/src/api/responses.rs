//! OpenAI's Responses API: `POST /v1/responses`.

mod reading;

use std::sync::Arc;

use aiperf_protocol::{EndpointKind, Reply, ReplyError};
use serde_json::{Value, json};

use self::reading::ResponsesReader;
use crate::reply::documents::{self, StreamEnd};
use crate::reply::stream_reader::PieceReader;
use crate::request::message::{self, Dialect};
use crate::request::payload::{BodyField, Payload, StreamUsage};
use crate::{BuildError, Endpoint, EndpointSettings, Past, ReplyReader, ResponseBody, TurnRequest};

/// Names of what is kept of a reply in addition to its items: its id, and whether the server stores it.
const ID: &str = "id";
const STORE: &str = "store";

pub(super) fn endpoint(_: EndpointKind, _: &EndpointSettings) -> Arc<dyn Endpoint> {
    Arc::new(ResponsesApi)
}

#[derive(Debug)]
pub(super) struct ResponsesApi;

impl Endpoint for ResponsesApi {
    fn body(&self, request: &TurnRequest<'_>) -> Result<Vec<u8>, BuildError> {
        let turn = request.current()?;
        let options = request.options;
        let previous = previous_response(request)?;
        let history = previous.is_none().then_some(request.history);
        let items = message::items(request, EndpointKind::Responses, Dialect::Responses, history)?;
        let mut payload = Payload::default();
        payload.set("input", BodyField::Messages(items));
        payload.set("model", BodyField::Text(&turn.model));
        payload.set("stream", BodyField::Flag(options.streaming));
        if let Some(id) = previous {
            payload.set("previous_response_id", BodyField::Text(id));
        }
        if let Some(prompt) = message::system(request) {
            payload.set("instructions", BodyField::Text(prompt));
        }
        if let Some(limit) = turn.max_tokens {
            payload.set("max_output_tokens", BodyField::Count(limit));
        }
        if let Some(tools) = message::tools(request)? {
            payload.set("tools", BodyField::GivenList(tools));
        }
        payload.lay_extras(request)?;
        if options.server_token_count {
            payload.ask_for_usage(StreamUsage::AtEnd);
        }
        payload.into_bytes(request)
    }

    fn read(&self, body: ResponseBody<'_>) -> Result<Reply, ReplyError> {
        documents::read(body, ResponsesReader::default())
    }

    fn reader(&self) -> Option<Box<dyn ReplyReader>> {
        Some(Box::new(PieceReader::new(StreamEnd::Marked, ResponsesReader::default())))
    }

    fn carries_content(&self, data: &str) -> bool {
        documents::carries_content(data, ResponsesReader::default())
    }

    fn assistant_message(&self, reply: &Reply) -> Option<Value> {
        let text = || Some(reply.plain_text.as_str()).filter(|text| !text.is_empty());
        let plain = || text().map(|text| json!({"role": "assistant", "content": text, "type": "message"}));
        let Some(native) = &reply.native_message else { return plain() };
        if native[message::OUTPUT_ITEMS].as_array().is_some_and(|items| !items.is_empty()) {
            return Some(native.clone());
        }
        // The items have no content that could be sent again, but the server may remember them.
        plain().map(|message| {
            let mut native = native.clone();
            native[message::OUTPUT_ITEMS] = json!([message]);
            native
        })
    }
}

/// The id of the last reply that the server stores, if it was asked to store them. A server that keeps replies unasked is
/// relied on only when it counts the tokens: here the tokens of what it remembers could not be counted.
fn previous_response<'a>(request: &TurnRequest<'a>) -> Result<Option<&'a str>, BuildError> {
    let asked =
        |fields: Option<&serde_json::Map<String, Value>>| fields.and_then(|fields| fields.get(STORE)?.as_bool());
    let wanted = asked(request.current()?.extra_body.as_ref()).or_else(|| asked(Some(&request.options.extra_inputs)));
    let kept = |past: &'a Past| match past {
        Past::Message(message) => {
            let unasked = request.options.server_token_count && message.get(STORE) == Some(&Value::Bool(true));
            wanted.unwrap_or(unasked).then(|| message.get(ID)?.as_str()).flatten()
        }
        Past::Turn { .. } => None,
    };
    Ok(request.history.iter().rev().find_map(kept))
}
