//! `GET /api/progress`: the phases.

use aiperf_live::{PhaseStatus, RunState, Snapshot};
use axum::Json;
use axum::extract::State;
use serde_json::{Map, Value, json};

use super::{Shared, phase};

pub(crate) async fn answer(State(state): Shared) -> Json<Value> {
    Json(of(&state.live.snapshot()))
}

pub(crate) fn of(snapshot: &Snapshot) -> Value {
    let begun = snapshot.phases.iter().filter(|phase| phase.state != PhaseStatus::Waiting);
    let phases: Map<String, Value> =
        begun.map(|phase| (phase.name.clone(), Value::Object(phase::whole(phase, snapshot)))).collect();
    let ready = u64::from(!matches!(snapshot.state, RunState::Preparing));
    json!({
        "phases": phases,
        "workers": {
            "ready": ready,
            "total": 1,
            "dispatchable": ready,
            "router_connected": ready,
            "ready_record_processors": ready,
            "declared_record_processors": 1,
            "ready_pods": 0,
            "total_pods": 0,
            "degraded_pods": 0,
        },
        "results_exported": snapshot.result.is_some(),
        "system_state": system_state(snapshot.state),
    })
}

/// The state in the words of the reference, which has no words for how a run ended.
pub(crate) const fn system_state(state: RunState) -> &'static str {
    match state {
        RunState::Preparing => "configuring",
        RunState::Warmup | RunState::Profiling | RunState::Grace => "profiling",
        RunState::Processing | RunState::Exporting => "processing",
        RunState::Complete | RunState::Failed | RunState::Cancelled => "stopping",
    }
}
