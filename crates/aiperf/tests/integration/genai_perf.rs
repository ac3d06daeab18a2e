//! Command lines of GenAI-Perf, against the simulator: they run, show what they became, and leave its files.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::support::{Ended, Program, sim};

/// Each option and form of GenAI-Perf's reference that is not refused, in one command or another: the words, and the folder.
const EXAMPLES: &[(&str, &str)] = &[
    ("--endpoint-type chat --streaming --concurrency 2", "m-openai-chat-concurrency2"),
    ("--endpoint-type chat --endpoint v1/chat/completions --num-requests 3", "m-openai-chat-concurrency1"),
    ("--endpoint-type completions --request-rate 200 --request-count 4", "m-openai-completions-request_rate200.0"),
    ("--endpoint-type multimodal --image-width-mean 8 --image-height-mean 8", "m-openai-multimodal-concurrency1"),
    (
        "--endpoint-type vision --image-width-mean 8 --image-height-mean 8 --image-format jpeg",
        "m-openai-vision-concurrency1",
    ),
    (
        "--endpoint-type multimodal --audio-length-mean 1 --audio-format wav --audio-depths 16 24 --audio-sample-rates 16 --audio-num-channels 1 --batch-size-audio 1",
        "m-openai-multimodal-concurrency1",
    ),
    ("--endpoint-type embeddings -b 2", "m-openai-embeddings-concurrency1"),
    (
        "--endpoint-type nvclip --image-width-mean 8 --image-height-mean 8 --batch-size-image 1",
        "m-openai-nvclip-concurrency1",
    ),
    ("--endpoint-type rankings --input-file synthetic:queries,passages -b 3", "m-openai-rankings-concurrency1"),
    ("--endpoint-type rankings --input-file pools", "m-openai-rankings-concurrency1"),
    ("--endpoint-type rankings --endpoint rerank --extra-inputs rankings:tei", "m-openai-rankings-concurrency1"),
    (
        "--endpoint-type image_retrieval --image-width-mean 8 --image-height-mean 8",
        "m-openai-image_retrieval-concurrency1",
    ),
    ("--endpoint-type huggingface_generate --streaming --osl 3", "m-openai-huggingface_generate-concurrency1"),
    ("--endpoint-type generate --streaming --osl 3", "m-openai-generate-concurrency1"),
    ("--osl 3", "m-triton-tensorrtllm-concurrency1"),
    ("--backend tensorrtllm --endpoint-type kserve", "m-triton-tensorrtllm-concurrency1"),
    ("--osl 3 --output-tokens-mean-deterministic", "m-triton-tensorrtllm-concurrency1"),
    ("--backend vllm --osl 3 --output-tokens-mean-deterministic", "m-triton-vllm-concurrency1"),
    (
        "--endpoint-type dynamic_grpc --grpc-method inference.GRPCInferenceService/ModelReady --input-file messages.jsonl",
        "m-dynamic_grpc-dynamic_grpc-concurrency1",
    ),
    ("--endpoint-type chat --input-file texts.jsonl --random-seed 7", "m-openai-chat-concurrency1"),
    ("--endpoint-type chat --input-file payload:trace.jsonl", "m-openai-chat-concurrency1"),
    ("--endpoint-type chat --input-file payload:trace.jsonl --fixed-schedule True", "m-openai-chat-fixed_schedule"),
    (
        "--endpoint-type chat --num-sessions 2 --session-concurrency 2 --session-turns-mean 2 --session-turns-stddev 0 --session-turn-delay-mean 1 --session-turn-delay-stddev 0 --session-delay-ratio 0.5",
        "m-openai-chat-session_concurrency2",
    ),
    ("--endpoint-type chat --measurement-interval 50 --stability-percentage 999", "m-openai-chat-concurrency1"),
    (
        "--endpoint-type chat --streaming --goodput time_to_first_token:5000 inter_token_latency:5000 --warmup-request-count 2",
        "m-openai-chat-concurrency1",
    ),
    (
        "--endpoint-type chat --isl 20 --synthetic-input-tokens-stddev 2 --output-tokens-mean 4 --output-tokens-stddev 1 --num-prompts 5",
        "m-openai-chat-concurrency1",
    ),
    ("--endpoint-type chat --num-prefix-prompts 2 --prefix-prompt-length 5", "m-openai-chat-concurrency1"),
    (
        "--endpoint-type chat --extra-inputs temperature:0 --extra-inputs {\"top_p\":1} -H X-Team:blue",
        "m-openai-chat-concurrency1",
    ),
    ("--endpoint-type chat --model-selection-strategy random -v -m m n", "m_multi-openai-chat-concurrency1"),
    ("--endpoint-type chat -- --max-threads 1 --streaming", "m-openai-chat-concurrency1"),
    ("--endpoint-type chat -- --concurrency-range 2 --request-count 4", "m-openai-chat-concurrency2"),
];

fn genai_perf(words: &str) -> Program {
    // Pictures alone have no tokens to count.
    let tokenizer = if words.contains("image_retrieval") { "" } else { "--tokenizer builtin" };
    Program::new(&format!("genai-perf profile --artifact-dir out -m m {tokenizer}"))
        .with(words)
        .file("texts.jsonl", "{\"text\": \"Hello\"}\n{\"text\": \"Good bye\"}\n")
        .file(
            "trace.jsonl",
            "{\"timestamp\": 0, \"input_length\": 5, \"output_length\": 2}\n{\"timestamp\": 20, \"input_length\": 6}\n",
        )
        .file("messages.jsonl", "{\"name\": \"m\"}\n")
        .file("pools/queries.jsonl", "{\"text\": \"What?\"}\n")
        .file("pools/passages.jsonl", "{\"text\": \"This.\"}\n{\"text\": \"That.\"}\n")
}

fn assert_ended_well(ended: &Ended, words: &str) {
    assert_eq!(ended.code, Some(0), "{words}\nstdout: {}\nstderr: {}", ended.stdout, ended.stderr);
}

#[test]
fn every_example_runs_and_leaves_the_files_of_genai_perf() {
    let sim = sim("ttft=0&itl=0&osl=4");
    for (words, folder) in EXAMPLES {
        let ended = genai_perf(&format!("-u {} {words}", sim.addr())).run();
        assert_ended_well(&ended, words);
        assert!(ended.stderr.contains("aiperf profile --model"), "{words}: {}", ended.stderr);
        let summary = ended.artifacts.json(&format!("{folder}/profile_export_genai_perf.json"));
        assert!(summary["request_count"]["avg"].as_f64().unwrap() >= 1.0, "{words}");
        for field in ["unit", "avg", "p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "min", "max", "std"] {
            assert!(!summary["request_latency"][field].is_null(), "{words}: {field}");
        }
        assert!(summary["input_config"].is_object() && summary["telemetry_stats"].is_object(), "{words}");
        let table = ended.artifacts.text(&format!("{folder}/profile_export_genai_perf.csv"));
        assert!(table.starts_with("Metric,avg,min,max,p99,p95,p90,p75,p50,p25,p10,p5,p1"), "{words}");
        let measured = ended.artifacts.json(&format!("{folder}/profile_export.json"));
        let experiment = &measured["experiments"][0];
        let requests = experiment["requests"].as_array().unwrap();
        assert_eq!(
            summary["request_count"]["avg"].as_f64().map(|count| count as usize),
            Some(requests.len()),
            "{words}"
        );
        assert!(requests.iter().all(|it| it["response_timestamps"][0].as_u64() > it["timestamp"].as_u64()), "{words}");
        assert_eq!(experiment["window_boundaries"].as_array().unwrap().len(), 2, "{words}");
        assert!(measured["service_kind"].is_string() && experiment["experiment"]["mode"].is_string(), "{words}");
        let records = ended.artifacts.text(&format!("{folder}/profile_export.jsonl"));
        assert!(!records.contains(r#""error":{"#), "{words}: {records}");
    }
}

#[test]
fn the_command_that_is_shown_can_be_run_and_has_no_secrets() {
    let sim = sim("ttft=0&itl=0&osl=4");
    let words = "--endpoint-type chat --streaming --isl 20 -H Authorization:secret --goodput request_latency:9000 time_to_first_token:9000";
    let ended = genai_perf(&format!("-u {} {words}", sim.addr())).run();
    assert_ended_well(&ended, words);
    let shown = ended.stderr.lines().find(|line| line.starts_with("aiperf profile")).unwrap();
    assert!(!shown.contains("secret") && shown.contains("<redacted>"), "{shown}");
    assert!(shown.contains("--goodput 'request_latency:9000 time_to_first_token:9000'"), "{shown}");
    assert!(
        shown.contains(
            "--random-seed 0 --artifact-dir out/m-openai-chat-concurrency1 --export-level raw --export-genai-perf"
        ),
        "{shown}"
    );
    let folder = tempfile::tempdir().unwrap();
    assert!(crate::support::shell(folder.path(), shown).status.success(), "{shown}");
    assert!(folder.path().join("out/m-openai-chat-concurrency1/profile_export_genai_perf.json").exists());
}

#[test]
fn the_program_answers_to_the_name_of_genai_perf() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("genai-perf");
    symlink(env!("CARGO_BIN_EXE_aiperf"), &program).unwrap();
    let sim = sim("ttft=0&itl=0&osl=4");
    let url = sim.addr().to_string();
    let ended = Command::new(&program)
        .args(["profile", "-m", "m", "--tokenizer", "builtin", "--endpoint-type", "chat", "-u", &url])
        .args(["--profile-export-file", "mine.json"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    let made = folder.path().join("artifacts/m-openai-chat-concurrency1");
    assert!(fs::read_to_string(made.join("mine_genai_perf.json")).unwrap().contains("request_throughput"));
    assert!(made.join("mine_genai_perf.csv").exists());
}

#[test]
fn what_cannot_be_followed_is_refused_before_anything_is_sent() {
    for (words, parts) in [
        ("--stability-percentage 10", &["--stability-percentage", "999"][..]),
        ("--enable-checkpointing", &["--enable-checkpointing", "leave it out"]),
        ("--endpoint-type tensorrtllm_engine", &["tensorrtllm_engine", "kserve"]),
        ("--endpoint-type chat --generate-plots", &["--auto-plot"]),
        ("--endpoint-type chat -- --binary-search", &["--binary-search", "--concurrency"]),
    ] {
        genai_perf(words).run().was_refused_with(parts);
    }
    Program::new("genai-perf process-export-files -d none").run().was_refused_with(&["--input-directory", "none"]);
}

#[test]
fn runs_of_several_machines_become_one() {
    let sim = sim("ttft=0&itl=1&osl=4");
    let folder = tempfile::tempdir().unwrap();
    let run = |name: &str, count: u32| {
        let url = sim.addr();
        let words = format!(
            "aiperf profile --model m --tokenizer builtin --url {url} --streaming --isl 9 --request-count {count}"
        );
        let ended = crate::support::shell(
            folder.path(),
            &format!("{words} --goodput request_latency:9000 --artifact-dir {name}"),
        );
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
        json(&folder.path().join(name).join("profile_export_aiperf.json"))
    };
    let parts = [run("runs/a", 3), run("runs/b", 5)];
    let ended =
        crate::support::shell(folder.path(), "aiperf genai-perf process-export-files -d runs --artifact-dir out");
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    let merged = json(&folder.path().join("out/merged/profile_export_genai_perf.json"));
    assert_eq!(merged["request_count"]["avg"], 8.0);
    for (ours, its) in [
        ("request_throughput", "request_throughput"),
        ("output_token_throughput", "output_token_throughput"),
        ("goodput", "request_goodput"),
    ] {
        let sum: f64 = parts.iter().map(|part| part[ours]["avg"].as_f64().unwrap()).sum();
        let found = merged[its]["avg"].as_f64().unwrap();
        assert!((found - sum).abs() < sum * 1e-6, "{its}: {found} is not {sum}");
    }
    let slowest = parts.iter().map(|part| part["request_latency"]["max"].as_f64().unwrap()).fold(0.0, f64::max);
    assert!((merged["request_latency"]["max"].as_f64().unwrap() - slowest).abs() < 1e-6);
    let records = fs::read_to_string(folder.path().join("out/merged/profile_export.jsonl")).unwrap();
    assert_eq!(records.lines().count(), 8);
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}
