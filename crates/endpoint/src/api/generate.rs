//! Triton's generate extension: `POST /v2/models/<model>/generate` and `/generate_stream`. Answers of the `KServe` protocol
//! (`/infer`) are read, too.

use std::sync::Arc;

use aiperf_protocol::{EndpointKind, Reply, ReplyError};
use serde_json::Value;

use crate::reply::documents::{self, EventResult, StreamEnd, tree};
use crate::reply::stream_reader::PieceReader;
use crate::reply::transcript::Transcript;
use crate::request::payload::{BodyField, Payload};
use crate::{BuildError, Endpoint, EndpointSettings, ReplyReader, ResponseBody, TurnRequest};

pub(super) fn endpoint(_: EndpointKind, _: &EndpointSettings) -> Arc<dyn Endpoint> {
    Arc::new(GenerateApi)
}

#[derive(Debug)]
pub(super) struct GenerateApi;

/// The output tensor that holds the text.
const TEXT: &str = "text_output";

impl Endpoint for GenerateApi {
    fn body(&self, request: &TurnRequest<'_>) -> Result<Vec<u8>, BuildError> {
        let texts = request.lone_texts(EndpointKind::Generate)?;
        let mut payload = Payload::default();
        payload.set("text_input", BodyField::Texts(texts));
        if request.options.streaming {
            payload.set("stream", BodyField::Flag(true));
        }
        if let Some(limit) = request.current()?.max_tokens {
            payload.set("max_tokens", BodyField::Count(limit));
        }
        payload.lay_extras(request)?;
        payload.into_bytes(request)
    }

    fn read(&self, body: ResponseBody<'_>) -> Result<Reply, ReplyError> {
        documents::read_until(StreamEnd::Unmarked, body, parse_event)
    }

    fn reader(&self) -> Option<Box<dyn ReplyReader>> {
        Some(Box::new(PieceReader::new(StreamEnd::Unmarked, parse_event)))
    }

    fn carries_content(&self, data: &str) -> bool {
        documents::carries_content(data, parse_event)
    }
}

fn parse_event(data: &str, transcript: &mut Transcript) -> EventResult {
    let answer = tree(data)?;
    append(&answer[TEXT], transcript);
    let tensors = answer["outputs"].as_array().into_iter().flatten();
    for tensor in tensors.filter(|tensor| tensor["name"] == TEXT) {
        append(&tensor["data"], transcript);
    }
    Ok(())
}

/// One text, or one for each input.
fn append(texts: &Value, transcript: &mut Transcript) {
    match texts {
        Value::String(text) => transcript.text(0, text),
        Value::Array(all) => {
            for (choice, text) in all.iter().enumerate() {
                transcript.text(choice as u64, text.as_str().unwrap_or_default());
            }
        }
        _ => {}
    }
}
