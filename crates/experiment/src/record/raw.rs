//! The raw file's view of an exchange: headers as sent, every event as it came.

use std::sync::Arc;

use aiperf_address::RequestTarget;
use aiperf_clock::Mono;
use aiperf_endpoint::sse::{SseEvent, events};
use aiperf_endpoint::{Endpoint, HeaderPlan, RequestIds, ResponseBody};
use aiperf_engine::Finished;
use aiperf_metrics::Failure;
use aiperf_redact::{REDACTED, Secrets, is_secret_header};
use aiperf_report::{RawExchange, RawResponse, RawWriter, RecordMetadata, ReportError};

/// Knows how requests looked, so that their headers can be written again.
#[derive(Debug, Clone)]
pub(crate) struct RawSource {
    pub(crate) endpoint: Arc<dyn Endpoint>,
    pub(crate) headers: Arc<HeaderPlan>,
    pub(crate) targets: Arc<[RequestTarget]>,
    pub(crate) secrets: Secrets,
}

impl RawSource {
    /// The headers of a request, secrets redacted.
    pub(crate) fn request_headers(&self, finished: &Finished) -> Vec<(String, String)> {
        let request_id = finished.request_id.to_string();
        let trace_parent = self.headers.trace_parent(finished.request_id.into_bytes());
        let ids = RequestIds {
            host: &self.targets[finished.session.target].host_header,
            request_id: &request_id,
            correlation_id: &finished.session.correlation_id,
            parent_correlation_id: finished.session.parent_correlation_id.as_deref(),
            trace_parent: trace_parent.as_deref(),
        };
        let content_type = self.headers.content_type(&finished.body);
        let content_type = content_type.as_deref().map(|value| ("Content-Type", value));
        self.redacted(self.headers.lines(ids).chain(content_type))
    }

    pub(crate) fn redacted<'a>(&self, headers: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<(String, String)> {
        let shown = |(name, value): (&str, &str)| {
            let value = if is_secret_header(name) { REDACTED.into() } else { self.secrets.hide(value.into()) };
            (name.to_owned(), value.into_owned())
        };
        headers.map(shown).collect()
    }

    fn hide_in_event(&self, event: &mut SseEvent<'_>) {
        for text in [&mut event.comment, &mut event.name, &mut event.data] {
            *text = text.take().map(|text| self.secrets.hide_in_content(text));
        }
    }

    pub(crate) fn write(
        &self,
        writer: &RawWriter,
        scratch: &mut Vec<u8>,
        finished: &Finished,
        metadata: &RecordMetadata<'_>,
        failure: Option<&Failure>,
    ) -> Result<(), ReportError> {
        let exchange = &finished.exchange;
        let content_type = exchange.header("content-type");
        let body = ResponseBody { content_type, bytes: &exchange.body, marks: &exchange.marks };
        // Looked for once in the whole: nearly always there is nothing to hide in its parts.
        let repeats_us = self.secrets.are_in(&exchange.body);
        let mut stream: Vec<SseEvent<'_>> =
            if is_event_stream(&body) { events(&exchange.body).collect() } else { Vec::new() };
        let mut text = String::from_utf8_lossy(&exchange.body);
        if repeats_us {
            text = self.secrets.hide_in_content(text);
            for event in &mut stream {
                self.hide_in_event(event);
            }
        }
        let mut messages = if exchange.is_grpc() { self.endpoint.legible_messages(&exchange.body) } else { None };
        for (_, text) in messages.iter_mut().flatten() {
            *text = self.secrets.hide_in_content(std::mem::take(text).into()).into_owned();
        }
        let responses: Vec<RawResponse<'_>> = if let Some(messages) = &messages {
            let at = |end: usize| body.arrival(end).unwrap_or_default();
            messages.iter().map(|(end, text)| RawResponse::Body { at: at(*end), content_type, text }).collect()
        } else if is_event_stream(&body) {
            stream.iter().map(|event| RawResponse::Event { at: arrival(&body, event), fields: fields(event) }).collect()
        } else {
            let at = exchange.last_body_byte();
            at.map(|at| RawResponse::Body { at, content_type, text: &text }).into_iter().collect()
        };
        // What a server repeated in one turn is part of what it is asked in the next.
        let mut payload = self.endpoint.legible_body(&finished.body);
        let bytes = payload.as_ref().map_or(&finished.body[..], String::as_bytes);
        payload = self.secrets.without_fields(bytes).or(payload);
        if payload.is_none() && self.secrets.are_in(&finished.body) {
            payload = Some(String::from_utf8_lossy(&finished.body).into_owned());
        }
        let payload = payload.map(|text| self.secrets.hide_in_content(text.into()).into_owned());
        let raw = RawExchange {
            metadata,
            start: finished.start,
            request_headers: &self.request_headers(finished),
            status: exchange.status,
            responses: &responses,
            payload: payload.as_ref().map_or(&finished.body, String::as_bytes),
            failure,
        };
        writer.write(scratch, &raw)
    }
}

fn is_event_stream(body: &ResponseBody<'_>) -> bool {
    body.media_type().as_deref() == Some("text/event-stream")
}

fn arrival(body: &ResponseBody<'_>, event: &SseEvent<'_>) -> Mono {
    body.arrival(event.complete_at).unwrap_or_default()
}

fn fields<'a>(event: &'a SseEvent<'a>) -> Vec<(&'a str, &'a str)> {
    let mut fields = Vec::new();
    if let Some(comment) = &event.comment {
        fields.push(("comment", comment.as_ref()));
    }
    if let Some(name) = &event.name {
        fields.push(("event", name.as_ref()));
    }
    if let Some(data) = &event.data {
        fields.push(("data", data.as_ref()));
    }
    fields
}
