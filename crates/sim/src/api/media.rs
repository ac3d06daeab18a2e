//! Serves images that are made or looked at, and speech that is written down.

use serde_json::{Value, json};

use crate::api::form::UploadForm;
use crate::api::sample_files::png_base64;
use crate::api::single_reply::{self, ReplyInputs, SingleReplyPlan, decide, midway};
use crate::api::stream::EventSender;
use crate::api::text::cache_block;
use crate::api::text_request::RejectedRequest;
use crate::generation::admission::admit;
use crate::generation::fault::MidwayFault;
use crate::generation::prompt::RequestPrompt;
use crate::generation::vocabulary::Vocabulary;
use crate::server::connection::{ClientConnection, ClientGone, ClientRequest};
use crate::server::exchange::ServedRequest;
use crate::server::response::{After, JSON, SIMULATED, fail_at_once, refuse};
use crate::server::worker::ServerWorker;
use crate::truth::TruthOutcome;

/// More images than this to one request are a mistake.
const MOST_IMAGES: u64 = 10;

/// Words that are heard in every recording.
const HEARD: u64 = 8;

fn required(name: &'static str) -> RejectedRequest {
    RejectedRequest::of(name, format!("field required: {name}"))
}

/// `/v1/images/generations`.
pub(crate) async fn generate_images(
    worker: &ServerWorker,
    connection: &mut ClientConnection,
    exchange: &mut ServedRequest,
    received: &ClientRequest,
) -> Result<After, ClientGone> {
    let read = || -> Result<(RequestPrompt, Value), RejectedRequest> {
        let body: Value = serde_json::from_slice(&received.body).map_err(|e| RejectedRequest::invalid_json(&e))?;
        let prompt = RequestPrompt::of(body["prompt"].as_str().ok_or_else(|| required("prompt"))?);
        if body["n"].as_u64().is_some_and(|n| n == 0 || n > MOST_IMAGES) {
            return Err(RejectedRequest::of("n", format!("n must be between 1 and {MOST_IMAGES}.")));
        }
        Ok((prompt, body))
    };
    let (prompt, body) = match read() {
        Ok(read) => read,
        Err(refusal) => return refuse(connection, exchange, 400, &refusal, received.head.keep_alive).await,
    };
    if body["stream"] == true {
        let partial = body["partial_images"].as_u64().unwrap_or(0).min(MOST_IMAGES) as u32;
        return stream_images(worker, connection, exchange, received, &prompt, partial).await;
    }
    let images = body["n"].as_u64().unwrap_or(1);
    let make = |made: &ReplyInputs<'_>| (JSON, images_answer(images, made).into_bytes());
    single_reply::serve(
        worker,
        connection,
        exchange,
        received,
        SingleReplyPlan { prompt: &prompt, steps: 0, make: &make },
    )
    .await
}

/// `/v1/images/edits`.
pub(crate) async fn edit_image(
    worker: &ServerWorker,
    connection: &mut ClientConnection,
    exchange: &mut ServedRequest,
    received: &ClientRequest,
) -> Result<After, ClientGone> {
    let read = || -> Result<RequestPrompt, RejectedRequest> {
        let form = UploadForm::read(&received.head, &received.body)?;
        if form.file("image").is_none() && form.text("url").is_none() {
            return Err(required("image"));
        }
        Ok(RequestPrompt::of(form.text("prompt").ok_or_else(|| required("prompt"))?))
    };
    let prompt = match read() {
        Ok(prompt) => prompt,
        Err(refusal) => return refuse(connection, exchange, 400, &refusal, received.head.keep_alive).await,
    };
    let make = |made: &ReplyInputs<'_>| (JSON, images_answer(1, made).into_bytes());
    single_reply::serve(
        worker,
        connection,
        exchange,
        received,
        SingleReplyPlan { prompt: &prompt, steps: 0, make: &make },
    )
    .await
}

fn usage(made_of: u32) -> Value {
    json!({"input_tokens": made_of, "output_tokens": 1, "total_tokens": made_of + 1})
}

fn images_answer(images: u64, made: &ReplyInputs<'_>) -> String {
    let data: Vec<Value> = (0..images).map(|_| json!({"b64_json": png_base64()})).collect();
    let answer = json!({
        "created": made.created, "data": data, "size": "1x1", "output_format": "png", "background": "opaque",
        "usage": usage(made.prompt.tokens),
    });
    answer.to_string()
}

async fn stream_images(
    worker: &ServerWorker,
    connection: &mut ClientConnection,
    exchange: &mut ServedRequest,
    received: &ClientRequest,
    prompt: &RequestPrompt,
    partial: u32,
) -> Result<After, ClientGone> {
    let state = &*worker.state;
    let (draws, plan) = decide(worker, received);
    let measured = prompt.measure(state.options.count, cache_block(&state.options));
    exchange.note(|record| {
        record.prompt_tokens = Some(measured.tokens);
        record.streaming = true;
    });
    if let Some(after) = fail_at_once(connection, exchange, &plan, received.head.keep_alive).await? {
        return Ok(after);
    }
    let mut admitted = admit(state, connection, exchange, received.arrival, (&measured, 0), &draws).await?;
    let (mut sender, after) = EventSender::new(connection, received);
    for index in 0..=partial {
        if index > 0 {
            admitted.pace.advance(1);
        }
        sender.connection.wait_until(&worker.timer, admitted.pace.due).await?;
        let last = index == partial;
        let event = match midway(&plan).filter(|_| last) {
            None if last => named("image_generation.completed", &json!({"usage": usage(measured.tokens)})),
            None => named("image_generation.partial_image", &json!({"partial_image_index": index})),
            Some(MidwayFault::Reset) => {
                exchange.finish(TruthOutcome::Reset);
                return Ok(After::Reset);
            }
            Some(MidwayFault::Cut) => {
                exchange.finish(TruthOutcome::Cut);
                sender.end().await?;
                return Ok(after);
            }
            Some(MidwayFault::Malformed) => "data: {\"b64\n\n".to_owned(),
            Some(MidwayFault::InbandError) => {
                format!("event: error\ndata: {}\n\n", json!({"error": {"message": SIMULATED, "type": "server_error"}}))
            }
        };
        sender.event.extend_from_slice(event.as_bytes());
        if !last {
            let stamp = sender.send().await?;
            exchange.note(|record| record.chunks.push(stamp));
        }
    }
    drop(admitted.place);
    let outcome = match midway(&plan) {
        None => TruthOutcome::Completed,
        Some(MidwayFault::InbandError) => TruthOutcome::InbandError,
        Some(_) => TruthOutcome::Malformed,
    };
    exchange.note(|record| record.chunks.push(aiperf_clock::Mono::now()));
    exchange.finish(outcome);
    sender.end().await?;
    Ok(after)
}

fn named(kind: &str, fields: &Value) -> String {
    let mut event = json!({"type": kind, "b64_json": png_base64(), "size": "1x1"});
    for (name, value) in fields.as_object().into_iter().flatten() {
        event[name] = value.clone();
    }
    format!("event: {kind}\ndata: {event}\n\n")
}

/// `/v1/infer`: what is seen in each image.
pub(crate) async fn detect_objects(
    worker: &ServerWorker,
    connection: &mut ClientConnection,
    exchange: &mut ServedRequest,
    received: &ClientRequest,
) -> Result<After, ClientGone> {
    let read = || -> Result<usize, RejectedRequest> {
        let body: Value = serde_json::from_slice(&received.body).map_err(|e| RejectedRequest::invalid_json(&e))?;
        let is_image = |item: &&Value| item["type"] == "image_url" && item["url"].is_string();
        let images = body["input"].as_array().into_iter().flatten().filter(is_image).count();
        if images == 0 { Err(required("input")) } else { Ok(images) }
    };
    let images = match read() {
        Ok(images) => images,
        Err(refusal) => return refuse(connection, exchange, 400, &refusal, received.head.keep_alive).await,
    };
    let make = |_: &ReplyInputs<'_>| {
        let boxed = json!({"x_min": 0.1, "y_min": 0.1, "x_max": 0.9, "y_max": 0.9, "confidence": 0.95});
        let data: Vec<Value> =
            (0..images).map(|index| json!({"index": index, "bounding_boxes": {"table": [boxed]}})).collect();
        (JSON, json!({"data": data, "usage": {"images_size_mb": 0.01}}).to_string().into_bytes())
    };
    let nothing = RequestPrompt::default();
    single_reply::serve(
        worker,
        connection,
        exchange,
        received,
        SingleReplyPlan { prompt: &nothing, steps: 0, make: &make },
    )
    .await
}

/// `/v1/audio/transcriptions`.
pub(crate) async fn transcribe(
    worker: &ServerWorker,
    connection: &mut ClientConnection,
    exchange: &mut ServedRequest,
    received: &ClientRequest,
) -> Result<After, ClientGone> {
    let read = || -> Result<String, RejectedRequest> {
        let form = UploadForm::read(&received.head, &received.body)?;
        form.file("file").ok_or_else(|| required("file"))?;
        form.text("model").ok_or_else(|| required("model"))?;
        let format = form.text("response_format").unwrap_or("json");
        if ["json", "verbose_json", "text", "srt", "vtt"].contains(&format) {
            Ok(format.to_owned())
        } else {
            Err(RejectedRequest::of("response_format", format!("unknown response_format: {format}.")))
        }
    };
    let format = match read() {
        Ok(format) => format,
        Err(refusal) => return refuse(connection, exchange, 400, &refusal, received.head.keep_alive).await,
    };
    let make = |made: &ReplyInputs<'_>| {
        let heard = Vocabulary::new(made.draws.key());
        let said = (0..HEARD).map(|place| heard.word(place)).collect::<Vec<_>>().join(" ");
        let lines = |comma: &str| format!("00:00:00{comma}000 --> 00:00:01{comma}000\n{said}\n");
        match format.as_str() {
            "text" => ("text/plain; charset=utf-8", format!("{said}\n").into_bytes()),
            "srt" => ("application/x-subrip", format!("1\n{}", lines(",")).into_bytes()),
            "vtt" => ("text/vtt", format!("WEBVTT\n\n{}", lines(".")).into_bytes()),
            "verbose_json" => {
                let answer = json!({"task": "transcribe", "language": "english", "duration": 1.0, "text": said});
                (JSON, answer.to_string().into_bytes())
            }
            _ => {
                let usage =
                    json!({"type": "tokens", "input_tokens": 10, "output_tokens": HEARD, "total_tokens": 10 + HEARD});
                (JSON, json!({"text": said, "usage": usage}).to_string().into_bytes())
            }
        }
    };
    let nothing = RequestPrompt::default();
    single_reply::serve(
        worker,
        connection,
        exchange,
        received,
        SingleReplyPlan { prompt: &nothing, steps: 0, make: &make },
    )
    .await
}
