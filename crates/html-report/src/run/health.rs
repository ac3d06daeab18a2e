//! R16: whether the client itself was the limit, from the `client_health` and `timestamps` objects of the summary.

use serde_json::{Value, json};

/// Keys of what was observed, what they mean, their unit, and from where on they are a reason to look.
const ROWS: [(&str, &str, &str, Option<f64>); 12] = [
    ("max_cpu_percent", "Busiest moment of all processors", "%", Some(90.0)),
    ("max_thread_cpu_percent", "Busiest worker thread", "%", Some(90.0)),
    ("stolen_cpu_percent", "Processor time that the host took away", "%", Some(5.0)),
    ("max_worker_lag_ms", "Longest time that a worker woke up late", "ms", Some(10.0)),
    ("max_schedule_lag_ms", "Longest time that a request was sent late", "ms", Some(10.0)),
    ("max_arrival_to_read_delay_p99_ms", "Arrival to read, worst p99 of a sample", "ms", Some(10.0)),
    ("max_arrival_to_read_delay_ms", "Arrival to read, longest", "ms", None),
    ("max_record_queue_bytes", "Most bytes that waited for record threads", "bytes", None),
    ("requests_held_back", "Requests held back because records lagged", "requests", Some(0.0)),
    ("spilled_requests", "Responses that were written to disk for a while", "requests", Some(0.0)),
    ("max_descriptors", "Most open file descriptors", "descriptors", None),
    ("samples", "Samples of the client's load", "samples", None),
];

pub(crate) fn json(summary: &Value) -> Value {
    let health = &summary["client_health"];
    if !health.is_object() {
        return Value::Null;
    }
    let observed = &health["observed"];
    let rows = ROWS.iter().filter_map(|(key, label, unit, limit)| {
        let value = observed[key].as_f64()?;
        Some(json!({"label": label, "value": value, "unit": unit, "limit": limit}))
    });
    json!({
        "saturated": health["saturated"],
        "limits": health["limits"],
        "rows": rows.collect::<Vec<_>>(),
        "timestamps": summary["timestamps"],
    })
}
