//! The metrics pages of servers: what was scraped during a run is compared with what the simulator knows to have happened.

use aiperf_clock::Mono;
use aiperf_sim::{Sim, WindowTruth};
use serde_json::Value;

use crate::support::{Artifacts, Ended, Program, TestReply, TestServer, sim};

/// `aiperf profile` as a user types it: server metrics are collected unless they are switched off.
fn scraping(sim: &Sim, words: &str) -> Ended {
    let ended = Program::new("profile --artifact-dir out --model test-model --tokenizer builtin --isl 20 --streaming")
        .with(&format!("--url {}", sim.url()))
        .with(words)
        .run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    ended
}

fn export(artifacts: &Artifacts) -> Value {
    artifacts.json("server_metrics_export.json")
}

/// What was true in the profiling phase.
fn truth(sim: &Sim, export: &Value) -> WindowTruth {
    let range = &export["summary"]["phase_time_ranges"]["profiling"];
    let offset = sim.wall_anchor().epoch(Mono::from_nanos(0)).0;
    let at = |name: &str| Mono::from_nanos(range[name].as_u64().unwrap() - offset);
    sim.window(at("start_ns"), at("end_ns"))
}

fn statistic(export: &Value, metric: &str, name: &str) -> f64 {
    let series = &export["metrics"][metric]["series"][0];
    series["stats"][name].as_f64().unwrap_or_else(|| panic!("no {name} of {metric} in {series}"))
}

/// The longest time of the phase without a scrape, as a share of the phase: a gauge may be off by as much.
fn largest_gap(artifacts: &Artifacts, truth: &WindowTruth) -> f64 {
    let mut times: Vec<u64> = artifacts
        .lines("server_metrics_export.jsonl")
        .iter()
        .map(|line| line["timestamp_ns"].as_u64().unwrap())
        .filter(|at| (truth.start_epoch_ns..=truth.end_epoch_ns).contains(at))
        .collect();
    times.insert(0, truth.start_epoch_ns);
    times.push(truth.end_epoch_ns);
    let gap = times.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap();
    gap as f64 / (truth.end_epoch_ns - truth.start_epoch_ns) as f64
}

fn check_against_truth(seconds: u32) {
    let sim = sim("ttft=20&itl=5");
    let words = format!("--osl 40 --concurrency 4 --benchmark-duration {seconds} --warmup-request-count 3");
    let ended = scraping(&sim, &format!("{words} --server-metrics-formats json jsonl"));
    let export = export(&ended.artifacts);
    let truth = truth(&sim, &export);
    assert!(truth.complete, "{truth:?}");
    let duration = (truth.end_epoch_ns - truth.start_epoch_ns) as f64 / 1e9;
    for (metric, total) in
        [("vllm:generation_tokens", truth.generation_tokens), ("vllm:prompt_tokens", truth.prompt_tokens as f64)]
    {
        let (scraped, rate) = (statistic(&export, metric, "total"), statistic(&export, metric, "rate"));
        assert!((scraped / total - 1.0).abs() < 0.005, "{metric}: {scraped} scraped, {total} in truth");
        assert!((rate / (total / duration) - 1.0).abs() < 0.005, "{metric}: {rate} per second");
    }
    let running = statistic(&export, "vllm:num_requests_running", "avg");
    let allowed = 0.02_f64.max(2.0 * largest_gap(&ended.artifacts, &truth));
    assert!((running / truth.running.mean - 1.0).abs() < allowed, "{running} running, {:?}", truth.running);
    assert!(!ended.artifacts.notes().iter().any(|note| note.starts_with("server_")), "{:?}", ended.artifacts.notes());
}

#[test]
fn rates_and_gauges_of_two_seconds_are_true() {
    check_against_truth(2);
}

#[test]
#[ignore = "takes 80 seconds"]
fn rates_and_gauges_of_longer_runs_are_true() {
    check_against_truth(20);
    check_against_truth(60);
}

#[test]
fn all_files_and_the_headline_rows_are_written() {
    let sim = sim("ttft=5&itl=1");
    let words = "--osl 8 --concurrency 2 --request-count 12 --server-metrics-formats json csv jsonl parquet --slice-duration 0.05";
    let ended = scraping(&sim, words);
    for file in ["json", "csv", "jsonl", "parquet"] {
        assert!(ended.artifacts.path(&format!("server_metrics_export.{file}")).exists(), "{file}");
    }
    let export = export(&ended.artifacts);
    assert!((statistic(&export, "vllm:generation_tokens", "total") - 96.0).abs() < 1e-9);
    assert!((statistic(&export, "vllm:time_to_first_token_seconds", "count") - 12.0).abs() < 1e-9);
    let slices = export["metrics"]["vllm:generation_tokens"]["series"][0]["timeslices"].as_array().unwrap();
    let sum: f64 = slices.iter().map(|slice| slice["total"].as_f64().unwrap()).sum();
    assert!((sum - 96.0).abs() < 1e-6, "{sum}");
    let engine = &ended.artifacts.summary()["server_metrics"]["engines"][0];
    assert_eq!(
        (engine["engine"].as_str(), &engine["metrics"]["generation_tokens"]["total"]),
        (Some("vLLM"), &96.0.into())
    );
    assert!(
        ended.stdout.contains("Server Metrics: vLLM") && ended.stdout.contains("KV Cache Usage"),
        "{}",
        ended.stdout
    );
    assert!(ended.stdout.contains("Time to first token: the client saw"), "{}", ended.stdout);
    let csv = ended.artifacts.text("server_metrics_export.csv");
    assert!(csv.contains("counter,vllm:generation_tokens,tokens,96.0000,"), "{csv}");
    assert!(csv.contains("vllm:cache_config_info,block_size,16,"), "{csv}");
}

#[test]
fn nothing_is_scraped_if_nobody_wants_it() {
    let sim = sim("ttft=0&itl=0");
    let ended = scraping(&sim, "--osl 2 --request-count 3 --no-server-metrics");
    assert!(!ended.artifacts.path("server_metrics_export.json").exists());
    assert_eq!(ended.artifacts.summary()["input_config"]["server_metrics"]["enabled"], false);
}

#[test]
fn a_server_without_a_page_is_no_problem_unless_the_page_is_required() {
    let sim = sim("ttft=0&itl=0");
    let server = TestServer::start(|_, _| TestReply::new("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"));
    let words = format!("--osl 2 --request-count 3 --server-metrics {}", server.url());
    let ended = scraping(&sim, &words);
    assert!(ended.stderr.contains("No server metrics from") && ended.stderr.contains("404"), "{}", ended.stderr);
    let named = &export(&ended.artifacts)["summary"];
    assert_eq!(named["endpoints_configured"].as_array().unwrap().len(), 2);
    assert_eq!(named["endpoints_successful"].as_array().unwrap().len(), 1);
    let refused = Program::new("profile --artifact-dir out --model m --tokenizer builtin --request-count 3")
        .with(&format!("--url {} --server-metrics {} --server-metrics-required", sim.url(), server.url()))
        .run();
    assert_eq!(refused.code, Some(1), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("--server-metrics-required") && refused.stderr.contains("404"),
        "{}",
        refused.stderr
    );
    assert_eq!(sim.truth().len(), 3, "the second run did not send anything");
}

#[test]
fn keys_go_to_the_servers_only() {
    let sim = sim("ttft=0&itl=0");
    let other = TestServer::start(|_, _| {
        TestReply::new("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\na 1\n")
    });
    let words = format!("--osl 2 --request-count 3 --api-key sk-secret --server-metrics {}", other.url());
    scraping(&sim, &words);
    let received = other.received();
    assert!(!received.is_empty() && received.iter().all(|request| request.header("authorization").is_none()));
}
