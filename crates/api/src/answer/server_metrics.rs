//! `GET /api/server-metrics`: what the server reported about itself last. The statistics of every metric are in
//! `server_metrics_export.json` after the run.

use aiperf_live::{LiveRun, Snapshot};
use axum::Json;
use axum::extract::State;
use serde_json::{Map, Value, json};

use super::Shared;

pub(crate) async fn answer(State(state): Shared) -> Json<Value> {
    Json(json!({"endpoint_summaries": summaries(&state.live, &state.live.snapshot())}))
}

/// One entry for the server under test, with its headline values as gauges.
pub(crate) fn summaries(live: &LiveRun, snapshot: &Snapshot) -> Map<String, Value> {
    let mut summaries = Map::new();
    if snapshot.server.is_empty() {
        return summaries;
    }
    let facts = live.facts();
    let url = facts.urls.first().cloned().unwrap_or_default();
    let name = url.split("://").last().unwrap_or_default().split('/').next().unwrap_or_default().to_owned();
    let metrics: Map<String, Value> = snapshot
        .server
        .iter()
        .map(|row| {
            let series = json!([{"labels": {}, "stats": {"current": row.value}}]);
            (row.tag.to_owned(), json!({"type": "gauge", "description": row.title, "unit": row.unit, "series": series}))
        })
        .collect();
    let info = json!({"last_update_ns": snapshot.at_ns});
    summaries.insert(name, json!({"endpoint_url": url, "info": info, "metrics": metrics}));
    summaries
}
