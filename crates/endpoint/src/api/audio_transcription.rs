//! Speech to text: `POST /v1/audio/transcriptions` with a form.

use std::sync::Arc;

use aiperf_protocol::{EndpointKind, Medium, Reply, ReplyError};
use serde_json::Value;

use crate::api::append_chat;
use crate::reply::completion_event;
use crate::reply::documents::{self, EventResult, tree};
use crate::reply::sse::decoded;
use crate::reply::transcript::Transcript;
use crate::reply::usage::UsageField;
use crate::request::media::{Audio, UnknownForm, each};
use crate::request::multipart::MultipartForm;
use crate::{BuildError, Endpoint, EndpointSettings, ResponseBody, TurnRequest};

pub(super) fn endpoint(_: EndpointKind, _: &EndpointSettings) -> Arc<dyn Endpoint> {
    Arc::new(AudioTranscriptionApi)
}

#[derive(Debug)]
pub(super) struct AudioTranscriptionApi;

impl Endpoint for AudioTranscriptionApi {
    fn body(&self, request: &TurnRequest<'_>) -> Result<Vec<u8>, BuildError> {
        let kind = EndpointKind::AudioTranscription;
        let turn = request.plain_turn(kind)?;
        let audio = each(&turn.audios).next().ok_or_else(|| request.no_medium(kind, Medium::Audio))?;
        let unknown = |UnknownForm(start)| BuildError::AudioForm { session: request.session(), start };
        let audio = Audio::read(audio).map_err(unknown)?;
        let mut form = MultipartForm::default();
        form.file("file", format!("audio.{}", audio.format), &audio.mime(), audio.bytes().map_err(unknown)?);
        form.text("model", &turn.model);
        let extras = request.options.extra_inputs.iter().chain(turn.extra_body.iter().flatten());
        for (name, value) in extras.filter(|(name, _)| !kind.facts().fields_of_turn.contains(&name.as_str())) {
            form.given(name, value);
        }
        Ok(form.into_bytes())
    }

    fn read(&self, body: ResponseBody<'_>) -> Result<Reply, ReplyError> {
        // Subtitles and plain text are answers, too; only what begins like an object is meant to be one.
        let text = decoded(body.bytes);
        if text.trim_start().starts_with('{') || body.is_event_stream() {
            return documents::read(body, parse_event);
        }
        documents::read_text(body)
    }

    fn carries_content(&self, data: &str) -> bool {
        documents::carries_content(data, parse_event)
    }
}

fn parse_event(data: &str, transcript: &mut Transcript) -> EventResult {
    let answer = tree(data)?;
    // vLLM streams a transcription in the events of a chat.
    if answer["choices"].is_array() {
        return completion_event::parse_event(data, transcript, append_chat);
    }
    let is_end = answer["type"] == "transcript.text.done";
    let (_, text) = transcript.texts();
    // A stream repeats the whole text at its end.
    if !is_end || text.is_empty() {
        let text = answer.get("text").or_else(|| answer.get("delta")).and_then(Value::as_str);
        transcript.text(0, text.unwrap_or_default());
    }
    if is_end {
        transcript.end_mark();
    }
    transcript.usage(UsageField::within(&answer, "usage"));
    Ok(())
}
