//! Configuration files: what they set reaches the requests, the command line is laid over them, sweeps have their cells.

use serde_json::{Value, json};

use crate::support::{Program, sim};

const FILE: &str = r#"schemaVersion: "2.0"
randomSeed: 7
variables: {length: 24}
benchmark:
  models:
    strategy: weighted
    items: [{name: big, weight: 0.75}, {name: small, weight: 0.25}]
  endpoint:
    url: ${AIPERF_TEST_URL}
    streaming: true
    extra: {temperature: 0.5}
    headers: {X-Team: perf}
  tokenizer: {name: builtin}
  dataset: {isl: "{{ length * 2 }}", osl: 4, entries: 40}
  phases:
    - {name: warmup, type: concurrency, concurrency: 2, requests: 4}
    - {name: steady, kind: profiling, type: concurrency, concurrency: 4, requests: 40}
  gpuTelemetry: false
  runtime: {ui: none}
"#;

fn profile(url: &str, file: &str, words: &str) -> Program {
    Program::profile("-f run.yaml").file("run.yaml", file).with(words).env("AIPERF_TEST_URL", url)
}

#[test]
fn what_a_file_says_reaches_the_server() {
    let server = sim("ttft=1&itl=0");
    let artifacts = profile(&server.url(), FILE, "").succeed();
    let summary = artifacts.summary();
    let config = &summary["input_config"];
    assert_eq!(config["models"]["strategy"], "weighted");
    assert_eq!(config["endpoint"]["extra"], json!({"temperature": 0.5}));
    assert_eq!(summary["request_count"]["avg"], json!(40.0));
    assert_eq!(summary["input_sequence_length"]["avg"], json!(48.0));
    let truth = server.truth();
    assert_eq!(truth.len(), 44, "4 requests of the warmup and 40 of the profiling phase");
    let models: Vec<Value> = artifacts.inputs().into_iter().map(|(_, payloads)| payloads[0]["model"].clone()).collect();
    let big = models.iter().filter(|model| **model == "big").count();
    assert!(
        (20..=38).contains(&big) && models.iter().any(|model| *model == "small"),
        "{big} of 40 for a share of 0.75"
    );
}

#[test]
fn the_command_line_is_laid_over_the_file() {
    let server = sim("ttft=1&itl=0");
    let words = "--request-count 6 --isl 10 --warmup-request-count 1 --model other --model-selection-strategy round_robin \
                 --extra-inputs top_p:1";
    let error = profile(&server.url(), FILE, words).run();
    // Weights of the file have no models any more.
    assert_eq!(error.code, Some(1), "{}", error.stderr);
    assert!(
        error.stderr.contains("models.items[0].weight (") && error.stderr.contains("run.yaml:7:"),
        "{}",
        error.stderr
    );

    let plain = FILE
        .replace("strategy: weighted", "strategy: round_robin")
        .replace(", weight: 0.75", "")
        .replace(", weight: 0.25", "");
    let words = "--request-count 6 --isl 10 --warmup-request-count 1 --model other --extra-inputs top_p:1";
    let summary = profile(&server.url(), &plain, words).succeed().summary();
    assert_eq!(summary["request_count"]["avg"], json!(6.0));
    assert_eq!(summary["input_sequence_length"]["avg"], json!(10.0));
    assert_eq!(summary["input_config"]["models"]["items"], json!([{"name": "other"}]));
    assert_eq!(summary["input_config"]["endpoint"]["extra"], json!({"temperature": 0.5, "top_p": 1}));
    assert_eq!(server.truth().len(), 7);
}

#[test]
fn a_sweep_of_a_file_has_a_folder_for_each_cell() {
    let server = sim("ttft=1&itl=0");
    let file = format!("{FILE}sweep:\n  type: grid\n  parameters: {{concurrency: [1, 2], variables.length: [4, 8]}}\n");
    let ended = profile(&server.url(), &file, "--request-count 4").run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    for (cell, length) in [("concurrency_1__length_4", 8.0), ("concurrency_2__length_8", 16.0)] {
        let text = ended.artifacts.text(&format!("{cell}/profile_export_aiperf.json"));
        let summary: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(summary["input_sequence_length"]["avg"], json!(length), "{cell}");
    }
}

#[test]
fn mistakes_have_a_place_and_a_way_out() {
    for (from, to, expected) in [
        (
            "streaming: true",
            "streming: true",
            &["run.yaml:10:5", "benchmark.endpoint.streming", "did you mean streaming?"][..],
        ),
        ("osl: 4", "osl: [4, 5]", &["benchmark.dataset.osl", "not a list", "`sweep`"]),
        ("requests: 40", "requests: many", &["benchmark.phases[1].requests (", "run.yaml:17:", "many"]),
        ("{{ length * 2 }}", "{{ lenght * 2 }}", &["run.yaml:14:", "uses lenght", "did you mean length?"]),
        ("${AIPERF_TEST_URL}", "${NO_SUCH_VARIABLE}", &["run.yaml:9:", "NO_SUCH_VARIABLE is not set"]),
        ("randomSeed: 7", "randomSeed: 7\nrandomSeed: 8", &["run.yaml:3:1", "randomSeed is given twice"]),
        ("kind: profiling", "kind: load", &["benchmark.phases[1].kind", "`kind: profiling`"]),
    ] {
        let ended = profile("http://127.0.0.1:1", &FILE.replace(from, to), "").run();
        ended.was_refused_with(expected);
    }
}

#[test]
fn a_run_leaves_the_file_that_repeats_it() {
    let server = sim("ttft=1&itl=0");
    let url = server.url();
    let words = format!(
        "--model m --url {url} --tokenizer builtin --isl 20 --osl 4 --request-count 6 --concurrency 2 --random-seed 5 \
         --warmup-request-count 2 --api-key secret-key --header X-Team:perf --no-gpu-telemetry --streaming"
    );
    let first = Program::profile(&words).succeed();
    let file = first.text("aiperf_config.yaml");
    assert!(!file.contains("secret-key") && file.contains("<redacted>"), "{file}");
    let again = Program::profile("-f again.yaml").file("again.yaml", &file).succeed();
    assert_eq!(first.inputs(), again.inputs());
    let settings = |summary: Value| {
        let mut config = summary["input_config"].clone();
        config["artifacts"]["dir"] = Value::Null;
        config
    };
    assert_eq!(settings(first.summary()), settings(again.summary()));

    // With options over a file, and for all cells of a sweep.
    let file = format!("{FILE}sweep:\n  type: grid\n  parameters: {{variables.length: [4, 8]}}\n");
    let ended = profile(&url, &file, "--request-count 4 --concurrency 1,2").run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let file = ended.artifacts.text("aiperf_config.yaml");
    let again = Program::profile("-f again.yaml").file("again.yaml", &file).run();
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    let summary =
        |ended: &crate::support::Ended| ended.artifacts.text("concurrency_2__length_8/profile_export_aiperf.json");
    let [one, other] = [&ended, &again].map(|ended| settings(serde_json::from_str(&summary(ended)).unwrap()));
    assert_eq!(one, other);
}

#[test]
fn options_can_be_printed_as_a_file() {
    let ended = Program::new("config from-flags --model m --concurrency 1,8 --warmup-request-count 3 --isl 64").run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    insta::assert_snapshot!(ended.stdout);
}
