//! The command in the README, word for word: what a newcomer sees and finds.

use std::collections::HashSet;

use crate::support::{Artifacts, Program};

/// The words after `cargo run --release --` in the README.
fn command() -> &'static str {
    let readme = include_str!("../../../../README.md");
    readme.lines().find_map(|line| line.strip_prefix("cargo run --release -- profile ")).unwrap()
}

fn check_files(artifacts: &Artifacts) {
    assert_eq!(
        artifacts.names(),
        [
            ".aiperf_results_ready.json",
            "aiperf_config.yaml",
            "inputs.json",
            "logs/aiperf.log",
            "profile_export.jsonl",
            "profile_export_aiperf.csv",
            "profile_export_aiperf.json",
            "profile_export_console.txt",
        ]
    );
    assert_eq!(artifacts.text(".aiperf_results_ready.json"), r#"{"ready":true,"was_cancelled":false,"partial":false}"#);
}

fn check_records(artifacts: &Artifacts) {
    let records = artifacts.records();
    assert_eq!(records.len(), 200);
    let numbers: Vec<u64> = records.iter().map(|record| record.number("session_num")).collect();
    assert_eq!(numbers, (0..200).collect::<Vec<_>>());
    let ids: HashSet<&str> = records.iter().map(|record| record.word("x_request_id")).collect();
    assert_eq!(ids.len(), 200);
    let inputs: HashSet<String> = artifacts.inputs().into_iter().map(|(session, _)| session).collect();
    assert_eq!(inputs.len(), 200);
    for record in &records {
        assert!(!record.failed(), "{record:?}");
        assert!((record.metric("input_sequence_length") - 550.0).abs() < f64::EPSILON);
        assert!((record.metric("output_sequence_length") - 64.0).abs() < f64::EPSILON);
        assert!(inputs.contains(record.word("conversation_id")));
    }
}

fn check_summary(artifacts: &Artifacts) {
    let summary = artifacts.summary();
    assert_eq!(summary["request_count"]["avg"], 200.0);
    assert_eq!(summary["input_sequence_length"]["min"], 550.0);
    assert_eq!(summary["input_sequence_length"]["max"], 550.0);
    assert_eq!(summary["total_osl"]["avg"], 200.0 * 64.0);
    assert_eq!(summary["was_cancelled"], false);
    assert_eq!(summary["is_complete"], true);
    assert_eq!(summary["error_summary"].as_array().unwrap().len(), 0);
    let keys: Vec<&str> = summary.as_object().unwrap().keys().map(String::as_str).collect();
    insta::assert_snapshot!("readme_summary_keys", keys.join("\n"));
}

/// The first cell of each row: names do not depend on what was measured.
fn csv_names(csv: &str) -> String {
    let rows =
        csv.split("\r\n").map(|row| if row.starts_with("Metric,") { row } else { row.split(',').next().unwrap() });
    rows.collect::<Vec<_>>().join("\n")
}

/// Titles of tables with the first cell of each row, and the labels of the lines after them: what does not depend on the
/// machine. Whether a run has a steady state does.
fn table_names(console: &str) -> String {
    let mut names = Vec::new();
    let mut in_steady_state = false;
    for line in console.lines() {
        let cell = line.strip_prefix('│').and_then(|rest| rest.split('│').next()).map(str::trim);
        if line.contains("aiperf | ") {
            in_steady_state = line.ends_with("Steady State");
            names.extend((!in_steady_state).then(|| format!("\n{}", line.trim())));
        } else if let Some(name) = cell.filter(|name| !name.is_empty() && !in_steady_state) {
            names.push(format!("  {name}"));
        } else if let Some((label, _)) = line.split_once(": ").filter(|(label, _)| is_label(label)) {
            names.push(format!("{label}:"));
        }
    }
    names.join("\n")
}

/// `JSON Export`, `Log File`: a few words that each begin with a capital.
fn is_label(text: &str) -> bool {
    let words: Vec<&str> = text.split(' ').collect();
    words.len() < 4 && words.iter().all(|word| word.starts_with(|letter: char| letter.is_ascii_uppercase()))
}

#[test]
fn the_command_of_the_readme_prints_the_table_and_writes_the_files() {
    let ended = Program::profile(command()).run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let artifacts = &ended.artifacts;
    check_files(artifacts);
    check_records(artifacts);
    check_summary(artifacts);
    insta::assert_snapshot!("readme_csv_names", csv_names(&artifacts.text("profile_export_aiperf.csv")));

    let console = artifacts.text("profile_export_console.txt");
    let (announcement, tables) = ended.stdout.split_once('\n').unwrap();
    assert!(announcement.ends_with("AIPerf System is PROFILING"), "{announcement}");
    assert!(tables.starts_with(&console), "{}", ended.stdout);
    insta::assert_snapshot!("readme_console", table_names(tables));
}

#[test]
fn without_a_folder_the_files_go_where_the_load_names_it() {
    let running =
        Program::new("profile --url sim:?ttft=0&itl=0 --streaming --isl 20 --request-count 3 --concurrency 2").start();
    let folder = running.out().with_file_name("artifacts").join("sim-model-openai-chat-concurrency2");
    let path = folder.join("profile_export_aiperf.json");
    let ended = running.end();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(path.is_file(), "{}", ended.stdout);
}
