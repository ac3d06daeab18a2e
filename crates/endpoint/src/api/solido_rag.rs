//! The retrieval service of Siemens Solido: `POST /rag/api/prompt`.

use std::sync::Arc;

use aiperf_protocol::{EndpointKind, Reply, ReplyError};
use serde_json::{Map, Value, json};

use crate::reply::documents::{self, EventResult, StreamEnd, tree};
use crate::reply::transcript::Transcript;
use crate::request::payload::{BodyField, Payload};
use crate::{BuildError, Endpoint, EndpointSettings, ResponseBody, TurnRequest};

pub(super) fn endpoint(_: EndpointKind, _: &EndpointSettings) -> Arc<dyn Endpoint> {
    Arc::new(SolidoRagApi)
}

#[derive(Debug)]
pub(super) struct SolidoRagApi;

impl Endpoint for SolidoRagApi {
    fn body(&self, request: &TurnRequest<'_>) -> Result<Vec<u8>, BuildError> {
        let kind = EndpointKind::SolidoRag;
        let turn = request.plain_turn(kind)?;
        let texts: Vec<&str> = turn.all_texts().collect();
        if texts.is_empty() {
            return Err(request.no_text(kind));
        }
        let filters = Map::from_iter([("family".to_owned(), json!("Solido")), ("tool".to_owned(), json!("SDE"))]);
        let mut payload = Payload::default();
        payload.set("query", BodyField::Texts(texts));
        payload.set("filters", BodyField::Object(filters));
        payload.set("inference_model", BodyField::Text(&turn.model));
        payload.lay_extras(request)?;
        payload.into_bytes(request)
    }

    fn read(&self, body: ResponseBody<'_>) -> Result<Reply, ReplyError> {
        documents::read_until(StreamEnd::Unmarked, body, parse_event)
    }

    fn carries_content(&self, data: &str) -> bool {
        documents::carries_content(data, parse_event)
    }
}

fn parse_event(data: &str, transcript: &mut Transcript) -> EventResult {
    let answer = tree(data)?;
    transcript.text(0, answer.get("content").and_then(Value::as_str).unwrap_or_default());
    Ok(())
}
