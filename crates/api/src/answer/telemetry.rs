//! The readings of GPUs in the `realtime_telemetry_metrics` message: one entry for each GPU and value.

use aiperf_live::{GpuState, Snapshot};
use serde_json::{Value, json};

pub(crate) fn list(snapshot: &Snapshot) -> Vec<Value> {
    snapshot.gpus.iter().flat_map(of_gpu).collect()
}

fn of_gpu(gpu: &GpuState) -> Vec<Value> {
    let values = [
        ("power_usage", "GPU Power Usage", "W", gpu.power_watts),
        ("gpu_utilization", "GPU Utilization", "%", gpu.utilization_percent),
        ("memory_used", "GPU Memory Used", "GB", gpu.memory_used_gb),
        ("temperature", "GPU Temperature", "°C", gpu.temperature_celsius),
    ];
    let one = |(name, title, unit, value): (&str, &str, &str, Option<f64>)| {
        let value = value?;
        let tag = format!("{name}_gpu{}_{}", gpu.index, gpu.uuid.chars().take(12).collect::<String>());
        let header = format!("{title} | {} | GPU {} | {}", gpu.source, gpu.index, gpu.model);
        Some(json!({"unit": unit, "current": value, "tag": tag, "header": header}))
    };
    values.into_iter().filter_map(one).collect()
}
