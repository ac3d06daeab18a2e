//! The table of all routes: the router and the OpenAPI document are made from it.

use std::sync::Arc;

use axum::Router;
use axum::middleware;
use axum::routing::{MethodRouter, get, post};

use crate::state::ApiState;
use crate::{answer, events, openapi, page, prometheus, websocket};

/// What a route answers with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    Json,
    Text,
    Html,
    EventStream,
    /// Whatever the file is.
    File,
    /// The connection becomes a WebSocket.
    WebSocket,
    /// Nothing but an error.
    Refusal,
}

pub(crate) struct Route {
    /// `get` or `post`.
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) content: Content,
    pub(crate) summary: &'static str,
    handler: fn() -> MethodRouter<Arc<ApiState>>,
}

const fn read(
    path: &'static str,
    content: Content,
    summary: &'static str,
    handler: fn() -> MethodRouter<Arc<ApiState>>,
) -> Route {
    Route { method: "get", path, content, summary, handler }
}

const fn change(
    path: &'static str,
    content: Content,
    summary: &'static str,
    handler: fn() -> MethodRouter<Arc<ApiState>>,
) -> Route {
    Route { method: "post", path, content, summary, handler }
}

const FOR_PODS: &str = "For worker pods of the reference. Always refused: a run has one process.";

pub(crate) const ROUTES: &[Route] = &[
    read("/", Content::Html, "The live page.", || get(page::index)),
    read("/dashboard", Content::Html, "The live page.", || get(page::index)),
    read("/dashboard-v2", Content::Html, "The live page.", || get(page::index)),
    read("/page/{name}", Content::File, "A script or style of the live page.", || get(page::file)),
    read("/healthz", Content::Text, "The server is alive. Needs no token.", || get(answer::ok)),
    read("/readyz", Content::Text, "The server is ready. Needs no token.", || get(answer::ok)),
    read("/api/progress", Content::Json, "Counters, rates and estimates of each phase.", || {
        get(answer::progress::answer)
    }),
    read("/api/metrics", Content::Json, "Statistics of each metric of the current phase.", || {
        get(answer::metrics::answer)
    }),
    read("/metrics", Content::Text, "The metrics as Prometheus text.", || get(prometheus::answer)),
    read("/api/workers", Content::Json, "CPU, memory and counters of this process.", || get(answer::workers::answer)),
    read("/api/server-metrics", Content::Json, "What the server reported about itself last.", || {
        get(answer::server_metrics::answer)
    }),
    read("/api/config", Content::Json, "The resolved configuration, without secrets.", || get(answer::config::answer)),
    read("/api/results", Content::Json, "How the run ended, with its main numbers.", || get(answer::results::answer)),
    read("/api/results/list", Content::Json, "The files that the run has written.", || get(answer::results::list)),
    read("/api/results/files/{*path}", Content::File, "One file of the artifact folder, after the run.", || {
        get(answer::results::file)
    }),
    change("/api/results/upload/{*path}", Content::Refusal, FOR_PODS, || post(answer::for_pods)),
    read("/api/dataset/state", Content::Refusal, FOR_PODS, || get(answer::for_pods)),
    read("/api/dataset/index", Content::Refusal, FOR_PODS, || get(answer::for_pods)),
    read("/api/dataset/data", Content::Refusal, FOR_PODS, || get(answer::for_pods)),
    read("/api/snapshot", Content::Json, "Everything that the live page shows.", || get(answer::snapshot)),
    read("/api/history", Content::Json, "The current phase over time, one point for each second.", || {
        get(answer::history)
    }),
    read("/api/events", Content::EventStream, "Server-sent events: run, history, event, snapshot.", || {
        get(events::answer)
    }),
    read("/ws", Content::WebSocket, "WebSocket with the topics of the reference.", || get(websocket::answer)),
    change("/api/cancel", Content::Json, "Ends the run as Ctrl-C does; results so far are written.", || {
        post(answer::control::cancel)
    }),
    change("/api/shutdown", Content::Json, "Ends the server after the run.", || post(answer::control::shutdown)),
    read("/openapi.json", Content::Json, "This document.", || get(openapi::answer)),
];

pub(crate) fn router(state: Arc<ApiState>) -> Router {
    let router = ROUTES.iter().fold(Router::new(), |router, route| router.route(route.path, (route.handler)()));
    router
        .fallback(answer::not_found)
        .method_not_allowed_fallback(answer::wrong_method)
        .layer(middleware::from_fn_with_state(Arc::clone(&state.access), aiperf_web_access::check))
        .with_state(state)
}
