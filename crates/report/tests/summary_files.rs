//! The summary files: their shape against recorded ones of the reference, and their text as it was approved.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the failure")]

mod runs;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use aiperf_metrics::{Metric, MetricContext};
use aiperf_protocol::EndpointKind;
use aiperf_protocol::{PhaseKind, RunEnding, RunOutcome, StopReason};
use aiperf_report::{ArtifactPaths, ExtraFiles, RunReport, SummaryFiles, write_summary_files};
use serde_json::{Value, json};

fn write(report: &RunReport) -> (tempfile::TempDir, ArtifactPaths, SummaryFiles) {
    let dir = tempfile::tempdir().unwrap();
    let paths = ArtifactPaths::new(dir.path().join("run"), None);
    let files = write_summary_files(report, &paths, ExtraFiles::default());
    (dir, paths, files)
}

fn read_json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// A file of a run of the reference; summaries are those that the tests of metrics use.
fn recorded(file: &str) -> String {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let own = crates.join("report/tests/fixtures").join(file);
    let path = if own.exists() { own } else { crates.join("metrics/tests/fixtures").join(file) };
    fs::read_to_string(path).unwrap()
}

fn recorded_json(file: &str) -> Value {
    serde_json::from_str(&recorded(file)).unwrap()
}

/// A summary with one metric of each form: the values of all are in the CSV, and which come first is tested on its own.
fn with_few_metrics(path: &Path) -> String {
    fn drop_others(value: &mut Value) {
        let Value::Object(object) = value else { return };
        object.retain(|tag, value| {
            !is_metric(value) || ["request_latency", "request_throughput", "request_count"].contains(&tag.as_str())
        });
        object.values_mut().for_each(drop_others);
    }
    let mut summary = read_json(path);
    drop_others(&mut summary);
    format!("{summary:#}")
}

fn is_metric(value: &Value) -> bool {
    value.get("unit").is_some()
}

/// Keys that are not metrics, in order, and the metrics that stand before them.
fn fixed_part(summary: &Value) -> Vec<String> {
    let keys: Vec<_> = summary.as_object().unwrap().keys().cloned().collect();
    let end = keys.iter().position(|key| key == "end_time").unwrap();
    keys[..=end].to_vec()
}

/// What the reference does not have.
const OWN: [Metric; 1] = [Metric::OverallOutputTokenThroughputPerUser];

/// Of each metric.
const OWN_FIELDS: [&str; 3] = ["p99_9", "p99_99", "ci"];

fn is_own(tag: &str) -> bool {
    OWN.iter().any(|metric| metric.tag() == tag)
}

/// Each metric with its unit and its fields, but for our own.
fn metric_shapes(summary: &Value) -> BTreeMap<String, (String, BTreeSet<String>)> {
    let metrics = summary.as_object().unwrap().iter().filter(|(tag, value)| is_metric(value) && !is_own(tag));
    metrics
        .map(|(tag, metric)| {
            let fields = metric.as_object().unwrap().keys().filter(|key| !OWN_FIELDS.contains(&key.as_str()));
            let fields = fields.cloned().collect();
            (tag.clone(), (metric["unit"].as_str().unwrap().to_owned(), fields))
        })
        .collect()
}

#[test]
fn the_json_has_the_keys_metrics_units_and_fields_of_the_reference() {
    let theirs = recorded_json("chat_streaming/profile_export_aiperf.json");
    let mut report = runs::clean_run();
    report.telemetry_data = Some(json!({}));
    let (_dir, paths, _) = write(&report);
    let ours = read_json(&paths.summary_json());
    assert_eq!(fixed_part(&ours), fixed_part(&theirs));
    assert_eq!(metric_shapes(&ours), metric_shapes(&theirs));
    let order = |summary: &Value| summary["request_latency"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(order(&ours), [order(&theirs), OWN_FIELDS.map(ToOwned::to_owned).to_vec()].concat());
}

#[test]
fn the_json_of_a_run_with_failures_has_all_that_the_reference_has() {
    let theirs = recorded_json("errors_mixed/profile_export_aiperf.json");
    let (_dir, paths, _) = write(&runs::mixed_run());
    let ours = metric_shapes(&read_json(&paths.summary_json()));
    for (tag, (unit, _)) in metric_shapes(&theirs) {
        assert_eq!(ours.get(&tag).map(|(unit, _)| unit), Some(&unit), "{tag}");
    }
    let extra: Vec<_> = ours.keys().filter(|tag| theirs.get(tag).is_none()).collect();
    assert_eq!(extra, ["cancelled_request_count"]);
    let summary = read_json(&paths.summary_json());
    assert_eq!(summary["error_summary"][0]["count"], 2);
    assert_eq!(summary["error_summary"][0]["error_details"]["code"], 500);
    assert!(summary["adj_request_latency"].get("max").is_none(), "infinity has no place in JSON");
    assert!(summary["adj_request_latency"].get("p50").is_some());
}

#[test]
fn embeddings_have_the_metrics_of_the_reference_but_no_output_length() {
    let theirs = metric_shapes(&recorded_json("embeddings/profile_export_aiperf.json"));
    let context = MetricContext::new(EndpointKind::Embeddings, false);
    let (_dir, paths, _) = write(&runs::report(&(0..5).map(runs::embedded).collect::<Vec<_>>(), &context));
    let ours = metric_shapes(&read_json(&paths.summary_json()));
    let missing: Vec<_> = theirs.keys().filter(|tag| !ours.contains_key(*tag)).collect();
    assert_eq!(missing, [Metric::OutputSequenceLength.tag()]);
}

#[test]
fn the_csv_has_the_rows_of_the_reference() {
    let names = |text: &str| text.lines().map(|line| line.split(',').next().unwrap().to_owned()).collect::<Vec<_>>();
    let mut report = runs::clean_run();
    report.telemetry_data = Some(json!({}));
    let (_dir, paths, _) = write(&report);
    let ours = fs::read_to_string(paths.summary_csv()).unwrap();
    let theirs = recorded("chat_streaming/profile_export_aiperf.csv");
    let own = OWN.map(|metric| format!("{} ({})", metric.definition().header, metric.definition().shown.label()));
    let shared: Vec<_> = names(&ours).into_iter().filter(|name| !own.contains(name)).collect();
    assert_eq!(shared, names(&theirs));
    assert!(ours.split_inclusive('\n').all(|line| line.ends_with("\r\n")));
    let header = |text: &str| text.lines().next().unwrap().to_owned();
    assert!(header(&ours).starts_with(&format!("{},p99_9,p99_99,avg_ci_low,", header(&theirs))), "ours come last");
}

#[test]
fn the_files_of_a_clean_run_stay_as_approved() {
    let (_dir, paths, files) = write(&runs::clean_run());
    assert!(files.failed.is_empty());
    let labels: Vec<_> = files.written.iter().map(|file| file.label.as_str()).collect();
    assert_eq!(labels, ["CSV Export", "JSON Export", "Console Export"]);
    insta::assert_snapshot!("clean_json", with_few_metrics(&paths.summary_json()));
    insta::assert_snapshot!("clean_csv", fs::read_to_string(paths.summary_csv()).unwrap().replace("\r\n", "\n"));
}

#[test]
fn a_run_in_which_nothing_succeeded_still_writes_its_files() {
    let (_dir, paths, files) = write(&runs::failed_run());
    assert!(files.failed.is_empty());
    insta::assert_snapshot!("failed_json", fs::read_to_string(paths.summary_json()).unwrap());
    insta::assert_snapshot!("failed_csv", fs::read_to_string(paths.summary_csv()).unwrap().replace("\r\n", "\n"));
    assert!(paths.console().exists());
}

#[test]
fn a_warmup_gets_its_own_files_and_a_manifest_like_the_reference() {
    let mut report = runs::clean_run();
    let warmup: Vec<_> = (0..3).map(runs::streamed).collect();
    let warmup = runs::phase(PhaseKind::Warmup, 0, runs::summary(&warmup, &runs::streaming()));
    report.phases.insert(0, warmup.clone());
    report.warmup = Some(warmup);
    report.profiling.index = 1;
    let (_dir, paths, files) = write(&report);
    assert!(files.failed.is_empty());

    let ours = read_json(&paths.phase_manifest());
    let mut theirs = recorded_json("prefix_warmup/phase_manifest.json");
    for (our, their) in ours["phases"].as_array().unwrap().iter().zip(theirs["phases"].as_array_mut().unwrap()) {
        their.as_object_mut().unwrap().shift_remove("server_metrics_json");
        let keys = |phase: &Value| phase.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(keys(our), keys(their));
        for name in ["metrics_csv", "metrics_json"] {
            assert!(paths.dir().join(our[name].as_str().unwrap()).exists());
        }
    }
    assert_eq!(ours["phases"][0]["phase_kind"], "warmup");
    assert_eq!(ours["phases"][0]["successful_request_count"], 3);

    let summary = read_json(&paths.summary_json());
    assert_eq!(summary["warmup_metrics"]["request_count"]["avg"], 3.0);
    let of_warmup = read_json(&paths.dir().join(paths.phase_json("warmup")));
    assert_eq!(of_warmup["request_count"]["avg"], 3.0);
    assert!(of_warmup.get("warmup_metrics").is_none());
}

#[test]
fn a_saturated_client_and_hidden_waiting_are_in_the_summary() {
    let (_dir, paths, _) = write(&runs::stalled_run());
    let summary = read_json(&paths.summary_json());
    let ours = ["phase_accounting", "client_health", "validity"].map(|key| (key.to_owned(), summary[key].clone()));
    insta::assert_json_snapshot!("stalled_honesty", Value::Object(ours.into_iter().collect()));
    for tag in ["schedule_lag", "request_latency_from_due", "time_to_first_token_from_due"] {
        assert_eq!(summary[tag]["unit"], "ms");
        assert_eq!(summary[tag]["count"], 10);
    }
    assert!(summary["request_latency"]["p99"].as_f64().unwrap() < 150.0);
    assert!(summary["request_latency_from_due"]["p99"].as_f64().unwrap() > 3_000.0);
    let csv = fs::read_to_string(paths.summary_csv()).unwrap();
    assert!(csv.contains("Schedule Lag (ms),") && csv.contains("Request Latency from Due (ms),"));
}

#[test]
fn the_manifest_has_the_accounting_of_its_phases_where_it_is_known() {
    let mut report = runs::stalled_run();
    let warmup: Vec<_> = (0..3).map(runs::streamed).collect();
    let warmup = runs::phase(PhaseKind::Warmup, 0, runs::summary(&warmup, &runs::streaming()));
    report.phases.insert(0, warmup.clone());
    report.warmup = Some(warmup);
    let (_dir, paths, _) = write(&report);
    let phases = read_json(&paths.phase_manifest())["phases"].clone();
    assert!(phases[0].get("accounting").is_none());
    assert_eq!(phases[1]["accounting"]["arrivals_dropped"], 1);
}

#[test]
fn a_cancelled_run_says_so_everywhere() {
    let mut report = runs::clean_run();
    report.ending = RunEnding::INTERRUPTED;
    let (_dir, paths, _) = write(&report);
    let summary = read_json(&paths.summary_json());
    assert_eq!((&summary["was_cancelled"], &summary["is_complete"]), (&json!(true), &json!(false)));
    assert!(summary["incomplete_reason"].is_string());
    let marker = fs::read_to_string(paths.ready_marker()).unwrap();
    assert_eq!(marker, r#"{"ready":true,"was_cancelled":true,"partial":false}"#);
    assert!(fs::read_to_string(paths.console()).unwrap().contains("INCOMPLETE RESULTS"));
}

#[test]
fn a_run_that_was_given_up_counts_as_cancelled_and_says_why() {
    let mut report = runs::clean_run();
    report.ending = RunEnding::because(RunOutcome::Stopped(StopReason::FailedRequests), "6 of 10 requests failed");
    let (_dir, paths, _) = write(&report);
    let summary = read_json(&paths.summary_json());
    assert_eq!((&summary["was_cancelled"], &summary["is_complete"]), (&json!(true), &json!(false)));
    assert_eq!(summary["incomplete_reason"], "6 of 10 requests failed");
}

#[test]
#[cfg(unix)]
fn the_ready_marker_is_for_its_owner() {
    use std::os::unix::fs::PermissionsExt;
    let (_dir, paths, _) = write(&runs::clean_run());
    assert_eq!(fs::metadata(paths.ready_marker()).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_file_that_cannot_be_written_does_not_stop_the_others() {
    let dir = tempfile::tempdir().unwrap();
    let paths = ArtifactPaths::new(dir.path(), None);
    fs::create_dir(paths.summary_csv()).unwrap();
    let files = write_summary_files(&runs::clean_run(), &paths, ExtraFiles::default());
    assert_eq!(files.failed.len(), 1);
    assert!(files.failed[0].to_string().contains("profile_export_aiperf.csv"));
    assert!(paths.summary_json().exists() && paths.console().exists());
    assert_eq!(read_json(&paths.ready_marker())["partial"], true);
    let left_over = fs::read_dir(dir.path())
        .unwrap()
        .filter(|entry| entry.as_ref().is_ok_and(|entry| entry.file_name().to_string_lossy().ends_with(".part")));
    assert_eq!(left_over.count(), 0);
}
