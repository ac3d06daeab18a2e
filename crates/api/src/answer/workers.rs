//! `GET /api/workers`. The reference has a process for each worker. Here one process does all of it, and is the only worker.

use aiperf_clock::Mono;
use aiperf_live::{RunState, Snapshot};
use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};

use super::Shared;
use crate::state::ApiState;

pub(crate) const WORKER: &str = "worker_local";

pub(crate) async fn answer(State(state): Shared) -> Json<Value> {
    let snapshot = state.live.snapshot();
    let worker = one(&state, &snapshot);
    let group = json!({
        "group_id": "local",
        "status": status(&snapshot),
        "startup_state": null,
        "declared_workers": 1,
        "ready_workers": u64::from(snapshot.state != RunState::Preparing),
        "health": null,
        "task_stats": tasks(&snapshot),
        "workers": { WORKER: worker.clone() },
        "last_update_ns": null,
    });
    Json(json!({"workers": { WORKER: worker }, "worker_groups": {"local": group}}))
}

fn one(state: &ApiState, snapshot: &Snapshot) -> Value {
    json!({
        "worker_id": WORKER,
        "task_stats": tasks(snapshot),
        "processing_stats": records(snapshot),
        "health": health(state, snapshot),
        "status": status(snapshot),
        "startup_state": null,
        "startup_state_updated_ns": null,
        "last_update_ns": null,
    })
}

pub(crate) fn health(state: &ApiState, snapshot: &Snapshot) -> Value {
    state.process.read(Mono::now(), snapshot.at_ns as f64 / 1e9)
}

/// Of all phases.
pub(crate) fn tasks(snapshot: &Snapshot) -> Value {
    let (mut total, mut failed, mut completed) = (0, 0, 0);
    for phase in &snapshot.phases {
        total += phase.sent;
        failed += phase.failed;
        completed += phase.completed;
    }
    json!({"total": total, "failed": failed, "completed": completed})
}

fn records(snapshot: &Snapshot) -> Value {
    let errors: u64 = snapshot.phases.iter().map(|phase| phase.failed).sum();
    json!({"processed": snapshot.records.processed, "errors": errors})
}

/// `high_load` if this program may be the bottleneck, `error` above a tenth of failed requests.
pub(crate) fn status(snapshot: &Snapshot) -> &'static str {
    let client = &snapshot.client;
    match snapshot.state {
        RunState::Preparing | RunState::Complete | RunState::Cancelled => "idle",
        RunState::Failed => "error",
        _ if snapshot.headline.error_share > 0.1 => "error",
        _ if client.cpu_share > 0.85 || client.busiest_thread_share > 0.85 => "high_load",
        _ => "healthy",
    }
}
