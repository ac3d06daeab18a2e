//! Templates of `aiperf config init`: each is a valid file, and each runs.

use aiperf_loopback_hub::LoopbackHub;
use serde_json::{Value, json};

use crate::support::{Program, sim};

/// One row of each category.
fn speed_bench() -> String {
    let categories = [
        "coding",
        "humanities",
        "math",
        "multilingual",
        "qa",
        "rag",
        "reasoning",
        "roleplay",
        "stem",
        "summarization",
        "writing",
    ];
    let row = |(place, category): (usize, &str)| {
        json!({"question_id": format!("{place:032}"), "category": category, "messages": [{"role": "user", "content": "hello there"}]}).to_string() + "\n"
    };
    categories.into_iter().enumerate().map(row).collect()
}

/// What a template needs in addition to a server, and how it is made short.
fn template_words(name: &str) -> &'static str {
    match name {
        "time_based_soak" => {
            "--benchmark-duration 0.3 --warmup-duration 0.1 --slice-duration 0.1 --num-dataset-entries 8"
        }
        "latency_test" => "--benchmark-duration 0.3 --request-rate 20",
        "ramping" => "--benchmark-duration 0.3 --request-rate-ramp-duration 0.1 --concurrency-ramp-duration 0.1",
        "kv_cache_test" => "--benchmark-duration 0.5 --num-users 2 --user-centric-rate 20",
        "long_context" => "--isl 100 --request-count 4",
        "multi_turn_conversation" => "--num-sessions 2 --session-turn-delay-mean 1 --session-turn-delay-stddev 0",
        "fixed_schedule" | "trace_replay" => "",
        "sweep_distributions" => "--request-count 3 --num-profile-runs 2 --parameter-sweep-cooldown-seconds 0 --osl 4",
        "multimodal_vision" => "--request-count 2 --image-width-mean 32 --image-height-mean 32",
        "audio_multimodal" => "--request-count 2 --audio-length-mean 0.2 --audio-length-stddev 0",
        _ => "--request-count 3",
    }
}

#[test]
fn every_template_runs() {
    let server = sim("ttft=1&itl=0");
    let names: Vec<&str> = aiperf_config_file::STARTERS.iter().map(|starter| starter.name).collect();
    let speed_bench = speed_bench();
    let said = |from: &str, text: &str| json!({"from": from, "value": text});
    let talk = json!([{"conversations": [said("human", "one two three four"), said("gpt", "a b c d e")]}]).to_string();
    let hub = LoopbackHub::with(&[("ShareGPT_V3_unfiltered_cleaned_split.json", talk.as_bytes())]);
    let home = tempfile::tempdir().unwrap();
    let run = |name: &str| {
        let text =
            Program::new(&format!("config init --template {name} --model m --url {}", server.url())).run().stdout;
        let row = |time: u32| json!({"timestamp": time, "input_length": 20, "output_length": 2, "hash_ids": [1]});
        let rows = [0, 20, 40].map(|time| row(time).to_string()).join("\n");
        let validated = Program::new("config validate run.yaml").file("run.yaml", &text);
        let validated =
            validated.file("schedule.jsonl", &rows).file("trace.jsonl", &rows).file("qualitative.jsonl", &speed_bench);
        let validated = validated.env("MODEL", "m").env("SERVER_URL", server.url()).run();
        assert_eq!(validated.code, Some(0), "{name}: {}", validated.stderr);
        let words = format!("-f run.yaml --tokenizer builtin --ui none --no-gpu-telemetry {}", template_words(name));
        let words = if name == "gpu_telemetry" { words.replace("--no-gpu-telemetry", "") } else { words };
        let program =
            Program::profile(&words).file("run.yaml", &text).file("schedule.jsonl", &rows).file("trace.jsonl", &rows);
        let program = program.file("qualitative.jsonl", &speed_bench).env("MODEL", "m").env("SERVER_URL", server.url());
        let program = program.env("HF_ENDPOINT", hub.url.clone()).env("HF_HOME", home.path());
        let ended = program.run();
        assert_eq!(ended.code, Some(0), "{name}: {}\n{text}", ended.stderr);
        match name {
            "user_files" => {
                let about: Value = serde_json::from_str(&ended.artifacts.text("about.json")).unwrap();
                assert_eq!(about, json!({"team": "inference", "ticket": 1234, "model": "m"}));
                assert!(ended.artifacts.text("notes/summary.txt").starts_with("Run of m at http://"));
            }
            "sweep_with_plot" => {
                assert!(ended.artifacts.text(".aiperf-plot-config.yaml").contains("throughput_by_latency"));
                ended.artifacts.text("plots/throughput_by_latency.csv");
            }
            _ => {}
        }
    };
    let (one, other): (Vec<&str>, Vec<&str>) = names.into_iter().partition(|name| name.len() % 2 == 0);
    std::thread::scope(|scope| {
        let threads = [one, other].map(|names| scope.spawn(move || names.into_iter().for_each(&run)));
        for thread in threads {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
    });
}
