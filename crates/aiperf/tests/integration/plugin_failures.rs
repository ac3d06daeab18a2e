//! Process plugins in Python that crash, hang, flood or speak another version: the run ends with its data and one clear message.

use aiperf_sim::Sim;
use serde_json::json;

use crate::support::{Ended, Program, sim};

const PLUGIN: &str = include_str!("../../../plugin/tests/fixtures/plugin.py");
const CRASHED: &str = "it ended (exit status: 1) before it answered; its last line on stderr: broken on purpose";
const HUNG: &str = "it gave no answer within 5 s; raise timeout_seconds";
const OTHER_VERSION: &str = "it speaks version 2 of the plugin protocol, and this program speaks 1";

/// Runs with a plugin that behaves in the given way.
fn run(server: &Sim, category: &str, mode: &str, words: &str) -> Ended {
    // The interpreter takes its time to start, so that the limit of the plugin that hangs is not short.
    let limit = if mode == "hang" { 5 } else { 60 };
    let pack = format!(
        "schema_version: \"1.0\"\n{category}:\n  mine: {{process: {{command: [python3, plugin.py, {mode}], timeout_seconds: {limit}, \
         max_output_mb: 1}}}}\n"
    );
    let question = |number: usize| json!({"question": format!("<{number}>"), "answer": "#### 1"}).to_string();
    let questions = (0..6).map(question).collect::<Vec<_>>().join("\n") + "\n";
    Program::new("profile --artifact-dir out --model test-model --tokenizer builtin --plugin-dir packs --url")
        .with(&server.url())
        .with(words)
        .file("packs/mine.yaml", &pack)
        .file("packs/plugin.py", PLUGIN)
        .file("data/test.jsonl", &questions)
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .run()
}

/// What the program says about the plugin, without what it only informs about: the exact text of the one warning or error.
fn the_message(ended: &Ended, category: &str) -> String {
    let name = format!("plugin {category}:mine: ");
    let lines: Vec<&str> =
        ended.stderr.lines().filter(|line| line.contains(&name) && !line.contains(" INFO ")).collect();
    let [line] = lines[..] else { panic!("one message, not {}: {}", lines.len(), ended.stderr) };
    line.to_owned()
}

fn has_python() -> bool {
    aiperf_test_tools::available(&[&["python3", "--version"]])
}

/// Every way to break, for a plugin whose failure does not end the run.
fn the_run_goes_on(category: &str, words: &str, flood: &str, check: impl Fn(&Ended)) {
    if !has_python() {
        return;
    }
    for (mode, said) in [("crash", CRASHED), ("hang", HUNG), ("flood", flood), ("version", OTHER_VERSION)] {
        let server = sim("ttft=1&itl=0");
        let ended = run(&server, category, mode, words);
        assert_eq!(ended.code, Some(0), "{category} {mode}: {}", ended.stderr);
        let line = the_message(&ended, category);
        assert!(line.contains(said), "{category} {mode}: {line}");
        check(&ended);
    }
}

fn has_all_records(ended: &Ended) {
    assert_eq!(ended.artifacts.records().len(), 6);
    assert_eq!(ended.artifacts.summary()["request_count"]["avg"], 6.0);
}

const FLOODED: &str = "it answered \"{\\\"type\\\":\\\"row\\\"";

#[test]
fn a_broken_exporter_in_python_is_one_warning() {
    the_run_goes_on("data_exporter", "--request-count 6", FLOODED, has_all_records);
}

#[test]
fn a_broken_stream_exporter_in_python_is_one_warning() {
    the_run_goes_on("stream_exporter", "--request-count 6", FLOODED, has_all_records);
}

#[test]
fn a_broken_collector_in_python_is_one_warning() {
    the_run_goes_on("server_metrics_collector", "--request-count 6", FLOODED, has_all_records);
}

const QUESTIONS: &str = "--accuracy-benchmark gsm8k --accuracy-data-dir data --accuracy-grader mine";

#[test]
fn a_broken_grader_in_python_is_one_warning_and_the_answers_are_kept() {
    if !has_python() {
        return;
    }
    let server = sim("ttft=1&itl=0");
    for (mode, said) in [("crash", CRASHED), ("hang", HUNG), ("flood", FLOODED)] {
        let ended = run(&server, "accuracy_grader", mode, QUESTIONS);
        assert_eq!(ended.code, Some(0), "{mode}: {}", ended.stderr);
        let line = the_message(&ended, "accuracy_grader");
        assert!(line.contains(said), "{mode}: {line}");
        has_all_records(&ended);
        let overall = &ended.artifacts.summary()["accuracy.unparsed"];
        assert_eq!((&overall["sum"], &overall["count"]), (&json!(6), &json!(6)), "{mode}");
        assert_eq!(ended.artifacts.lines("accuracy_export.jsonl").len(), 6);
    }
}

#[test]
fn a_broken_planner_in_python_ends_the_search_with_its_points() {
    if !has_python() {
        return;
    }
    let words = "--request-count 6 --search-space concurrency:1,4:int --search-metric request_throughput \
                 --search-direction maximize --search-max-iterations 8 --search-planner mine";
    let server = sim("ttft=1&itl=0");
    for (mode, said) in [("crash", CRASHED), ("hang", HUNG), ("flood", FLOODED)] {
        let ended = run(&server, "search_planner", mode, words);
        assert_eq!(ended.code, Some(0), "{mode}: {}", ended.stderr);
        let line = the_message(&ended, "search_planner");
        assert!(line.contains(said), "{mode}: {line}");
        let history = ended.artifacts.json("search_history.json");
        assert_eq!(history["iterations"].as_array().unwrap().len(), 1, "{mode}: {history}");
        assert_eq!(history["convergence_reason"], "planner_failed", "{mode}: {history}");
    }
}

/// Without its loader, planner or grader a command has nothing to do: it ends before the first request.
#[test]
fn what_a_run_cannot_do_without_is_one_error_before_the_first_request() {
    if !has_python() {
        return;
    }
    let search = "--request-count 6 --search-space concurrency:1,4:int --search-metric request_throughput \
                  --search-direction maximize --search-max-iterations 8 --search-planner mine";
    let loader = "--request-count 6 --custom-dataset-type mine";
    let flooded = "it wrote more than 1 MiB";
    for (category, mode, words, said) in [
        ("custom_dataset_loader", "crash", loader, CRASHED),
        ("custom_dataset_loader", "hang", loader, HUNG),
        ("custom_dataset_loader", "flood", loader, flooded),
        ("custom_dataset_loader", "version", loader, OTHER_VERSION),
        ("search_planner", "version", search, OTHER_VERSION),
        ("accuracy_grader", "version", QUESTIONS, OTHER_VERSION),
    ] {
        let server = sim("ttft=1&itl=0");
        let ended = run(&server, category, mode, words);
        assert_eq!(ended.code, Some(1), "{category} {mode}: {}", ended.stderr);
        let line = the_message(&ended, category);
        assert!(line.contains(said), "{category} {mode}: {line}");
        assert!(crate::support::requests(&server).is_empty());
    }
}
