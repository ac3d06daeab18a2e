//! Text completions: `POST /v1/completions`.

use std::sync::Arc;

use aiperf_protocol::{EndpointKind, Reply, ReplyError};

use crate::reply::completion_event::{self, CompletionEvent};
use crate::reply::documents::{self, Heard};
use crate::reply::transcript::Transcript;
use crate::request::payload::{Field, Payload, StreamUsage};
use crate::{BuildError, Endpoint, EndpointSettings, ResponseBody, TurnRequest};

pub(super) fn endpoint(_: EndpointKind, _: &EndpointSettings) -> Arc<dyn Endpoint> {
    Arc::new(Completions)
}

#[derive(Debug)]
pub(super) struct Completions;

impl Endpoint for Completions {
    fn body(&self, request: &TurnRequest<'_>) -> Result<Vec<u8>, BuildError> {
        let texts = request.lone_texts(EndpointKind::Completions)?;
        let turn = request.current()?;
        let prompt = if let [text] = texts[..] { Field::Text(text) } else { Field::Texts(texts) };
        let mut payload = Payload::default();
        payload.set("prompt", prompt);
        payload.set("model", Field::Text(&turn.model));
        payload.set("stream", Field::Flag(request.options.streaming));
        if let Some(limit) = turn.max_tokens {
            payload.set("max_tokens", Field::Count(limit));
        }
        payload.lay_extras(request)?;
        payload.ask_for_usage(StreamUsage::AtEnd);
        payload.into_bytes(request)
    }

    fn read(&self, body: ResponseBody<'_>) -> Result<Reply, ReplyError> {
        documents::read(body, hear)
    }

    fn carries_content(&self, data: &str) -> bool {
        documents::carries_content(data, hear)
    }
}

fn hear(data: &str, transcript: &mut Transcript) -> Heard {
    completion_event::hear(data, transcript, speak)
}

pub(crate) fn speak(event: &CompletionEvent<'_>, transcript: &mut Transcript) {
    for choice in &event.choices.0 {
        transcript.text(choice.index(), choice.text.as_str());
    }
}
