//! A run that was killed and made whole by `aiperf report`, compared with one that ran to its end.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use rustix::process::Signal;
use serde_json::Value;

use crate::support::{Program, sim, wait_for};

const SERVER: &str = "ttft=2&itl=1&osl=4&reasoning=1&error_every=9";
const WORDS: &str =
    "--request-count 400 --concurrency 1 --streaming --osl 6 --osl-stddev 2 --isl-stddev 5 --random-seed 11";

/// Metrics that follow from what was asked and answered, whenever that was.
const TIMELESS: [&str; 8] = [
    "input_sequence_length",
    "output_sequence_length",
    "output_token_count",
    "reasoning_token_count",
    "osl_mismatch_diff_pct",
    "usage_completion_tokens",
    "http_req_chunks_sent",
    "error_isl",
];

fn report(folder: &Path) -> Value {
    let reported = Program::new("report").word(folder).run();
    assert_eq!(reported.code, Some(0), "{}{}", reported.stdout, reported.stderr);
    serde_json::from_slice(&fs::read(folder.join("profile_export_aiperf.json")).unwrap()).unwrap()
}

fn records(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("profile_export.jsonl")).unwrap();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn number(record: &Value) -> u64 {
    record["metadata"]["session_num"].as_u64().unwrap()
}

/// Metrics with all their statistics, which are those of records.
fn with_statistics(summary: &Value) -> impl Iterator<Item = (&String, &Value)> {
    summary.as_object().unwrap().iter().filter(|(_, value)| value.get("unit").is_some() && value.get("p99").is_some())
}

#[test]
fn a_killed_run_made_whole_says_what_its_twin_says_of_those_records() {
    let first = sim(SERVER);
    let running = Program::against(&first, WORDS).start();
    let killed = running.out();
    let enough = || fs::read(killed.join("profile_export.jsonl")).is_ok_and(|b| b.split(|b| *b == b'\n').count() > 40);
    wait_for("40 records on disk", || enough().then_some(()));
    running.signal(Signal::KILL);
    let ended = running.end();
    assert_eq!(ended.code, None, "killed");
    let rebuilt = report(&killed);
    let seen: BTreeSet<u64> = records(&killed).iter().map(number).collect();
    assert!(seen.len() >= 40 && seen.len() < 400, "{}", seen.len());

    // The twin: same seed, same server, to its end. What it says of those records is what its own records of them give.
    let second = sim(SERVER);
    let twin = Program::against(&second, WORDS).succeed();
    let of_those: Vec<Value> =
        records(&twin.path("")).into_iter().filter(|record| seen.contains(&number(record))).collect();
    assert_eq!(of_those.len(), seen.len());
    let folder = tempfile::tempdir().unwrap();
    let lines: String = of_those.iter().flat_map(|record| [record.to_string(), "\n".to_owned()]).collect();
    fs::write(folder.path().join("profile_export.jsonl"), lines).unwrap();
    let said = report(folder.path());
    for tag in TIMELESS {
        assert_eq!(rebuilt[tag], said[tag], "{tag}");
        assert!(rebuilt[tag]["count"].as_u64().unwrap() > 0, "{tag}");
    }
    for tag in ["request_count", "error_request_count", "completed_request_count", "request_error_rate", "total_isl"] {
        assert_eq!(rebuilt[tag], said[tag], "{tag}");
    }
    let tags = |summary: &Value| with_statistics(summary).map(|(tag, _)| tag.clone()).collect::<BTreeSet<_>>();
    assert_eq!(tags(&rebuilt), tags(&said));
}

#[test]
fn records_without_their_summary_say_what_the_run_itself_said() {
    let sim = sim(SERVER);
    let words = WORDS.replace("400", "60");
    let whole = Program::against(&sim, &words).succeed();
    let said = whole.summary();
    // As a run leaves them that was killed when its last record was written.
    let folder = tempfile::tempdir().unwrap();
    fs::copy(whole.path("profile_export.jsonl"), folder.path().join("profile_export.jsonl")).unwrap();
    let rebuilt = report(folder.path());
    let mut compared = 0;
    for (tag, metric) in with_statistics(&said) {
        let is_curve = metric.get("count").is_none();
        if is_curve {
            // Over the window of the phase, of which records know only what they fill.
            assert!(rebuilt[tag]["max"].is_number(), "{tag}");
            continue;
        }
        assert_eq!(&rebuilt[tag], metric, "{tag}");
        compared += 1;
    }
    assert!(compared > 30, "{compared}");
    for tag in ["request_count", "error_request_count", "completed_request_count", "benchmark_duration", "total_osl"] {
        assert_eq!(rebuilt[tag], said[tag], "{tag}");
    }
    assert_eq!(rebuilt["error_summary"], said["error_summary"]);
}
