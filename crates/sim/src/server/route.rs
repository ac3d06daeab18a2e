//! Passes each request to the function that serves it.

use aiperf_clock::{EpochNanos, Mono};

use crate::api::dialect::openai::error_object;
use crate::api::embeddings::embed;
use crate::api::kserve;
use crate::api::media;
use crate::api::rankings::{RankingApi, rank};
use crate::api::text::{TextRoute, generate};
use crate::api::text_request::{RejectedRequest, TextApi};
use crate::api::video;
use crate::monitoring::dcgm_page::dcgm_page;
use crate::monitoring::exposition::CONTENT_TYPE;
use crate::monitoring::vllm_page::vllm_page;
use crate::monitoring::window::WindowTruth;
use crate::server::connection::{ClientConnection, ClientGone, ClientRequest};
use crate::server::exchange::ServedRequest;
use crate::server::http_request::Head;
use crate::server::http_response::{error_kind, write_whole};
use crate::server::response::{After, JSON, answer, refuse};
use crate::server::state::SimState;
use crate::server::worker::{PortRole, ServerWorker};
use crate::truth::TruthOutcome;

/// Everything that the simulator serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Route {
    Text(TextRoute),
    Embeddings,
    Rankings(RankingApi),
    Images,
    ImageEdits,
    ObjectDetection,
    Transcriptions,
    Videos,
    VideoState,
    Models,
    KserveModel,
    Health,
    Metrics,
    DcgmMetrics,
    ResetPrefixCache,
    /// Start and stop of a profiler. There is no profiler; the truth records the requests.
    Profiler,
    Truth,
    Window,
    Reset,
    WrongMethod,
    Unknown,
}

impl Route {
    fn of(method: &str, path: &str) -> Self {
        let text = |api| ("POST", Self::Text(TextRoute::by_body(api)));
        let text_at = |api, streaming| ("POST", Self::Text(TextRoute::by_path(api, streaming)));
        let (wanted, route) = match path {
            "/v1/chat/completions" => text(TextApi::Chat),
            "/v1/completions" => text(TextApi::Completions),
            "/v1/responses" => text(TextApi::Responses),
            "/v1/messages" => text(TextApi::Messages),
            "/rag/api/prompt" => text(TextApi::Solido),
            "/generate" => text_at(TextApi::HuggingFace, false),
            "/generate_stream" => text_at(TextApi::HuggingFace, true),
            "/v1/embeddings" => ("POST", Self::Embeddings),
            "/v1/ranking" => ("POST", Self::Rankings(RankingApi::Nim)),
            "/rerank" => ("POST", Self::Rankings(RankingApi::HfTei)),
            "/v1/rerank" | "/v2/rerank" => ("POST", Self::Rankings(RankingApi::Cohere)),
            "/v1/images/generations" => ("POST", Self::Images),
            "/v1/images/edits" => ("POST", Self::ImageEdits),
            "/v1/infer" => ("POST", Self::ObjectDetection),
            "/v1/audio/transcriptions" => ("POST", Self::Transcriptions),
            "/v1/videos" => ("POST", Self::Videos),
            _ if path.starts_with("/v1/videos/") => ("GET", Self::VideoState),
            _ if path.starts_with("/v2/models/") && path.ends_with("/generate") => text_at(TextApi::Triton, false),
            _ if path.starts_with("/v2/models/") && path.ends_with("/generate_stream") => {
                text_at(TextApi::Triton, true)
            }
            _ if path.starts_with("/v2/models/") && path.ends_with("/infer") => text_at(TextApi::Kserve, false),
            _ if path.starts_with("/v2/models/") && path.ends_with("/infer_stream") => text_at(TextApi::Kserve, true),
            _ if path.starts_with("/v2/models/") => ("GET", Self::KserveModel),
            "/v1/models" => ("GET", Self::Models),
            "/health" | "/v1/health" | "/ping" | "/v2/health/live" | "/v2/health/ready" => ("GET", Self::Health),
            "/metrics" => ("GET", Self::Metrics),
            "/dcgm/metrics" => ("GET", Self::DcgmMetrics),
            "/reset_prefix_cache" => ("POST", Self::ResetPrefixCache),
            "/start_profile" | "/stop_profile" => ("POST", Self::Profiler),
            "/sim/truth" => ("GET", Self::Truth),
            "/sim/window" => ("GET", Self::Window),
            "/sim/reset" => ("POST", Self::Reset),
            _ => return Self::Unknown,
        };
        // HEAD asks for what GET would be answered with, without its body.
        let is_head = method == "HEAD" && wanted == "GET" && route != Self::VideoState;
        if method == wanted || is_head { route } else { Self::WrongMethod }
    }

    /// What the path means on a port of this kind, on a server with this many GPUs.
    const fn on(self, role: PortRole, gpus: u32) -> Self {
        match (self, role) {
            (Self::Metrics, PortRole::Dcgm) => Self::DcgmMetrics,
            (Self::Health, PortRole::Dcgm) => Self::Health,
            (_, PortRole::Dcgm) => Self::Unknown,
            (Self::DcgmMetrics, PortRole::Inference) if gpus == 0 => Self::Unknown,
            (route, PortRole::Inference) => route,
        }
    }

    const fn is_inference(self) -> bool {
        matches!(
            self,
            Self::Text(_)
                | Self::Embeddings
                | Self::Rankings(_)
                | Self::Images
                | Self::ImageEdits
                | Self::ObjectDetection
                | Self::Transcriptions
                | Self::Videos
        )
    }
}

/// Whether the simulator serves inference requests at this path.
pub fn serves(path: &str) -> bool {
    Route::of("POST", path).is_inference()
}

/// Serves one request of a connection; both are known by their numbers, the connection from its first request on record.
pub(crate) async fn serve(
    worker: &ServerWorker,
    connection: &mut ClientConnection,
    received: &ClientRequest,
    (connection_number, connection_request): (&mut Option<u64>, u64),
    role: PortRole,
) -> After {
    let (state, head) = (&worker.state, &received.head);
    let route = Route::of(&head.method, head.path()).on(role, state.options.gpus.count);
    // Requests about the server itself are not part of the truth.
    match route {
        Route::Truth => {
            let lines = state.truth.lines();
            return plain(connection, "application/x-ndjson", &lines, head).await;
        }
        Route::Metrics => {
            return plain(connection, CONTENT_TYPE, vllm_page(state).as_bytes(), head).await;
        }
        Route::DcgmMetrics => {
            return plain(connection, CONTENT_TYPE, dcgm_page(state).as_bytes(), head).await;
        }
        Route::Window => {
            return match window(state, head.query()) {
                Ok(truth) => plain(connection, JSON, truth.as_bytes(), head).await,
                Err(message) => plain_status(connection, 400, JSON, message.as_bytes(), head).await,
            };
        }
        Route::Reset => {
            state.reset();
            return plain(connection, "application/json", b"{}", head).await;
        }
        Route::Models | Route::KserveModel | Route::Health if head.method == "HEAD" => {
            let body = small_body(worker, head, route);
            return plain(connection, JSON, body.as_bytes(), head).await;
        }
        _ => {}
    }
    let connection_number = *connection_number.get_or_insert_with(|| state.next_connection());
    let mut exchange =
        ServedRequest::begin(worker, received, connection_number, connection_request, route.is_inference());
    let served = match route {
        Route::Text(api) => generate(worker, connection, &mut exchange, received, api).await,
        Route::Embeddings => embed(worker, connection, &mut exchange, received).await,
        Route::Rankings(api) => rank(worker, connection, &mut exchange, received, api).await,
        Route::Images => media::generate_images(worker, connection, &mut exchange, received).await,
        Route::ImageEdits => media::edit_image(worker, connection, &mut exchange, received).await,
        Route::ObjectDetection => media::detect_objects(worker, connection, &mut exchange, received).await,
        Route::Transcriptions => media::transcribe(worker, connection, &mut exchange, received).await,
        Route::Videos => video::submit(worker, connection, &mut exchange, received).await,
        Route::VideoState => video::ask_after(worker, connection, &mut exchange, received).await,
        other => small(worker, connection, &mut exchange, received, other).await,
    };
    served.unwrap_or_else(|ClientGone| {
        exchange.finish(TruthOutcome::ClientGone);
        After::Close
    })
}

/// Answers a request that needs no model, at once.
async fn small(
    worker: &ServerWorker,
    connection: &mut ClientConnection,
    exchange: &mut ServedRequest,
    received: &ClientRequest,
    route: Route,
) -> Result<After, ClientGone> {
    let (state, head) = (&worker.state, &received.head);
    let keep_alive = head.keep_alive;
    match route {
        Route::ResetPrefixCache => state.clear_prefix_cache(),
        Route::WrongMethod => {
            let message = format!("method {} is not allowed at {}.", head.method, head.path());
            return refuse(connection, exchange, 405, &RejectedRequest { message, parameter: None }, keep_alive).await;
        }
        Route::Unknown => {
            let message = format!("no such path: {}.", head.path());
            return refuse(connection, exchange, 404, &RejectedRequest { message, parameter: None }, keep_alive).await;
        }
        _ => {}
    }
    let body = small_body(worker, head, route);
    answer(connection, exchange, 200, body.as_bytes(), TruthOutcome::Completed, keep_alive).await
}

fn small_body(worker: &ServerWorker, head: &Head, route: Route) -> String {
    match route {
        Route::Models => models(&worker.state.options.model),
        Route::KserveModel => kserve::about(head.path()),
        _ => "{}".to_owned(),
    }
}

fn models(name: &str) -> String {
    let name = serde_json::Value::from(name);
    format!(
        r#"{{"object":"list","data":[{{"id":{name},"object":"model","created":0,"owned_by":"aiperf-sim","root":{name},"parent":null}}]}}"#
    )
}

/// The truth between `start_ns` and `end_ns` of the query (wall clock); from the start of the server until now without them.
fn window(state: &SimState, query: &str) -> Result<String, String> {
    let (mut start, mut end) = (state.started, Mono::now());
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let epoch = EpochNanos(value.parse().map_err(|_| {
            let message = format!("{name}={value}: expected nanoseconds since the epoch");
            error_object(400, error_kind(400), &message, None)
        })?);
        match name {
            "start_ns" => start = state.anchor.mono(epoch),
            "end_ns" => end = state.anchor.mono(epoch),
            _ => {
                let message = format!("unknown parameter {name}; use start_ns and end_ns");
                return Err(error_object(400, error_kind(400), &message, None));
            }
        }
    }
    // The truth has no map with odd keys and no number that JSON cannot say.
    Ok(serde_json::to_string(&WindowTruth::of(state, start, end)).unwrap_or_default())
}

async fn plain(connection: &mut ClientConnection, content_type: &str, body: &[u8], head: &Head) -> After {
    plain_status(connection, 200, content_type, body, head).await
}

async fn plain_status(
    connection: &mut ClientConnection,
    status: u16,
    content_type: &str,
    body: &[u8],
    head: &Head,
) -> After {
    let mut out = Vec::with_capacity(body.len() + 192);
    write_whole(status, content_type, body, head.keep_alive, &mut out);
    if head.method == "HEAD" {
        out.truncate(out.len() - body.len());
    }
    match connection.write(&out).await {
        Ok(_) => After::keeping(head.keep_alive),
        Err(_) => After::Close,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_served_by_its_method_only() {
        assert_eq!(Route::of("POST", "/v1/embeddings"), Route::Embeddings);
        assert_eq!(Route::of("GET", "/v1/embeddings"), Route::WrongMethod);
        assert_eq!(Route::of("GET", "/v1/nothing"), Route::Unknown);
        assert_eq!(Route::of("GET", "/v1/videos/video_1/content"), Route::VideoState);
        let triton = Route::Text(TextRoute::by_path(TextApi::Triton, true));
        assert_eq!(Route::of("POST", "/v2/models/m/generate_stream"), triton);
        for path in ["/metrics", "/health", "/v1/models"] {
            assert_eq!(Route::of("HEAD", path), Route::of("GET", path));
        }
        assert_eq!(Route::of("HEAD", "/v1/chat/completions"), Route::WrongMethod);
    }
}
