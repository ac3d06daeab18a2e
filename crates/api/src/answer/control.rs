//! The two routes that change something: cancel the run, end the server after it.

use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::{Shared, refuse};

/// The time that an answer gets to leave before the run is cancelled.
const AFTER_ANSWER: Duration = Duration::from_millis(50);

/// Ends the run as one Ctrl-C does.
pub(crate) async fn cancel(State(state): Shared) -> Response {
    if state.live.snapshot().result.is_some() {
        return refuse(StatusCode::CONFLICT, "The run has already ended.");
    }
    log::warn!("The run is cancelled through the live interface");
    state.was_cancelled.store(true, Ordering::Release);
    // The answer goes first: a run that has not begun ends the program at once.
    tokio::spawn(async move {
        tokio::time::sleep(AFTER_ANSWER).await;
        state.live.cancel();
    });
    (StatusCode::ACCEPTED, Json(json!({"status": "cancelling"}))).into_response()
}

/// Ends the server, and with it the program, if the run is over.
pub(crate) async fn shutdown(State(state): Shared) -> Response {
    if state.live.snapshot().result.is_none() {
        let why = "The benchmark is still running. Use POST /api/cancel to end it.";
        return refuse(StatusCode::CONFLICT, why);
    }
    state.closing.send_replace(true);
    Json(json!({"status": "shutting_down"})).into_response()
}
