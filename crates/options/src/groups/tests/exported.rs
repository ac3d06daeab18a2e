//! The configuration as result files show it.

use serde_json::{Value, json};

use super::{input_file, named_file, resolve, with_model};

#[test]
fn result_files_show_the_configuration_in_the_reference_s_words() {
    let config = resolve(&[
        "--model=mock-model",
        "--url=http://127.0.0.1:38417",
        "--tokenizer=/bench/tok",
        "--endpoint-type=chat",
        "--streaming",
        "--isl=32",
        "--osl=8",
        "--concurrency=2",
        "--request-count=6",
        "--warmup-request-count=3",
        "--random-seed=42",
        "--profile-export-prefix=myrun",
        "--artifact-dir=out",
        "--goodput=request_latency:500",
        "--ui=none",
    ])
    .unwrap();
    assert_eq!(
        config.to_input_config(),
        json!({
            "models": {"items": [{"name": "mock-model"}]},
            "endpoint": {"urls": ["http://127.0.0.1:38417"], "type": "chat", "streaming": true},
            "datasets": [{"name": "main", "type": "synthetic", "entries": 6, "random_seed": 42,
                          "prompts": {"isl": {"mean": 32.0}, "osl": {"mean": 8.0}}}],
            "phases": [
                {"name": "warmup", "kind": "warmup", "type": "concurrency", "exclude_from_results": true, "requests": 3,
                 "concurrency": 2},
                {"name": "profiling", "kind": "profiling", "type": "concurrency", "requests": 6, "concurrency": 2}
            ],
            "artifacts": {"dir": "/somewhere/out", "prefix": "myrun", "auto_plot": false, "plot_required": false},
            "slos": {"request_latency": 500.0},
            "tokenizer": {"name": "/bench/tok"},
            "gpu_telemetry": {"enabled": true},
            "server_metrics": {"enabled": true, "urls": [], "formats": ["json", "csv"]},
            "network_latency": {"enabled": false},
            "otel": {}, "mlflow": {}, "wandb": {},
            "runtime": {"ui": "none"}
        })
    );
}

#[test]
fn no_secret_is_in_the_configuration_that_is_shown() {
    let config =
        with_model(&["--api-key=sk-123", "--header=Authorization: Bearer abc,X-Plain: yes", "--url=http://me:pw@host"])
            .unwrap();
    for text in [config.to_input_config().to_string(), config.command_line] {
        assert!(!text.contains("sk-123") && !text.contains("abc") && !text.contains("pw"), "{text}");
        assert!(text.contains("yes"), "{text}");
    }
}

fn shown(words: &[&str]) -> Value {
    with_model(words).unwrap_or_else(|error| panic!("{words:?}: {error}")).to_input_config()
}

fn folder(words: &[&str]) -> String {
    with_model(words).unwrap().output.dir.file_name().unwrap().to_string_lossy().into_owned()
}

#[test]
fn limits_ramps_cancellation_and_probes_are_shown_as_in_the_reference() {
    let config = shown(&[
        "--streaming",
        "--concurrency=4",
        "--prefill-concurrency=2",
        "--concurrency-ramp-duration=1",
        "--prefill-concurrency-ramp-duration=1",
        "--request-count=6",
        "--failed-request-threshold=0.5",
        "--warmup-request-count=2",
        "--request-cancellation-rate=1",
        "--connection-reuse-strategy=never",
        "--wait-for-model-timeout=5",
        "--wait-for-model-mode=models",
        "--wait-for-model-interval=1",
    ]);
    assert_eq!(
        config["phases"],
        json!([
            {"name": "warmup", "kind": "warmup", "type": "concurrency", "exclude_from_results": true, "requests": 2,
             "concurrency": 4, "concurrency_ramp": {"duration": 1.0}, "prefill_concurrency": 2,
             "prefill_ramp": {"duration": 1.0}, "failed_request_threshold": 0.5},
            {"name": "profiling", "kind": "profiling", "type": "concurrency", "requests": 6, "concurrency": 4,
             "concurrency_ramp": {"duration": 1.0}, "prefill_concurrency": 2, "prefill_ramp": {"duration": 1.0},
             "cancellation": {"rate": 1.0}, "failed_request_threshold": 0.5}
        ])
    );
    assert_eq!(
        config["endpoint"],
        json!({"urls": ["http://localhost:8000"], "type": "chat", "streaming": true, "connection_reuse": "never",
               "wait_for_model_timeout": 5.0, "wait_for_model_interval": 1.0, "wait_for_model_mode": "models"})
    );
    let cancelled = shown(&["--request-cancellation-rate=50", "--request-cancellation-delay=0.1"]);
    assert_eq!(cancelled["phases"][0]["cancellation"], json!({"rate": 50.0, "delay": 0.1}));
    let probed = shown(&["--wait-for-model-timeout=5"]);
    assert_eq!(probed["endpoint"]["wait_for_model_mode"], Value::Null);
}

#[test]
fn sessions_are_shown_as_in_the_reference() {
    let config = shown(&["--isl=32", "--num-sessions=3", "--session-turns-mean=2", "--session-turn-delay-mean=50"]);
    assert_eq!(
        config["datasets"][0],
        json!({"name": "main", "type": "synthetic", "entries": 3, "prompts": {"isl": {"mean": 32.0}},
               "turns": {"mean": 2.0, "stddev": 0.0}, "turn_delay": {"mean": 50.0, "stddev": 0.0}})
    );
    assert_eq!(config["phases"][0]["sessions"], 3);
    let (_folder, input) = input_file(&["{}"]);
    let file = shown(&[&input, "--custom-dataset-type=dag_jsonl", "--inter-turn-delay-cap-seconds=2"]);
    assert_eq!(file["datasets"][0]["format"], "dag_jsonl");
    assert_eq!(file["datasets"][0]["inter_turn_delay_cap_seconds"], 2.0);
}

#[test]
fn a_series_is_shown_with_its_points_and_names_the_folder_by_the_first() {
    let (_folder, series) = named_file("--request-rate-series", r#"[{"time_s":0,"qps":20},{"time_s":1,"qps":30}]"#);
    let words = [&*series, "--request-rate-ramp-duration=0.5", "--request-count=5"];
    assert_eq!(
        shown(&words)["phases"],
        json!([{"name": "profiling", "kind": "profiling", "type": "poisson", "requests": 5,
                "rate_ramp": {"duration": 0.5},
                "rate_series": {"points": [{"time_s": 0.0, "qps": 20.0}, {"time_s": 1.0, "qps": 30.0}]}}])
    );
    assert_eq!(folder(&words), "m-openai-chat-request_rate20.0");
    let shaped = shown(&[&words[..], &["--ramp-shape=poisson"]].concat());
    assert_eq!(shaped["phases"][0]["rate_ramp"], json!({"duration": 0.5, "strategy": "poisson"}));
}

#[test]
fn a_fixed_schedule_is_shown_with_its_offsets() {
    let (_folder, input) = input_file(&[r#"{"text": "hi", "timestamp": 1000}"#]);
    let plain = [&*input, "--fixed-schedule"];
    assert_eq!(shown(&plain)["phases"], json!([{"name": "profiling", "kind": "profiling", "type": "fixed_schedule"}]));
    assert_eq!(folder(&plain), "m-openai-chat-fixed_schedule");
    let part = ["--fixed-schedule-start-offset=50", "--fixed-schedule-end-offset=150"];
    assert_eq!(
        shown(&[&plain[..], &part].concat())["phases"],
        json!([{"name": "profiling", "kind": "profiling", "type": "fixed_schedule", "auto_offset": false,
                "start_offset": 50, "end_offset": 150}])
    );
}

#[test]
fn users_are_shown_with_their_rate_and_name_the_folder() {
    let words = ["--user-centric-rate=8", "--num-users=2", "--session-turns-mean=2", "--request-count=6"];
    assert_eq!(
        shown(&words)["phases"],
        json!([{"name": "profiling", "kind": "profiling", "type": "user_centric", "requests": 6, "rate": 8.0,
                "users": 2}])
    );
    assert_eq!(folder(&words), "m-openai-chat-user_centric-users2-qps8.0");
}

#[test]
fn a_wait_for_all_answers_after_a_duration_is_null() {
    let phase = shown(&["--benchmark-duration=2", "--benchmark-grace-period=inf"])["phases"][0].clone();
    assert_eq!(phase.as_object().unwrap().get("grace_period"), Some(&Value::Null));
}
