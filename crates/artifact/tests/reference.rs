//! Recorded runs of the reference: their summaries made again from their records must say what the reference said.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the failure")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use aiperf_artifact::{Folder, RebuildOptions, check, check_file, rebuild};
use aiperf_clock::Nanos;
use serde_json::Value;

const VERSION: &str = "0.0.0";

/// Every recorded run, here and next to the metrics.
fn cases() -> Vec<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [here.join("tests/fixtures"), here.join("../metrics/tests/fixtures")];
    let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap());
    let mut cases: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect();
    cases.sort();
    cases
}

fn case(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// Makes all files again elsewhere; the summary, and the folder with the others.
fn again(case: &Path, asked: &RebuildOptions) -> (Value, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let folder = Folder::open(case).unwrap();
    let rebuilt = rebuild(&folder, asked, VERSION).unwrap();
    assert!(rebuilt.skipped.is_empty(), "{}: {:?}", case.display(), rebuilt.skipped);
    let files = rebuilt.write_to(&folder, dir.path());
    assert!(files.failed.is_empty(), "{:?}", files.failed);
    (json(&folder.names_in(dir.path()).summary_json()), dir)
}

/// Tags of all metrics that some profiling record has.
fn recorded_tags(case: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(Folder::open(case).unwrap().paths().records()).unwrap();
    let records = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let profiling = records.filter(|record| record["metadata"]["benchmark_phase"] == "profiling");
    profiling.flat_map(|record| record["metrics"].as_object().unwrap().keys().cloned().collect::<Vec<_>>()).collect()
}

/// How many numbers of a metric were compared: counts are equal, all others within 1e-9 of themselves.
fn compare(place: &str, theirs: &Value, ours: &Value) -> usize {
    assert_eq!(ours["unit"], theirs["unit"], "{place}");
    let mut compared = 0;
    for (field, expected) in theirs.as_object().unwrap().iter().filter(|(field, _)| *field != "unit") {
        let expected = expected.as_f64().unwrap();
        let value = ours[field].as_f64().unwrap_or_else(|| panic!("{place}.{field} is missing"));
        let room = if field == "count" { 0.0 } else { 1e-9 * expected.abs() };
        assert!((value - expected).abs() <= room, "{place}.{field} is {value}, recorded {expected}");
        compared += 1;
    }
    compared
}

#[test]
fn records_of_every_recorded_run_give_the_recorded_statistics() {
    let (mut runs, mut compared) = (0, 0);
    for case in cases() {
        let (ours, _dir) = again(&case, &RebuildOptions::default());
        let folder = Folder::open(&case).unwrap();
        if !folder.paths().summary_json().exists() {
            continue;
        }
        let theirs = json(&folder.paths().summary_json());
        let name = case.file_name().unwrap().to_string_lossy().into_owned();
        for tag in recorded_tags(&case) {
            assert!(theirs.get(&tag).is_some(), "{name}: {tag} was recorded but never summed up");
            compared += compare(&format!("{name}: {tag}"), &theirs[&tag], &ours[&tag]);
        }
        for count in ["request_count", "error_request_count", "completed_request_count", "good_request_count"] {
            assert_eq!(ours.get(count), theirs.get(count), "{name}: {count}");
        }
        // Metrics other than those of records are complete and have their units.
        for (tag, metric) in theirs.as_object().unwrap().iter().filter(|(_, value)| value.get("unit").is_some()) {
            assert_eq!(ours[tag]["unit"], metric["unit"], "{name}: {tag}");
        }
        runs += 1;
    }
    assert!(runs >= 36, "only {runs} runs");
    assert!(compared > 15_000, "only {compared} numbers compared");
}

#[test]
fn waits_before_sending_are_the_recorded_ones_but_for_its_rounding() {
    for case in cases() {
        let theirs = Folder::open(&case).unwrap().paths().summary_json();
        if !theirs.exists() {
            continue;
        }
        let (ours, _dir) = again(&case, &RebuildOptions::default());
        let theirs = json(&theirs);
        let (theirs, ours) = (&theirs["credit_to_start_latency"], &ours["credit_to_start_latency"]);
        assert_eq!(ours["count"], theirs["count"], "{}", case.display());
        for field in ["avg", "min", "max", "p1", "p50", "p99"] {
            let apart = (ours[field].as_f64().unwrap() - theirs[field].as_f64().unwrap()).abs();
            // Two instants, each in steps of 256 ns.
            assert!(apart < 512e-6, "{}: {field}: {apart} ms", case.display());
        }
    }
}

#[test]
fn files_of_every_recorded_run_are_of_their_schemas() {
    for case in cases() {
        let checked = check(&Folder::open(&case).unwrap(), VERSION).unwrap();
        let findings: Vec<String> = checked.findings.iter().map(ToString::to_string).collect();
        // Not all files were kept.
        let wrong: Vec<_> = findings.iter().filter(|finding| !finding.contains(": missing")).collect();
        assert!(wrong.is_empty() && checked.records > 0, "{}: {wrong:?}", case.display());
    }
}

#[test]
fn a_run_in_which_nothing_succeeded_can_be_summed_up() {
    for name in ["errors_all", "empty", "refused", "timeout"] {
        let (ours, _dir) = again(&case(name), &RebuildOptions::default());
        assert_eq!(ours["request_count"]["avg"], 0.0, "{name}");
        assert!(ours["error_request_count"]["avg"].as_f64().unwrap() > 0.0, "{name}");
        assert_eq!(ours["is_complete"], false);
        assert!(!ours["error_summary"].as_array().unwrap().is_empty());
    }
}

#[test]
fn recorded_slices_come_out_again() {
    let (_, dir) = again(&case("timeslices"), &RebuildOptions::default());
    let ours = json(&dir.path().join("profile_export_aiperf_timeslices.json"));
    let theirs = json(&case("timeslices").join("profile_export_aiperf_timeslices.json"));
    let (ours, theirs) = (ours["timeslices"].as_array().unwrap(), theirs["timeslices"].as_array().unwrap());
    assert_eq!(theirs.len(), 3);
    assert_eq!(ours.len(), 4, "the tail in which no request started is there, too");
    for (place, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
        let edge = |slice: &Value, key: &str| slice[key].as_u64().unwrap();
        // The reference rounds times to 256 ns.
        assert!(edge(ours, "start_ns").abs_diff(edge(theirs, "start_ns")) < 256);
        let metrics = theirs.as_object().unwrap().iter().filter(|(_, value)| value.get("unit").is_some());
        for (tag, metric) in metrics {
            if ["effective_", "active_", "tokens_in", "benchmark_"].iter().any(|start| tag.starts_with(start)) {
                let near = (ours[tag]["avg"].as_f64().unwrap() - metric["avg"].as_f64().unwrap()).abs();
                let room = 2e-3 * metric["max"].as_f64().or(metric["avg"].as_f64()).unwrap();
                assert!(near <= room, "{place}: {tag}.avg is {}, recorded {}", ours[tag]["avg"], metric["avg"]);
            } else {
                compare(&format!("{place}: {tag}"), metric, &ours[tag]);
            }
        }
    }
}

#[test]
fn other_objectives_slices_and_percentiles_can_be_asked_for() {
    let asked = RebuildOptions {
        goodput: Some(vec![("request_latency".to_owned(), 220.0)]),
        slice_duration: Some(Nanos::from_secs_f64(0.25)),
        percentiles: vec![50.0, 99.9],
        genai_perf: true,
        ..RebuildOptions::default()
    };
    let case = case("timeslices");
    let (ours, dir) = again(&case, &asked);
    let text = fs::read_to_string(case.join("profile_export.jsonl")).unwrap();
    let latencies = text.lines().map(|line| {
        serde_json::from_str::<Value>(line).unwrap()["metrics"]["request_latency"]["value"].as_f64().unwrap()
    });
    let mut latencies: Vec<f64> = latencies.collect();
    latencies.sort_by(f64::total_cmp);
    let good = latencies.iter().filter(|latency| **latency <= 220.0).count();
    assert!(good > 0 && good < latencies.len());
    assert_eq!(ours["good_request_count"]["avg"], good as f64);
    let rank = 0.999 * (latencies.len() - 1) as f64;
    let (low, high) = (latencies[rank as usize], latencies[rank as usize + 1]);
    let expected = low + (high - low) * (rank - rank.floor());
    assert!((ours["request_latency"]["p99.9"].as_f64().unwrap() - expected).abs() < 1e-9);
    let slices = json(&dir.path().join("profile_export_aiperf_timeslices.json"));
    assert!(slices["timeslices"].as_array().unwrap().len() >= 6);
    let csv = fs::read_to_string(dir.path().join("profile_export_aiperf.csv")).unwrap();
    assert!(csv.starts_with("Metric,avg,min,max,sum,p1,p5,p10,p25,p50,p75,p90,p95,p99,p50,p99.9,std,p99_9,"), "{csv}");
    assert_eq!(ours["request_latency"]["p99_9"], ours["request_latency"]["p99.9"]);
    assert_eq!(ours["steady_state"]["reached"], false);
    let old = json(&dir.path().join("profile_export_genai_perf.json"));
    assert_eq!(old["request_latency"]["p99"], ours["request_latency"]["p99"]);
    assert_eq!(old["request_goodput"]["avg"], ours["goodput"]["avg"]);
}

#[test]
fn recorded_runs_are_whole_and_consistent() {
    for name in ["timeslices", "raw_export", "outputs_json", "multiturn", "prefix_warmup", "cancellation"] {
        let checked = check(&Folder::open(&case(name)).unwrap(), VERSION).unwrap();
        let findings: Vec<String> = checked.findings.iter().map(ToString::to_string).collect();
        // These were not kept.
        let expected: &[&str] = if name == "multiturn" { &[] } else { &["inputs.json: missing"] };
        assert_eq!(findings, expected, "{name}");
        assert!(checked.records >= 4 && checked.files >= 5, "{name}: {checked:?}");
    }
}

#[test]
fn what_is_broken_is_named() {
    let broken = |change: &dyn Fn(&Path)| {
        let dir = tempfile::tempdir().unwrap();
        for entry in fs::read_dir(case("outputs_json")).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), dir.path().join(entry.file_name())).unwrap();
        }
        change(dir.path());
        let checked = check(&Folder::open(dir.path()).unwrap(), VERSION).unwrap();
        checked.findings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    let edit = |file: &'static str, from: &'static str, to: &'static str| {
        broken(&move |dir| {
            let text = fs::read_to_string(dir.join(file)).unwrap();
            assert!(text.contains(from), "{file} has no {from}");
            fs::write(dir.join(file), text.replacen(from, to, 1)).unwrap();
        })
    };
    let records = "profile_export.jsonl";
    let torn = broken(&|dir| {
        let text = fs::read_to_string(dir.join(records)).unwrap();
        fs::write(dir.join(records), &text[..text.len() - 40]).unwrap();
    });
    assert!(
        torn.contains("profile_export.jsonl:4: no JSON") && torn.contains("request_count.avg is 4, the records give 3"),
        "{torn}"
    );
    assert!(torn.contains("outputs.json: lacks 0 of the profiled requests, and has 1"), "{torn}");
    let found = edit(records, "\"was_cancelled\":false", "\"was_cancelled\":\"no\"");
    assert!(found.contains("profile_export.jsonl:1: does not match its schema at /metadata/was_cancelled"), "{found}");
    let found = edit("profile_export_aiperf.json", "\"is_complete\":true", "\"is_complete\":1");
    assert!(found.contains("profile_export_aiperf.json: does not match its schema at /is_complete"), "{found}");
    let found = edit("profile_export_aiperf.csv", "Request Count,4.00", "Request Count,5.00");
    assert!(found.contains("profile_export_aiperf.csv: Request Count: 5.00, the summary says 4.00"), "{found}");
    let found = broken(&|dir| fs::remove_file(dir.join(".aiperf_results_ready.json")).unwrap());
    assert!(found.contains(".aiperf_results_ready.json: missing"), "{found}");
    let found = broken(&|dir| fs::remove_file(dir.join("profile_export_aiperf.json")).unwrap());
    assert!(found.contains("profile_export_aiperf.json: missing; `aiperf report`"), "{found}");
    let found =
        broken(&|dir| fs::write(dir.join("profile_export_network_latency.jsonl"), "{\"success\":true}\n").unwrap());
    assert!(
        found.contains(
            "network_latency.jsonl:1: does not match its schema at the top level: \"timestamp_ns\" is missing"
        ),
        "{found}"
    );
    let found = broken(&|dir| fs::write(dir.join("inputs.json.part"), "{").unwrap());
    assert!(found.contains("inputs.json.part: a file that was not finished"), "{found}");
}

#[test]
fn a_folder_without_records_says_where_they_may_be() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("profile_runs/run_0001")).unwrap();
    fs::write(dir.path().join("profile_runs/run_0001/profile_export.jsonl"), "").unwrap();
    let refused = rebuild(&Folder::open(dir.path()).unwrap(), &RebuildOptions::default(), VERSION).unwrap_err();
    assert!(refused.to_string().contains("run_0001"), "{refused}");
}

/// What the reference says over several runs has the shapes that are published, and agrees with itself.
#[test]
fn recorded_aggregates_and_sweeps_are_whole() {
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("../experiment/tests/fixtures");
    let mut files = 0;
    for case in ["multirun", "sweep", "sweep_multirun"] {
        for name in ["profile_export_aiperf_aggregate.json", "profile_export_aiperf_sweep.json"] {
            let path = recorded.join(case).join(name);
            if !path.exists() {
                continue;
            }
            let checked = check_file(&path).unwrap().unwrap();
            // Not all of their tables were recorded.
            let is_table = |file: &str| Path::new(file).extension().is_some_and(|end| end == "csv");
            let wrong: Vec<_> = checked.findings.iter().filter(|found| !is_table(&found.file)).collect();
            assert!(wrong.is_empty(), "{case}/{name}: {wrong:?}");
            files += 1;
        }
    }
    assert_eq!(files, 5);
}
