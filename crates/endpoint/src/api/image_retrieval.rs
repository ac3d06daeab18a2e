//! NIM's object detection: `POST /v1/infer` with images, answered by what is seen in each.

use std::sync::Arc;

use aiperf_protocol::{EndpointKind, Medium, Reply, ReplyError};

use crate::reply::documents::{self, EventResult, is_truthy, tree};
use crate::reply::transcript::Transcript;
use crate::request::media::each;
use crate::request::payload::{BodyField, ImageUrl, Payload};
use crate::{BuildError, Endpoint, EndpointSettings, ResponseBody, TurnRequest};

pub(super) fn endpoint(_: EndpointKind, _: &EndpointSettings) -> Arc<dyn Endpoint> {
    Arc::new(ImageRetrievalApi)
}

#[derive(Debug)]
pub(super) struct ImageRetrievalApi;

impl Endpoint for ImageRetrievalApi {
    fn body(&self, request: &TurnRequest<'_>) -> Result<Vec<u8>, BuildError> {
        let kind = EndpointKind::ImageRetrieval;
        let images: Vec<_> = each(&request.lone_turn(kind)?.images).map(|url| ImageUrl { url }).collect();
        if images.is_empty() {
            return Err(request.no_medium(kind, Medium::Image));
        }
        let mut payload = Payload::default();
        payload.set("input", BodyField::ImageUrls(images));
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

fn parse_event(data: &str, transcript: &mut Transcript) -> EventResult {
    let answer = tree(data)?;
    transcript.non_text(usize::from(answer.get("data").is_some_and(is_truthy)));
    Ok(())
}
