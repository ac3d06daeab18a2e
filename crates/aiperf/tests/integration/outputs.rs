//! What is written: levels, prefixes, traces, and the files of a run with a warmup.

use rustix::process::Signal;
use serde_json::json;

use crate::support::{Program, by_request_id, sim, wait_for};

const FAST: &str = "ttft=1&itl=1&osl=3";

#[test]
fn a_summary_leaves_out_the_records() {
    let sim = sim(FAST);
    let artifacts = Program::against(&sim, "--request-count 2 --export-level summary").succeed();
    assert_eq!(
        artifacts.names(),
        [
            ".aiperf_results_ready.json",
            "aiperf_config.yaml",
            "inputs.json",
            "logs/aiperf.log",
            "profile_export_aiperf.csv",
            "profile_export_aiperf.json",
            "profile_export_console.txt",
        ]
    );
    assert_eq!(artifacts.average("request_count") as u32, 2);
}

#[test]
fn a_prefix_names_the_files() {
    let sim = sim(FAST);
    let program = Program::against(&sim, "--request-count 2 --export-level raw --profile-export-prefix mine.json");
    let artifacts = program.succeed();
    assert_eq!(
        artifacts.names(),
        [
            ".aiperf_results_ready.json",
            "aiperf_config.yaml",
            "inputs.json",
            "logs/aiperf.log",
            "mine.csv",
            "mine.json",
            "mine.jsonl",
            "mine_console.txt",
            "mine_raw.jsonl",
        ]
    );
    assert_eq!(artifacts.json("mine.json")["request_count"]["avg"], 2.0);
}

#[test]
fn raw_records_hold_what_was_sent_and_every_event_that_came() {
    let sim = sim(FAST);
    let artifacts = Program::against(&sim, "--request-count 3 --streaming --export-level raw").succeed();
    let truth = by_request_id(&sim);
    let raw = artifacts.raw_records();
    assert_eq!(raw.len(), 3);
    for record in raw {
        let truth = &truth[record.word("x_request_id")];
        assert_eq!(record.0["status"], 200);
        assert_eq!(record.0["payload"].to_string(), *truth.body.as_deref().unwrap());
        let responses = record.0["responses"].as_array().unwrap();
        let data: Vec<&str> = responses.iter().map(|r| r["packets"][0]["value"].as_str().unwrap()).collect();
        assert_eq!(data.last(), Some(&"[DONE]"));
        let content = data.iter().filter(|data| data.contains(r#""content":"#) && !data.contains("role")).count();
        assert_eq!(content, truth.chunks.len(), "{data:?}");
        assert_eq!(record.0["request_headers"]["X-Request-ID"], record.word("x_request_id"));
        for (name, value) in &truth.headers {
            let sent = &record.0["request_headers"];
            let same = sent.as_object().unwrap().iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
            if let Some((_, shown)) = same.filter(|(_, shown)| *shown != "<redacted>") {
                assert_eq!(shown, value, "{name}");
            }
        }
    }
}

#[test]
fn raw_records_hold_a_reply_in_one_piece_as_text() {
    let sim = sim(FAST);
    let artifacts = Program::against(&sim, "--request-count 1 --export-level raw").succeed();
    let raw = &artifacts.raw_records()[0].0;
    assert_eq!(raw["responses"][0]["content_type"], "application/json");
    let text = raw["responses"][0]["text"].as_str().unwrap();
    assert!(serde_json::from_str::<serde_json::Value>(text).unwrap()["choices"].is_array());
}

#[test]
fn an_http_trace_is_in_order_and_knows_the_connection() {
    let sim = sim(FAST);
    let artifacts = Program::against(&sim, "--request-count 3 --streaming --export-http-trace").succeed();
    let truth = by_request_id(&sim);
    for record in artifacts.records() {
        let trace = &record.0["trace_data"];
        let at = |name: &str| trace[name].as_u64().unwrap_or_else(|| panic!("no {name} in {trace}"));
        let stages = [
            record.number("request_start_ns"),
            at("request_send_start_ns"),
            at("request_send_end_ns"),
            at("response_headers_received_ns"),
            at("response_receive_start_ns"),
            at("response_receive_end_ns"),
            record.number("request_end_ns"),
        ];
        assert!(stages.is_sorted(), "{trace}");
        assert_eq!(trace["response_status_code"], 200);
        assert_eq!(at("remote_port"), u64::from(sim.addr().port()));
        let truth = &truth[record.word("x_request_id")];
        assert_eq!(at("request_bytes_total"), truth.body.as_ref().unwrap().len() as u64);
        // A first request on a connection had to make it, later ones found it there.
        let first = truth.connection_request == 0;
        assert_eq!(trace.get("tcp_connect_start_ns").is_some_and(|at| !at.is_null()), first, "{trace}");
        assert_eq!(trace.get("connection_reused_ns").is_some_and(|at| !at.is_null()), !first, "{trace}");
    }
}

#[test]
fn progress_goes_to_stderr_and_the_tables_to_stdout() {
    let sim = sim("ttft=0&itl=0&osl=2&stall_every=3&stall_ms=600000");
    let running = Program::against(&sim, "--request-count 9 --ui simple --log-level error --streaming").start();
    wait_for("a line on the progress", || running.stderr().contains("Profiling").then_some(()));
    running.signal(Signal::INT);
    let ended = running.end();
    assert!(ended.stderr.contains("2/9"), "{}", ended.stderr);
    assert!(ended.stdout.contains("LLM Metrics") && !ended.stdout.contains("Profiling"), "{}", ended.stdout);
    assert!(!ended.stdout.contains('\u{1b}'), "colours in a file");
}

/// Scripts for AIPerf read its stdout until they find this line.
#[test]
fn the_start_of_profiling_is_announced_on_stdout_in_every_ui_mode() {
    let sim = sim("ttft=0&itl=0&osl=2");
    for ui in ["none", "simple"] {
        let words = format!("--request-count 2 --warmup-request-count 1 --ui {ui}");
        let ended = Program::against(&sim, &words).run();
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        assert_eq!(ended.stdout.matches("AIPerf System is PROFILING").count(), 1, "{}", ended.stdout);
        assert!(!ended.stderr.contains("AIPerf System is PROFILING"), "{}", ended.stderr);
        assert!(ended.artifacts.text("logs/aiperf.log").contains("AIPerf System is PROFILING"));
    }
}

#[test]
fn a_run_without_a_terminal_shows_signs_of_life_in_its_log() {
    let sim = sim("ttft=0&itl=0&osl=2&stall_every=3&stall_ms=600000&error_every=2");
    let running = Program::against(&sim, "--request-count 9 --streaming --stats-interval 0.1").start();
    let line = wait_for("a line on the progress", || {
        running
            .stderr()
            .lines()
            .find(|line| line.contains("Profiling: ") && line.contains(" 1 error,"))
            .map(str::to_owned)
    });
    for part in ["INFO", "of 9 requests (", "1 in flight", "req/s", "p50/p99 TTFT ", "latency "] {
        assert!(line.contains(part), "{part} is not in {line}");
    }
    running.signal(Signal::INT);
    running.end();
    let ended = Program::against(&sim, "--request-count 1 --stats-interval 0").run();
    assert!(!ended.stderr.contains("Profiling: "), "{}", ended.stderr);
}

#[test]
fn trace_timing_is_shown_when_asked_for() {
    let sim = sim(FAST);
    let artifacts = Program::against(&sim, "--request-count 2 --streaming --show-trace-timing").succeed();
    assert!(artifacts.text("profile_export_console.txt").contains("HTTP Trace Timing"));
    assert!(artifacts.average("http_req_waiting") > 0.0);
}

#[test]
fn the_log_file_holds_what_was_logged_and_more_when_asked() {
    let sim = sim(FAST);
    let quiet = Program::against(&sim, "--request-count 1 --log-level error").run();
    assert_eq!((quiet.code, quiet.stderr.as_str()), (Some(0), ""));
    let artifacts = Program::against(&sim, "--request-count 1 --endpoint-type embeddings --streaming").succeed();
    let log = artifacts.text("logs/aiperf.log");
    // A warning from before the file was there is in it too.
    assert!(log.contains(" - WARNING - --streaming") && log.contains("Phase profiling complete"), "{log}");
}

#[test]
fn goodput_counts_the_requests_that_were_good_enough() {
    let sim = sim("ttft=5&itl=1&osl=3&stall_every=2&stall_ms=700");
    let artifacts = Program::against(&sim, "--request-count 6 --streaming --goodput request_latency:600").succeed();
    // The true pauses are longer than the limit; how quick the others are depends on the machine, so ours is the yardstick.
    let good = artifacts.records().iter().filter(|record| record.metric("request_latency") <= 600.0).count();
    assert!(good <= 3);
    assert_eq!(artifacts.average("good_request_count") as usize, good);
    let share = artifacts.average("goodput") / artifacts.average("request_throughput");
    assert!((share - good as f64 / 6.0).abs() < 1e-9, "{share}");
    assert!(artifacts.text("profile_export_console.txt").contains("Goodput"));
}

#[test]
fn a_warmup_is_on_record_and_not_in_the_numbers() {
    let sim = sim(FAST);
    let artifacts =
        Program::against(&sim, "--request-count 5 --warmup-request-count 3 --concurrency 2 --streaming").succeed();
    assert_eq!(sim.truth().len(), 8);
    let records = artifacts.records();
    let phases: Vec<(&str, u64)> =
        records.iter().map(|record| (record.word("benchmark_phase"), record.number("session_num"))).collect();
    let expected = (0..3).map(|n| ("warmup", n)).chain((0..5).map(|n| ("profiling", n)));
    assert_eq!(phases, expected.collect::<Vec<_>>());
    let (warmup, profiling) = records.split_at(3);
    assert!(warmup.iter().all(|record| record.meta("profiling_index").is_null()));
    assert!(profiling.iter().all(|record| record.number("profiling_index") == 0));
    let last_warmup = warmup.iter().map(|record| record.number("request_end_ns")).max();
    assert!(profiling.iter().all(|record| Some(record.number("request_start_ns")) >= last_warmup));

    let summary = artifacts.summary();
    assert_eq!(summary["request_count"]["avg"], 5.0);
    assert_eq!(summary["warmup_metrics"]["request_count"]["avg"], 3.0);
    let manifest = artifacts.json("phase_manifest.json");
    let counts: Vec<_> = manifest["phases"].as_array().unwrap().iter().map(|p| &p["total_request_count"]).collect();
    assert_eq!(counts, [&json!(3), &json!(5)]);
    for phase in manifest["phases"].as_array().unwrap() {
        let own = artifacts.json(phase["metrics_json"].as_str().unwrap());
        assert_eq!(own["request_count"]["avg"].as_f64(), phase["successful_request_count"].as_f64());
        assert!(artifacts.text(phase["metrics_csv"].as_str().unwrap()).starts_with("Metric,avg"));
    }
    assert!(artifacts.names().contains(&"phases/warmup/profile_export_aiperf.json".to_owned()));
}
