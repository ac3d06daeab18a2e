//! Text completions: `POST /v1/completions`.

use std::sync::Arc;

use aiperf_protocol::{EndpointKind, Reply, ReplyError};

use crate::reply::completion_event::{self, CompletionEvent};
use crate::reply::documents::{self, EventResult, StreamEnd};
use crate::reply::stream_reader::PieceReader;
use crate::reply::transcript::Transcript;
use crate::request::payload::{BodyField, Payload, StreamUsage};
use crate::{BuildError, Endpoint, EndpointSettings, ReplyReader, ResponseBody, TurnRequest};

pub(super) fn endpoint(_: EndpointKind, _: &EndpointSettings) -> Arc<dyn Endpoint> {
    Arc::new(CompletionsApi)
}

#[derive(Debug)]
pub(super) struct CompletionsApi;

impl Endpoint for CompletionsApi {
    fn body(&self, request: &TurnRequest<'_>) -> Result<Vec<u8>, BuildError> {
        let texts = request.lone_texts(EndpointKind::Completions)?;
        let turn = request.current()?;
        let prompt = if let [text] = texts[..] { BodyField::Text(text) } else { BodyField::Texts(texts) };
        let mut payload = Payload::default();
        payload.set("prompt", prompt);
        payload.set("model", BodyField::Text(&turn.model));
        payload.set("stream", BodyField::Flag(request.options.streaming));
        if let Some(limit) = turn.max_tokens {
            payload.set("max_tokens", BodyField::Count(limit));
        }
        payload.lay_extras(request)?;
        payload.ask_for_usage(StreamUsage::AtEnd);
        payload.into_bytes(request)
    }

    fn read(&self, body: ResponseBody<'_>) -> Result<Reply, ReplyError> {
        documents::read(body, parse_event)
    }

    fn reader(&self) -> Option<Box<dyn ReplyReader>> {
        Some(Box::new(PieceReader::new(StreamEnd::Marked, parse_event)))
    }

    fn carries_content(&self, data: &str) -> bool {
        documents::carries_content(data, parse_event)
    }
}

fn parse_event(data: &str, transcript: &mut Transcript) -> EventResult {
    completion_event::parse_event(data, transcript, append)
}

pub(crate) fn append(event: &CompletionEvent<'_>, transcript: &mut Transcript) {
    for choice in &event.choices.0 {
        transcript.text(choice.index(), choice.text.as_str());
    }
}
