//! Embeddings of chat messages: the body of a chat request, sent to `POST /v1/embeddings`.

use std::sync::Arc;

use aiperf_protocol::{EndpointKind, Reply, ReplyError};

use super::{chat, embeddings};
use crate::reply::documents;
use crate::{BuildError, Endpoint, EndpointSettings, ResponseBody, TurnRequest};

pub(super) fn endpoint(_: EndpointKind, _: &EndpointSettings) -> Arc<dyn Endpoint> {
    Arc::new(ChatEmbeddingsApi)
}

#[derive(Debug)]
pub(super) struct ChatEmbeddingsApi;

impl Endpoint for ChatEmbeddingsApi {
    fn body(&self, request: &TurnRequest<'_>) -> Result<Vec<u8>, BuildError> {
        chat::body_of(EndpointKind::ChatEmbeddings, request)
    }

    fn read(&self, body: ResponseBody<'_>) -> Result<Reply, ReplyError> {
        documents::read(body, embeddings::parse_event)
    }

    fn carries_content(&self, data: &str) -> bool {
        documents::carries_content(data, embeddings::parse_event)
    }
}
