//! Any method of any gRPC service: rows of JSON, or what a template makes of a turn, become messages according to the descriptor of the
//! method; responses become JSON, in which a selector finds the text.

use std::sync::Arc;

use aiperf_grpc::{GrpcFrameScanner, MethodShape, frames};
use aiperf_protocol::{EndpointKind, Reply, ReplyError, Wire};
use bytes::Bytes;
use serde_json::{Value, json};

use super::kserve::framed;
use crate::reply::content_finder::ContentFinder;
use crate::reply::documents::{EventError, EventResult};
use crate::reply::transcript::{BodyKind, Transcript};
use crate::{BuildError, Endpoint, EndpointSettings, InputText, PayloadTemplate, ResponseBody, TurnRequest};

pub(super) fn endpoint(_: EndpointKind, settings: &EndpointSettings) -> Arc<dyn Endpoint> {
    Arc::new(DynamicGrpcApi::new(settings))
}

#[derive(Debug)]
pub(super) struct DynamicGrpcApi {
    method: Option<MethodShape>,
    template: Option<PayloadTemplate>,
    finder: ContentFinder,
    /// A message in which no text is found counts as content, unless the user named the response field.
    counts_all: bool,
    wire: Wire,
}

impl DynamicGrpcApi {
    pub(super) fn new(settings: &EndpointSettings) -> Self {
        Self {
            method: settings.method.clone(),
            template: settings.template.clone(),
            finder: ContentFinder::of_template(settings.response_field.clone()),
            counts_all: settings.response_field.is_none(),
            wire: settings.wire,
        }
    }

    /// One message, or a list of messages if the method takes several.
    fn messages(&self, request: &TurnRequest<'_>, row: Value) -> Result<Vec<u8>, BuildError> {
        let wrong = |reason: String| BuildError::Message { session: request.session(), turn: request.turn, reason };
        let method = self.method.as_ref().ok_or_else(|| wrong("the gRPC method is unknown".to_owned()))?;
        let rows = match row {
            Value::Array(rows) if method.client_streaming => rows,
            Value::Array(_) => {
                return Err(wrong(format!("{} takes one message, and this is a list; give one object", method.name)));
            }
            one => vec![one],
        };
        let encoded = rows.iter().map(|row| method.encode(row).map_err(|error| wrong(error.to_string())));
        framed(request, encoded.collect::<Result<Vec<_>, _>>()?, self.wire)
    }

    fn parse_event(&self, message: &[u8], transcript: &mut Transcript) -> EventResult {
        let Some(method) = &self.method else { return Err(EventError::Undecodable) };
        let text = match method.decode(message) {
            Ok(text) => text,
            Err(error) => return Err(EventError::Failed(ReplyError::Unreadable(error.to_string()))),
        };
        let result = self.finder.parse_event(&text, transcript);
        if self.counts_all && !transcript.event_has_content() {
            transcript.non_text(1);
        }
        result
    }
}

impl Endpoint for DynamicGrpcApi {
    fn body(&self, request: &TurnRequest<'_>) -> Result<Vec<u8>, BuildError> {
        let (session, turn) = (request.session(), request.turn);
        let template = self.template.as_ref().ok_or(BuildError::NoMessage { session: session.clone(), turn })?;
        let mut row = template.render_any(request).map_err(|reason| BuildError::Template { session, turn, reason })?;
        let extras = request.options.extra_inputs.iter().chain(request.current()?.extra_body.iter().flatten());
        for (name, value) in extras {
            let messages =
                if let Value::Array(all) = &mut row { all.as_mut_slice() } else { std::slice::from_mut(&mut row) };
            for message in messages.iter_mut().filter_map(Value::as_object_mut) {
                message.insert(name.clone(), value.clone());
            }
        }
        self.messages(request, row)
    }

    fn ready_made(&self, request: &TurnRequest<'_>, payload: &Bytes) -> Result<Bytes, BuildError> {
        let row = serde_json::from_slice(payload).map_err(|error| BuildError::Message {
            session: request.session(),
            turn: request.turn,
            reason: format!("its row is not JSON: {error}"),
        })?;
        self.messages(request, row).map(Bytes::from)
    }

    fn read(&self, body: ResponseBody<'_>) -> Result<Reply, ReplyError> {
        let mut transcript = Transcript::default();
        for frame in frames(body.bytes).map_err(|error| ReplyError::Unreadable(error.to_string()))? {
            match self.parse_event(frame.of(body.bytes), &mut transcript) {
                Ok(()) => transcript.close_event(body.arrival(frame.end).unwrap_or_default()),
                Err(EventError::Undecodable) => transcript.undecodable(),
                Err(EventError::Failed(error)) => return Err(error),
            }
        }
        transcript.into_reply(BodyKind::Document)
    }

    fn carries_content(&self, data: &str) -> bool {
        self.finder.carries_content(data)
    }

    fn message_carries_content(&self, message: &[u8]) -> bool {
        let mut transcript = Transcript::default();
        self.parse_event(message, &mut transcript).is_ok() && transcript.event_has_content()
    }

    /// For templates that write the earlier turns.
    fn assistant_message(&self, reply: &Reply) -> Option<Value> {
        (!reply.plain_text.is_empty()).then(|| json!({"role": "assistant", "content": reply.plain_text}))
    }

    fn input_text(&self, body: &[u8]) -> Option<InputText> {
        let method = self.method.as_ref()?;
        let mut all = InputText::default();
        for frame in frames(body).ok()? {
            let message = method.decode_input(frame.of(body)).ok()?;
            if let Some(input) = InputText::of_body(message.as_bytes()) {
                all.texts.extend(input.texts);
                all.pretokenised += input.pretokenised;
                all.images += input.images;
            }
        }
        // A message of an unknown service may hold its text anywhere.
        (all != InputText::default()).then_some(all)
    }

    fn legible_body(&self, body: &[u8]) -> Option<String> {
        let method = self.method.as_ref()?;
        let all: Vec<String> = frames(body)
            .ok()?
            .into_iter()
            .map(|frame| method.decode_input(frame.of(body)).ok())
            .collect::<Option<_>>()?;
        Some(if method.client_streaming { format!("[{}]", all.join(",")) } else { all.concat() })
    }

    fn legible_messages(&self, body: &[u8]) -> Option<Vec<(usize, String)>> {
        let method = self.method.as_ref()?;
        let mut all = Vec::new();
        let mut scanner = GrpcFrameScanner::new();
        while let Ok(Some(frame)) = scanner.next_frame(body) {
            let text = method.decode(frame.of(body));
            all.push((frame.end, text.unwrap_or_else(|error| json!({ "undecodable": error.to_string() }).to_string())));
        }
        Some(all)
    }
}
