//! Chat completions: `POST /v1/chat/completions`.

use std::sync::Arc;

use aiperf_protocol::{EndpointKind, Reply, ReplyError, ToolCall, ToolKind};
use serde_json::{Value, json};

use crate::reply::completion_event::{self, CompletionEvent, EventMessage};
use crate::reply::documents::{self, EventResult, StreamEnd};
use crate::reply::stream_reader::PieceReader;
use crate::reply::transcript::Transcript;
use crate::request::message::{self, ContentStyle};
use crate::request::payload::{BodyField, Payload, StreamUsage};
use crate::{BuildError, Endpoint, EndpointSettings, ReplyReader, ResponseBody, TurnRequest};

pub(super) fn endpoint(_: EndpointKind, _: &EndpointSettings) -> Arc<dyn Endpoint> {
    Arc::new(ChatApi)
}

#[derive(Debug)]
pub(super) struct ChatApi;

impl Endpoint for ChatApi {
    fn body(&self, request: &TurnRequest<'_>) -> Result<Vec<u8>, BuildError> {
        body_of(EndpointKind::Chat, request)
    }

    fn read(&self, body: ResponseBody<'_>) -> Result<Reply, ReplyError> {
        documents::read(body, parse_event)
    }

    fn assistant_message(&self, reply: &Reply) -> Option<Value> {
        assistant_message(reply)
    }

    fn reader(&self) -> Option<Box<dyn ReplyReader>> {
        Some(Box::new(PieceReader::new(StreamEnd::Marked, parse_event)))
    }

    fn carries_content(&self, data: &str) -> bool {
        documents::carries_content(data, parse_event)
    }
}

/// The body of a chat request, which other types send to other paths.
pub(super) fn body_of(kind: EndpointKind, request: &TurnRequest<'_>) -> Result<Vec<u8>, BuildError> {
    let turn = request.current()?;
    let options = request.options;
    let mut payload = Payload::default();
    payload.set("messages", BodyField::Messages(message::messages(request, kind, ContentStyle::of(request))?));
    payload.set("model", BodyField::Text(&turn.model));
    payload.set("stream", BodyField::Flag(options.streaming));
    if let Some(tools) = message::tools(request)? {
        payload.set("tools", BodyField::GivenList(tools));
    }
    if let Some(limit) = turn.max_tokens {
        let name = if options.legacy_max_tokens { "max_tokens" } else { "max_completion_tokens" };
        payload.set(name, BodyField::Count(limit));
    }
    payload.lay_extras(request)?;
    payload.ask_for_usage(if options.per_chunk_usage { StreamUsage::OnEveryChunk } else { StreamUsage::AtEnd });
    payload.into_bytes(request)
}

/// The reply as a message. Reasoning is not sent again: it is not part of the answer to the user, and servers leave
/// it out of their prompts.
pub(super) fn assistant_message(reply: &Reply) -> Option<Value> {
    let text = Some(reply.plain_text.as_str()).filter(|text| !text.is_empty());
    if reply.tool_calls.is_empty() {
        return text.map(|text| json!({"role": "assistant", "content": text}));
    }
    let calls: Vec<Value> =
        reply.tool_calls.iter().enumerate().map(|(place, call)| call_message(place, call)).collect();
    Some(json!({"role": "assistant", "content": text, "tool_calls": calls}))
}

/// A call needs an id for the answer to it, even if the server gave none.
fn call_message(place: usize, call: &ToolCall) -> Value {
    let id = if call.id.is_empty() { format!("call_{place}") } else { call.id.clone() };
    match call.kind {
        ToolKind::Function => {
            json!({"id": id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}})
        }
        ToolKind::Custom => json!({"id": id, "type": "custom", "custom": {"name": call.name, "input": call.arguments}}),
    }
}

pub(super) fn parse_event(data: &str, transcript: &mut Transcript) -> EventResult {
    completion_event::parse_event(data, transcript, append)
}

pub(crate) fn append(event: &CompletionEvent<'_>, transcript: &mut Transcript) {
    for choice in &event.choices.0 {
        if let Some(message) = choice.delta.0.as_ref().or(choice.message.0.as_ref()) {
            append_message(choice.index(), message, transcript);
        }
    }
    if let Some(message) = &event.message.0 {
        append_message(0, message, transcript);
    }
}

/// Appends everything that the model generated, whatever field it came in.
fn append_message(choice: u64, message: &EventMessage<'_>, transcript: &mut Transcript) {
    transcript.reasoning(choice, message.reasoning());
    transcript.text(choice, &message.content.text);
    transcript.text(choice, message.refusal.as_str());
    if let Some(speech) = &message.audio.0 {
        transcript.text(choice, speech.transcript.as_str());
        transcript.non_text(usize::from(speech.data.0));
    }
    for fragment in message.calls() {
        transcript.tool_call(choice, fragment);
    }
}
