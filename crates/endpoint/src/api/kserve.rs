//! The `KServe` v2 protocol for text models: `infer` over HTTP, `ModelInfer` and `ModelStreamInfer` over gRPC.

mod answer;
mod tensors;

use std::sync::Arc;

use aiperf_grpc::kserve::{InferRequest, StreamForm, StreamInferResponse};
use aiperf_grpc::{GrpcFrameScanner, frame, frames};
use aiperf_protocol::{EndpointKind, Reply, ReplyError, Wire};
use bytes::Bytes;
use prost::Message;
use serde_json::{Value, json};

use self::tensors::Tensor;
use crate::reply::documents::{self, StreamEnd};
use crate::{BuildError, Endpoint, EndpointSettings, InputText, KserveSettings, ResponseBody, TurnRequest};

pub(super) fn endpoint(_: EndpointKind, settings: &EndpointSettings) -> Arc<dyn Endpoint> {
    Arc::new(KserveApi::new(settings))
}

#[derive(Debug)]
pub(super) struct KserveApi {
    settings: KserveSettings,
    wire: Wire,
}

const KIND: EndpointKind = EndpointKind::Kserve;

impl KserveApi {
    pub(super) fn new(settings: &EndpointSettings) -> Self {
        Self { settings: settings.kserve.clone(), wire: settings.wire }
    }

    fn message(&self, request: &TurnRequest<'_>, model: &str, tensors: &[Tensor]) -> Result<Vec<u8>, BuildError> {
        let message = InferRequest {
            model_name: model.to_owned(),
            inputs: tensors.iter().map(Tensor::head).collect(),
            raw_input_contents: tensors.iter().map(|tensor| tensor.raw.clone()).collect(),
            ..InferRequest::default()
        };
        framed(request, [message.encode_to_vec()], self.wire)
    }
}

/// The body of a call with these messages.
pub(super) fn framed(
    request: &TurnRequest<'_>,
    messages: impl IntoIterator<Item = Vec<u8>>,
    wire: Wire,
) -> Result<Vec<u8>, BuildError> {
    let limit = if let Wire::Grpc { message_limit, .. } = wire { message_limit } else { usize::MAX };
    let mut body = Vec::new();
    for message in messages {
        if message.len() > limit {
            let (session, turn, length) = (request.session(), request.turn, message.len());
            return Err(BuildError::MessageTooLong { session, turn, length, limit });
        }
        frame(&message, &mut body);
    }
    Ok(body)
}

impl Endpoint for KserveApi {
    fn body(&self, request: &TurnRequest<'_>) -> Result<Vec<u8>, BuildError> {
        let texts = request.lone_texts(KIND)?;
        let model = &request.current()?.model;
        let tensors = tensors::of(request, &self.settings, &texts).map_err(|reason| BuildError::Tensors {
            session: request.session(),
            turn: request.turn,
            model: model.to_string(),
            reason,
        })?;
        if self.wire.is_grpc() {
            return self.message(request, model, &tensors);
        }
        let inputs: Vec<Value> = tensors.iter().map(Tensor::to_json).collect();
        Ok(json!({ "inputs": inputs }).to_string().into_bytes())
    }

    fn ready_made(&self, request: &TurnRequest<'_>, payload: &Bytes) -> Result<Bytes, BuildError> {
        if !self.wire.is_grpc() {
            return Ok(payload.clone());
        }
        let reason = "a ready-made body is JSON, which KServe takes over http:// only; give such rows to --endpoint-type \
                      dynamic_grpc --grpc-method inference.GRPCInferenceService/ModelInfer to send them over gRPC";
        Err(BuildError::Message { session: request.session(), turn: request.turn, reason: reason.to_owned() })
    }

    fn read(&self, body: ResponseBody<'_>) -> Result<Reply, ReplyError> {
        match self.wire {
            Wire::Http => documents::read_until(StreamEnd::Unmarked, body, answer::parse_event),
            Wire::Grpc { .. } => answer::read_messages(body, &self.settings),
        }
    }

    fn carries_content(&self, data: &str) -> bool {
        documents::carries_content(data, answer::parse_event)
    }

    fn message_carries_content(&self, message: &[u8]) -> bool {
        let form = if self.settings.streaming { StreamForm::of(message) } else { Some(StreamForm::Bare) };
        // A message that may be of either form has no content in both.
        form.is_some_and(|form| answer::message_carries_content(message, form))
    }

    fn input_text(&self, body: &[u8]) -> Option<InputText> {
        let request = match self.wire {
            Wire::Http => serde_json::from_slice(body).ok()?,
            Wire::Grpc { .. } => request_of(body)?.to_json(),
        };
        InputText::of_tensors(request["inputs"].as_array()?)
    }

    fn legible_body(&self, body: &[u8]) -> Option<String> {
        self.wire.is_grpc().then(|| request_of(body).map(|request| request.to_json().to_string())).flatten()
    }

    fn legible_messages(&self, body: &[u8]) -> Option<Vec<(usize, String)>> {
        if !self.wire.is_grpc() {
            return None;
        }
        let mut all = Vec::new();
        let mut scanner = GrpcFrameScanner::new();
        while let Ok(Some(frame)) = scanner.next_frame(body) {
            all.push(frame);
        }
        let form = answer::form(&self.settings, all.iter().map(|frame| frame.of(body)));
        Some(all.iter().map(|frame| (frame.end, legible(frame.of(body), form))).collect())
    }
}

fn legible(message: &[u8], form: StreamForm) -> String {
    match form.decode(message) {
        Ok(StreamInferResponse { error_message, .. }) if !error_message.is_empty() => {
            json!({ "error_message": error_message })
        }
        Ok(StreamInferResponse { infer_response: Some(answer), .. }) => answer.to_json(),
        Ok(_) => json!({}),
        Err(error) => json!({ "undecodable": error.to_string() }),
    }
    .to_string()
}

fn request_of(body: &[u8]) -> Option<InferRequest> {
    let frame = *frames(body).ok()?.first()?;
    InferRequest::decode(frame.of(body)).ok()
}
