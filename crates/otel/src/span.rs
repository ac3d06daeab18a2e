//! The span of one request. Its trace id is the request id and its span id the second half of it: the worker that sends
//! `traceparent` and the exporter derive both from the id alone, without shared state.

use aiperf_live::FinishedRequest;
use aiperf_protocol::TraceParent;
use uuid::Uuid;

use crate::described::CommonAttributes;
use crate::message::{KeyValue, OtlpSpan, SpanEvent, SpanKind, SpanStatus, StatusCode};
use crate::request::MeasuredCall;

/// What a span has in addition to the measurements of its request.
#[derive(Debug)]
pub(crate) struct SpanFacts {
    trace: Option<TraceParent>,
    request_id: String,
    session_id: String,
    conversation_id: String,
    turn: usize,
    worker: usize,
    start_ns: u64,
    end_ns: u64,
    /// From the start.
    first_token_ns: Option<u64>,
    /// Since the start; negative: the permission to send comes before it.
    credit_ns: u64,
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    status: Option<u16>,
    failure: Option<String>,
}

impl SpanFacts {
    pub(crate) fn of(request: &FinishedRequest<'_>) -> Self {
        let seen = request.observation;
        let tokens = &seen.tokens;
        let output = tokens.output.map(|output| output + tokens.reasoning.unwrap_or(0));
        Self {
            trace: Uuid::parse_str(request.x_request_id).ok().map(|id| TraceParent::of_request(id.into_bytes())),
            request_id: request.x_request_id.to_owned(),
            session_id: request.x_correlation_id.to_owned(),
            conversation_id: request.conversation_id.to_owned(),
            turn: request.turn_index,
            worker: request.worker,
            start_ns: request.start.0,
            end_ns: request.end.0,
            first_token_ns: seen.chunks.first().map(|chunk| chunk.at.since(seen.start).0),
            credit_ns: request.credit_issued.0,
            input_tokens: tokens.input,
            output_tokens: output,
            status: seen.failure.as_ref().and_then(|failure| failure.code),
            failure: seen.failure.as_ref().map(|failure| failure.message.clone()),
        }
    }

    /// The span; `None` if the request id is not one from which ids of a trace can be derived.
    pub(crate) fn span(&self, call: &MeasuredCall, common: &CommonAttributes) -> Option<OtlpSpan> {
        let trace = self.trace?;
        let mut attributes = common.gen_ai.clone();
        attributes.extend([
            KeyValue::text("aiperf.request.id", self.request_id.clone()),
            KeyValue::text("aiperf.session.id", self.session_id.clone()),
            KeyValue::text("gen_ai.conversation.id", self.conversation_id.clone()),
            KeyValue::int("aiperf.turn_index", self.turn as i64),
            KeyValue::text("aiperf.worker.id", format!("worker_{}", self.worker)),
            KeyValue::text("aiperf.benchmark_phase", call.phase.name()),
            KeyValue::truth("aiperf.was_cancelled", call.was_cancelled),
        ]);
        let tokens =
            [("gen_ai.usage.input_tokens", self.input_tokens), ("gen_ai.usage.output_tokens", self.output_tokens)];
        attributes.extend(tokens.into_iter().filter_map(|(name, count)| Some(KeyValue::int(name, count? as i64))));
        attributes.extend(self.status.map(|status| KeyValue::int("http.response.status_code", i64::from(status))));
        attributes.extend(call.error.map(|error| KeyValue::text("error.type", error)));
        let event = |time_ns, name: &str| SpanEvent { time_ns, name: name.to_owned() };
        let mut events = vec![event(self.credit_ns, "aiperf.credit_issued")];
        events.extend(self.first_token_ns.map(|after| event(self.start_ns + after, "gen_ai.first_token")));
        let status = self
            .failure
            .as_ref()
            .map(|message| SpanStatus { message: message.clone(), code: StatusCode::Error as i32 });
        Some(OtlpSpan {
            trace_id: trace.trace_id().to_vec(),
            span_id: trace.span_id().to_vec(),
            name: common.span_name.clone(),
            kind: SpanKind::Client as i32,
            start_ns: self.start_ns,
            end_ns: self.end_ns,
            attributes,
            events,
            status,
            // Sampled, as the header says.
            flags: 1,
        })
    }
}
