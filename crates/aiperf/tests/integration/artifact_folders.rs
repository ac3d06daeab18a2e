//! Artifact folders after the run: all files that can be asked for, `aiperf validate` on them, and `aiperf report` on the
//! records of runs that ended and of one that was killed.

use std::fs;
use std::path::Path;

use rustix::process::Signal;
use serde_json::Value;

use crate::support::{Ended, Program, sim, wait_for};

const EVERYTHING: &str = "--streaming --osl 4 --warmup-request-count 2 --export-level raw --slice-duration 0.05 \
                          --export-outputs-json --export-records-parquet --export-genai-perf --goodput request_latency:10000";

fn on(command: &str, folder: &Path, words: &str) -> Ended {
    Program::new(command).word(folder).with(words).run()
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Every metric that is written for a request, as its values in order of size.
fn recorded(records: &[Value]) -> Vec<(String, Vec<f64>)> {
    let mut metrics: Vec<(String, Vec<f64>)> = Vec::new();
    for record in records {
        for (tag, metric) in record["metrics"].as_object().unwrap() {
            let values = match &metric["value"] {
                Value::Array(values) => values.iter().map(|value| value.as_f64().unwrap()).collect(),
                value => vec![value.as_f64().unwrap()],
            };
            match metrics.iter_mut().find(|(known, _)| known == tag) {
                Some((_, known)) => known.extend(values),
                None => metrics.push((tag.clone(), values)),
            }
        }
    }
    for (_, values) in &mut metrics {
        values.sort_by(f64::total_cmp);
    }
    metrics
}

/// Holds a summary against the records, by the plainest arithmetic.
fn assert_summed_up(summary: &Value, records: &[Value]) {
    let metrics = recorded(records);
    assert!(metrics.len() > 20, "{}", metrics.len());
    for (tag, values) in metrics {
        if tag == "good_request_count" {
            continue;
        }
        let metric = &summary[&tag];
        let stat = |name: &str| metric[name].as_f64().unwrap_or_else(|| panic!("no {name} of {tag}"));
        assert_eq!(metric["count"].as_u64(), Some(values.len() as u64), "{tag}");
        let sum: f64 = values.iter().sum();
        let rank = 0.9 * (values.len() - 1) as f64;
        let (low, high) = (values[rank as usize], values[(rank.ceil() as usize).min(values.len() - 1)]);
        let expected = [
            ("sum", sum),
            ("avg", sum / values.len() as f64),
            ("min", values[0]),
            ("max", values[values.len() - 1]),
            ("p90", low + (high - low) * (rank - rank.floor())),
        ];
        for (name, expected) in expected {
            let room = 1e-9 * expected.abs().max(stat("max").abs());
            assert!((stat(name) - expected).abs() <= room, "{tag}.{name}: {} for {expected}", stat(name));
        }
    }
}

#[test]
fn all_files_of_a_run_are_whole_and_agree() {
    let sim = sim("ttft=5&itl=1&osl=4&error_every=5");
    let ended = Program::against(&sim, "--request-count 12").with(EVERYTHING).run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let artifacts = &ended.artifacts;
    for name in [
        "outputs.json",
        "phase_manifest.json",
        "phases/warmup/profile_export_aiperf.json",
        "profile_export.parquet",
        "profile_export_aiperf_timeslices.csv",
        "profile_export_aiperf_timeslices.json",
        "profile_export_genai_perf.csv",
        "profile_export_genai_perf.json",
    ] {
        assert!(artifacts.names().iter().any(|known| known == name), "no {name} in {:?}", artifacts.names());
    }
    assert!(!artifacts.names().contains(&".aiperf_run.json".to_owned()), "what a killed run is known by");
    let texts = artifacts.json("outputs.json");
    let texts = texts["data"].as_array().unwrap();
    assert_eq!(texts.len(), 12, "warmup is left out, failures are there");
    let failed =
        texts.iter().filter(|text| text["response_text"].is_null() && text["metrics"] == serde_json::json!({}));
    assert_eq!(failed.count() as u64, artifacts.average("error_request_count") as u64);
    let checked = on("validate", &artifacts.path(""), "");
    assert_eq!(checked.code, Some(0), "{}{}", checked.stdout, checked.stderr);
    assert!(
        checked.stdout.contains("14 records, ") && checked.stdout.contains("complete and consistent"),
        "{}",
        checked.stdout
    );
}

#[test]
fn records_alone_give_the_summary_of_the_run() {
    let sim = sim("ttft=5&itl=1&osl=4&error_every=5&reasoning=1");
    let ended = Program::against(&sim, "--request-count 12 --request-rate 200").with(EVERYTHING).run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let run = ended.artifacts.path("");
    let again = tempfile::tempdir().unwrap();
    let out = again.path().join("again");
    let reported = on("report", &run, &format!("--output-dir {}", out.display()));
    assert_eq!(reported.code, Some(0), "{}{}", reported.stdout, reported.stderr);
    let (before, after) =
        (json(&run.join("profile_export_aiperf.json")), json(&out.join("profile_export_aiperf.json")));
    let without_note = |mut summary: Value| {
        summary.as_object_mut().unwrap().remove("rebuilt");
        summary
    };
    // To the last digit, and with all that records do not know carried over.
    let (before, after) = (without_note(before), without_note(after));
    for (key, value) in before.as_object().unwrap() {
        assert_eq!(after.get(key), Some(value), "{key}");
    }
    assert_eq!(after.as_object().unwrap().len(), before.as_object().unwrap().len());
    for file in
        ["profile_export_aiperf.csv", "profile_export_aiperf_timeslices.json", "profile_export_aiperf_timeslices.csv"]
    {
        assert_eq!(fs::read_to_string(run.join(file)).unwrap(), fs::read_to_string(out.join(file)).unwrap(), "{file}");
    }
    assert!(out.join("profile_export_console.txt").exists());
}

#[test]
fn a_killed_run_is_summed_up_from_what_it_wrote() {
    let sim = sim("ttft=2&itl=1&osl=4");
    let running = Program::against(&sim, "--request-count 100000 --concurrency 4 --streaming --osl 4").start();
    let out = running.out();
    let records = out.join("profile_export.jsonl");
    let enough = || fs::read(&records).is_ok_and(|bytes| bytes.split(|byte| *byte == b'\n').count() > 50);
    wait_for("50 records on disk", || enough().then_some(()));
    running.signal(Signal::KILL);
    let ended = running.end();
    assert_eq!(ended.code, None, "killed");
    assert!(!out.join("profile_export_aiperf.json").exists());
    // A line that was under way.
    let mut bytes = fs::read(&records).unwrap();
    bytes.extend_from_slice(b"{\"metadata\":{\"session_num\":");
    fs::write(&records, bytes).unwrap();
    let seen = lines(&records);

    let checked = on("validate", &out, "");
    assert_eq!(checked.code, Some(1));
    assert!(checked.stdout.contains("the run did not reach its end"), "{}", checked.stdout);

    let reported = on("report", &out, "");
    assert_eq!(reported.code, Some(0), "{}{}", reported.stdout, reported.stderr);
    assert!(reported.stderr.contains("the last line is not whole"), "{}", reported.stderr);
    let summary = json(&out.join("profile_export_aiperf.json"));
    assert_eq!(summary["is_complete"], false);
    assert_eq!(summary["request_count"]["avg"], seen.len() as f64);
    assert_eq!(summary["input_config"]["endpoint"]["streaming"], true, "from the note that the run left");
    let command = summary["run_info"]["cli_command"].as_str().unwrap();
    assert!(command.contains("--concurrency 4") && command.contains(" --random-seed "), "{command}");
    assert_summed_up(&summary, &seen);

    // The same run, not killed, gives the same numbers from the same records.
    let twin = tempfile::tempdir().unwrap();
    let whole: String = seen.iter().flat_map(|record| [record.to_string(), "\n".to_owned()]).collect();
    fs::write(twin.path().join("profile_export.jsonl"), whole).unwrap();
    fs::copy(out.join("profile_export_aiperf.json"), twin.path().join("profile_export_aiperf.json")).unwrap();
    assert_eq!(on("report", twin.path(), "").code, Some(0));
    let said = json(&twin.path().join("profile_export_aiperf.json"));
    for (tag, metric) in summary.as_object().unwrap().iter().filter(|(_, value)| value.get("unit").is_some()) {
        assert_eq!(said.get(tag), Some(metric), "{tag}");
    }
}

#[test]
fn a_report_takes_other_objectives_slices_and_percentiles() {
    let sim = sim("ttft=5&itl=1&osl=4&stall_every=2&stall_ms=300");
    let ended = Program::against(&sim, "--request-count 6 --streaming --osl 4").run();
    let run = ended.artifacts.path("");
    let asked = "--goodput request_latency:200 --slice-duration 0.1 --percentiles 99.9,99.99";
    let reported = on("report", &run, asked);
    assert_eq!(reported.code, Some(0), "{}", reported.stderr);
    let summary = json(&run.join("profile_export_aiperf.json"));
    let good = lines(&run.join("profile_export.jsonl"))
        .iter()
        .filter(|record| record["metrics"]["request_latency"]["value"].as_f64().unwrap() <= 200.0)
        .count();
    assert_eq!(summary["good_request_count"]["avg"], good as f64);
    assert!(summary["request_latency"]["p99.99"].as_f64().unwrap() > 300.0);
    assert!(run.join("profile_export_aiperf_timeslices.json").exists());
    on("report", &run, "--goodput no_such:1").was_refused_with(&["no_such"]);
    on("report", &run, "--percentiles 101").was_refused_with(&["--percentiles", "101"]);
    on("report", &run.join("logs"), "").was_refused_with(&["no records"]);
}

#[test]
fn texts_and_the_summary_cannot_have_one_name() {
    Program::profile("--url sim: --export-outputs-json --profile-export-prefix outputs")
        .run()
        .was_refused_with(&["--export-outputs-json", "--profile-export-prefix"]);
    Program::profile("--url sim: --export-records-parquet --export-level summary")
        .run()
        .was_refused_with(&["--export-records-parquet", "--export-level"]);
}
