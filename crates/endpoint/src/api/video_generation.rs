//! Videos: `POST /v1/videos` starts a job, which is asked after until it is done.

use std::sync::Arc;

use aiperf_clock::Nanos;
use aiperf_protocol::{EndpointKind, Reply, ReplyError, VideoReport};
use serde_json::Value;

use super::images::prompt;
use crate::reply::documents::{self, EventError, EventResult};
use crate::reply::transcript::Transcript;
use crate::request::multipart::MultipartForm;
use crate::{BuildError, Endpoint, EndpointSettings, Job, JobAnswer, JobPlace, JobStep, ResponseBody, TurnRequest};

pub(super) fn endpoint(_: EndpointKind, settings: &EndpointSettings) -> Arc<dyn Endpoint> {
    Arc::new(VideoGenerationApi::new(settings))
}

#[derive(Debug)]
pub(super) struct VideoGenerationApi {
    poll_interval: Nanos,
    download: bool,
}

/// Status and type of a job that failed.
const FAILED_CODE: u16 = 500;
const FAILED_KIND: &str = "VideoGenerationError";

impl VideoGenerationApi {
    pub(super) fn new(settings: &EndpointSettings) -> Self {
        Self { poll_interval: settings.poll_interval, download: settings.download_video }
    }
}

impl Endpoint for VideoGenerationApi {
    fn body(&self, request: &TurnRequest<'_>) -> Result<Vec<u8>, BuildError> {
        let turn = request.current()?;
        let mut form = MultipartForm::default();
        form.text("prompt", prompt(EndpointKind::VideoGeneration, request)?);
        form.text("model", &turn.model);
        for (name, value) in request.options.extra_inputs.iter().chain(turn.extra_body.iter().flatten()) {
            form.given(name, value);
        }
        Ok(form.into_bytes())
    }

    fn read(&self, body: ResponseBody<'_>) -> Result<Reply, ReplyError> {
        let mut video = None;
        let mut reply =
            documents::read(body, |data: &str, transcript: &mut Transcript| parse_event(data, transcript, &mut video))?;
        reply.video = video;
        Ok(reply)
    }

    fn carries_content(&self, data: &str) -> bool {
        documents::carries_content(data, |data: &str, transcript: &mut Transcript| {
            parse_event(data, transcript, &mut None)
        })
    }

    fn job(&self) -> Option<Box<dyn Job>> {
        let (interval, download) = (self.poll_interval, self.download);
        Some(Box::new(VideoJob { interval, download, id: None, done: false }))
    }
}

/// One job: first its id, then how it stands, last the video.
#[derive(Debug)]
struct VideoJob {
    interval: Nanos,
    download: bool,
    id: Option<String>,
    done: bool,
}

impl Job for VideoJob {
    fn next(&mut self, answer: &[u8]) -> Option<JobStep> {
        if self.done {
            return None;
        }
        let answer: Value = serde_json::from_slice(answer).ok()?;
        let Some(id) = self.id.clone() else {
            let id = answer["id"].as_str().filter(|id| is_segment(id))?.to_owned();
            self.id = Some(id.clone());
            return Some(JobStep { place: JobPlace::Below(id), after: Nanos::ZERO, answer: JobAnswer::State });
        };
        match answer["status"].as_str() {
            Some("completed") => {
                self.done = true;
                let (place, otherwise) =
                    (answer["url"].as_str().unwrap_or_default().to_owned(), format!("{id}/content"));
                let place = JobPlace::Named { place, otherwise };
                self.download.then_some(JobStep { place, after: Nanos::ZERO, answer: JobAnswer::Result })
            }
            Some("failed") => None,
            _ => Some(JobStep { place: JobPlace::Below(id), after: self.interval, answer: JobAnswer::State }),
        }
    }
}

/// Whether an id can stand in a path as it is.
fn is_segment(id: &str) -> bool {
    !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_graphic() && !b"/?#%".contains(&byte))
}

fn parse_event(data: &str, transcript: &mut Transcript, video: &mut Option<VideoReport>) -> EventResult {
    let Ok(state @ Value::Object(_)) = serde_json::from_str::<Value>(data) else { return Err(EventError::Undecodable) };
    let failed = |message: String| {
        Err(EventError::Failed(ReplyError::InBand { code: Some(FAILED_CODE), kind: FAILED_KIND.to_owned(), message }))
    };
    if !state["id"].as_str().is_some_and(is_segment) {
        return failed(format!("the server gave no job id: {data}"));
    }
    match state["status"].as_str() {
        Some("failed") => {
            let reason = state["error"]["message"].as_str().or_else(|| state["error"].as_str());
            return failed(format!("Video generation failed: {}", reason.unwrap_or("the server does not say why")));
        }
        Some("completed") => {
            transcript.non_text(1);
            transcript.end_mark();
            let number = |name: &str| state[name].as_f64();
            let report =
                VideoReport { inference_seconds: number("inference_time_s"), peak_memory_mb: number("peak_memory_mb") };
            *video = Some(report).filter(|report| *report != VideoReport::default());
        }
        _ => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(download: bool) -> Box<dyn Job> {
        VideoGenerationApi { poll_interval: Nanos(7), download }.job().unwrap()
    }

    fn state(status: &str) -> Vec<u8> {
        format!(r#"{{"id":"v1","status":"{status}"}}"#).into_bytes()
    }

    #[test]
    fn a_job_is_asked_after_at_once_and_then_at_intervals_until_it_is_done() {
        let mut job = job(false);
        let step =
            |after| JobStep { place: JobPlace::Below("v1".into()), after: Nanos(after), answer: JobAnswer::State };
        assert_eq!(job.next(&state("queued")), Some(step(0)));
        assert_eq!(job.next(&state("in_progress")), Some(step(7)));
        assert_eq!(job.next(&state("completed")), None);
    }

    #[test]
    fn a_finished_video_is_fetched_when_asked_for() {
        let mut job = job(true);
        job.next(&state("queued"));
        let place = JobPlace::Named { place: String::new(), otherwise: "v1/content".into() };
        assert_eq!(
            job.next(&state("completed")),
            Some(JobStep { place, after: Nanos::ZERO, answer: JobAnswer::Result })
        );
        assert_eq!(job.next(b"\0video"), None);
    }

    #[test]
    fn without_an_id_or_after_a_failure_nothing_more_is_asked() {
        assert_eq!(job(true).next(b"{}"), None);
        assert_eq!(job(true).next(br#"{"id":"../x"}"#), None);
        let mut failing = job(true);
        failing.next(&state("queued"));
        assert_eq!(failing.next(&state("failed")), None);
    }
}
