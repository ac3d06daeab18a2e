//! Triton's generate extension: `POST /v2/models/<model>/generate` and `/generate_stream`. Answers of the `KServe` protocol
//! (`/infer`) are read, too.

use std::sync::Arc;

use aiperf_protocol::{EndpointKind, Reply, ReplyError};
use serde_json::Value;

use crate::reply::documents::{self, Heard, StreamEnd, tree};
use crate::reply::transcript::Transcript;
use crate::request::payload::{Field, Payload};
use crate::{BuildError, Endpoint, EndpointSettings, ResponseBody, TurnRequest};

pub(super) fn endpoint(_: EndpointKind, _: &EndpointSettings) -> Arc<dyn Endpoint> {
    Arc::new(Generate)
}

#[derive(Debug)]
pub(super) struct Generate;

/// The output tensor that holds the text.
const TEXT: &str = "text_output";

impl Endpoint for Generate {
    fn body(&self, request: &TurnRequest<'_>) -> Result<Vec<u8>, BuildError> {
        let texts = request.lone_texts(EndpointKind::Generate)?;
        let mut payload = Payload::default();
        payload.set("text_input", Field::Texts(texts));
        if request.options.streaming {
            payload.set("stream", Field::Flag(true));
        }
        if let Some(limit) = request.current()?.max_tokens {
            payload.set("max_tokens", Field::Count(limit));
        }
        payload.lay_extras(request)?;
        payload.into_bytes(request)
    }

    fn read(&self, body: ResponseBody<'_>) -> Result<Reply, ReplyError> {
        documents::read_until(StreamEnd::Unmarked, body, hear)
    }

    fn carries_content(&self, data: &str) -> bool {
        documents::carries_content(data, hear)
    }
}

fn hear(data: &str, transcript: &mut Transcript) -> Heard {
    let answer = tree(data)?;
    speak(&answer[TEXT], transcript);
    let tensors = answer["outputs"].as_array().into_iter().flatten();
    for tensor in tensors.filter(|tensor| tensor["name"] == TEXT) {
        speak(&tensor["data"], transcript);
    }
    Ok(())
}

/// One text, or one for each input.
fn speak(texts: &Value, transcript: &mut Transcript) {
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
