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

/// The mean of a gauge over the phase, weighted by time, from the file of all scrapes.
fn mean_of_scrapes(artifacts: &Artifacts, metric: &str, truth: &WindowTruth) -> f64 {
    let scrapes: Vec<(u64, f64)> = artifacts
        .lines("server_metrics_export.jsonl")
        .iter()
        .map(|line| (line["timestamp_ns"].as_u64().unwrap(), line["metrics"][metric][0]["value"].as_f64().unwrap()))
        .collect();
    let (start, end) = (truth.start_epoch_ns, truth.end_epoch_ns);
    let until = scrapes.iter().skip(1).map(|(at, _)| *at).chain([u64::MAX]);
    let held = scrapes.iter().zip(until).map(|((at, value), until)| {
        let nanos = until.min(end).saturating_sub((*at).max(start));
        value * nanos as f64
    });
    held.sum::<f64>() / (end - start) as f64
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
    let of_scrapes = mean_of_scrapes(&ended.artifacts, "vllm:num_requests_running", &truth);
    assert!((running / of_scrapes - 1.0).abs() < 1e-4, "{running} running, but scrapes say {of_scrapes}");
    println!("{seconds} s: {running} running, {} in truth", truth.running.mean);
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

/// Answers chats, and has its metrics at `page` only.
fn chat_server(page: Option<&'static str>) -> TestServer {
    let answer = |kind: &str, body: &str| {
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}", body.len());
        TestReply::new(format!("{head}\r\n\r\n{body}"))
    };
    TestServer::start(move |_, request| match request.target.as_str() {
        target if Some(target) == page => answer("text/plain", "num_requests_running 1\n"),
        "/v1/chat/completions" => {
            answer("application/json", r#"{"choices":[{"index":0,"message":{"role":"assistant","content":"hello"}}]}"#)
        }
        _ => TestReply::new("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"),
    })
}

#[test]
fn required_are_the_pages_that_the_user_names_or_else_those_of_the_servers() {
    // As Triton, which has its page on another port than requests.
    let (server, pages) = (chat_server(None), chat_server(Some("/metrics")));
    let run = |words: &str| {
        Program::new("profile --artifact-dir out --model m --tokenizer builtin --request-count 3")
            .with(&format!("--url {} --server-metrics-required {words}", server.url()))
            .run()
    };
    let refused = run("");
    assert_eq!(refused.code, Some(1), "{}", refused.stderr);
    for part in ["also tried: /prometheus/metrics, /v1/metrics", "name the page with --server-metrics"] {
        assert!(refused.stderr.contains(part), "{}", refused.stderr);
    }
    let named = run(&format!("--server-metrics {}", pages.url()));
    assert_eq!(named.code, Some(0), "{}", named.stderr);
    let found = &export(&named.artifacts)["summary"]["endpoints_successful"];
    assert_eq!(found, &serde_json::json!([format!("{}/metrics", pages.url())]));
}

#[test]
fn a_page_that_becomes_huge_is_noted_and_the_run_goes_on() {
    let sim = sim("ttft=5&itl=1");
    let pages = TestServer::start(|index, _| {
        if index == 0 {
            return TestReply::new("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\na 1\n");
        }
        // As much as it takes to exceed the limit of 16 MiB.
        let head = b"HTTP/1.1 200 OK\r\nContent-Length: 500000000\r\n\r\n".to_vec();
        let part = "a_metric_with_a_name 1\n".repeat(50_000).into_bytes();
        TestReply::paced([vec![head], vec![part; 15]].concat(), std::time::Duration::ZERO)
    });
    let ended = scraping(&sim, &format!("--osl 8 --request-count 12 --server-metrics {}", pages.url()));
    let summary = ended.artifacts.summary();
    let notes = summary["server_metrics"]["notes"][format!("{}/metrics", pages.url())].to_string();
    assert!(notes.contains("the page is larger than 16777216 bytes"), "{notes}");
    assert!(ended.stdout.contains("the page is larger than 16777216 bytes"), "{}", ended.stdout);
    assert_eq!(summary["server_metrics"]["engines"][0]["metrics"]["generation_tokens"]["total"], 96.0);
}

#[test]
fn a_grpc_server_cannot_have_a_required_page_of_its_own() {
    let sim = sim("ttft=0&itl=0");
    let refused = Program::new("profile --artifact-dir out --model m --tokenizer builtin --request-count 3")
        .with(&format!("--endpoint-type kserve --url grpc://{} --server-metrics-required", sim.addr()))
        .run();
    assert_eq!(refused.code, Some(1), "{}", refused.stderr);
    assert!(refused.stderr.contains("--server-metrics host:8002"), "{}", refused.stderr);
}

#[test]
fn a_page_that_is_named_is_not_scraped_a_second_time_as_another_page_of_its_server() {
    // As NIM.
    let server = chat_server(Some("/v1/metrics"));
    let run = |words: &str| {
        let ended = Program::new("profile --artifact-dir out --model m --tokenizer builtin --request-count 3")
            .with(&format!("--url {} {words}", server.url()))
            .run();
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        export(&ended.artifacts)["summary"]["endpoints_successful"].clone()
    };
    let page = format!("{}/v1/metrics", server.url());
    assert_eq!(run("--server-metrics-required"), serde_json::json!([page]));
    assert_eq!(run(&format!("--server-metrics {page} --server-metrics-required")), serde_json::json!([page]));
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

#[test]
fn the_table_of_a_run_is_printed_again_from_its_files() {
    let sim = sim("ttft=5&itl=1");
    let ended = scraping(&sim, "--osl 8 --concurrency 2 --request-count 12");
    let before = ended.artifacts.summary();
    let reported = Program::new("report").word(ended.artifacts.path("")).run();
    assert_eq!(reported.code, Some(0), "{}", reported.stderr);
    let rows = |stdout: &str| -> Vec<String> {
        let table = stdout.lines().skip_while(|line| !line.contains("Server Metrics: vLLM"));
        table.take_while(|line| !line.is_empty()).map(|line| line.trim_end().to_owned()).collect()
    };
    assert!(rows(&ended.stdout).iter().any(|row| row.contains("KV Cache Usage")), "{}", ended.stdout);
    assert_eq!(rows(&ended.stdout), rows(&reported.stdout));
    assert!(reported.stdout.contains("Time to first token: the client saw"), "{}", reported.stdout);
    assert_eq!(before["server_metrics"], ended.artifacts.summary()["server_metrics"]);
    assert_eq!(before["validity"], ended.artifacts.summary()["validity"]);
}

#[test]
fn times_that_the_server_states_for_each_request_split_the_time_to_the_first_token() {
    // One request at a time: the second of two waits for as long as the first takes.
    let sim = sim("ttft=20&itl=5&batch=1&request_metrics=true");
    let words = "--osl 8 --concurrency 2 --request-count 10 --extra-inputs include_metrics:true";
    let ended = scraping(&sim, words);
    let truth = sim.truth();
    let records = ended.artifacts.profiled();
    assert_eq!((records.len(), truth.len()), (10, 10));
    for record in &records {
        let [queue, prefill, server] =
            ["server_queue_time", "server_prefill_time", "server_time_to_first_token"].map(|tag| record.metric(tag));
        assert!(prefill >= 20.0 && (server - queue - prefill).abs() < 1e-3, "{queue} + {prefill} is not {server}");
        let network = record.metric("ttft_network_time");
        let parts = record.metric("ttft_client_time") + network + server;
        let first = record.metric("time_to_first_token");
        // A server that is stopped between its stamp and its write states more than the client saw; the network then has no part.
        let is_split = (parts - first).abs() < 1e-3 || (network == 0.0 && parts > first);
        assert!(is_split, "{parts} is not {first}, with {network} of the network");
    }
    let queued = records.iter().filter(|record| record.metric("server_queue_time") > 10.0).count();
    assert!(queued >= 8, "{queued} of 10 requests waited for the one before them");
    let summary = ended.artifacts.summary();
    let mean = |tag: &str| summary[tag]["avg"].as_f64().unwrap();
    let of_records = |tag: &str| records.iter().map(|record| record.metric(tag)).sum::<f64>() / 10.0;
    for tag in ["server_queue_time", "server_prefill_time", "ttft_client_time", "ttft_network_time"] {
        assert!((mean(tag) - of_records(tag)).abs() < 1e-3, "{tag}");
    }
    // The histograms of the page tell the same as the requests themselves.
    let histogram = &summary["server_metrics"]["engines"][0]["metrics"]["queue_time"];
    assert!((histogram["avg"].as_f64().unwrap() * 1e3 - mean("server_queue_time")).abs() < 0.1, "{histogram}");
    assert!(ended.stdout.contains("TTFT: Server Queue"), "{}", ended.stdout);
}
