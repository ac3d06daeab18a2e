//! `GET /api/server-metrics`: what the server reports about itself. The statistics of every metric of its page are in
//! `server_metrics_export.json` after the run.

use aiperf_live::Snapshot;
use axum::Json;
use axum::extract::State;
use serde_json::{Map, Value, json};

use super::Shared;
use crate::state::ApiState;

pub(crate) async fn answer(State(state): Shared) -> Json<Value> {
    let snapshot = state.live.snapshot();
    Json(json!({"endpoint_summaries": summaries(&state, &snapshot), "snapshot": headline(&snapshot)}))
}

/// The reference's names of the headline values, and ours.
const HEADLINE: [(&str, &str); 6] = [
    ("kv_cache_usage_pct", "kv_cache_usage"),
    ("num_running", "running_requests"),
    ("num_waiting", "waiting_requests"),
    ("num_preemptions", "preemptions"),
    ("input_token_throughput_srv", "prompt_tokens"),
    ("output_token_throughput_srv", "generation_tokens"),
];

/// The headline values as they were last read; `null` for what the server does not report.
pub(crate) fn headline(snapshot: &Snapshot) -> Map<String, Value> {
    let value = |tag: &str| snapshot.server.iter().find(|row| row.tag == tag).map(|row| row.value);
    HEADLINE.iter().map(|(name, tag)| ((*name).to_owned(), json!(value(tag)))).collect()
}

/// One entry for the server under test, with its headline values as gauges.
pub(crate) fn summaries(state: &ApiState, snapshot: &Snapshot) -> Map<String, Value> {
    let mut summaries = Map::new();
    if snapshot.server.is_empty() {
        return summaries;
    }
    let facts = state.live.facts();
    let url = facts.urls.first().cloned().unwrap_or_default();
    let name = url.split("://").last().unwrap_or_default().split('/').next().unwrap_or_default().to_owned();
    let metrics: Map<String, Value> = snapshot
        .server
        .iter()
        .map(|row| {
            let series = json!([{"labels": {}, "stats": state.gauges.of(row.tag, row.value)}]);
            (row.tag.to_owned(), json!({"type": "gauge", "description": row.title, "unit": row.unit, "series": series}))
        })
        .collect();
    let info = json!({"last_update_ns": snapshot.at_ns});
    summaries.insert(name, json!({"endpoint_url": url, "info": info, "metrics": metrics}));
    summaries
}
