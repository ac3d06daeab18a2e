//! Command lines of GenAI-Perf, against the simulator: they run, show what they became, and leave its files.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use aiperf_sim::TruthRecord;
use serde_json::Value;

use crate::support::{Ended, Program, Record, sim, truth_of};

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
    ("--endpoint-type chat -p 60 -s 998 -- --max-trials 50", "m-openai-chat-concurrency1"),
    (
        "--endpoint-type template --endpoint v1/embeddings --extra-inputs payload_template:nv-embedqa --extra-inputs {\"input\":\"a\"} --isl 5",
        "m-openai-template-concurrency1",
    ),
    (
        "--endpoint-type template --endpoint v1/completions --extra-inputs payload_template:bodies.j2 --isl 5 --concurrency 2",
        "m-openai-template-concurrency2",
    ),
    ("--endpoint-type chat --enable-checkpointing --checkpoint-dir kept", "m-openai-chat-concurrency1"),
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
        .file("bodies.j2", "[{\"model\": \"m\", \"max_tokens\": 4, \"prompt\": {{ texts[0]|tojson }}}]\n")
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
        let limits: Vec<u64> = serde_json::from_value(experiment["window_boundaries"].clone()).unwrap();
        assert!(limits.len() >= if words.contains("-p ") || words.contains("-interval") { 4 } else { 2 }, "{words}");
        assert!(limits.is_sorted(), "{words}: {limits:?}");
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
    assert!(shown.contains("--goodput 'request_latency:9000 time_to_first_output_token:9000'"), "{shown}");
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
fn plots_are_drawn_if_they_are_asked_for() {
    let sim = sim("ttft=0&itl=0&osl=2");
    let ended = genai_perf(&format!("--endpoint-type chat --streaming --url {} --generate-plots", sim.url())).run();
    assert_ended_well(&ended, "--generate-plots");
    assert!(ended.stdout.contains("Plots: 2 in "), "{}", ended.stdout);
}

#[test]
fn what_cannot_be_followed_is_refused_before_anything_is_sent() {
    for (words, parts) in [
        ("--stability-percentage 10", &["--stability-percentage", "--measurement-interval"][..]),
        ("--checkpoint-dir x", &["--checkpoint-dir", "--enable-checkpointing"]),
        ("--endpoint-type chat -p 100 --num-sessions 2", &["--measurement-interval", "--num-sessions"]),
        ("--endpoint-type tensorrtllm_engine", &["tensorrtllm_engine", "kserve"]),
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

#[test]
fn a_run_that_does_not_become_steady_fails_and_keeps_its_files() {
    let sim = sim("ttft=2&itl=0&osl=4");
    let words = "--endpoint-type chat --isl 9 -p 60 -s 0.000001 -- --max-trials 3";
    let ended = genai_perf(&format!("-u {} {words}", sim.addr())).run();
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    for part in ["did not become stable", "within 3 windows of 0.072 s", "--measurement-interval", "--max-trials"] {
        assert!(ended.stderr.contains(part), "{part}: {}", ended.stderr);
    }
    let folder = "m-openai-chat-concurrency1";
    let summary = ended.artifacts.json(&format!("{folder}/profile_export_aiperf.json"));
    assert_eq!((&summary["is_complete"], &summary["was_cancelled"]), (&false.into(), &false.into()));
    assert!(summary["incomplete_reason"].as_str().unwrap().contains("did not become stable"));
    assert_eq!(summary["measurement_windows"]["stable"], false);
    let measured = ended.artifacts.json(&format!("{folder}/profile_export.json"));
    assert_eq!(measured["experiments"][0]["window_boundaries"].as_array().unwrap().len(), 4);
    assert!(ended.artifacts.json(&format!("{folder}/profile_export_genai_perf.json"))["request_count"].is_object());
}

/// Commands one after the other in one folder, all of which end well.
fn in_turn(folder: &Path, commands: &[&str]) -> Vec<String> {
    let run = |command: &&str| {
        let ended = crate::support::shell(folder, command);
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(ended.status.success(), "{command}: {said}");
        said
    };
    commands.iter().map(run).collect()
}

#[test]
fn a_sweep_leaves_a_folder_for_each_value_and_a_table_and_is_not_made_twice() {
    let sim = sim("ttft=0&itl=0&osl=4");
    let folder = tempfile::tempdir().unwrap();
    let url = sim.addr();
    let sweep = format!(
        "aiperf genai-perf analyze -m m --tokenizer builtin --endpoint-type chat --streaming -u {url} --isl 9 --request-count 6 \
         --artifact-dir out --enable-checkpointing --checkpoint-dir kept --sweep-type concurrency"
    );
    let said = in_turn(folder.path(), &[&format!("{sweep} --sweep-list 1,3"), &format!("{sweep} --sweep-range 1:5:2")]);
    assert_eq!(said[0].matches("aiperf profile --model m").count(), 2, "{}", said[0]);
    assert!(said[1].contains("m_run_config_0 is in") && said[1].contains("m_run_config_1 is in"), "{}", said[1]);
    assert_eq!(said[1].matches("aiperf profile --model m").count(), 1, "{}", said[1]);
    for concurrency in [1, 3, 5] {
        let made = folder.path().join(format!("out/m-openai-chat-concurrency{concurrency}"));
        assert_eq!(json(&made.join("profile_export_genai_perf.json"))["request_count"]["avg"], 6.0);
    }
    let table = fs::read_to_string(folder.path().join("out/analyze_export_genai_perf.csv")).unwrap();
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(
        rows[0][..5],
        ["Config Name", "Concurrency", "ISL", "Num Dataset Entries", "p99 Time To First Token (ms)"]
    );
    assert_eq!(rows[0][9], "Request Throughput (requests/sec)");
    assert_eq!(rows[3][..4], ["m_run_config_2", "5", "9", "100"], "{table}");
    assert!(rows[1..4].iter().all(|row| row.len() == 10 && row[4..].iter().all(|cell| cell.parse::<f64>().is_ok())));
    assert_eq!((rows[4].len(), rows[5][1]), (1, "GPU"), "{table}");
    let checkpoint = json(&folder.path().join("kept/checkpoint.json"));
    assert_eq!(checkpoint["Results"]["run_configs"].as_array().unwrap().len(), 3);
}

#[test]
fn every_kind_of_sweep_changes_what_is_sent() {
    for (kind, list, names) in [
        ("request_rate", "100,200", ["-request_rate100.0", "-request_rate200.0"]),
        (
            "input_sequence_length",
            "8,16",
            ["-concurrency1-input_sequence_length8", "-concurrency1-input_sequence_length16"],
        ),
        ("num_dataset_entries", "2,3", ["-concurrency1-num_dataset_entries2", "-concurrency1-num_dataset_entries3"]),
        ("batch_size", "1,2", ["-concurrency1-batch_size1", "-concurrency1-batch_size2"]),
    ] {
        let sim = sim("ttft=0&itl=0&osl=4");
        let folder = tempfile::tempdir().unwrap();
        let endpoint = if kind == "batch_size" { "embeddings" } else { "completions" };
        let words = format!("-m m --tokenizer builtin --endpoint-type {endpoint} -u {} --request-count 6", sim.addr());
        let command =
            format!("aiperf genai-perf analyze {words} --artifact-dir out --sweep-type {kind} --sweep-list {list}");
        in_turn(folder.path(), &[&command]);
        let inputs: Vec<Value> = names
            .iter()
            .map(|name| json(&folder.path().join(format!("out/m-openai-{endpoint}{name}/inputs.json"))))
            .collect();
        let sizes = |inputs: &Value| match kind {
            "input_sequence_length" => inputs["data"][0]["payloads"][0]["prompt"].to_string().len(),
            "batch_size" => inputs["data"][0]["payloads"][0]["input"].as_array().unwrap().len(),
            _ => inputs["data"].as_array().unwrap().len(),
        };
        match kind {
            "request_rate" => assert_eq!(sizes(&inputs[0]), sizes(&inputs[1])),
            "input_sequence_length" => assert!(sizes(&inputs[0]) < sizes(&inputs[1])),
            "num_dataset_entries" => assert_eq!([sizes(&inputs[0]), sizes(&inputs[1])], [2, 3]),
            _ => assert_eq!([sizes(&inputs[0]), sizes(&inputs[1])], [1, 2]),
        }
    }
}

#[test]
fn a_skeleton_is_written_once_and_can_be_run() {
    let sim = sim("ttft=0&itl=0&osl=4");
    let folder = tempfile::tempdir().unwrap();
    let run = format!(
        "aiperf genai-perf config -f genai_perf_config.yaml --override-config -m m --tokenizer builtin --endpoint-type chat -u {}",
        sim.addr()
    );
    in_turn(
        folder.path(),
        &["aiperf genai-perf create-template", "aiperf genai-perf create-template -v -f mine.yaml", &run],
    );
    assert!(folder.path().join("artifacts/m-openai-chat-concurrency1/profile_export_genai_perf.json").exists());
    let again = crate::support::shell(folder.path(), "aiperf genai-perf create-template");
    assert!(!again.status.success());
    assert!(String::from_utf8_lossy(&again.stderr).contains("exists and is not overwritten"));
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// By GenAI-Perf's definitions the first token is the first one of the answer, and the output length the answer's.
#[test]
fn a_reasoning_server_is_measured_by_the_definitions_of_genai_perf() {
    const REASONING: usize = 10;
    let sim = sim("ttft=20&itl=4&reasoning=10&seed=5");
    let ended = genai_perf(&format!(
        "-u {} --endpoint-type chat --streaming --isl 20 --osl 30 --request-count 6 -g time_to_first_token:5000",
        sim.addr()
    ))
    .run();
    assert_ended_well(&ended, "a reasoning server");
    let truth = truth_of(&sim, 6);
    let file = |name: &str| format!("m-openai-chat-concurrency1/{name}");
    let theirs = ended.artifacts.json(&file("profile_export_genai_perf.json"));
    let summary = ended.artifacts.json(&file("profile_export_aiperf.json"));
    let number = |tag: &str, stat: &str| theirs[tag][stat].as_f64().unwrap();

    let answers: Vec<f64> = truth.iter().map(|one| f64::from(one.output_tokens - one.reasoning_tokens)).collect();
    assert!(truth.iter().all(|one| one.reasoning_tokens as usize == REASONING && one.output_tokens == 30));
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    assert!((number("output_sequence_length", "avg") - mean(&answers)).abs() < 1e-9);
    assert_eq!(number("output_sequence_length", "min") as u64, 20);

    // The chunks of the truth are one token each, reasoning first. No client can have them earlier.
    let first_output = |one: &TruthRecord| one.chunks[REASONING].since(one.first_byte).as_millis_f64();
    let written: Vec<f64> = truth.iter().map(|one| first_output(one)).collect();
    let least = written.iter().copied().fold(f64::INFINITY, f64::min);
    assert!(number("time_to_first_token", "avg") >= mean(&written) && number("time_to_first_token", "min") >= least);
    // To the nanosecond they are our own metrics of those names.
    let ours = |tag: &str, stat: &str| summary[tag][stat].as_f64().unwrap();
    for (theirs, tag) in
        [("time_to_first_token", "time_to_first_output_token"), ("output_sequence_length", "output_token_count")]
    {
        for stat in ["avg", "p50", "p99", "max"] {
            assert!((number(theirs, stat) - ours(tag, stat)).abs() < 1e-9, "{theirs} {stat}");
        }
    }
    assert!(ours("time_to_first_token", "avg") < number("time_to_first_token", "min"));

    // What follows from the two.
    let records = ended.artifacts.text(&file("profile_export.jsonl"));
    let records: Vec<Record> = records.lines().map(|line| Record(serde_json::from_str(line).unwrap())).collect();
    let itl = |record: &Record| {
        let tokens = record.metric("output_token_count");
        (record.metric("request_latency") - record.metric("time_to_first_output_token")) / (tokens - 1.0)
    };
    let expected = mean(&records.iter().map(itl).collect::<Vec<_>>());
    assert!((number("inter_token_latency", "avg") - expected).abs() < 1e-6);
    let second = |record: &Record| record.0["metrics"]["inter_chunk_latency"]["value"][REASONING].as_f64().unwrap();
    assert!(
        (number("time_to_second_token", "avg") - mean(&records.iter().map(second).collect::<Vec<_>>())).abs() < 1e-6
    );
    let share = number("output_token_throughput", "avg") / ours("output_token_throughput", "avg");
    assert!((share - 20.0 / 30.0).abs() < 1e-9, "{share}");
    assert!((number("request_goodput", "avg") - number("request_throughput", "avg")).abs() < 1e-9);
    let table = ended.artifacts.text(&file("profile_export_genai_perf.csv"));
    assert!(table.contains("Output Sequence Length (tokens),20.00,20.00,20.00"), "{table}");
    assert!(
        ended.stdout.contains("GenAI-Perf | LLM Metrics")
            && ended.stdout.contains("GenAI-Perf does not count reasoning")
    );

    // Made again from the records they are the same.
    let rebuilt =
        Program::new("report --export-genai-perf").word(ended.artifacts.path("m-openai-chat-concurrency1")).run();
    assert_ended_well(&rebuilt, "report");
    let again = ended.artifacts.json(&file("profile_export_genai_perf.json"));
    for tag in ["time_to_first_token", "time_to_second_token", "inter_token_latency", "output_sequence_length"] {
        for stat in ["avg", "p99", "min", "max"] {
            let (first, second) = (number(tag, stat), again[tag][stat].as_f64().unwrap());
            assert!((first - second).abs() < 1e-6, "{tag} {stat}: {first} and {second}");
        }
    }
}

#[test]
fn a_sweep_of_genai_perf_has_its_definitions_too() {
    let sim = sim("ttft=10&itl=2&reasoning=10");
    let words = format!(
        "genai-perf analyze --artifact-dir out -m m --tokenizer builtin -u {} --endpoint-type chat --streaming --isl 20 --osl 30 \
         --request-count 2 --sweep-type concurrency --sweep-list 1,2",
        sim.addr()
    );
    let ended = Program::new(&words).run();
    assert_ended_well(&ended, &words);
    let table = ended.artifacts.text("analyze_export_genai_perf.csv");
    let (mut head, rows): (Vec<&str>, Vec<&str>) =
        table.lines().take(3).partition(|line| line.starts_with("Config Name"));
    let head = head.remove(0).split(',').collect::<Vec<_>>();
    let column = |name: &str| head.iter().position(|title| *title == name).unwrap();
    assert_eq!(rows.len(), 2, "{table}");
    for row in rows {
        let cells: Vec<&str> = row.split(',').collect();
        assert_eq!(cells[column("p99 Output Sequence Length (tokens)")], "20.00", "{table}");
        let first: f64 = cells[column("p99 Time To First Token (ms)")].parse().unwrap();
        assert!(first >= 10.0 + 10.0 * 2.0, "{table}");
    }
}
