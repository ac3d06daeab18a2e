//! Recorded load replayed: every row once, at its length, and with what the analysis of the trace foretells.

use serde_json::{Value, json};

use crate::support::{Artifacts, Log, Program, by_request_id, sim};

const FAST: &str = "ttft=0&itl=0&osl=2&cache=100000&cache_block=64";
const BLOCK: u64 = 64;

/// A made trace: conversations that share a beginning and grow, with blocks of 64 tokens.
fn rows() -> Vec<Value> {
    let mut rows = Vec::new();
    for turn in 0..4_u64 {
        for session in 0..6_u64 {
            // What all share, then what the session has so far; the last block is not full.
            let mut ids: Vec<u64> = vec![1, 2];
            ids.extend((0..=turn * 2).map(|part| 100 * (session + 1) + part));
            let last = 1000 * (session + 1) + turn;
            ids.push(last);
            let length = (ids.len() as u64 - 1) * BLOCK + 1 + (session * 7 + turn * 3) % BLOCK;
            rows.push(json!({"timestamp": 40 * rows.len(), "input_length": length, "output_length": 1 + turn,
                             "hash_ids": ids}));
        }
    }
    rows
}

fn replay(sim: &aiperf_sim::Sim, words: &str) -> Artifacts {
    let words = format!("--custom-dataset-type mooncake_trace --isl-block-size {BLOCK} --random-seed 5 {words}");
    Program::replaying(sim, &rows(), &words).succeed()
}

fn analysis(rows: &[Value], words: &str) -> Value {
    let lines: Vec<String> = rows.iter().map(ToString::to_string).collect();
    let words = format!("analyze-trace rows.jsonl {BLOCK} --format json {words}");
    let ended = Program::new(&words).file("rows.jsonl", &lines.join("\n")).run();
    assert!(ended.code == Some(0), "{}", ended.stderr);
    serde_json::from_str(&ended.stdout).unwrap()
}

#[test]
fn a_replay_sends_every_row_once_at_its_length_and_hits_the_cache_as_foretold() {
    let sim = sim(FAST);
    let artifacts = replay(&sim, "--synthesis-speedup-ratio 2");
    let log = Log::of(&sim, &artifacts);
    let rows = rows();
    assert_eq!(log.len(), rows.len());
    for (entry, row) in log.iter().zip(&rows) {
        assert_eq!(u64::from(entry.truth.prompt_tokens.unwrap()), row["input_length"].as_u64().unwrap());
        assert_eq!(entry.body["max_completion_tokens"], row["output_length"]);
        assert!(entry.arrival >= row["timestamp"].as_f64().unwrap() / 2e3, "before its time");
    }
    let recorded: Vec<f64> = artifacts.profiled().iter().map(|record| record.metric("input_sequence_length")).collect();
    assert_eq!(recorded.len(), rows.len());
    let sum = |tokens: fn(&aiperf_sim::TruthRecord) -> Option<u32>| -> f64 {
        log.iter().map(|entry| f64::from(tokens(&entry.truth).unwrap())).sum()
    };
    let hit_rate = sum(|truth| truth.cached_tokens) / sum(|truth| truth.prompt_tokens);
    let foretold = analysis(&rows, "")["prefix_cache"]["hit_rate"].as_f64().unwrap();
    assert!((hit_rate - foretold).abs() < 1e-12 && foretold > 0.3, "{hit_rate} instead of {foretold}");
    assert!(!artifacts.names().iter().any(|name| name == "inputs.json"), "the trace has all that");
}

#[test]
fn a_window_at_ten_times_the_speed_does_what_the_analysis_of_its_rows_foretells() {
    let sim = sim(FAST);
    let words = "--fixed-schedule-start-offset 200 --fixed-schedule-end-offset 760 --synthesis-speedup-ratio 10";
    let artifacts = replay(&sim, words);
    let log = Log::of(&sim, &artifacts);
    let window: Vec<Value> =
        rows().into_iter().filter(|row| (200..=760).contains(&row["timestamp"].as_u64().unwrap())).collect();
    assert_eq!((log.len(), window.len()), (15, 15));
    let mut lengths: Vec<_> = log.iter().map(|entry| u64::from(entry.truth.prompt_tokens.unwrap())).collect();
    let mut recorded: Vec<_> = window.iter().map(|row| row["input_length"].as_u64().unwrap()).collect();
    // Rows of nearly the same time may overtake each other on their way.
    lengths.sort_unstable();
    recorded.sort_unstable();
    assert_eq!(lengths, recorded);
    let (mut cached, mut prompt) = (0, 0);
    for (entry, row) in log.iter().zip(&window) {
        assert!(entry.arrival >= (row["timestamp"].as_f64().unwrap() - 200.0) / 1e4, "before its time");
        cached += entry.truth.cached_tokens.unwrap();
        prompt += entry.truth.prompt_tokens.unwrap();
    }
    let foretold = analysis(&window, "")["prefix_cache"]["hit_rate"].as_f64().unwrap();
    assert!((f64::from(cached) / f64::from(prompt) - foretold).abs() < 1e-12, "{cached} of {prompt}, not {foretold}");
}

#[test]
fn the_same_seed_sends_the_same_bytes_in_the_same_order() {
    let bodies = || -> Vec<String> {
        let sim = sim(FAST);
        let artifacts = replay(&sim, "--replay-speedup 4 --synthesis-prefix-root-multiplier 2");
        // In the order in which they were sent: on their way they may overtake each other.
        let mut sent = artifacts.records();
        sent.sort_by_key(|record| record.number("session_num"));
        let truth = by_request_id(&sim);
        sent.iter().map(|record| truth[record.word("x_request_id")].body.clone().unwrap()).collect()
    };
    assert_eq!(bodies(), bodies());
}

#[test]
fn csv_traces_replay_failed_requests_among_them() {
    let sim = sim(FAST);
    let header = "Timestamp,Model,Request tokens,Response tokens\n";
    let rows = "0.1,x,31,4\n0.15,x,12,0\nbroken,x,1,1\n0.2,x,47,3\n";
    let words = format!("--url {} --model m --tokenizer builtin --input-file load.csv --fixed-schedule", sim.url());
    let ended = Program::profile(&words).with("--export-level raw").file("load.csv", &format!("{header}{rows}")).run();
    assert!(ended.code == Some(0), "{}", ended.stderr);
    assert!(ended.stderr.contains("1 requests of the trace have no recorded output"), "{}", ended.stderr);
    assert!(ended.stderr.contains("Skipped 1 unusable rows of the input file, among them:"), "{}", ended.stderr);
    let lengths: Vec<Option<u32>> =
        sim.truth().iter().filter(|truth| truth.method == "POST").map(|truth| truth.prompt_tokens).collect();
    assert_eq!(lengths, [Some(31), Some(12), Some(47)]);
}

#[test]
fn azures_layout_replays_at_its_own_times() {
    let sim = sim(FAST);
    let header = "TIMESTAMP,ContextTokens,GeneratedTokens\n";
    let rows =
        "2023-11-16 18:15:46.6805900,374,44\n2023-11-16 18:15:46.9951690,96,9\n2023-11-16 18:15:46.8951690,55,7\n";
    let words = format!("--url {} --model m --tokenizer builtin --input-file load.csv --fixed-schedule", sim.url());
    let artifacts =
        Program::profile(&words).with("--export-level raw").file("load.csv", &format!("{header}{rows}")).succeed();
    let log = Log::of(&sim, &artifacts);
    let sent: Vec<(u32, u64)> = log
        .iter()
        .map(|entry| (entry.truth.prompt_tokens.unwrap(), entry.body["max_completion_tokens"].as_u64().unwrap()))
        .collect();
    assert_eq!(sent, [(374, 44), (55, 7), (96, 9)]);
    for (entry, due) in log.iter().zip([0.0, 0.214, 0.314]) {
        assert!(entry.arrival >= due, "{} before {due}", entry.arrival);
    }
}

#[test]
fn an_analysis_is_written_in_every_form_and_a_bad_file_fails() {
    let lines: Vec<String> = rows().iter().map(ToString::to_string).collect();
    let words =
        "analyze-trace rows.jsonl --block-size 64 --model-shape llama-3.1-8b --output-file out/a.csv --plot out/p.html";
    let ended = Program::new(words).file("rows.jsonl", &lines.join("\n")).run();
    assert!(ended.code == Some(0), "{}", ended.stderr);
    for part in ["Trace Analysis Report", "Total requests: 24", "Theoretical Hit Rates", "GiB"] {
        assert!(ended.stdout.contains(part), "{}", ended.stdout);
    }
    Program::new("analyze-trace nothing.jsonl").run().was_refused_with(&["nothing.jsonl", "cannot be read"]);
    Program::new("analyze-trace bad.jsonl")
        .file("bad.jsonl", "{\"input_length\":1}\n{\"input_length\":}\n")
        .run()
        .was_refused_with(&["bad.jsonl, line 2", "not valid JSON"]);
    let ended =
        Program::new("validate mooncake-trace rows.jsonl").file("rows.jsonl", "{\"input_length\":-1}\n{}").run();
    assert!(
        ended.code == Some(1) && ended.stdout.contains("line 1: input_length") && ended.stdout.contains("line 2: ")
    );
}

const BAILIAN: &str = r#"{"chat_id":1,"timestamp":0.0,"input_length":40,"output_length":3,"hash_ids":[1,2,3]}
{"chat_id":2,"parent_chat_id":1,"turn":2,"timestamp":0.05,"input_length":72,"output_length":2,"hash_ids":[1,2,3,4,5]}
"#;

#[test]
fn a_trace_that_became_mooncake_rows_sends_the_prompts_that_it_had() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.jsonl");
    let ended = Program::new("synthesize trace chats.jsonl -o").word(&path).file("chats.jsonl", BAILIAN).run();
    assert!(ended.code == Some(0) && ended.stdout.contains("--isl-block-size 16"), "{} {}", ended.stdout, ended.stderr);
    let rows = std::fs::read_to_string(&path).unwrap();
    let sim = sim(FAST);
    let words = format!("--url {} --model m --tokenizer builtin --input-file rows.jsonl", sim.url());
    let artifacts = Program::profile(&words)
        .with("--custom-dataset-type mooncake_trace --isl-block-size 16 --export-level raw")
        .file("rows.jsonl", &rows)
        .succeed();
    let lengths: Vec<Option<u32>> = Log::of(&sim, &artifacts).iter().map(|entry| entry.truth.prompt_tokens).collect();
    assert_eq!(lengths, [Some(40), Some(72)], "the second holds the first and is sent alone");
}

#[test]
fn a_change_that_changes_nothing_is_refused() {
    let rows = "{\"timestamp\":0,\"text_input\":\"a\"}\n";
    Program::new("synthesize trace rows.jsonl -o out.jsonl --synthesis-prefix-len-multiplier 2")
        .file("rows.jsonl", rows)
        .run()
        .was_refused_with(&[
            "--synthesis-prefix-len-multiplier has no effect on",
            "no row has block ids",
            "leave it out",
        ]);
    Program::new("synthesize trace rows.jsonl -o out.jsonl --synthesis-speedup-ratio 0")
        .file("rows.jsonl", rows)
        .run()
        .was_refused_with(&["--synthesis-speedup-ratio was given \"0\": a number above 0 is expected"]);
    Program::profile("--url localhost:1 --model m --tokenizer builtin --input-file rows.jsonl --synthesis-max-isl 9")
        .file("rows.jsonl", rows)
        .run()
        .was_refused_with(&[
            "--synthesis-max-isl has no effect on --input-file",
            "no row records the length of its prompt",
        ]);
}

#[test]
fn a_trace_is_checked_by_its_name_alone() {
    let check = |words: &str, rows: &str| Program::new(&format!("validate {words}")).file("load", rows).run();
    let ended = check("load --block-size 16", "{\"input_length\":40,\"hash_ids\":[1,2,3]}\n");
    assert!(
        ended.code == Some(0) && ended.stdout.contains("1 row of mooncake_trace"),
        "{} {}",
        ended.stdout,
        ended.stderr
    );
    let ended =
        check("load", "{\"input_length\":40,\"hash_ids\":[1,2,3]}\n{\"input_length\":0}\n{\"input_length\":1}\n");
    assert!(ended.stdout.contains("line 1: hash_ids: ") && ended.stdout.contains("--block-size"), "{}", ended.stdout);
    assert!(ended.stderr.contains("2 of 3 rows of mooncake_trace not valid"), "{}", ended.stderr);
    let ended = check("load", "Timestamp,Request tokens,Response tokens\n1,5,5\n2,five,5\n3,5\n");
    let problem = "line 3: Request tokens: a whole number from 1 to 100000000 is expected, not \"five\"";
    assert!(ended.stdout.contains(problem), "{}", ended.stdout);
    assert!(ended.stdout.contains("line 4: Response tokens is missing: the row is too short"), "{}", ended.stdout);
    check("nowhere", "").was_refused_with(&["\"nowhere\" is neither a folder, nor a file, nor a layout"]);
}

#[test]
fn times_that_are_not_used_are_spoken_of() {
    let sim = sim(FAST);
    let rows = "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.68,37,4\n2023-11-16 18:15:46.99,0,9\n";
    let words = format!("--url {} --model m --tokenizer builtin --input-file load.csv", sim.url());
    let ended = Program::profile(&words).with("--request-rate 50 --request-count 1").file("load.csv", rows).run();
    assert!(ended.code == Some(0), "{}", ended.stderr);
    assert!(ended.stderr.contains("WARNING  Ignoring the trace's timestamps"), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("line 3: ContextTokens: a whole number from 1"),
        "a prompt has a token: {}",
        ended.stderr
    );
    let ended = Program::profile(&words).with("--fixed-schedule").file("load.csv", rows).run();
    assert!(!ended.stderr.contains("Ignoring"), "{}", ended.stderr);
}

#[test]
fn a_trace_is_replayed_at_its_times_whether_its_type_is_named_or_detected() {
    for words in ["", "--custom-dataset-type mooncake_trace", "--concurrency 20"] {
        let sim = sim(FAST);
        let words = format!("--isl-block-size {BLOCK} {words}");
        let artifacts = Program::replaying(&sim, &rows(), &words).succeed();
        let log = Log::of(&sim, &artifacts);
        assert_eq!(log.len(), rows().len(), "{words}");
        for (entry, row) in log.iter().zip(rows()) {
            assert!(entry.arrival >= row["timestamp"].as_f64().unwrap() / 1e3, "before its time");
        }
        assert_eq!(artifacts.summary()["input_config"]["phases"][0]["type"], "fixed_schedule", "{words}");
    }
    let sim = sim(FAST);
    let csv = "Timestamp,Model,Request tokens,Response tokens\n0,\"a\nb\",5,2\n0.2,c,6,2\n0.4,\"d, e\",7,2\n";
    let words = format!("--url {} --model m --tokenizer builtin --input-file load.csv", sim.url());
    let artifacts = Program::profile(&words).file("load.csv", csv).succeed();
    assert_eq!(artifacts.counted("sent"), 3, "a quoted field with a line break is one field");
    assert!(artifacts.due().last().unwrap() - artifacts.due().first().unwrap() >= 0.399);
}

#[test]
fn a_count_sends_the_first_requests_of_a_schedule_in_order() {
    let rows: Vec<Value> =
        (0..6).map(|row| json!({"timestamp": 50 * row, "text_input": format!("r{row}"), "output_length": 1})).collect();
    for (count, sent, said) in [
        (4, 4, "Sending the first 4 of the 6 requests of the schedule"),
        (6, 6, "Replaying 6 requests"),
        (9, 6, "--request-count 9: the schedule has only 6 requests; all of them are sent"),
    ] {
        let sim = sim(FAST);
        let words = format!("--custom-dataset-type mooncake_trace --fixed-schedule --request-count {count}");
        let ended = Program::replaying(&sim, &rows, &words).run();
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        assert!(ended.stderr.contains(said), "{}", ended.stderr);
        let log = Log::of(&sim, &ended.artifacts);
        let texts: Vec<String> = log.iter().map(|entry| entry.messages()[0].1.clone()).collect();
        let expected: Vec<String> = (0..sent).map(|row| format!("r{row}")).collect();
        assert_eq!(texts, expected);
    }
}

#[test]
fn a_schedule_of_thousands_of_years_is_refused_with_its_length() {
    let row = |at: u64| json!({"timestamp": at, "input_length": 5, "output_length": 2});
    let sim = sim(FAST);
    let ended = Program::replaying(&sim, &[row(0), row(1_000_000_000_000_000)], "").run();
    ended.was_refused_with(&["rows.jsonl", "31688 years", "check their unit"]);
    Program::replaying(&sim, &[row(0), row(1_000_000_000_000_000)], "--request-count 1").succeed();
}
