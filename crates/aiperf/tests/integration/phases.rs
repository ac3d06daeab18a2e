//! Several warmups and profiling phases in one run of a file: their order, what counts, and what the files say of them.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::{Artifacts, Program, sim};

/// Two warmups, a profiling phase, one that is left out of the results, and one that begins while that one drains.
const FILE: &str = r#"schemaVersion: "2.0"
randomSeed: 7
benchmark:
  model: m
  endpoint: {url: "${AIPERF_TEST_URL}", streaming: true}
  tokenizer: {name: builtin}
  dataset: {isl: 8, osl: 3, entries: 50}
  phases:
    - {name: cold, kind: warmup, type: concurrency, concurrency: 2, requests: 4}
    - {name: warm, kind: warmup, type: constant, rate: 100, requests: 5}
    - {name: first, kind: profiling, type: concurrency, concurrency: 2, requests: 6}
    - {name: hidden, kind: profiling, type: concurrency, concurrency: 4, requests: 8, excludeFromResults: true}
    - {name: last, kind: profiling, type: constant, rate: 50, requests: 10, seamless: true}
  gpuTelemetry: false
  runtime: {ui: none}
"#;

const PHASES: [(&str, usize); 5] = [("cold", 4), ("warm", 5), ("first", 6), ("hidden", 8), ("last", 10)];

fn profile(url: &str, file: &str, words: &str) -> Program {
    Program::profile("-f run.yaml").file("run.yaml", file).with(words).env("AIPERF_TEST_URL", url)
}

fn seconds(span: &(u64, u64)) -> f64 {
    (span.1 - span.0) as f64 / 1e9
}

/// Start and end of each phase, as the manifest has them.
fn windows(artifacts: &Artifacts) -> BTreeMap<String, (u64, u64)> {
    let manifest: Value = serde_json::from_str(&artifacts.text("phase_manifest.json")).unwrap();
    let phases = manifest["phases"].as_array().unwrap();
    let nanos = |phase: &Value, key: &str| phase[key].as_u64().unwrap();
    let window = |phase: &Value| (nanos(phase, "start_ns"), nanos(phase, "end_ns"));
    phases.iter().map(|phase| (phase["phase_name"].as_str().unwrap().to_owned(), window(phase))).collect()
}

#[test]
fn each_phase_has_its_records_and_its_files_and_the_summary_covers_those_that_count() {
    let server = sim("ttft=60&itl=1");
    let artifacts = profile(&server.url(), FILE, "").succeed();
    assert_eq!(server.truth().len(), 33);

    let records = artifacts.records();
    for (index, (name, count)) in PHASES.into_iter().enumerate() {
        let of_phase: Vec<_> = records.iter().filter(|record| record.word("phase_name") == name).collect();
        assert_eq!(of_phase.len(), count, "{name}");
        let is_warmup = index < 2;
        for record in &of_phase {
            let metadata = &record.0["metadata"];
            assert_eq!(metadata["phase_index"], json!(index));
            assert_eq!(metadata["phase_kind"], json!(if is_warmup { "warmup" } else { "profiling" }));
            let counts = ["first", "last"].contains(&name);
            assert_eq!(metadata["benchmark_phase"], json!(if counts { "profiling" } else { "warmup" }), "{name}");
            assert_eq!(metadata.get("profiling_index"), (!is_warmup).then(|| json!(index - 2)).as_ref());
        }
        let own: Value =
            serde_json::from_str(&artifacts.text(&format!("phases/{name}/profile_export_aiperf.json"))).unwrap();
        assert_eq!(own["request_count"]["avg"], json!(count as f64), "{name}");
    }

    let summary = artifacts.summary();
    assert_eq!(summary["request_count"]["avg"], json!(16.0), "first and last");
    assert_eq!(summary["warmup_metrics"]["request_count"]["avg"], json!(9.0), "both warmups");
    let results = summary["phase_results"].as_array().unwrap();
    let shown: Vec<(&Value, &Value)> =
        results.iter().map(|phase| (&phase["phase_name"], &phase["in_results"])).collect();
    assert_eq!(
        shown,
        [(&json!("first"), &json!(true)), (&json!("hidden"), &json!(false)), (&json!("last"), &json!(true))]
    );
    assert_eq!(results[2]["metrics"]["request_count"]["avg"], json!(10.0));
    let console = artifacts.text("profile_export_console.txt");
    assert!(console.contains("aiperf | Phases") && console.contains("hidden (not in results)"), "{console}");
    let csv = artifacts.text("profile_export_aiperf.csv");
    assert!(csv.contains("Phase,In Results,Successful,Errors") && csv.contains("\r\nhidden,false,8,0,"), "{csv}");
    let config = summary["input_config"]["phases"].as_array().unwrap();
    assert_eq!((&config[4]["name"], &config[4]["seamless"]), (&json!("last"), &json!(true)));
    assert_eq!(config[3]["exclude_from_results"], json!(true));
}

#[test]
fn throughput_is_over_the_time_of_the_phases_that_count() {
    let server = sim("ttft=60&itl=1");
    let artifacts = profile(&server.url(), FILE, "").succeed();
    let windows = windows(&artifacts);
    let (first, hidden, last) = (windows["first"], windows["hidden"], windows["last"]);
    assert!(hidden.0 >= first.1, "a phase that is not seamless waits");
    assert!(last.0 < hidden.1, "a seamless one does not");
    let counted = seconds(&first) + seconds(&last);
    let summary = artifacts.summary();
    let near = |value: &Value, expected: f64| (value.as_f64().unwrap() / expected - 1.0).abs() < 1e-9;
    assert!(near(&summary["benchmark_duration"]["avg"], counted), "{summary:#}");
    assert!(near(&summary["request_throughput"]["avg"], 16.0 / counted));
    // Time-weighted metrics leave out the time between the phases, too: Little's law holds.
    let latency = summary["request_latency"]["avg"].as_f64().unwrap() / 1e3;
    let in_flight = summary["effective_concurrency"]["avg"].as_f64().unwrap();
    let expected = 16.0 * latency / counted;
    assert!((in_flight / expected - 1.0).abs() < 0.05, "{in_flight} in flight, {expected} by Little's law");
    assert!(summary.get("steady_state").is_none());
}

#[test]
fn a_summary_of_several_phases_can_be_rebuilt_from_the_records() {
    let server = sim("ttft=10&itl=1");
    let ended = profile(&server.url(), FILE, "").run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let dir = ended.artifacts.path("");
    let validated = Program::new("validate").word(&dir).run();
    assert_eq!(validated.code, Some(0), "{}{}", validated.stdout, validated.stderr);

    let before = ended.artifacts.summary();
    let rebuilt = Program::new("report").word(&dir).run();
    assert_eq!(rebuilt.code, Some(0), "{}", rebuilt.stderr);
    let after = ended.artifacts.summary();
    for tag in ["request_count", "request_throughput", "benchmark_duration", "time_to_first_token"] {
        let value = |summary: &Value| summary[tag]["avg"].as_f64().unwrap();
        assert!((value(&after) / value(&before) - 1.0).abs() < 1e-6, "{tag}: {} and {}", value(&before), value(&after));
    }
    assert_eq!(after["warmup_metrics"]["request_count"]["avg"], json!(9.0));
    assert_eq!(after["phase_results"].as_array().map(Vec::len), Some(3));
}

#[test]
fn options_of_the_command_line_must_mean_one_phase() {
    for (words, expected) in [
        ("--request-count 3", &["--request-count", "run.yaml", "several profiling phases"][..]),
        ("--warmup-request-count 3", &["--warmup-request-count", "several warmup phases"]),
    ] {
        profile("http://127.0.0.1:1", FILE, words).run().was_refused_with(expected);
    }
}

#[test]
fn what_phases_cannot_be_is_said_with_a_way_out() {
    for (from, to, expected) in [
        ("name: warm,", "name: cold,", &["two phases are called cold"][..]),
        ("requests: 4}", "requests: 4, seamless: true}", &["first phase cannot be seamless"]),
        ("requests: 4}", "requests: 4, excludeFromResults: false}", &["a warmup is never in the results"]),
        ("requests: 6}", "requests: 6, untilCi: [request_latency:p50:5%]}", &["untilCi", "one profiling phase"]),
    ] {
        profile("http://127.0.0.1:1", &FILE.replace(from, to), "").run().was_refused_with(expected);
    }
    let none = FILE
        .replace("requests: 6}", "requests: 6, excludeFromResults: true}")
        .replace("seamless: true}", "seamless: true, excludeFromResults: true}");
    profile("http://127.0.0.1:1", &none, "").run().was_refused_with(&["no profiling phase counts in the results"]);
}

#[test]
fn a_failed_request_threshold_is_that_of_its_phase() {
    let server = sim("ttft=1&itl=0&error_every=2");
    let tolerant = FILE.replace("requests: 10,", "requests: 200, failedRequestThreshold: 0.01,");
    let ended = profile(&server.url(), &tolerant, "").run();
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    let sent = |name: &str| ended.artifacts.accounting(name)["sent"].as_u64().unwrap();
    assert_eq!((sent("first"), sent("hidden")), (6, 8), "the other phases have no threshold");
    assert!(sent("last") < 200);
}
