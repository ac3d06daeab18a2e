//! Embeddings: `POST /v1/embeddings`.

use std::sync::Arc;

use aiperf_protocol::{EndpointKind, Reply, ReplyError};
use serde::Deserialize;

use crate::reply::documents::{self, EventError, EventResult};
use crate::reply::in_band;
use crate::reply::lenient::{Object, Objects, Text, Truthy};
use crate::reply::transcript::Transcript;
use crate::reply::usage::UsageField;
use crate::request::payload::{BodyField, Payload};
use crate::{BuildError, Endpoint, EndpointSettings, ResponseBody, TurnRequest};

pub(super) fn endpoint(_: EndpointKind, _: &EndpointSettings) -> Arc<dyn Endpoint> {
    Arc::new(EmbeddingsApi)
}

#[derive(Debug)]
pub(super) struct EmbeddingsApi;

impl Endpoint for EmbeddingsApi {
    fn body(&self, request: &TurnRequest<'_>) -> Result<Vec<u8>, BuildError> {
        let texts = request.lone_texts(EndpointKind::Embeddings)?;
        let mut payload = Payload::default();
        payload.set("model", BodyField::Text(&request.current()?.model));
        payload.set("input", BodyField::Texts(texts));
        payload.lay_extras(request)?;
        payload.into_bytes(request)
    }

    fn read(&self, body: ResponseBody<'_>) -> Result<Reply, ReplyError> {
        documents::read(body, parse_event)
    }

    fn carries_content(&self, data: &str) -> bool {
        documents::carries_content(data, parse_event)
    }
}

#[derive(Debug, Deserialize)]
struct EmbeddingList<'a> {
    #[serde(default)]
    data: Objects<Item>,
    /// Instead of `data`, as some servers answer.
    #[serde(default)]
    embeddings: Truthy,
    #[serde(default)]
    embedding: Truthy,
    #[serde(default)]
    usage: UsageField,
    #[serde(default, borrow)]
    object: Text<'a>,
    #[serde(default)]
    error: Truthy,
}

#[derive(Debug, Deserialize)]
struct Item {
    /// Numbers, or their bytes in base64; which of them does not matter here.
    #[serde(default)]
    embedding: Truthy,
}

/// Each embedding is content of its own: a batch of texts gives as many.
pub(super) fn parse_event(data: &str, transcript: &mut Transcript) -> EventResult {
    let Ok(Object(Some(list))) = serde_json::from_str::<Object<EmbeddingList<'_>>>(data) else {
        return Err(EventError::Undecodable);
    };
    if list.error.0 || list.object.as_str() == "error" {
        return Err(EventError::Failed(in_band::error_object(data)));
    }
    let listed = list.data.0.iter().filter(|item| item.embedding.0).count();
    let elsewhere = usize::from(list.embeddings.0 || list.embedding.0);
    transcript.non_text(if listed > 0 { listed } else { elsewhere });
    transcript.usage(list.usage.0);
    Ok(())
}
