//! The retrieval service of Siemens Solido: `POST /rag/api/prompt`.

use std::sync::Arc;

use aiperf_protocol::{EndpointKind, Reply, ReplyError};
use serde_json::{Map, Value, json};

use crate::reply::documents::{self, Heard, StreamEnd, tree};
use crate::reply::transcript::Transcript;
use crate::request::payload::{Field, Payload};
use crate::{BuildError, Endpoint, EndpointSettings, ResponseBody, TurnRequest};

pub(super) fn endpoint(_: EndpointKind, _: &EndpointSettings) -> Arc<dyn Endpoint> {
    Arc::new(SolidoRag)
}

#[derive(Debug)]
pub(super) struct SolidoRag;

impl Endpoint for SolidoRag {
    fn body(&self, request: &TurnRequest<'_>) -> Result<Vec<u8>, BuildError> {
        let kind = EndpointKind::SolidoRag;
        let turn = request.plain_turn(kind)?;
        let texts: Vec<&str> = turn.all_texts().collect();
        if texts.is_empty() {
            return Err(request.no_text(kind));
        }
        let filters = Map::from_iter([("family".to_owned(), json!("Solido")), ("tool".to_owned(), json!("SDE"))]);
        let mut payload = Payload::default();
        payload.set("query", Field::Texts(texts));
        payload.set("filters", Field::Object(filters));
        payload.set("inference_model", Field::Text(&turn.model));
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
    transcript.text(0, answer.get("content").and_then(Value::as_str).unwrap_or_default());
    Ok(())
}
