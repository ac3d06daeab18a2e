//! Embeddings of texts and images: `POST /v1/embeddings` of NIM, and of NV-CLIP as GenAI-Perf asks it.

use std::sync::Arc;

use aiperf_protocol::{EndpointKind, Reply, ReplyError};

use super::embeddings;
use crate::reply::documents;
use crate::request::media::each;
use crate::request::payload::{BodyField, Payload};
use crate::{BuildError, Endpoint, EndpointSettings, InputText, ResponseBody, TurnRequest};

/// What separates a text from the image after it.
const PAIR: &str = " data:image/";
const IMAGE: &str = "data:image/";

pub(super) fn endpoint(kind: EndpointKind, _: &EndpointSettings) -> Arc<dyn Endpoint> {
    Arc::new(match kind {
        EndpointKind::Nvclip => ImageEmbeddingsApi::Nvclip,
        _ => ImageEmbeddingsApi::Nim,
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ImageEmbeddingsApi {
    /// A text and an image are one input.
    Nim,
    /// Texts first, then images, each an input of its own.
    Nvclip,
}

impl ImageEmbeddingsApi {
    const fn kind(self) -> EndpointKind {
        match self {
            Self::Nim => EndpointKind::NimEmbeddings,
            Self::Nvclip => EndpointKind::Nvclip,
        }
    }

    fn inputs(self, request: &TurnRequest<'_>) -> Result<Vec<String>, BuildError> {
        let turn = request.lone_turn(self.kind())?;
        let texts: Vec<&str> = turn.all_texts().filter(|text| !text.is_empty()).collect();
        let images: Vec<&str> = each(&turn.images).collect();
        if texts.is_empty() && images.is_empty() {
            return Err(request.no_text(self.kind()));
        }
        if self == Self::Nvclip || texts.is_empty() || images.is_empty() {
            return Ok(texts.into_iter().chain(images).map(str::to_owned).collect());
        }
        if texts.len() != images.len() {
            return Err(BuildError::Unpaired {
                endpoint: self.kind().facts().name,
                session: request.session(),
                turn: request.turn,
                texts: texts.len(),
                images: images.len(),
            });
        }
        Ok(texts.into_iter().zip(images).map(|(text, image)| format!("{text} {image}")).collect())
    }
}

impl Endpoint for ImageEmbeddingsApi {
    fn body(&self, request: &TurnRequest<'_>) -> Result<Vec<u8>, BuildError> {
        let mut payload = Payload::default();
        payload.set("model", BodyField::Text(&request.current()?.model));
        payload.set("input", BodyField::Owned(self.inputs(request)?));
        payload.lay_extras(request)?;
        payload.into_bytes(request)
    }

    fn read(&self, body: ResponseBody<'_>) -> Result<Reply, ReplyError> {
        documents::read(body, embeddings::parse_event)
    }

    fn carries_content(&self, data: &str) -> bool {
        documents::carries_content(data, embeddings::parse_event)
    }

    /// Images are counted as images, not as the text that they are written in.
    fn input_text(&self, body: &[u8]) -> Option<InputText> {
        let mut input = InputText::of_body(body)?;
        for text in &mut input.texts {
            let image = if text.starts_with(IMAGE) { Some(0) } else { text.find(PAIR) };
            if let Some(at) = image {
                text.truncate(at);
                input.images += 1;
            }
        }
        input.texts.retain(|text| !text.is_empty());
        Some(input)
    }
}
