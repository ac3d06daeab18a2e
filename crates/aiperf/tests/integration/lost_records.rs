//! What could not be written, or was not there to be read: the summary says so, and nobody makes a whole run of the rest.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{Ended, Program, sim, wait_for};

const EVERYTHING: &str = "--streaming --osl 4 --warmup-request-count 2 --export-level raw --slice-duration 0.05 \
                          --export-outputs-json --export-records-parquet --export-genai-perf";

fn on(command: &str, folder: &Path, words: &str) -> Ended {
    Program::new(command).word(folder).with(words).run()
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn last_line(text: &str) -> &str {
    text.lines().last().unwrap_or_default()
}

/// Whether the file system has a device that is always full.
fn is_there_a_full_device() -> bool {
    let there = Path::new("/dev/full").exists();
    if !there {
        eprintln!("skipped: this system has no /dev/full");
    }
    there
}

#[test]
fn records_that_a_full_disk_did_not_take_are_said_everywhere() {
    if !is_there_a_full_device() {
        return;
    }
    let sim = sim("ttft=1&itl=0&osl=2");
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    fs::create_dir(&out).unwrap();
    symlink("/dev/full", out.join("profile_export.jsonl")).unwrap();
    let base = format!("profile --url {} --model m --tokenizer builtin --request-count 20 --artifact-dir", sim.url());
    let ended = Program::new(&base).word(&out).run();
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    let error = last_line(&ended.stderr);
    assert!(error.starts_with("error: not all results were written: 20 of 20 lines"), "{error}");
    let summary = json(&out.join("profile_export_aiperf.json"));
    assert_eq!((&summary["records_lost"], &summary["request_count"]["avg"]), (&json!(20), &json!(20.0)));
    assert_eq!(summary["is_complete"], true, "its own numbers cover all requests");
    let notes = summary["validity"].as_array().unwrap();
    let note = notes.iter().find(|note| note["code"] == "records_lost").unwrap();
    assert_eq!((&note["severity"], &note["figure"]), (&json!("warning"), &json!(20.0)));
    assert_eq!(json(&out.join(".aiperf_results_ready.json"))["partial"], true);
    assert!(ended.stdout.contains("20 records could not be written"), "{}", ended.stdout);
    // An empty file, as on a disk that was full from the start.
    fs::remove_file(out.join("profile_export.jsonl")).unwrap();
    fs::write(out.join("profile_export.jsonl"), "").unwrap();
    let checked = on("validate", &out, "");
    assert_eq!(checked.code, Some(1));
    let said = "20 requests that were sent have no record, as the summary says";
    assert!(checked.stdout.contains(said), "{}", checked.stdout);
    assert!(!checked.stdout.contains("aiperf report"), "no advice that makes it worse: {}", checked.stdout);
}

#[test]
fn a_report_does_not_replace_right_numbers_by_those_of_fewer_records() {
    let sim = sim("ttft=1&itl=0&osl=2");
    let ended = Program::against(&sim, "--request-count 20").run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let out = ended.artifacts.path("");
    let (records, summary) = (out.join("profile_export.jsonl"), out.join("profile_export_aiperf.json"));
    let text = fs::read_to_string(&records).unwrap();
    let half: Vec<&str> = text.lines().take(8).collect();
    fs::write(&records, half.join("\n") + "\n").unwrap();
    let before = fs::read(&summary).unwrap();

    let reported = on("report", &out, "");
    assert_eq!(reported.code, Some(1));
    let error = last_line(&reported.stderr);
    assert!(
        error.starts_with("error: 12 requests of this run have no record") && error.contains("--output-dir"),
        "{error}"
    );
    assert_eq!(fs::read(&summary).unwrap(), before, "it is as it was");

    let elsewhere = tempfile::tempdir().unwrap();
    let reported = on("report", &out, &format!("--output-dir {}", elsewhere.path().display()));
    assert_eq!(reported.code, Some(0), "{}", reported.stderr);
    assert!(reported.stderr.contains("12 requests of this run have no record"), "{}", reported.stderr);
    let made = json(&elsewhere.path().join("profile_export_aiperf.json"));
    assert_eq!((&made["records_lost"], &made["is_complete"]), (&json!(12), &json!(false)));
    assert_eq!(made["request_count"]["avg"], 8.0, "nothing is scaled");
    assert!(made["incomplete_reason"].as_str().unwrap().contains("12 of the requests"), "{made}");
    assert!(made["validity"].as_array().unwrap().iter().any(|note| note["code"] == "records_lost"));
    assert_eq!(json(&elsewhere.path().join(".aiperf_results_ready.json"))["partial"], true);

    let checked = on("validate", &out, "");
    assert_eq!(checked.code, Some(1));
    assert_eq!(checked.stdout.lines().count(), 1, "one cause, not all that follows from it: {}", checked.stdout);
    assert!(checked.stdout.contains("12 requests that were sent have no record"), "{}", checked.stdout);
}

#[test]
fn a_killed_run_is_whole_after_a_report_as_far_as_it_can_be() {
    let sim = sim("ttft=2&itl=1&osl=4");
    let running = Program::against(&sim, "--request-count 100000 --concurrency 4").with(EVERYTHING).start();
    let out = running.out();
    for file in ["profile_export.jsonl", "profile_export_raw.jsonl"] {
        let enough = || fs::read(out.join(file)).is_ok_and(|bytes| bytes.split(|byte| *byte == b'\n').count() > 50);
        wait_for("50 lines on disk", || enough().then_some(()));
    }
    running.signal(Signal::KILL);
    let ended = running.end();
    assert!(out.join("inputs.json.part").exists());
    // Raw lines and records are not written in one step: one that is missing is not the reader's fault.
    let raw = fs::read_to_string(out.join("profile_export_raw.jsonl")).unwrap();
    let (_, without_first) = raw.split_once('\n').unwrap();
    fs::write(out.join("profile_export_raw.jsonl"), without_first).unwrap();

    let reported = on("report", &out, "");
    assert_eq!(reported.code, Some(0), "{}", reported.stderr);
    assert!(reported.stderr.contains("its time window is estimated"), "{}", reported.stderr);
    assert!(reported.stderr.contains("inputs.json"), "{}", reported.stderr);
    let summary = json(&out.join("profile_export_aiperf.json"));
    assert_eq!(summary["is_complete"], false);
    for phase in summary["rebuilt"]["phases"].as_array().unwrap() {
        assert_eq!(phase["window_is_estimated"], true, "{phase}");
    }
    assert_eq!(json(&out.join(".aiperf_results_ready.json"))["partial"], true);
    let names = ended.artifacts.names();
    let is_unfinished = |name: &String| [Some("part"), Some("unsorted")].contains(&name.rsplit('.').next());
    assert!(!names.iter().any(is_unfinished), "{names:?}");
    let checked = on("validate", &out, "");
    assert_eq!(checked.code, Some(0), "{}{}", checked.stdout, checked.stderr);
    assert!(checked.stderr.contains("not repairable: profile_export_raw.jsonl: lacks"), "{}", checked.stderr);
}

#[test]
fn a_killed_trial_keeps_its_place_among_the_runs() {
    let sim = sim("ttft=2&itl=0&osl=2&stall_every=4&stall_ms=600000");
    let words = "--request-count 100 --num-profile-runs 2 --concurrency 2 --num-dataset-entries 5";
    let running = Program::against(&sim, words).start();
    let trial = running.out().join("profile_runs/run_0001");
    wait_for("a record", || fs::read_to_string(trial.join("profile_export.jsonl")).ok()?.contains('\n').then_some(()));
    running.signal(Signal::KILL);
    let _ended = running.end();
    let reported = on("report", &trial, "");
    assert_eq!(reported.code, Some(0), "{}", reported.stderr);
    let summary = json(&trial.join("profile_export_aiperf.json"));
    assert_eq!(summary["run_info"]["sweep_id"], json(&trial.join("run_config.json"))["sweep_id"]);
    assert_eq!(summary["run_info"]["run_label"], "run_0001");
    let checked = on("validate", &trial, "");
    assert_eq!(checked.code, Some(0), "{}{}", checked.stdout, checked.stderr);
}

#[test]
fn a_file_size_limit_is_an_error_like_a_full_disk() {
    let sim = sim("ttft=1&itl=0&osl=2");
    // 128 blocks of 512 or 1,024 bytes, less than 400 records of some 700 bytes.
    let ended = Program::against(&sim, "--request-count 400 --concurrency 4").after("ulimit -f 128").run();
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    let error = last_line(&ended.stderr);
    assert!(error.starts_with("error: not all results were written"), "{error}");
    let summary = ended.artifacts.summary();
    assert_eq!(summary["request_count"]["avg"], 400.0);
    let kept = ended.artifacts.records().len() as u64;
    assert_eq!(summary["records_lost"], json!(400 - kept));
    assert_eq!(ended.artifacts.json(".aiperf_results_ready.json")["partial"], true);
}

#[test]
fn a_full_stdout_makes_a_command_fail_and_leaves_all_files() {
    if !is_there_a_full_device() {
        return;
    }
    let sim = sim("ttft=1&itl=0&osl=2");
    let ended = Program::against(&sim, "--request-count 5").after("exec >/dev/full").run();
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    assert!(last_line(&ended.stderr).starts_with("error: cannot write to stdout: No space left"), "{}", ended.stderr);
    let out = ended.artifacts.path("");
    assert_eq!(on("validate", &out, "").code, Some(0));
    for words in ["validate", "report"] {
        let full = Program::new(words).word(&out).after("exec >/dev/full").run();
        assert_eq!(full.code, Some(1), "{words}: {}", full.stderr);
        assert!(last_line(&full.stderr).starts_with("error: cannot write to stdout"), "{words}: {}", full.stderr);
    }
}

#[test]
fn a_reader_that_has_left_is_no_panic() {
    let sim = sim("ttft=1&itl=0&osl=2");
    let ended = Program::against(&sim, "--request-count 5").run();
    let out = ended.artifacts.path("");
    // More findings than a pipe would buffer are not needed: nobody reads from the start.
    fs::remove_file(out.join("inputs.json")).unwrap();
    for (words, code) in [("validate", 1), ("report", 0), ("profile --help", 0)] {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let mut command = Command::new(env!("CARGO_BIN_EXE_aiperf"));
        command.args(words.split(' '));
        if words != "profile --help" {
            command.arg(&out);
        }
        let output = command.stdout(Stdio::from(writer)).stdin(Stdio::null()).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{words}: {stderr}");
        assert!(!stderr.contains("panicked"), "{words}: {stderr}");
    }
}
