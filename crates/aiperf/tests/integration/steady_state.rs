//! Intervals and the steady state of real runs.

use std::thread;

use serde_json::Value;

use crate::support::{Artifacts, Program, sim};

/// Four places for eight sessions: a request waits as long as it is served, but not while the load is still small.
const QUEUE: &str = "ttft=gamma:40,4&itl=0&osl=1&batch=4";

fn run(words: &'static str) -> Artifacts {
    let sim = sim(QUEUE);
    Program::against(&sim, "--streaming --concurrency 8 --request-count 800 --random-seed 7").with(words).succeed()
}

fn steady(summary: &Value, tag: &str) -> (f64, f64) {
    let interval = &summary["steady_state"]["metrics"][tag]["steady"]["ci"]["avg"];
    (interval[0].as_f64().unwrap(), interval[1].as_f64().unwrap())
}

#[test]
fn a_ramped_run_has_the_steady_numbers_of_one_without_a_ramp() {
    // A machine that is busy with something else for a while is not steady, and says so rightly.
    let attempts: Vec<String> = (0..3).map_while(|_| compare_ramped().err()).collect();
    assert!(attempts.len() < 3, "{attempts:#?}");
}

fn compare_ramped() -> Result<(), String> {
    let ramped = thread::spawn(|| run("--concurrency-ramp-duration 2.5"));
    let unramped = run("").summary();
    let ramped = ramped.join().unwrap().summary();
    for summary in [&ramped, &unramped] {
        if summary["steady_state"]["reached"] != true {
            return Err(summary["steady_state"].to_string());
        }
    }
    for tag in ["time_to_first_token", "request_latency", "request_throughput"] {
        let (one, other) = (steady(&ramped, tag), steady(&unramped, tag));
        if one.0 > other.1 || other.0 > one.1 {
            return Err(format!("{tag}: {one:?} and {other:?}"));
        }
    }
    // Until then there are too few in flight for a queue.
    let from = ramped["steady_state"]["start_offset_s"].as_f64().unwrap();
    if from > 2.0 { Ok(()) } else { Err(format!("steady from {from} s")) }
}

#[test]
fn a_run_that_falls_behind_more_and_more_has_no_steady_state() {
    let sim = sim("ttft=15&itl=0&osl=1&batch=1");
    let words = "--streaming --request-rate 100 --arrival-pattern constant --request-count 300";
    let artifacts = Program::against(&sim, words).succeed();
    let steady = &artifacts.summary()["steady_state"];
    assert_eq!(steady["reached"], false, "{steady}");
    let reason = steady["reason"].as_str().unwrap();
    let console = artifacts.text("profile_export_console.txt");
    // Its ramp-up may have no end, and then nothing is left to assess.
    let said = ["No steady state was reached: ", "Steady state not assessed: "];
    assert!(said.iter().any(|words| console.contains(&format!("{words}{reason}"))), "{reason}: {console}");
}

#[test]
fn intervals_stand_beside_the_numbers_at_the_level_that_was_asked_for() {
    let sim = sim("ttft=gamma:20,4&itl=0&osl=1");
    let at = |level: &str| {
        let words = format!("--streaming --concurrency 8 --request-count 400 --confidence-level {level}");
        Program::against(&sim, &words).succeed()
    };
    let (narrow, wide) = (at("0.8"), at("0.99"));
    let interval = |artifacts: &Artifacts, stat: &str| {
        let ci = artifacts.summary()["request_latency"]["ci"].clone();
        (ci[stat][0].as_f64().unwrap(), ci[stat][1].as_f64().unwrap())
    };
    for (artifacts, level) in [(&narrow, 0.8), (&wide, 0.99)] {
        let metric = artifacts.summary()["request_latency"].clone();
        assert_eq!(metric["ci"]["level"], level);
        for stat in ["avg", "p50", "p90"] {
            let (low, high) = interval(artifacts, stat);
            let value = artifacts.stat("request_latency", stat);
            assert!(low <= value && value <= high, "{stat}: {value} in {low} to {high}");
        }
        let unsupported = metric["ci"]["unsupported"].as_array().unwrap();
        assert!(unsupported.contains(&"p99_99".into()) && !unsupported.contains(&"p50".into()), "{metric}");
        assert!(metric["p99_9"].is_number() && metric["p99_99"].is_number());
    }
    let width = |(low, high): (f64, f64)| high - low;
    assert!(width(interval(&wide, "p50")) > width(interval(&narrow, "p50")));
    let csv = narrow.text("profile_export_aiperf.csv");
    assert!(csv.contains(",std,p99_9,p99_99,avg_ci_low,avg_ci_high,p1_ci_low,"), "{csv}");
    assert!(csv.contains("Metric,Value,ci_low,ci_high"), "{csv}");
    assert!(narrow.text("profile_export_console.txt").contains('±'));
}

#[test]
fn eighty_columns_leave_the_names_of_metrics_whole() {
    let sim = sim("ttft=20&itl=0&osl=2");
    let words = "--streaming --concurrency 4 --request-count 400";
    let ended = Program::against(&sim, words).env("AIPERF_UI_CONSOLE_EXPORT_WIDTH", "80").run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let tables = ended.stdout.lines().take_while(|line| !line.starts_with("CLI Command"));
    for line in tables.clone().filter(|line| line.starts_with('│')) {
        assert!(line.chars().count() <= 80, "{line}");
    }
    // Also of the steady state, unless a busy machine had none.
    let whole = tables.filter(|line| line.contains(" Request Throughput (requests/sec) │")).count();
    assert_eq!(whole, if ended.stdout.contains("avg (steady)") { 2 } else { 1 }, "{}", ended.stdout);
}
