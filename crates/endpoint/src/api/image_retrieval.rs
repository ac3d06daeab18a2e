//! NIM's object detection: `POST /v1/infer` with images, answered by what is seen in each.

use aiperf_protocol::{EndpointKind, Medium, Reply, ReplyError};

use crate::documents::{self, Heard, is_truthy, tree};
use crate::media::each;
use crate::payload::{Field, ImageUrl, Payload};
use crate::transcript::Transcript;
use crate::{BuildError, Endpoint, ResponseBody, TurnRequest};

#[derive(Debug)]
pub(super) struct ImageRetrieval;

impl Endpoint for ImageRetrieval {
    fn body(&self, request: &TurnRequest<'_>) -> Result<Vec<u8>, BuildError> {
        let kind = EndpointKind::ImageRetrieval;
        let images: Vec<_> = each(&request.lone_turn(kind)?.images).map(|url| ImageUrl { url }).collect();
        if images.is_empty() {
            return Err(request.no_medium(kind, Medium::Image));
        }
        let mut payload = Payload::default();
        payload.set("input", Field::ImageUrls(images));
        payload.lay_extras(request)?;
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
    let answer = tree(data)?;
    transcript.wordless(usize::from(answer.get("data").is_some_and(is_truthy)));
    Ok(())
}
