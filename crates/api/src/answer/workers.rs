//! `GET /api/workers`. The reference has a process for each worker. Here one process does all of it, and is the only worker, unless
//! several nodes send the run: then each node is a worker.

use aiperf_clock::Mono;
use aiperf_live::{NodeHealth, NodeState, RunState, Snapshot};
use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};

use super::Shared;
use crate::state::ApiState;

pub(crate) const WORKER: &str = "worker_local";

pub(crate) async fn answer(State(state): Shared) -> Json<Value> {
    let snapshot = state.live.snapshot();
    if !snapshot.nodes.is_empty() {
        return Json(nodes(&snapshot));
    }
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

fn nodes(snapshot: &Snapshot) -> Value {
    let one = |node: &NodeHealth| {
        let status = match node.state {
            NodeState::Lost => "error",
            NodeState::Ended => "idle",
            NodeState::Running => "healthy",
        };
        let worker = json!({
            "worker_id": node.name,
            "task_stats": {"total": node.sent, "failed": node.failed, "completed": node.returned - node.failed.min(node.returned)},
            "processing_stats": {"processed": node.returned, "errors": node.failed},
            "health": {"cpu_usage": node.cpu_percent},
            "node": node,
            "status": status,
            "startup_state": null,
            "startup_state_updated_ns": null,
            "last_update_ns": null,
        });
        (node.name.clone(), worker)
    };
    let workers: serde_json::Map<String, Value> = snapshot.nodes.iter().map(one).collect();
    let group = json!({
        "group_id": "nodes",
        "status": status(snapshot),
        "startup_state": null,
        "declared_workers": workers.len(),
        "ready_workers": snapshot.nodes.iter().filter(|node| node.state != NodeState::Lost).count(),
        "health": null,
        "task_stats": tasks(snapshot),
        "workers": workers.clone(),
        "last_update_ns": null,
    });
    json!({"workers": workers, "worker_groups": {"nodes": group}})
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
