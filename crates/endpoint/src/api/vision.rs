//! GenAI-Perf's `vision` and `multimodal`: chat whose content is always a list of parts.

use std::sync::Arc;

use aiperf_protocol::{EndpointKind, Reply, ReplyError};
use serde_json::Value;

use super::chat;
use crate::reply::documents;
use crate::request::message::{self, ContentStyle};
use crate::request::payload::{BodyField, Payload, StreamUsage};
use crate::{BuildError, Endpoint, EndpointSettings, ResponseBody, TurnRequest};

pub(super) fn endpoint(kind: EndpointKind, _: &EndpointSettings) -> Arc<dyn Endpoint> {
    Arc::new(VisionApi { kind })
}

#[derive(Debug)]
pub(super) struct VisionApi {
    /// Which of the two: it decides which media may be sent.
    pub(super) kind: EndpointKind,
}

impl Endpoint for VisionApi {
    fn body(&self, request: &TurnRequest<'_>) -> Result<Vec<u8>, BuildError> {
        let turn = request.current()?;
        let mut payload = Payload::default();
        payload.set("model", BodyField::Text(&turn.model));
        payload.set("messages", BodyField::Messages(message::messages(request, self.kind, ContentStyle::AlwaysParts)?));
        if request.options.streaming {
            payload.set("stream", BodyField::Flag(true));
        }
        if let Some(tools) = message::tools(request)? {
            payload.set("tools", BodyField::GivenList(tools));
        }
        if let Some(limit) = turn.max_tokens {
            payload.set("max_tokens", BodyField::Count(limit));
        }
        payload.lay_extras(request)?;
        if request.options.server_token_count {
            payload.ask_for_usage(StreamUsage::AtEnd);
        }
        payload.into_bytes(request)
    }

    fn read(&self, body: ResponseBody<'_>) -> Result<Reply, ReplyError> {
        documents::read(body, chat::parse_event)
    }

    fn carries_content(&self, data: &str) -> bool {
        documents::carries_content(data, chat::parse_event)
    }

    fn assistant_message(&self, reply: &Reply) -> Option<Value> {
        chat::assistant_message(reply)
    }
}
