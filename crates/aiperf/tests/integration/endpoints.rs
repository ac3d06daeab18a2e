//! Each API that can be measured: what the server was sent, and which metrics come of it.

use aiperf_sim::Sim;
use serde_json::Value;

use crate::support::{Artifacts, Program, by_request_id, requests, sim};

const REQUESTS: usize = 4;

fn measure(sim: &Sim, words: &str) -> Artifacts {
    let artifacts = Program::against(sim, words).with("--request-count 4 --concurrency 2").succeed();
    assert_eq!(artifacts.records().len(), REQUESTS);
    assert!(artifacts.records().iter().all(|record| !record.failed()));
    artifacts
}

/// Path and body of every request, all on one path.
fn seen(sim: &Sim, path: &str) -> Vec<Value> {
    assert!(sim.truth().iter().all(|truth| truth.path == path && truth.status == 200), "{:?}", sim.truth());
    requests(sim)
}

fn check_tokens(artifacts: &Artifacts, sim: &Sim, output: u32) {
    for truth in sim.truth() {
        assert_eq!((truth.prompt_tokens, truth.output_tokens), (Some(20), output));
    }
    for record in artifacts.records() {
        assert_eq!(record.metric("input_sequence_length") as u32, 20);
        assert_eq!(record.metric("output_sequence_length") as u32, output);
    }
}

#[test]
fn a_streamed_chat_has_the_times_of_its_tokens() {
    let sim = sim("ttft=4&itl=1");
    let artifacts = measure(&sim, "--streaming --osl 6");
    for body in seen(&sim, "/v1/chat/completions") {
        assert_eq!(body["model"], "test-model");
        assert_eq!(body["stream"], true);
        assert_eq!(body["max_completion_tokens"], 6);
        assert_eq!(body["messages"][0]["role"], "user");
    }
    check_tokens(&artifacts, &sim, 6);
    for tag in ["time_to_first_token", "time_to_second_token", "inter_token_latency", "request_latency"] {
        assert_eq!(artifacts.stat(tag, "count") as usize, REQUESTS, "{tag}");
    }
    assert!(artifacts.stat("time_to_first_token", "min") >= 4.0);
}

#[test]
fn a_chat_in_one_piece_has_a_latency_and_no_times_of_tokens() {
    let sim = sim("ttft=4&itl=1");
    let artifacts = measure(&sim, "--osl 6 --use-legacy-max-tokens");
    for body in seen(&sim, "/v1/chat/completions") {
        assert_ne!(body["stream"], true);
        assert_eq!(body["max_tokens"], 6);
        assert_eq!(body.get("max_completion_tokens"), None);
    }
    check_tokens(&artifacts, &sim, 6);
    assert!(artifacts.average("request_latency") > 0.0);
    assert!(!artifacts.has_metric("time_to_first_token") && !artifacts.has_metric("inter_token_latency"));
}

#[test]
fn completions_are_measured_streamed_and_in_one_piece() {
    let (streamed, whole) = (sim("ttft=4&itl=1"), sim("ttft=4&itl=1"));
    let artifacts = measure(&streamed, "--endpoint-type completions --streaming --osl 5");
    for body in seen(&streamed, "/v1/completions") {
        assert_eq!(body["stream"], true);
        assert_eq!(body["max_tokens"], 5);
    }
    check_tokens(&artifacts, &streamed, 5);
    assert!(artifacts.average("time_to_first_token") > 0.0);

    let artifacts = measure(&whole, "--endpoint-type completions --osl 5");
    assert!(seen(&whole, "/v1/completions").iter().all(|body| body["stream"] != true));
    check_tokens(&artifacts, &whole, 5);
    assert!(!artifacts.has_metric("time_to_first_token"));
}

#[test]
fn a_limit_holds_for_each_choice_and_is_missed_by_none() {
    let sim = sim("ttft=2&itl=1");
    for words in ["--endpoint-type completions --prompt-batch-size 3 --osl 5", "--osl 5 --extra-inputs n:3"] {
        for streamed in ["", " --streaming"] {
            let artifacts = measure(&sim, &format!("{words}{streamed}"));
            for record in artifacts.records() {
                assert_eq!(record.metric("output_sequence_length") as u32, 15, "{words}{streamed}");
                assert!(record.metric("osl_mismatch_diff_pct").abs() < f64::EPSILON, "{words}{streamed}");
            }
        }
    }
}

#[test]
fn embeddings_have_input_and_no_output() {
    let sim = sim("ttft=2");
    let artifacts = measure(&sim, "--endpoint-type embeddings --prompt-batch-size 3");
    for body in seen(&sim, "/v1/embeddings") {
        assert_eq!(body["input"].as_array().unwrap().len(), 3);
    }
    let truth = by_request_id(&sim);
    for record in artifacts.records() {
        // Both count the texts joined by blanks, where tokens at the seams may melt.
        let tokens = truth[record.word("x_request_id")].prompt_tokens;
        assert_eq!(Some(record.metric("input_sequence_length") as u32), tokens);
        assert!(tokens.unwrap().abs_diff(60) <= 4);
        assert_eq!(record.value("output_sequence_length"), None);
    }
    assert!(artifacts.has_metric("request_latency") && !artifacts.has_metric("output_token_throughput"));
    assert!(artifacts.text("profile_export_console.txt").contains("Embeddings Metrics"));
}

#[test]
fn streaming_is_switched_off_with_a_warning_where_it_cannot_be() {
    let sim = sim("ttft=0");
    let ended = Program::against(&sim, "--endpoint-type embeddings --streaming --request-count 1").run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stderr.contains("--streaming"), "{}", ended.stderr);
}

#[test]
fn another_path_is_used_as_it_is_given() {
    let sim = sim("ttft=0&itl=0");
    measure(&sim, "--streaming --osl 2 --custom-endpoint /v1/chat/completions?route=a");
    assert_eq!(seen(&sim, "/v1/chat/completions?route=a").len(), REQUESTS);
}

#[test]
fn reasoning_is_counted_apart_and_the_first_output_comes_after_it() {
    for field in ["reasoning_content", "reasoning"] {
        let sim = sim(&format!("ttft=4&itl=2&reasoning=4&reasoning_field={field}"));
        let artifacts = measure(&sim, "--streaming --osl 10");
        let truth = by_request_id(&sim);
        for record in artifacts.records() {
            let truth = &truth[record.word("x_request_id")];
            let first_output = truth.chunks[4].since(truth.first_byte).0 as f64 / 1e6;
            assert_eq!(record.metric("reasoning_token_count") as u32, 4);
            assert_eq!(record.metric("output_token_count") as u32, 6);
            assert_eq!(record.metric("output_sequence_length") as u32, 10);
            assert!(record.metric("time_to_first_output_token") >= first_output, "{record:?}");
            assert!(record.metric("time_to_first_token") <= record.metric("time_to_first_output_token"));
        }
        assert_eq!(artifacts.average("total_reasoning_tokens") as usize, 4 * REQUESTS);
    }
}

#[test]
fn tool_calls_are_answers() {
    let tools = r#"{"tools":[{"type":"function","function":{"name":"look","parameters":{}}}]}"#;
    for streaming in ["--streaming", ""] {
        let sim = sim("ttft=1&itl=1&tools=offered");
        let program = Program::against(&sim, "--request-count 2 --osl 12 --extra-inputs").word(tools).with(streaming);
        let artifacts = program.succeed();
        assert_eq!(artifacts.average("request_count") as u32, 2);
        for record in artifacts.records() {
            assert!(!record.failed() && record.metric("output_sequence_length") > 0.0, "{record:?}");
        }
    }
}

#[test]
fn counts_of_the_server_are_taken_when_asked_for() {
    // The server counts prompts in its own way, so that its counts can be told from ours.
    let sim = sim("ttft=1&itl=1&count=approx&reasoning=2");
    let artifacts = measure(&sim, "--streaming --osl 5 --use-server-token-count");
    assert!(requests(&sim).iter().all(|body| body["stream_options"]["include_usage"] == true));
    let truth = by_request_id(&sim);
    for record in artifacts.records() {
        let truth = &truth[record.word("x_request_id")];
        assert_eq!(Some(record.metric("input_sequence_length") as u32), truth.prompt_tokens);
        assert_eq!(record.metric("output_sequence_length") as u32, 5);
        assert_eq!(record.metric("output_token_count") as u32, 3);
        assert_eq!(record.metric("reasoning_token_count") as u32, 2);
    }
}

#[test]
fn usage_on_every_chunk_is_asked_for_and_read() {
    let sim = sim("ttft=1&itl=1&tokens_per_chunk=2");
    let artifacts = measure(&sim, "--streaming --osl 8 --use-server-token-count --per-chunk-usage");
    assert!(requests(&sim).iter().all(|body| body["stream_options"]["continuous_usage_stats"] == true));
    for record in artifacts.records() {
        assert_eq!(record.metric("output_sequence_length") as u32, 8);
    }
}
