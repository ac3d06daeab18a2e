//! Metrics that need more than one request and its times: the network, speculative decoding, objectives; and the command
//! that repeats a run.

use serde_json::{Value, json};

use crate::support::{Artifacts, Program, sim};

const FAST: &str = "ttft=5&itl=1&osl=4";

fn close(left: f64, right: f64) -> bool {
    (left - right).abs() <= 1e-9 * right.abs().max(1.0)
}

#[test]
fn a_given_round_trip_is_taken_off_every_latency() {
    let sim = sim(FAST);
    let words = "--request-count 4 --streaming --network-latency-mean 2.5";
    let artifacts = Program::against(&sim, words).succeed();
    for stat in ["avg", "min", "max", "p50", "p99"] {
        assert!(close(artifacts.stat("network_rtt", stat), 2.5));
        for tag in ["request_latency", "time_to_first_token", "time_to_first_output_token"] {
            let adjusted = artifacts.stat(&format!("network_adjusted_{tag}"), stat);
            assert!(close(adjusted, artifacts.stat(tag, stat) - 2.5), "{tag} {stat}");
        }
    }
    assert_eq!(artifacts.summary()["input_config"]["network_latency"], json!({"enabled": true, "mean_ms": 2.5}));
    assert!(artifacts.text("profile_export_console.txt").contains("Network-Adjusted Time to First Token"));
    assert!(artifacts.text("profile_export_aiperf.csv").contains("Network-Adjusted Request Latency (ms),"));
}

#[test]
fn a_measured_round_trip_has_its_file_and_its_median_is_taken_off() {
    let sim = sim(FAST);
    let words = "--request-count 4 --streaming --network-latency-automatic --network-latency-ping-interval 0.01";
    let artifacts = Program::against(&sim, words).succeed();
    let lines = artifacts.text("profile_export_network_latency.jsonl");
    let measured: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(measured.len() >= 5, "{lines}");
    let mut spans: Vec<u64> = Vec::new();
    for probe in &measured {
        assert_eq!((&probe["probe_type"], &probe["success"]), (&json!("tcp_connect"), &json!(true)));
        assert_eq!(format!("http://127.0.0.1:{}", probe["target_port"]), sim.url());
        spans.push(probe["rtt_ns"].as_u64().unwrap());
    }
    spans.sort_unstable();
    assert!(close(artifacts.stat("network_rtt", "max"), *spans.last().unwrap() as f64 / 1e6));
    let taken_off =
        artifacts.stat("request_latency", "max") - artifacts.stat("network_adjusted_request_latency", "max");
    assert!(close(taken_off, artifacts.stat("network_rtt", "p50")));
}

#[test]
fn a_round_trip_that_cannot_be_measured_is_said_and_left_out() {
    let words = "--url http://127.0.0.1:9 --model m --tokenizer builtin --request-count 1 --network-latency-automatic";
    let ended = Program::profile(words).env("AIPERF_NETWORK_LATENCY_COMPLETE_TOPUP_TIMEOUT", "0.1").run();
    assert_eq!(ended.code, Some(1));
    assert!(ended.stderr.contains("round trip could not be measured"), "{}", ended.stderr);
    assert!(!ended.artifacts.has_metric("network_rtt"));
    let first = ended.artifacts.text("profile_export_network_latency.jsonl");
    assert!(first.lines().all(|line| line.contains("\"success\":false,\"error\":")), "{first}");
}

/// Ten tokens in steps that accept 0, 1, 2 and 3 of 3 drafts.
fn assert_spec_decode(artifacts: &Artifacts) {
    let summary = artifacts.summary();
    for (tag, value) in [
        ("spec_decode_acceptance_length", 2.5),
        ("spec_decode_draft_acceptance_rate", 50.0),
        ("spec_decode_accepted_per_verified", 0.625),
        ("spec_decode_steps", 4.0),
        ("spec_decode_token_weighted_acceptance_length", 2.5),
        ("spec_decode_overall_draft_acceptance_rate", 50.0),
        ("total_draft_tokens", 36.0),
        ("total_accepted_draft_tokens", 18.0),
        ("total_spec_decode_steps", 12.0),
    ] {
        assert_eq!(summary[tag]["avg"], value, "{tag}");
    }
    assert_eq!(summary["pooled_spec_decode_acceptance_histogram"], json!({"0": 3, "1": 3, "2": 3, "3": 3}));
    for record in artifacts.records() {
        assert_eq!(
            record.0["spec_decode_acceptance"],
            json!({"engine": "vllm", "mean_acceptance_length": 2.5, "draft_acceptance_rate": 0.5,
                   "acceptance_histogram": {"0": 1, "1": 1, "2": 1, "3": 1}, "num_accepted_draft_tokens": 6,
                   "num_draft_tokens": 12, "num_spec_steps": 4, "num_spec_tokens": 3, "completion_tokens": 10})
        );
    }
    let console = artifacts.text("profile_export_console.txt");
    assert!(console.contains("LLM Metrics: Spec Decode"), "{console}");
    let line = "Accepted drafts per step (% of steps):  0: 25%   1: 25%   2: 25%   3: 25%";
    assert!(console.contains(line), "{console}");
}

#[test]
fn speculative_decoding_is_reported_for_streams_and_for_replies_in_one_piece() {
    let sim = sim("ttft=1&itl=0&spec_drafts=3");
    for words in ["--streaming", "", "--streaming --endpoint-type completions"] {
        let words = format!("--request-count 3 --osl 10 {words}");
        assert_spec_decode(&Program::against(&sim, &words).succeed());
    }
}

#[test]
fn the_console_says_how_many_requests_met_each_objective_and_what_failed_most_often() {
    let sim = sim("ttft=5&itl=1&osl=4&error_every=4&reset_every=3");
    let program = Program::against(&sim, "--request-count 24 --concurrency 1 --streaming --goodput");
    let ended = program.word("request_latency:60000 time_to_first_token:0.001").run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let console = ended.artifacts.text("profile_export_console.txt");
    let succeeded = ended.artifacts.average("request_count");
    let row =
        |name: &str| console.lines().find(|line| line.contains(name)).unwrap_or_else(|| panic!("{name}: {console}"));
    let latency = row("Request Latency ≤ 60,000.00 ms");
    assert!(latency.contains(&format!(" {succeeded:.0} │       24 │")), "{latency}");
    assert!(row("All objectives").contains("0.00%"));
    assert!(close(ended.artifacts.average("good_request_fraction"), 0.0));
    let table = console.split("Error Summary").nth(1).unwrap().split('└').next().unwrap();
    let count = |line: &str| line.trim_end_matches(" │").rsplit(' ').next().and_then(|word| word.parse::<u64>().ok());
    let counts: Vec<u64> = table.lines().filter_map(count).collect();
    assert!(counts.len() >= 2 && counts.is_sorted_by(|more, fewer| more >= fewer), "{table}");
    assert!(close(counts.iter().sum::<u64>() as f64, ended.artifacts.average("error_request_count")));
}

#[test]
fn the_command_that_is_printed_repeats_the_run_although_no_seed_was_given() {
    let sim = sim(FAST);
    let first = Program::against(&sim, "--request-count 3").env("AIPERF_HTTP_IP_VERSION", "auto").run();
    let line = first.stdout.lines().find(|line| line.starts_with("CLI Command: ")).unwrap().to_owned();
    let command = line.strip_prefix("CLI Command: AIPERF_HTTP_IP_VERSION=auto aiperf ").unwrap();
    assert_eq!(first.artifacts.summary()["run_info"]["cli_command"].as_str(), line.strip_prefix("CLI Command: "));
    let again = Program::new(command).env("AIPERF_HTTP_IP_VERSION", "auto").succeed();
    let payloads = |artifacts: &Artifacts| artifacts.inputs().into_iter().map(|(_, all)| all).collect::<Vec<_>>();
    assert_eq!(payloads(&first.artifacts), payloads(&again));
    assert_eq!(payloads(&again).len(), 3);
}
