//! The messages of the WebSocket, with the reference's names. Some follow from events and are sent once; the others show the
//! current state and are sent at an interval while it changes.

use std::collections::BTreeSet;

use aiperf_clock::Mono;
use aiperf_live::{LiveEvent, LiveEventKind, PhaseProgress, PhaseStatus, Snapshot};
use aiperf_protocol::PhaseKind;
use serde_json::{Map, Value, json};

use crate::answer::{metrics, phase, progress, server_metrics, telemetry, without_nulls, workers};
use crate::state::ApiState;

/// Everything.
const ALL: &str = "*";

/// Messages about the current state: name and seconds between two of them.
const STATES: [(&str, f64); 8] = [
    ("credit_phase_progress", 1.0),
    ("processing_stats", 1.0),
    ("realtime_metrics", 1.0),
    ("realtime_server_metrics", 1.0),
    ("realtime_telemetry_metrics", 1.0),
    ("system_state_changed", 0.0),
    ("worker_health", 2.0),
    ("worker_status_summary", 2.0),
];

/// What one client wants to hear, and what it has heard.
#[derive(Debug, Default)]
pub(crate) struct TopicFeed {
    wanted: BTreeSet<String>,
    /// The last event that was sent.
    heard: u64,
    sent: Vec<SentState>,
}

#[derive(Debug)]
struct SentState {
    topic: &'static str,
    at: Mono,
    message: String,
}

impl TopicFeed {
    /// Adds topics. A late joiner then gets the events of these topics that it missed.
    pub(crate) fn subscribe(&mut self, topics: Vec<String>, state: &ApiState) -> Vec<String> {
        let added: BTreeSet<String> = topics.into_iter().filter(|topic| !self.wants(topic)).collect();
        let snapshot = state.live.snapshot();
        let missed = state.live.events_after(0).into_iter().filter(|event| event.seq <= self.heard);
        let is_added = |topic: &str| added.contains(topic) || added.contains(ALL);
        let messages =
            missed.filter_map(|event| of_event(&event, &snapshot, state)).filter(|(topic, _)| is_added(topic));
        let messages = messages.map(|(_, message)| message.to_string()).collect();
        self.wanted.extend(added);
        messages
    }

    pub(crate) fn unsubscribe(&mut self, topics: &[String]) {
        self.wanted.retain(|topic| !topics.contains(topic));
        self.sent.retain(|sent| !topics.iter().any(|topic| topic == sent.topic));
    }

    fn wants(&self, topic: &str) -> bool {
        self.wanted.contains(topic) || self.wanted.contains(ALL)
    }

    /// The messages that are due now.
    pub(crate) fn due(&mut self, state: &ApiState, now: Mono) -> Vec<String> {
        let snapshot = state.live.snapshot();
        let mut messages = Vec::new();
        for event in state.live.events_after(self.heard) {
            self.heard = event.seq;
            if let Some((_, message)) = of_event(&event, &snapshot, state).filter(|(topic, _)| self.wants(topic)) {
                messages.push(message.to_string());
            }
        }
        for (topic, interval) in STATES {
            let before = self.sent.iter().position(|sent| sent.topic == topic);
            let is_early = before.is_some_and(|at| now.since(self.sent[at].at).as_secs_f64() < interval);
            if is_early || !self.wants(topic) {
                continue;
            }
            let Some(message) = of_state(topic, &snapshot, state) else { continue };
            let message = message.to_string();
            match before {
                Some(at) if self.sent[at].message == message => {}
                Some(at) => self.sent[at] = SentState { topic, at: now, message: message.clone() },
                None => self.sent.push(SentState { topic, at: now, message: message.clone() }),
            }
            if before.is_none_or(|at| self.sent[at].at == now) {
                messages.push(message);
            }
        }
        messages
    }
}

fn of_event(event: &LiveEvent, snapshot: &Snapshot, state: &ApiState) -> Option<(&'static str, Value)> {
    let stats = |phase: &PhaseProgress| without_nulls(Value::Object(phase::request_counts(phase, snapshot)));
    let about = |topic: &'static str, phase: &PhaseProgress| {
        (topic, json!({"message_type": topic, "service_id": "timing_manager", "stats": stats(phase)}))
    };
    match &event.kind {
        LiveEventKind::PhaseStart { phase } => {
            let (topic, mut message) = about("credit_phase_start", phase);
            message["config"] = without_nulls(plan(phase, state));
            Some((topic, message))
        }
        LiveEventKind::PhaseSendingComplete { phase } => Some(about("credit_phase_sending_complete", phase)),
        LiveEventKind::PhaseComplete { phase } => Some(about("credit_phase_complete", phase)),
        LiveEventKind::RecordsComplete { .. } => {
            let mut counts = phase::record_counts(snapshot.current_phase()?, snapshot);
            counts.insert("records_end_ns".to_owned(), json!(event.at_ns));
            counts.retain(|name, _| name == "phase" || !name.starts_with("phase") && !name.starts_with("profiling"));
            let topic = "all_records_received";
            let message = json!({
                "message_type": topic,
                "request_ns": event.at_ns,
                "service_id": "records_manager",
                "final_processing_stats": without_nulls(Value::Object(counts)),
            });
            Some((topic, message))
        }
        _ => None,
    }
}

/// What a phase was to do, from the configuration.
fn plan(phase: &PhaseProgress, state: &ApiState) -> Value {
    let facts = state.live.facts();
    let phases = facts.input_config["phases"].as_array();
    let kind = phase::kind_name(phase.kind);
    let config = phases.and_then(|all| all.iter().find(|one| one["name"] == kind || one["kind"] == kind));
    let field = |name: &str| config.map_or(Value::Null, |config| config[name].clone());
    let pace = field("type");
    let (timing_mode, arrival) = match pace.as_str() {
        Some("concurrency") => ("request_rate", json!("concurrency_burst")),
        Some("constant" | "poisson" | "gamma") => ("request_rate", pace),
        Some("fixed_schedule") => ("fixed_schedule", Value::Null),
        Some("user_centric") => ("user_centric_rate", Value::Null),
        _ => ("request_rate", Value::Null),
    };
    let is_profiling = phase.kind == PhaseKind::Profiling;
    json!({
        "phase": kind,
        "phase_index": phase.index,
        "profiling_index": is_profiling.then_some(0),
        "phase_name": phase.name,
        "phase_kind": kind,
        "request_cancellation": {
            "rate": field("cancellation")["rate"],
            "delay": field("cancellation")["delay"].as_f64().unwrap_or(0.0),
        },
        "timing_mode": timing_mode,
        "arrival_pattern": arrival,
        "total_expected_requests": phase.expected_requests,
        "expected_duration_sec": phase.duration,
        "expected_num_sessions": phase.expected_sessions,
        "grace_period_sec": phase.grace.filter(|_| phase.duration.is_some()),
        "seamless": field("seamless").as_bool().unwrap_or(false),
        "concurrency": field("concurrency"),
        "request_rate": field("rate"),
        "artifact_dir": facts.artifact_dir,
    })
}

/// The message of a topic about the current state; `None` if there is nothing to say.
fn of_state(topic: &'static str, snapshot: &Snapshot, state: &ApiState) -> Option<Value> {
    let mut message = Map::new();
    let mut put = |name: &str, value: Value| message.insert(name.to_owned(), value);
    put("message_type", json!(topic));
    match topic {
        "credit_phase_progress" => {
            let phase = begun(snapshot)?;
            put("service_id", json!("timing_manager"));
            put("stats", without_nulls(Value::Object(phase::request_counts(phase, snapshot))));
        }
        "processing_stats" => {
            let phase = begun(snapshot)?;
            put("request_ns", json!(snapshot.at_ns));
            put("service_id", json!("records_manager"));
            put("processing_stats", without_nulls(Value::Object(phase::record_counts(phase, snapshot))));
            let done = json!({"success_records": phase.completed, "error_records": phase.failed});
            put("worker_stats", json!({ workers::WORKER: done }));
        }
        "realtime_metrics" => {
            let list = metrics::list(snapshot);
            put("service_id", json!("records_manager"));
            put("metrics", json!((!list.is_empty()).then_some(list)?));
        }
        "realtime_server_metrics" => {
            let summaries = server_metrics::summaries(state, snapshot);
            put("service_id", json!("server_metrics_manager"));
            put("endpoint_summaries", Value::Object((!summaries.is_empty()).then_some(summaries)?));
            put("snapshot", Value::Object(server_metrics::headline(snapshot)));
        }
        "realtime_telemetry_metrics" => {
            let list = telemetry::list(state, snapshot);
            put("service_id", json!("gpu_telemetry_manager"));
            put("metrics", json!((!list.is_empty()).then_some(list)?));
        }
        "system_state_changed" => {
            put("service_id", json!("system_controller"));
            put("state", json!(progress::system_state(snapshot.state)));
        }
        "worker_health" => {
            put("service_id", json!(workers::WORKER));
            put("health", workers::health(state, snapshot));
            put("task_stats", workers::tasks(snapshot));
        }
        _ => {
            put("service_id", json!("worker_manager"));
            put("worker_statuses", json!({ workers::WORKER: workers::status(snapshot) }));
            put("worker_startup_states", json!({}));
        }
    }
    Some(Value::Object(message))
}

fn begun(snapshot: &Snapshot) -> Option<&PhaseProgress> {
    snapshot.current_phase().filter(|phase| phase.state != PhaseStatus::Waiting)
}
