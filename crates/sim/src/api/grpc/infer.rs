//! `ModelInfer` and `ModelStreamInfer`: the simulated model, asked and answering in tensors.

use aiperf_grpc::GrpcCode;
use aiperf_grpc::kserve::{Datatype, InferRequest, InferResponse, OutputTensor, StreamInferResponse};
use prost::Message;
use serde_json::Value;

use super::call::{CallError, GrpcCall};
use super::metadata::messages;
use crate::api::dialect::{answer_of, piece_text};
use crate::api::kserve::OUTPUT;
use crate::api::text::cache_block;
use crate::api::text_request::{TextApi, TextRequest};
use crate::generation::admission::admit;
use crate::generation::draws::Draws;
use crate::generation::fault::{Fault, FaultPlan, MidwayFault, chunk_at};
use crate::generation::prompt::MeasuredPrompt;
use crate::generation::reply::GeneratedReply;
use crate::server::exchange::ServedRequest;
use crate::server::response::SIMULATED;
use crate::server::worker::ServerWorker;
use crate::truth::TruthOutcome;

/// One reply, decided before the first byte of it is sent.
struct PlannedInference {
    model: String,
    draws: Draws,
    prompt: MeasuredPrompt,
    reply: GeneratedReply,
    plan: FaultPlan,
}

/// The request as JSON, for the truth.
pub(super) fn legible(call: &GrpcCall) -> String {
    let all = messages(call).unwrap_or_default();
    let shown =
        |message: &Vec<u8>| InferRequest::decode(message.as_slice()).map(|request| request.to_json().to_string());
    all.iter().filter_map(|message| shown(message).ok()).collect::<Vec<_>>().join("\n")
}

/// A stream may bring several requests, which are answered one after the other.
pub(super) async fn serve(
    worker: &ServerWorker,
    call: &mut GrpcCall,
    exchange: &mut ServedRequest,
    streaming: bool,
) -> Result<(), CallError> {
    exchange.note(|record| record.streaming = streaming);
    for message in messages(call)? {
        let job = plan(worker, call, exchange, &message)?;
        if let Some(Fault::Status(status)) = job.plan.fault {
            call.is_injected = true;
            return Err(CallError::Refused(code(status), SIMULATED.to_owned()));
        }
        if job.plan.fault == Some(Fault::Drop) {
            call.reset();
            exchange.finish(TruthOutcome::Dropped);
            return Ok(());
        }
        let ended = if streaming {
            stream(worker, call, exchange, &job).await?
        } else {
            whole(worker, call, exchange, &job).await?
        };
        if let Some(outcome) = ended {
            exchange.finish(outcome);
            return Ok(());
        }
        exchange.engine_done(job.reply.finish);
    }
    exchange.finish(TruthOutcome::Completed);
    call.end(GrpcCode::Ok, "");
    Ok(())
}

fn plan(
    worker: &ServerWorker,
    call: &GrpcCall,
    exchange: &mut ServedRequest,
    message: &[u8],
) -> Result<PlannedInference, CallError> {
    let state = &*worker.state;
    let refused = |message: String| CallError::Refused(GrpcCode::InvalidArgument, message);
    let number = state.next_inference();
    let request = InferRequest::decode(message).map_err(|error| refused(error.to_string()))?;
    let json: Value = request.to_json();
    let text =
        TextRequest::read(TextApi::Kserve, json.to_string().as_bytes()).map_err(|refusal| refused(refusal.message))?;
    let draws = state.repetitions.draws(state.options.seed, call.received.head.path(), message);
    let plan = state.options.faults.plan(number, |name| draws.stream(name));
    let prompt = text.prompt.measure(state.options.count, cache_block(&state.options));
    exchange.note(|record| record.prompt_tokens = Some(prompt.tokens));
    let reply = GeneratedReply::plan(&text, &state.options, &draws);
    Ok(PlannedInference { model: request.model_name, draws, prompt, reply, plan })
}

/// The status that stands for an HTTP status.
const fn code(status: u16) -> GrpcCode {
    match status {
        400 => GrpcCode::InvalidArgument,
        401 => GrpcCode::Unauthenticated,
        403 => GrpcCode::PermissionDenied,
        404 => GrpcCode::NotFound,
        429 => GrpcCode::ResourceExhausted,
        501 => GrpcCode::Unimplemented,
        503 => GrpcCode::Unavailable,
        504 => GrpcCode::DeadlineExceeded,
        _ => GrpcCode::Internal,
    }
}

fn response(model: &str, text: &[u8]) -> InferResponse {
    let mut raw = u32::try_from(text.len()).unwrap_or(u32::MAX).to_le_bytes().to_vec();
    raw.extend_from_slice(text);
    let output = OutputTensor {
        name: OUTPUT.to_owned(),
        datatype: Datatype::Bytes.name().to_owned(),
        shape: vec![1],
        contents: None,
    };
    InferResponse {
        model_name: model.to_owned(),
        model_version: "1".to_owned(),
        outputs: vec![output],
        raw_output_contents: vec![raw],
        ..InferResponse::default()
    }
}

fn midway(plan: &FaultPlan) -> Option<(MidwayFault, f64)> {
    match plan.fault {
        Some(Fault::Midway { kind, at }) => Some((kind, at)),
        _ => None,
    }
}

/// What a fault leaves of an answer.
fn break_off(call: &mut GrpcCall, kind: MidwayFault, streaming: bool) -> Result<TruthOutcome, CallError> {
    Ok(match kind {
        MidwayFault::Reset => {
            call.reset();
            TruthOutcome::Reset
        }
        MidwayFault::Cut => {
            call.cut()?;
            TruthOutcome::Cut
        }
        MidwayFault::InbandError if streaming => {
            let error = StreamInferResponse { error_message: SIMULATED.to_owned(), infer_response: None };
            call.send(&error.encode_to_vec())?;
            call.end(GrpcCode::Ok, "");
            TruthOutcome::InbandError
        }
        MidwayFault::InbandError => {
            call.end(GrpcCode::Internal, SIMULATED);
            TruthOutcome::InbandError
        }
        MidwayFault::Malformed => {
            call.send(b"\xff\xff no message")?;
            call.end(GrpcCode::Ok, "");
            TruthOutcome::Malformed
        }
    })
}

async fn whole(
    worker: &ServerWorker,
    call: &mut GrpcCall,
    exchange: &mut ServedRequest,
    job: &PlannedInference,
) -> Result<Option<TruthOutcome>, CallError> {
    let (arrival, tokens) = (call.received.arrival, job.reply.tokens());
    let mut admitted = admit(&worker.state, call, exchange, arrival, (&job.prompt, tokens), &job.draws).await?;
    call.wait_until(&worker.timer, admitted.pace.due).await?;
    exchange.first_token(admitted.pace.due);
    admitted.pace.advance(tokens - 1);
    if let Some(stall) = job.plan.stall {
        admitted.pace.pause(stall.span);
        exchange.note(|record| record.stalled = true);
    }
    call.wait_until(&worker.timer, admitted.pace.due).await?;
    drop(admitted.place);
    if let Some((kind, _)) = midway(&job.plan) {
        return break_off(call, kind, false).map(Some);
    }
    let message = response(&job.model, answer_of(&job.reply).as_bytes()).encode_to_vec();
    let stamp = call.send(&message)?;
    exchange.note(|record| record.chunks.push(stamp));
    exchange.wrote_whole(admitted.pace.due, tokens, 0);
    Ok(None)
}

async fn stream(
    worker: &ServerWorker,
    call: &mut GrpcCall,
    exchange: &mut ServedRequest,
    job: &PlannedInference,
) -> Result<Option<TruthOutcome>, CallError> {
    let PlannedInference { reply, .. } = job;
    let state = &*worker.state;
    let arrival = call.received.arrival;
    let admitted = admit(state, call, exchange, arrival, (&job.prompt, reply.tokens()), &job.draws).await?;
    let (place, mut pace) = (admitted.place, admitted.pace);
    let chunks = reply.chunks();
    let fault = midway(&job.plan).map(|(kind, at)| (kind, chunk_at(at, chunks)));
    let stall = job.plan.stall.map(|stall| (chunk_at(stall.at, chunks), stall.span));
    // One step beyond the last chunk, for what happens after the only chunk of a short reply.
    for number in 0..=chunks {
        let piece = reply.piece(number);
        if number > 0 {
            pace.advance(piece.map_or(0, |piece| piece.tokens));
        }
        if let Some((_, span)) = stall.filter(|&(at, _)| at == number) {
            pace.pause(span);
            exchange.note(|record| record.stalled = true);
        }
        call.wait_until(&worker.timer, pace.due).await?;
        if let Some((kind, _)) = fault.filter(|&(_, at)| at == number) {
            drop(place);
            return break_off(call, kind, true).map(Some);
        }
        let Some(piece) = piece else { break };
        let text = piece_text(reply, piece);
        let answer = StreamInferResponse {
            error_message: String::new(),
            infer_response: Some(response(&job.model, text.as_bytes())),
        };
        let stamp = call.send(&answer.encode_to_vec())?;
        exchange.wrote(stamp, piece.tokens, 0);
    }
    drop(place);
    Ok(None)
}
