//! How the client fared, as JSON.

use aiperf_metrics::{ClientHealth, ClientLimit, HealthMaxima, RecordBacklog, ValidityNote};
use serde_json::{Map, Value, json};

use crate::validity::Wording;

/// The `client_health` object: whether the client was the limit, by what, and the extremes that were seen.
pub(crate) fn client_health(health: &ClientHealth) -> Value {
    json!({
        "saturated": health.is_saturated(),
        "limits": health.limits.iter().map(limit).collect::<Value>(),
        "observed": observed(&health.observed, &health.records),
    })
}

fn limit(limit: &ClientLimit) -> Value {
    let Wording { statement, advice } = Wording::of(&ValidityNote::ClientSaturated(*limit));
    let mut object = json!({
        "kind": limit.kind.name(),
        "figure": limit.figure,
        "unit": limit.kind.unit().label(),
        "threshold": limit.threshold,
        "since_s": limit.since.as_secs_f64(),
        "lasted_s": limit.lasted.as_secs_f64(),
        "message": statement,
        "advice": advice,
    });
    if let (Some(object), Some(share)) = (object.as_object_mut(), limit.stolen) {
        object.insert("stolen_cpu_percent".to_owned(), (100.0 * share).into());
    }
    object
}

/// What was not observed is left out.
fn observed(most: &HealthMaxima, records: &RecordBacklog) -> Value {
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    put("samples", most.samples.into());
    put("max_worker_lag_ms", most.worker_lag.as_millis_f64().into());
    put("max_arrival_to_read_delay_ms", most.arrival_to_read_delay.as_millis_f64().into());
    put("max_arrival_to_read_delay_p99_ms", most.arrival_to_read_delay_p99.as_millis_f64().into());
    put("max_schedule_lag_ms", most.schedule_lag.as_millis_f64().into());
    put("max_cpu_percent", (100.0 * most.cpu_share).into());
    if let Some(share) = most.busiest_thread {
        put("max_thread_cpu_percent", (100.0 * share).into());
    }
    put("max_record_queue_bytes", most.record_queue_bytes.into());
    put("record_queue_budget_bytes", most.record_queue_budget.into());
    put("requests_held_back", records.held_back.into());
    put("held_back_s", records.held_back_for.as_secs_f64().into());
    put("spilled_requests", records.spilled.into());
    put("spilled_bytes", records.spilled_bytes.into());
    put("max_in_flight", most.in_flight.into());
    if let Some(open) = most.descriptors {
        put("max_descriptors", open.into());
    }
    if let Some(share) = most.stolen {
        put("stolen_cpu_percent", (100.0 * share).into());
    }
    Value::Object(object)
}
