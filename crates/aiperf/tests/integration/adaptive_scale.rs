//! Adaptive scale against a simulator whose capacity is known: where the rise ends, and what the log says of it.

use serde_json::{Value, json};

use crate::support::{Program, sim};

/// Four places of 400 ms each: up to four sessions get their first token after 400 ms, eight sessions after 800 ms.
const FOUR_PLACES: &str = "ttft=400&itl=1&osl=2&batch=4";

const FILE: &str = r#"schemaVersion: "2.0"
randomSeed: 7
benchmark:
  model: m
  endpoint: {url: "${AIPERF_TEST_URL}", streaming: true}
  tokenizer: {name: builtin}
  dataset: {isl: 8, osl: 2, entries: 50}
  profiling:
    type: concurrency
    concurrency: 40
    duration: 120
    timingMode: adaptive_scale
    adaptiveScale:
      enabled: true
      control: {variable: concurrency, min: 2, max: 40}
      window: 2
      minCompletedRequests: 4
      sustainDuration: 2
      strategy: {type: ramp_until_fail, stepPolicy: sla_margin, baseStep: 2, maxStepMultiplier: 1}
    sla: {time_to_first_token: {p50: {le: 700}}, error_rate: {avg: {le: 0.1}}}
  gpuTelemetry: false
  runtime: {ui: none}
"#;

fn events(lines: &[Value], name: &str) -> Vec<Value> {
    lines.iter().filter(|line| line["event"] == name).cloned().collect()
}

#[test]
fn the_rise_ends_at_the_capacity_of_the_server_and_the_log_says_why() {
    let server = sim(FOUR_PLACES);
    let ended = Program::profile("-f run.yaml").file("run.yaml", FILE).env("AIPERF_TEST_URL", server.url()).run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let artifacts = &ended.artifacts;
    let lines = artifacts.lines("phases/profiling/adaptive_scale_events.jsonl");
    let summary = artifacts.json("phases/profiling/adaptive_scale_summary.json");

    // Two kept the limit for certain, and eight broke it for certain.
    let boundary = summary["boundary_value"].as_u64().unwrap();
    let broken = summary["first_failing_value"].as_u64().unwrap();
    assert!((4..=6).contains(&boundary) && broken == boundary + 2, "{summary:#}");
    assert_eq!(
        (&summary["status"], &summary["completed_reason"]),
        (&json!("completed"), &json!("sustain_duration_completed"))
    );
    assert!(server.truth().iter().all(|truth| u64::from(truth.in_flight) <= broken));

    let decided: Vec<u64> =
        events(&lines, "adaptive_decision").iter().filter_map(|line| line["step_size"].as_u64()).collect();
    assert!(decided.iter().all(|step| *step == 2), "{decided:?}");
    let found = &events(&lines, "boundary_discovered")[0];
    assert_eq!(found["binding_sla"], json!("time_to_first_token:p50:le:700"));
    assert!(found["sla_value"].as_f64().unwrap() > 700.0, "{found:#}");
    assert!(found["reason"].as_str().unwrap().contains(&format!("{broken} broke a limit")), "{found:#}");
    assert_eq!(lines.first().unwrap()["event"], json!("adaptive_phase_started"));
    assert_eq!(lines.last().unwrap()["event"], json!("adaptive_complete"));

    let section = &artifacts.summary()["adaptive_scale"];
    assert_eq!(section["boundary_value"].as_f64(), Some(boundary as f64));
    let phase = &artifacts.summary()["input_config"]["phases"][0];
    assert_eq!((&phase["adaptive_scale"], &phase["concurrency"]), (&json!(true), &json!(40)));
    let list = artifacts.json("adaptive_scale_manifest.json");
    assert_eq!(list["adaptive_phases"][0]["summary_path"], json!("phases/profiling/adaptive_scale_summary.json"));
    assert!(ended.stderr.contains("Adaptive scale"), "{}", ended.stderr);
}

#[test]
fn a_first_value_that_breaks_a_limit_ends_the_run_with_advice() {
    let server = sim("ttft=20&itl=1&osl=2");
    let words = "--streaming --concurrency 9 --benchmark-duration 60 --adaptive-scale --adaptive-assessment-period 1 \
                 --adaptive-sustain-duration 5 --adaptive-scale-sla request_latency:avg:lt:1";
    let ended = Program::against(&server, words).run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let summary = ended.artifacts.json("phases/profiling/adaptive_scale_summary.json");
    let figures = (&summary["status"], &summary["boundary_value"], &summary["first_failing_value"]);
    assert_eq!(figures, (&json!("failed"), &Value::Null, &json!(1)));
    assert!(server.truth().iter().all(|truth| truth.in_flight == 1));
    assert!(ended.stderr.contains("broke a limit"), "{}", ended.stderr);
}

#[test]
fn a_limit_on_a_metric_that_the_run_does_not_have_is_refused_before_anything_is_sent() {
    let server = sim("ttft=20&itl=1&osl=2");
    let words = "--concurrency 9 --benchmark-duration 60 --adaptive-scale --adaptive-sustain-duration 5 \
                 --adaptive-scale-sla ttft:p95:lt:100";
    let ended = Program::against(&server, words).run();
    assert_ne!(ended.code, Some(0));
    assert!(ended.stderr.contains("ttft:p95:lt:100") && ended.stderr.contains("streaming"), "{}", ended.stderr);
    assert!(server.truth().is_empty());
}
