//! Serves videos: a job that takes its time, is asked after and then fetched.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use aiperf_clock::{Mono, Nanos};
use serde_json::{Value, json};

use crate::api::form::UploadForm;
use crate::api::sample_files::mp4;
use crate::api::single_reply::{decide, midway};
use crate::api::text::cache_block;
use crate::api::text_request::RejectedRequest;
use crate::generation::fault::MidwayFault;
use crate::generation::prompt::RequestPrompt;
use crate::server::connection::{ClientConnection, ClientGone, ClientRequest};
use crate::server::exchange::ServedRequest;
use crate::server::response::{After, SIMULATED, answer, answer_as, fail_at_once, refuse};
use crate::server::worker::ServerWorker;
use crate::truth::TruthOutcome;

/// Jobs beyond this are refused.
const MOST_JOBS: usize = 1 << 16;

/// All jobs since the start, by id.
#[derive(Debug, Default)]
pub(crate) struct VideoJobs(Mutex<HashMap<String, VideoTask>>);

#[derive(Debug, Clone)]
struct VideoTask {
    model: String,
    began: Mono,
    due: Mono,
    fails: bool,
}

impl VideoJobs {
    pub(crate) fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn add(&self, id: String, job: VideoTask) -> bool {
        let mut jobs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let room = jobs.len() < MOST_JOBS;
        if room {
            jobs.insert(id, job);
        }
        room
    }

    fn get(&self, id: &str) -> Option<VideoTask> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
    }
}

impl VideoTask {
    fn state(&self, id: &str, now: Mono) -> Value {
        let mut state = json!({"id": id, "object": "video", "model": self.model, "size": "1280x720", "seconds": "4"});
        let (status, progress) = match () {
            () if now < self.due => ("in_progress", 50),
            () if self.fails => ("failed", 50),
            () => ("completed", 100),
        };
        state["status"] = json!(status);
        state["progress"] = json!(progress);
        match status {
            "failed" => state["error"] = json!({"code": "server_error", "message": SIMULATED}),
            "completed" => {
                state["inference_time_s"] = json!(self.due.since(self.began).as_secs_f64());
                state["peak_memory_mb"] = json!(20_480.0);
            }
            _ => {}
        }
        state
    }
}

/// `POST /v1/videos`: answers at once with a job, which is done after the time to a first token and that of the tokens of
/// a usual reply.
pub(crate) async fn submit(
    worker: &ServerWorker,
    connection: &mut ClientConnection,
    exchange: &mut ServedRequest,
    received: &ClientRequest,
) -> Result<After, ClientGone> {
    let state = &*worker.state;
    let keep_alive = received.head.keep_alive;
    let read = || -> Result<(RequestPrompt, String), RejectedRequest> {
        let form = UploadForm::read(&received.head, &received.body)?;
        let prompt =
            form.text("prompt").ok_or_else(|| RejectedRequest::of("prompt", "field required: prompt".to_owned()))?;
        let model = form.text("model").unwrap_or(&state.options.model).to_owned();
        Ok((RequestPrompt::of(prompt), model))
    };
    let (prompt, model) = match read() {
        Ok(read) => read,
        Err(refusal) => return refuse(connection, exchange, 400, &refusal, keep_alive).await,
    };
    let (draws, plan) = decide(worker, received);
    let measured = prompt.measure(state.options.count, cache_block(&state.options));
    exchange.note(|record| record.prompt_tokens = Some(measured.tokens));
    if let Some(after) = fail_at_once(connection, exchange, &plan, keep_alive).await? {
        return Ok(after);
    }
    let took = state.options.ttft.draw(&mut draws.stream("ttft"))
        + state.options.prefill * f64::from(measured.tokens)
        + state.options.itl.draw(&mut draws.stream("itl")) * state.options.osl.draw(&mut draws.stream("length"));
    let stalled = plan.stall.map_or(Nanos::ZERO, |stall| stall.span);
    let due = state.timeline().advance(received.arrival, Nanos::from_secs_f64(took / 1e3) + stalled);
    let fails = matches!(midway(&plan), Some(MidwayFault::InbandError));
    let id = format!("video_{:016x}", draws.key());
    let job = VideoTask { model, began: received.arrival, due, fails };
    let mut queued = job.state(&id, received.arrival);
    queued["status"] = json!("queued");
    queued["progress"] = json!(0);
    if !state.videos.add(id, job) {
        let refusal = RejectedRequest { message: "too many jobs.".to_owned(), parameter: None };
        return refuse(connection, exchange, 503, &refusal, keep_alive).await;
    }
    exchange.note(|record| record.chunks.push(Mono::now()));
    answer(connection, exchange, 200, queued.to_string().as_bytes(), TruthOutcome::Completed, keep_alive).await
}

/// `GET /v1/videos/<id>` and `GET /v1/videos/<id>/content`.
pub(crate) async fn ask_after(
    worker: &ServerWorker,
    connection: &mut ClientConnection,
    exchange: &mut ServedRequest,
    received: &ClientRequest,
) -> Result<After, ClientGone> {
    let keep_alive = received.head.keep_alive;
    let rest = received.head.path().trim_start_matches("/v1/videos/");
    let (id, wants_content) = rest.strip_suffix("/content").map_or((rest, false), |id| (id, true));
    let now = Mono::now();
    let Some(job) = worker.state.videos.get(id) else {
        let refusal = RejectedRequest { message: format!("unknown video {id}."), parameter: None };
        return refuse(connection, exchange, 404, &refusal, keep_alive).await;
    };
    if !wants_content {
        let state = job.state(id, now).to_string();
        return answer(connection, exchange, 200, state.as_bytes(), TruthOutcome::Completed, keep_alive).await;
    }
    if now < job.due || job.fails {
        let refusal = RejectedRequest { message: format!("video {id} is not done."), parameter: None };
        return refuse(connection, exchange, 404, &refusal, keep_alive).await;
    }
    answer_as(connection, exchange, 200, ("video/mp4", &mp4()), TruthOutcome::Completed, keep_alive).await
}
