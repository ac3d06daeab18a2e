//! Images that are made: `POST /v1/images/generations`, and `POST /v1/images/edits` with a form.

use std::sync::Arc;

use aiperf_protocol::{EndpointKind, Medium, Reply, ReplyError};
use serde_json::Value;

use crate::reply::documents::{self, EventResult, is_truthy, tree};
use crate::reply::transcript::Transcript;
use crate::reply::usage::UsageField;
use crate::request::media::{self, UnknownForm, each};
use crate::request::multipart::{self, MultipartForm};
use crate::request::payload::{BodyField, Payload};
use crate::{BuildError, Endpoint, EndpointSettings, InputText, ResponseBody, TurnRequest};

pub(super) fn endpoint(kind: EndpointKind, _: &EndpointSettings) -> Arc<dyn Endpoint> {
    match kind {
        EndpointKind::ImageEdit => Arc::new(ImageEditApi),
        _ => Arc::new(ImageGenerationApi),
    }
}

#[derive(Debug)]
pub(super) struct ImageGenerationApi;

#[derive(Debug)]
pub(super) struct ImageEditApi;

/// Under these names a form holds the image, whole or by its address.
const IMAGE: &str = "image";
const ADDRESS: &str = "url";

/// The prompt of the turn; of several texts the first.
pub(super) fn prompt<'a>(kind: EndpointKind, request: &TurnRequest<'a>) -> Result<&'a str, BuildError> {
    let turn = request.plain_turn(kind)?;
    turn.all_texts().next().ok_or_else(|| request.no_text(kind))
}

impl Endpoint for ImageGenerationApi {
    fn body(&self, request: &TurnRequest<'_>) -> Result<Vec<u8>, BuildError> {
        let mut payload = Payload::default();
        payload.set("prompt", BodyField::Text(prompt(EndpointKind::ImageGeneration, request)?));
        payload.set("model", BodyField::Text(&request.current()?.model));
        payload.set("response_format", BodyField::Text("b64_json"));
        payload.set("n", BodyField::Count(1));
        if request.options.streaming {
            payload.set("stream", BodyField::Flag(true));
        }
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

impl Endpoint for ImageEditApi {
    fn body(&self, request: &TurnRequest<'_>) -> Result<Vec<u8>, BuildError> {
        let kind = EndpointKind::ImageEdit;
        let turn = request.current()?;
        let mut form = MultipartForm::default();
        form.text("prompt", prompt(kind, request)?);
        form.text("model", &turn.model);
        form.text("response_format", "b64_json");
        form.text("n", "1");
        let image = each(&turn.images).next().ok_or_else(|| request.no_medium(kind, Medium::Image))?;
        let unknown = |UnknownForm(start)| BuildError::ImageForm { session: request.session(), start };
        match media::Image::read(image).map_err(unknown)? {
            media::Image::Remote(url) => form.text(ADDRESS, url),
            media::Image::Inline { mime, data } => {
                let name = format!("image.{}", media::extension(mime));
                form.file(IMAGE, name, mime, media::decoded(data).map_err(unknown)?);
            }
        }
        let extras = request.options.extra_inputs.iter().chain(turn.extra_body.iter().flatten());
        for (name, value) in extras.filter(|(name, _)| !kind.facts().fields_of_turn.contains(&name.as_str())) {
            form.given(name, value);
        }
        Ok(form.into_bytes())
    }

    fn read(&self, body: ResponseBody<'_>) -> Result<Reply, ReplyError> {
        documents::read(body, parse_event)
    }

    fn carries_content(&self, data: &str) -> bool {
        documents::carries_content(data, parse_event)
    }

    /// The image is a part of the form, whatever stands in it.
    fn input_text(&self, body: &[u8]) -> Option<InputText> {
        let mut input = InputText::of_body(body)?;
        let images = multipart::parts(body).into_iter().flatten().filter(|part| [IMAGE, ADDRESS].contains(&part.name));
        input.images += images.count() as u64;
        Some(input)
    }
}

/// Each event or document that brings at least one image is a piece of content.
fn parse_event(data: &str, transcript: &mut Transcript) -> EventResult {
    let answer = tree(data)?;
    let holds_image = |image: &Value| ["b64_json", "url"].iter().any(|key| image.get(key).is_some_and(is_truthy));
    let listed = answer["data"].as_array().into_iter().flatten().any(holds_image);
    transcript.non_text(usize::from(listed || holds_image(&answer)));
    if answer["type"].as_str().is_some_and(|kind| kind.ends_with(".completed")) {
        transcript.end_mark();
    }
    transcript.usage(UsageField::within(&answer, "usage"));
    Ok(())
}
