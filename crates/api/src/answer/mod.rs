//! What the REST routes answer. Names and types of fields are those of the reference.

pub(crate) mod config;
pub(crate) mod control;
pub(crate) mod metrics;
pub(crate) mod phase;
pub(crate) mod progress;
pub(crate) mod results;
pub(crate) mod server_metrics;
pub(crate) mod telemetry;
pub(crate) mod workers;

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde_json::Value;

use crate::state::ApiState;

pub(crate) type Shared = State<Arc<ApiState>>;

pub(crate) use aiperf_web_access::refuse;

pub(crate) async fn ok() -> &'static str {
    "ok"
}

pub(crate) async fn not_found(uri: Uri) -> Response {
    refuse(StatusCode::NOT_FOUND, &format!("There is no {}. /openapi.json lists all routes.", uri.path()))
}

pub(crate) async fn wrong_method() -> Response {
    refuse(StatusCode::METHOD_NOT_ALLOWED, "This route does not have that method. /openapi.json lists all routes.")
}

/// The routes of the reference that only its worker pods use.
pub(crate) async fn for_pods() -> Response {
    let why = "This route serves the worker pods of a distributed run. This run has one process and no pods.";
    refuse(StatusCode::NOT_IMPLEMENTED, why)
}

pub(crate) async fn snapshot(State(state): Shared) -> Response {
    let text = state.render(&state.live.snapshot());
    ([(axum::http::header::CONTENT_TYPE, "application/json")], text.to_string()).into_response()
}

pub(crate) async fn history(State(state): Shared) -> Response {
    Json(&*state.live.history()).into_response()
}

/// Leaves out what has no value, as messages of the reference do.
pub(crate) fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(map) => Value::Object(map.into_iter().filter(|(_, value)| !value.is_null()).collect()),
        other => other,
    }
}
