//! `aiperf validate` on everything that the program writes in addition to single runs, whole and damaged.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Ended, Program, sim};

const SPEED: &str = "ttft=2&itl=0&osl=4";
const AGGREGATE: &str = "aggregate/profile_export_aiperf_aggregate.json";

fn validate(path: &Path) -> Ended {
    Program::new("validate").word(path).run()
}

fn is_whole(path: &Path, words: &str) {
    let ended = validate(path);
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stdout.contains(words) && ended.stderr.is_empty(), "{}{}", ended.stdout, ended.stderr);
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// A copy of a folder with one file changed is found out by name, place and what was expected.
fn is_found_out(whole: &Path, file: &str, damage: impl FnOnce(String) -> Option<String>, words: &[&str]) {
    let copied = tempfile::tempdir().unwrap();
    copy(whole, copied.path());
    let path = copied.path().join(file);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{file}: {error}"));
    match damage(text.clone()) {
        Some(damaged) => {
            assert_ne!(damaged, text, "{file} is damaged");
            fs::write(&path, damaged).unwrap();
        }
        None => fs::remove_file(&path).unwrap(),
    }
    let ended = validate(copied.path());
    assert_eq!(ended.code, Some(1), "{file}: {}{}", ended.stdout, ended.stderr);
    let line = |line: &&str| words.iter().all(|word| line.contains(word));
    assert!(ended.stdout.lines().any(|found| line(&found)), "{words:?} in {}", ended.stdout);
}

/// Changes the value at a JSON pointer.
fn at(pointer: &str, value: Value) -> impl FnOnce(String) -> Option<String> {
    let pointer = pointer.to_owned();
    move |text| {
        let mut whole: Value = serde_json::from_str(&text).unwrap();
        *whole.pointer_mut(&pointer).unwrap_or_else(|| panic!("{pointer}")) = value;
        Some(format!("{whole:#}"))
    }
}

fn replacing(from: &str, to: &str) -> impl FnOnce(String) -> Option<String> {
    let (from, to) = (from.to_owned(), to.to_owned());
    move |text| Some(text.replacen(&from, &to, 1))
}

#[test]
fn repeated_runs_are_whole_and_damage_to_them_is_named() {
    let sim = sim(SPEED);
    let words = "--streaming --concurrency 2 --request-count 6 --num-profile-runs 3 --convergence-metric request_latency \
                 --convergence-mode cv --convergence-threshold 0.0000001 --export-genai-perf";
    let ended = Program::against(&sim, words).run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let folder = ended.artifacts.path("");
    is_whole(&folder, "3 runs, 18 records");

    let second = "profile_runs/run_0002";
    is_found_out(&folder, AGGREGATE, at("/metrics/request_latency_avg/mean", json!(1e9)), &[AGGREGATE, "above max"]);
    is_found_out(
        &folder,
        AGGREGATE,
        at("/metrics/request_latency_avg/se", json!(1e-7)),
        &[AGGREGATE, "/metrics/request_latency_avg/se is", "the runs give"],
    );
    is_found_out(
        &folder,
        AGGREGATE,
        at("/metrics/request_latency_avg/std", json!("wide")),
        &["/metrics/request_latency_avg/std", "\"number\"", "found \"wide\""],
    );
    is_found_out(&folder, AGGREGATE, at("/metadata/run_labels/1", json!("run_0009")), &[AGGREGATE, "run_0009"]);
    is_found_out(&folder, AGGREGATE, at("/metadata/num_profile_runs", json!(4)), &[AGGREGATE, "3 are listed"]);
    is_found_out(&folder, AGGREGATE, |text| Some(text[..text.len() / 2].to_owned()), &[AGGREGATE, "cannot be read"]);
    let table = "aggregate/profile_export_aiperf_aggregate.csv";
    is_found_out(
        &folder,
        table,
        replacing("request_latency_avg,", "request_latency_avg,9"),
        &[table, "request_latency_avg"],
    );
    is_found_out(&folder, table, |_| None, &[table, "missing"]);
    let collated = "aggregate/profile_export_aiperf_collated.json";
    is_found_out(
        &folder,
        collated,
        at("/metrics/request_latency/combined/count", json!(17)),
        &[collated, "/metrics/request_latency/combined/count is 17, the runs have 18"],
    );
    let config = format!("{second}/run_config.json");
    is_found_out(&folder, &config, at("/trial", json!(0)), &[&config, "/trial is 0", "run_info has 1"]);
    let summary = format!("{second}/profile_export_aiperf.json");
    is_found_out(&folder, &summary, at("/validity", json!([{"code": "rumour"}])), &[&summary, "/validity/0"]);
    is_found_out(&folder, &summary, |_| None, &[AGGREGATE, "no folder has a summary of \"run_0002\""]);
    let records = format!("{second}/profile_export.jsonl");
    is_found_out(
        &folder,
        &records,
        replacing("\"session_num\":", "\"session_num\":\"x\",\"was\":"),
        &[&records, "session_num"],
    );
    let genai = format!("{second}/profile_export_genai_perf.json");
    is_found_out(&folder, &genai, at("/request_latency/avg", json!(0.5)), &[&genai, "/request_latency/avg is 0.5"]);

    fs::write(folder.join("notes.txt"), "mine").unwrap();
    let ended = validate(&folder);
    assert_eq!(ended.code, Some(0));
    assert!(ended.stderr.contains("notes.txt"), "{}", ended.stderr);
}

#[test]
fn sweeps_are_whole_in_each_order_and_damage_to_them_is_named() {
    let sim = sim(SPEED);
    let common = "--streaming --concurrency 1,2 --request-count 4";
    for (words, sweep, extent) in [
        ("", "sweep_aggregate", "2 runs, 8 records"),
        ("--num-profile-runs 2", "aggregate/sweep_aggregate", "4 runs, 16 records"),
        ("--num-profile-runs 2 --parameter-sweep-mode independent", "sweep_aggregate", "4 runs, 16 records"),
    ] {
        let ended = Program::against(&sim, common).with(words).run();
        assert_eq!(ended.code, Some(0), "{words}: {}", ended.stderr);
        let folder = ended.artifacts.path("");
        is_whole(&folder, extent);
        let json_file = format!("{sweep}/profile_export_aiperf_sweep.json");
        let table = format!("{sweep}/profile_export_aiperf_sweep.csv");
        let point = "/per_combination_metrics/1";
        is_found_out(
            &folder,
            &json_file,
            at(&format!("{point}/parameters/concurrency"), json!(3)),
            &[&json_file, point, "concurrency is 3, one of [1,2] is expected"],
        );
        let key = if words.is_empty() { "request_latency" } else { "request_latency_avg" };
        is_found_out(
            &folder,
            &json_file,
            at(&format!("{point}/metrics/{key}/unit"), json!("s")),
            &[&json_file, point, "concurrency=2", "\"ms\""],
        );
        is_found_out(
            &folder,
            &json_file,
            at("/pareto_optimal", json!([{}])),
            &["/pareto_optimal/0", "none of the points"],
        );
        is_found_out(&folder, &table, replacing("\n2,", "\n7,"), &[&table, "concurrency is 7, the JSON has 2"]);
        is_found_out(&folder, &json_file, |_| None, &[&json_file, "missing"]);
    }
}

#[test]
fn a_run_until_an_interval_is_narrow_is_whole() {
    let sim = sim(SPEED);
    let ended = Program::against(&sim, "--request-count 400 --until-ci request_latency:avg:50%").run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let folder = ended.artifacts.path("");
    is_whole(&folder, "records");
    let summary = "profile_export_aiperf.json";
    is_found_out(
        &folder,
        summary,
        at("/until_ci/targets/0/margin", json!("5%")),
        &[summary, "/until_ci/targets/0/margin"],
    );
    is_found_out(&folder, summary, at("/client_health/saturated", json!(0)), &[summary, "/client_health/saturated"]);
}

#[test]
fn comparisons_gates_and_analyses_are_checked_alone_and_beside_runs() {
    let sim = sim(SPEED);
    let ended = Program::against(&sim, "--request-count 4 --num-profile-runs 2").run();
    let folder = ended.artifacts.path("");
    let (first, second) = (folder.join("profile_runs/run_0001"), folder.join("profile_runs/run_0002"));
    let gate = folder.join("gate.json");
    let gated = Program::new("gate --format json --baseline").word(&first).word(&second).word("--output").word(&gate);
    assert_eq!(gated.run().code, Some(3));
    let compared = Program::new("compare --format json --output").word(first.join("against_second.json"));
    assert_eq!(compared.word(&first).word(&second).run().code, Some(0));
    let trace = "{\"timestamp\": 0, \"input_length\": 600, \"output_length\": 4, \"hash_ids\": [1, 2]}\n";
    let analysis = folder.join("trace.json");
    let analysed = Program::new("analyze-trace trace.jsonl --output-file").word(&analysis).file("trace.jsonl", trace);
    assert_eq!(analysed.run().code, Some(0));
    is_whole(&gate, "gate.json: 1 file");
    is_whole(&analysis, "trace.json: 1 file");
    is_whole(&folder, "2 runs, 8 records");

    is_found_out(&folder, "gate.json", at("/gate/exit_code", json!(0)), &["gate.json", "3 is expected"]);
    is_found_out(
        &folder,
        "gate.json",
        at("/comparisons/0/metrics/0/verdict", json!("good")),
        &["/verdict", "\"good\""],
    );
    is_found_out(&folder, "gate.json", |text| Some(text[..80].to_owned()), &["gate.json", "cannot be read"]);
    let beside = "profile_runs/run_0001/against_second.json";
    is_found_out(
        &folder,
        beside,
        at("/baseline/requests", json!(-4)),
        &[beside, "/baseline/requests", "-4 is below 0"],
    );
    is_found_out(&folder, "trace.json", at("/isl_stats/max", json!(5.0)), &["trace.json", "/isl_stats", "above max"]);
    is_found_out(&folder, "trace.json", at("/sessions/source", json!("guessed")), &["/sessions/source", "guessed"]);

    let stray = folder.join("stray.json");
    fs::write(&stray, "{}").unwrap();
    assert_eq!(validate(&stray).code, Some(1), "it is none of ours");
}

#[test]
fn files_of_genai_perf_are_checked() {
    let sim = sim(SPEED);
    let words = "genai-perf analyze -m m --endpoint-type chat --streaming --request-count 3 --sweep-type concurrency \
                 --sweep-list 1,2 --artifact-dir out --enable-checkpointing --checkpoint-dir out/kept --tokenizer builtin -u";
    let ended = Program::new(words).word(sim.addr().to_string()).run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let folder = ended.artifacts.path("");
    is_whole(&folder, "2 runs, 6 records");
    let table = "analyze_export_genai_perf.csv";
    is_found_out(&folder, table, replacing("m_run_config_1,", "m_run_config_1,,"), &[table, "line 3"]);
    let kept = "kept/checkpoint.json";
    let value = "/Results/run_configs/0/measurement/_model_config_measurements/m/_perf_metrics/request_latency_avg";
    is_found_out(&folder, kept, at(&format!("{value}/0"), json!("other")), &[kept, "request_latency_avg"]);
    is_found_out(&folder, kept, at("/Results/run_configs/0/name", json!(1)), &[kept, "/Results/run_configs/0/name"]);
    let run = "m-openai-chat-concurrency1";
    let records = format!("{run}/profile_export.json");
    is_found_out(&folder, &records, at("/experiments/0/requests/0/timestamp", json!("now")), &[&records, "/timestamp"]);
    is_found_out(&folder, &records, at("/experiments/0/requests", json!([])), &[&records, "0 requests"]);
}
