//! Text generation inference of Hugging Face: `POST /generate` and `POST /generate_stream`.

use std::sync::Arc;

use aiperf_protocol::{EndpointKind, Reply, ReplyError, Usage};
use serde_json::{Map, json};

use crate::reply::documents::{self, EventResult, StreamEnd, tree};
use crate::reply::stream_reader::PieceReader;
use crate::reply::transcript::Transcript;
use crate::request::payload::{BodyField, Payload};
use crate::{BuildError, Endpoint, EndpointSettings, ReplyReader, ResponseBody, TurnRequest};

pub(super) fn endpoint(_: EndpointKind, _: &EndpointSettings) -> Arc<dyn Endpoint> {
    Arc::new(HuggingfaceGenerateApi)
}

#[derive(Debug)]
pub(super) struct HuggingfaceGenerateApi;

impl Endpoint for HuggingfaceGenerateApi {
    fn body(&self, request: &TurnRequest<'_>) -> Result<Vec<u8>, BuildError> {
        let prompt = request.lone_texts(EndpointKind::HuggingfaceGenerate)?.join(" ");
        let turn = request.current()?;
        let mut parameters = Map::new();
        if let Some(limit) = turn.max_tokens {
            parameters.insert("max_new_tokens".to_owned(), json!(limit));
        }
        parameters.extend(request.options.extra_inputs.iter().map(|(name, value)| (name.clone(), value.clone())));
        let mut payload = Payload::default();
        payload.set("inputs", BodyField::Text(&prompt));
        payload.set("parameters", BodyField::Object(parameters));
        for (name, value) in turn.extra_body.iter().flatten() {
            payload.set(name, BodyField::Given(value));
        }
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
    let answer = tree(data)?;
    let answer = answer.get(0).unwrap_or(&answer);
    let whole = answer["generated_text"].as_str();
    match answer.get("token").filter(|token| token.is_object()) {
        // The end-of-sequence token is not text: `generated_text` leaves it out, too.
        Some(token) if token["special"] == true => {}
        Some(token) => transcript.text(0, token["text"].as_str().unwrap_or_default()),
        // After a stream it repeats what came token by token.
        None if transcript.texts().1.is_empty() => transcript.text(0, whole.unwrap_or_default()),
        None => {}
    }
    if whole.is_some() {
        transcript.end_mark();
    }
    let details = &answer["details"];
    if let Some(reason) = details["finish_reason"].as_str() {
        transcript.finish_reason(0, reason);
    }
    let count = |name: &str| details[name].as_u64();
    let usage = Usage {
        prompt_tokens: count("input_length")
            .or_else(|| Some(details["prefill"].as_array()?.len() as u64).filter(|n| *n > 0)),
        completion_tokens: count("generated_tokens"),
        ..Usage::default()
    };
    transcript.usage((usage != Usage::default()).then_some(usage));
    Ok(())
}
