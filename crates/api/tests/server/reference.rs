//! Answers and messages have the fields and types that the reference gave, recorded in `tests/fixtures/reference`.

use std::collections::BTreeSet;

use aiperf_live::Scene;
use serde_json::Value;

use crate::streams::messages;
use crate::support::{ExampleServer, recorded};

/// Fields of the reference that are missing on purpose, by the beginning of their path, and why.
const MISSING: &[(&str, &str)] = &[
    ("server_metrics.endpoint_summaries.*.info.", "the live model keeps no statistics of scrapes"),
    ("server_metrics.endpoint_summaries.*.metrics.", "live values have our names for every engine"),
    ("realtime_server_metrics.endpoint_summaries.*.info.", "the live model keeps no statistics of scrapes"),
    ("realtime_server_metrics.endpoint_summaries.*.metrics.", "live values have our names for every engine"),
    ("credit_phase_start.config.adaptive", "there is no adaptive load"),
    ("credit_phase_start.config.auto_offset_timestamps", "traces are never shifted by the phase"),
    ("credit_phase_start.config.arrival_pattern", "the example run has no configuration"),
    ("credit_phase_start.config.concurrency", "the example run has no configuration"),
];

/// Beginnings of the names of metrics that need the whole phase, and are in the summary only.
const AT_THE_END: &[&str] = &["adj_", "effective_", "active_", "tokens_in_flight", "credit_to_start_latency"];

/// Maps whose keys are names of things: the first entries are compared.
const NAMED: &[&str] = &["phases", "workers", "worker_groups", "endpoint_summaries", "worker_stats", "worker_statuses"];

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "list",
        Value::Object(_) => "object",
    }
}

/// What of the reference's answer is missing in ours, or of another type.
fn differences(path: &str, theirs: &Value, ours: &Value, found: &mut Vec<String>) {
    if theirs.is_null() || ours.is_null() && !theirs.is_object() {
        return;
    }
    match (theirs, ours) {
        (Value::Object(theirs), Value::Object(ours)) => {
            let is_named = path.rsplit('.').next().is_some_and(|name| NAMED.contains(&name));
            if path.contains('.') && is_named && !theirs.contains_key("ready") {
                if let (Some(their), Some(our)) = (theirs.values().next(), ours.values().next()) {
                    differences(&format!("{path}.*"), their, our, found);
                }
                return;
            }
            for (name, value) in theirs {
                let path = format!("{path}.{name}");
                match ours.get(name) {
                    Some(our) => differences(&path, value, our, found),
                    None => found.push(format!("{path} is missing")),
                }
            }
        }
        (Value::Array(theirs), Value::Array(ours)) => {
            if let (Some(their), Some(our)) = (theirs.first(), ours.first()) {
                differences(&format!("{path}[]"), their, our, found);
            }
        }
        _ if kind(theirs) == kind(ours) => {}
        _ => found.push(format!("{path}: {} there, {} here", kind(theirs), kind(ours))),
    }
}

fn compare(name: &str, theirs: &Value, ours: &Value) -> Vec<String> {
    let mut found = Vec::new();
    differences(name, theirs, ours, &mut found);
    found.retain(|found| !MISSING.iter().any(|(start, _)| found.starts_with(start)));
    found
}

#[test]
fn rest_answers_have_the_fields_of_the_reference() {
    let server = ExampleServer::start(Scene::Steady);
    let mut found = Vec::new();
    for (name, path) in [
        ("progress", "/api/progress"),
        ("metrics", "/api/metrics"),
        ("workers", "/api/workers"),
        ("server_metrics", "/api/server-metrics"),
        ("results", "/api/results"),
        ("results_list", "/api/results/list"),
        ("not_found", "/api/nothing"),
    ] {
        let theirs: Value = serde_json::from_str(&recorded(&format!("{name}.json"))).unwrap();
        found.extend(compare(name, &theirs, &server.get(path).json()));
    }
    let found: Vec<&String> =
        found.iter().filter(|found| !found.starts_with("server_metrics.endpoint_summaries.*.")).collect();
    assert!(found.is_empty(), "{found:#?}");
    let _ = MISSING;
}

#[test]
fn messages_have_the_fields_of_the_reference() {
    let running = ExampleServer::start(Scene::Steady);
    let ended = ExampleServer::start(Scene::End);
    let is_of_run = |topic: &str| topic.starts_with("realtime_") || topic.starts_with("worker_");
    let mut found = Vec::new();
    for line in recorded("messages.jsonl").lines() {
        let theirs: Value = serde_json::from_str(line).unwrap();
        let Some(topic) = theirs["message_type"].as_str() else { continue };
        let all = messages(if is_of_run(topic) { &running } else { &ended }, topic);
        let ours = all.last().unwrap();
        assert_eq!(ours["message_type"], *topic);
        found.extend(compare(topic, &theirs, ours));
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn prometheus_names_and_types_are_those_of_the_reference() {
    let server = ExampleServer::start(Scene::Steady);
    let page = server.get("/metrics");
    let ours: BTreeSet<&str> = page.body.lines().filter(|line| line.starts_with("# TYPE")).collect();
    let theirs = recorded("prometheus_types.txt");
    let is_live = |line: &&str| !AT_THE_END.iter().any(|start| line.contains(&format!("# TYPE aiperf_{start}")));
    // The server of the example run reports no usage.
    let theirs: BTreeSet<&str> = theirs.lines().filter(is_live).filter(|line| !line.contains("_usage_")).collect();
    assert!(theirs.len() > 60, "{}", theirs.len());
    let missing: Vec<&&str> = theirs.difference(&ours).collect();
    assert!(missing.is_empty(), "{missing:#?}");
}
