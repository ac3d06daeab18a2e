//! The readings of GPUs in the `realtime_telemetry_metrics` message: one entry for each GPU and value.

use aiperf_live::Snapshot;
use serde_json::{Value, json};

use crate::gauges::{gpu_tag, readings};
use crate::state::ApiState;

pub(crate) fn list(state: &ApiState, snapshot: &Snapshot) -> Vec<Value> {
    let mut list = Vec::new();
    for gpu in &snapshot.gpus {
        for (name, title, unit, value) in readings(gpu) {
            let Some(value) = value else { continue };
            let tag = gpu_tag(gpu, name);
            let mut entry = state.gauges.of(&tag, value);
            entry.insert("unit".to_owned(), json!(unit));
            entry.insert("tag".to_owned(), json!(tag));
            let header = format!("{title} | {} | GPU {} | {}", gpu.source, gpu.index, gpu.model);
            entry.insert("header".to_owned(), json!(header));
            list.push(Value::Object(entry));
        }
    }
    list
}
