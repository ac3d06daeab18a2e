use std::fs;
use std::path::Path;

use serde_json::json;
use tempfile::TempDir;

use super::*;

fn folder(files: &[(&str, &str)]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    dir
}

/// All files, sorted, relative to the folder.
fn names(dir: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path.strip_prefix(dir).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    found.sort();
    found
}

fn clear(dir: &Path, earlier: EarlierFiles) -> Option<ClearedFiles> {
    FolderLock::take(dir).unwrap().clear(earlier, &[]).unwrap()
}

const RUN: [(&str, &str); 9] = [
    (".aiperf_results_ready.json", "{}"),
    (".aiperf_run.json", "{}"),
    ("inputs.json.part", ""),
    ("logs/aiperf.log", ""),
    ("phases/warmup/profile_export_aiperf.json", "{}"),
    ("profile_export.jsonl", ""),
    ("profile_export_aiperf.json", "{}"),
    ("profile_export_aiperf_timeslices.csv", ""),
    ("profile_export_raw.jsonl", ""),
];
const OF_OTHERS: [(&str, &str); 5] = [
    ("notes.txt", ""),
    ("prompts.jsonl", "{\"text\": \"hello\"}\n"),
    ("comparison.json", "{\"comparisons\": []}"),
    ("logs/other.log", ""),
    ("checkpoint.json", "{}"),
];

#[test]
fn files_of_an_earlier_run_are_moved_and_those_of_others_stay() {
    let dir = folder(&[&RUN[..], &OF_OTHERS[..]].concat());
    let cleared = clear(dir.path(), EarlierFiles::SetAside).unwrap();
    assert_eq!(cleared, ClearedFiles { files: RUN.len(), moved_to: Some(dir.path().join(PREVIOUS)) });
    let mut expected: Vec<String> = RUN.iter().map(|(name, _)| format!("previous/{name}")).collect();
    expected.extend(OF_OTHERS.map(|(name, _)| name.to_owned()));
    expected.sort();
    assert_eq!(names(dir.path()), expected);
    assert!(!dir.path().join("phases").exists(), "a folder of ours that is empty goes");
    assert_eq!(clear(dir.path(), EarlierFiles::SetAside), None, "nothing is left to move");
}

#[test]
fn overwriting_deletes_what_the_program_wrote_and_nothing_else() {
    let dir = folder(&[&RUN[..], &OF_OTHERS[..]].concat());
    assert_eq!(clear(dir.path(), EarlierFiles::Delete), Some(ClearedFiles { files: RUN.len(), moved_to: None }));
    let mut expected = OF_OTHERS.map(|(name, _)| name.to_owned());
    expected.sort();
    assert_eq!(names(dir.path()), expected);
}

#[test]
fn the_run_before_the_last_one_is_kept_too() {
    let dir = tempfile::tempdir().unwrap();
    for number in 1..=4 {
        clear(dir.path(), EarlierFiles::SetAside);
        fs::write(dir.path().join("profile_export.jsonl"), number.to_string()).unwrap();
    }
    let said = |name: &str| fs::read_to_string(dir.path().join(name).join("profile_export.jsonl")).unwrap();
    assert_eq!(["", "previous", "previous/older/2", "previous/older/1"].map(said), ["4", "3", "2", "1"]);
}

#[test]
fn what_was_set_aside_of_a_point_of_a_sweep_is_not_a_point_of_its_own() {
    let point = json!({"variation": {"values": {"concurrency": 4}}}).to_string();
    let dir = folder(&[
        ("run_config.json", &point),
        ("profile_export.jsonl", ""),
        ("previous/run_config.json", &point),
        ("previous/profile_export.jsonl", ""),
    ]);
    let cleared = clear(dir.path(), EarlierFiles::SetAside).unwrap();
    assert_eq!(cleared.files, 2);
    let older = ["profile_export.jsonl", "run_config.json"].map(|name| format!("previous/older/1/{name}"));
    let last = ["profile_export.jsonl", "run_config.json"].map(|name| format!("previous/{name}"));
    assert_eq!(names(dir.path()), [older, last].concat());
}

#[test]
fn files_with_a_prefix_of_their_own_are_known_by_what_is_in_them() {
    let summary = json!({"aiperf_version": "0.1.0", "benchmark_id": "1", "input_config": {}}).to_string();
    let record = json!({"metadata": {"x_request_id": "1"}, "metrics": {}}).to_string() + "\n{torn";
    let dir = folder(&[
        ("first.json", &summary),
        ("first_console.txt", ""),
        ("second.jsonl", &record),
        ("second_raw.jsonl", ""),
        ("third_raw.jsonl", ""),
        (".aiperf_run.json", &json!({"input_config": {"artifacts": {"prefix": "fourth"}}}).to_string()),
        ("fourth.jsonl", ""),
    ]);
    clear(dir.path(), EarlierFiles::Delete);
    assert_eq!(names(dir.path()), ["third_raw.jsonl"], "nothing says whose that is");
}

#[test]
fn all_runs_of_an_earlier_sweep_are_moved_and_other_experiments_below_stay() {
    let point = json!({"variation": {"values": {"phases.profiling.concurrency": 1}}}).to_string();
    let trial = json!({"variation": {"values": {}}}).to_string();
    let dir = folder(&[
        ("aggregate/concurrency_1/profile_export_aiperf_aggregate.json", "{}"),
        ("sweep_aggregate/profile_export_aiperf_sweep.csv", ""),
        ("concurrency_1/run_config.json", &point),
        ("concurrency_1/profile_export_aiperf.json", "{}"),
        ("concurrency_2/profile_runs/trial_0001/run_config.json", &point),
        ("profile_runs/run_0004/profile_export.jsonl", ""),
        // Other commands had these.
        ("another/profile_export.jsonl", ""),
        ("repeated/profile_runs/run_0001/run_config.json", &trial),
        ("sweep/concurrency_1/run_config.json", &point),
    ]);
    clear(dir.path(), EarlierFiles::Delete);
    assert_eq!(
        names(dir.path()),
        [
            "another/profile_export.jsonl",
            "repeated/profile_runs/run_0001/run_config.json",
            "sweep/concurrency_1/run_config.json"
        ]
    );
    assert!(!dir.path().join("concurrency_1").exists());
}

#[test]
fn data_that_is_sent_is_not_taken_away() {
    let dir = folder(&RUN);
    let lock = FolderLock::take(dir.path()).unwrap();
    lock.clear(EarlierFiles::Delete, &[dir.path().join("profile_export_raw.jsonl")]).unwrap();
    assert_eq!(names(dir.path()), ["profile_export_raw.jsonl"]);
}

#[test]
#[cfg(unix)]
fn links_and_pipes_in_place_of_files_stay() {
    let dir = folder(&[]);
    std::os::unix::fs::symlink("/dev/null", dir.path().join("profile_export.jsonl")).unwrap();
    assert_eq!(clear(dir.path(), EarlierFiles::Delete), None);
}

#[test]
fn a_second_writer_is_refused_until_the_first_has_ended() {
    let dir = tempfile::tempdir().unwrap();
    let first = FolderLock::take(dir.path()).unwrap();
    if !first.is_locked() {
        eprintln!("skipped: {} is on a file system without locks", dir.path().display());
        return;
    }
    let refused = FolderLock::take(dir.path()).unwrap_err();
    assert!(refused.to_string().contains("another aiperf run"), "{refused}");
    drop(first);
    FolderLock::take(dir.path()).unwrap();
}
