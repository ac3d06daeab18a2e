//! Validity notes: each is provoked against a simulator that is made to deserve it, and a clean run has none. That many
//! samples and a steady run have no note is tested with fixed latencies in `crates/metrics/tests/validity.rs`: of real runs,
//! statistics call a few in a hundred unsteady.

use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

use aiperf_sim::{Sim, SimOptions};
use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Artifacts, Program, sim, wait_for};

/// Everything as it should be: lengths that are met, one token an event, a warm server.
const CLEAN: &str = "ttft=30&itl=2";
const LOAD: &str = "--streaming --isl 64 --osl 8 --concurrency 2 --request-count 40";
/// The first requests of a busy machine may take long.
const WARM: &str = "--warmup-request-count 4";

fn program(server: &Sim, words: &str) -> Program {
    Program::profile(&format!("--url {} --model m --tokenizer builtin", server.url())).with(words)
}

fn run(server: &str, words: &str) -> Artifacts {
    program(&sim(server), words).succeed()
}

/// The note of this code: with figure above threshold, words and advice.
fn note(artifacts: &Artifacts, code: &str) -> Value {
    let summary = artifacts.summary();
    let notes = summary["validity"].as_array().unwrap();
    let found = notes.iter().find(|note| note["code"] == code);
    let note = found.unwrap_or_else(|| panic!("no {code} in {}", summary["validity"])).clone();
    let (figure, threshold) = (note["figure"].as_f64().unwrap(), note["threshold"].as_f64().unwrap());
    // Samples alone are to be many.
    assert!(if code == "sample_floor" { figure < threshold } else { figure > threshold }, "{note}");
    assert!(["message", "advice"].iter().all(|words| !note[words].as_str().unwrap().is_empty()), "{note}");
    let console = artifacts.text("profile_export_console.txt");
    assert!(console.contains(&format!("[{code}]:")), "{console}");
    note
}

/// What a machine that is busy with other tests may add to a clean run.
fn of_this_machine(code: &str) -> bool {
    let by_load = [
        "client_saturated",
        "late_sends",
        "late_first_tokens",
        "merged_chunks",
        "hidden_wait",
        "beyond_certified_load",
    ];
    by_load.contains(&code)
}

fn assert_clean(artifacts: &Artifacts) {
    let notes: Vec<Value> = artifacts.summary()["validity"].as_array().unwrap().clone();
    let ours = |note: &&Value| !of_this_machine(note["code"].as_str().unwrap());
    let doubts: Vec<&Value> = notes.iter().filter(ours).filter(|note| note["severity"] != "info").collect();
    assert!(doubts.is_empty(), "{doubts:?}");
}

#[test]
fn a_clean_run_of_a_closed_loop_leaves_no_doubt() {
    let artifacts = run(CLEAN, &format!("{LOAD} {WARM}"));
    assert_clean(&artifacts);
    assert!(artifacts.summary()["validity"].is_array());
}

#[test]
fn a_clean_run_of_an_open_loop_leaves_no_doubt() {
    let words = format!("--streaming --isl 64 --osl 8 --request-rate 20 --request-count 60 {WARM}");
    assert_clean(&run(CLEAN, &words));
}

#[test]
fn percentiles_of_few_samples_are_told() {
    let few = note(&run(CLEAN, LOAD), "sample_floor");
    assert_eq!((&few["severity"], &few["threshold"]), (&"info".into(), &368.0.into()));
}

#[test]
fn a_server_that_gets_slower_and_slower_has_no_steady_state() {
    // From 20 ms to 620 ms: whatever a busy machine adds, each quarter is slower than the one before.
    let artifacts = run("ttft=20&itl=0&drift=2", "--streaming --isl 16 --osl 1 --concurrency 8 --request-count 300");
    assert!(note(&artifacts, "non_stationary")["subject"].is_string());
}

#[test]
fn a_rate_that_a_ceiling_keeps_down_is_a_shortfall_and_the_ceiling_is_named() {
    // One request takes a fifth of a second, and one at a time is allowed: five a second, of forty asked for.
    let words = "--isl 16 --osl 1 --request-rate 40 --arrival-pattern constant --concurrency 1 --benchmark-duration 3";
    let artifacts = run("ttft=200&itl=0", words);
    let shortfall = note(&artifacts, "rate_shortfall");
    assert!(shortfall["figure"].as_f64().unwrap() > 50.0, "{shortfall}");
    let (message, advice) = (shortfall["message"].as_str().unwrap(), shortfall["advice"].as_str().unwrap());
    assert!(message.contains("below the 40 requests/s asked for"), "{message}");
    // It points to what happened.
    assert_eq!(artifacts.counted("arrivals_dropped") > 0, advice.contains("arrivals_dropped"), "{advice}");
    assert_eq!(artifacts.counted("arrivals_dropped") > 0, !advice.contains("schedule_lag"), "{advice}");
    assert_eq!(note(&artifacts, "concurrency_ceiling_reached")["subject"], "concurrency");
}

#[test]
fn waiting_for_a_connection_is_told() {
    let server = sim("ttft=50&itl=0");
    let artifacts = program(&server, "--isl 16 --osl 1 --workers-max 1 --concurrency 4 --request-count 24")
        .env("AIPERF_HTTP_CONNECTION_LIMIT", "1")
        .succeed();
    assert_eq!(note(&artifacts, "concurrency_ceiling_reached")["subject"], "connections");
}

#[test]
fn requests_that_the_end_cuts_off_leave_a_gap_in_littles_law() {
    // Every second one hangs for longer than the run is long.
    let words = "--streaming --isl 16 --osl 4 --concurrency 4 --benchmark-duration 2 --benchmark-grace-period 0";
    let gap = note(&run("ttft=50&itl=1&stall_every=2&stall_ms=60000", words), "littles_law_gap");
    assert_eq!(gap["unit"], "%");
    assert!(gap["advice"].as_str().unwrap().contains("--benchmark-grace-period"), "{gap}");
}

#[test]
fn requests_that_are_cancelled_on_purpose_leave_no_gap_in_littles_law() {
    let words = "--streaming --isl 16 --osl 2 --concurrency 4 --request-count 24 --request-cancellation-rate 50 \
                 --request-cancellation-delay 0.5 --random-seed 7";
    let artifacts = run("ttft=1000&itl=0", words);
    let cancelled = artifacts.records().iter().filter(|record| record.was_cancelled()).count();
    assert!(cancelled > 4, "{cancelled}");
    assert!(!artifacts.notes().contains(&"littles_law_gap".to_owned()), "{}", artifacts.summary()["validity"]);
}

#[test]
fn concurrency_that_was_never_in_flight_is_told_with_the_reason() {
    let artifacts = run(CLEAN, "--streaming --isl 64 --osl 8 --concurrency 50 --request-count 6");
    let unreached = note(&artifacts, "concurrency_not_reached");
    assert_eq!(unreached["severity"], "warning");
    let message = unreached["message"].as_str().unwrap();
    assert!(message.contains("of 50 requests") && message.contains("only 6 requests were sent"), "{message}");
    assert!(unreached["advice"].as_str().unwrap().contains("--request-count"), "{unreached}");
    let reached = run("ttft=300&itl=2", "--streaming --isl 64 --osl 8 --concurrency 6 --request-count 12");
    assert!(!reached.notes().contains(&"concurrency_not_reached".to_owned()), "{:?}", reached.notes());
}

#[test]
fn a_run_with_nothing_but_failures_says_that_and_no_more() {
    let ended = program(&sim("ttft=5&itl=1&error_every=1"), "--streaming --isl 16 --osl 4 --request-count 20").run();
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    assert!(ended.stdout.contains("NO RESULTS") && ended.stdout.contains("No request succeeded: 20 failed"));
    for claim in ["INCOMPLETE", "only a part of the run", "adj_"] {
        assert!(!ended.stdout.contains(claim), "{claim}: {}", ended.stdout);
    }
}

#[test]
fn prompts_that_the_server_counts_otherwise_are_off_target_or_a_discrepancy() {
    let words = "--streaming --isl 200 --osl 4 --concurrency 2 --request-count 20";
    let server = "ttft=5&itl=1&count=approx";
    let input = note(&run(server, &format!("{words} --use-server-token-count")), "input_length_off");
    assert_eq!(input["figure"], 100.0);
    note(&run(server, words), "token_counts_differ");
}

#[test]
fn responses_that_end_early_are_off_target() {
    let artifacts = run("ttft=5&itl=1&early_stop=0.8", "--streaming --isl 16 --osl 40 --request-count 20");
    assert!(note(&artifacts, "output_length_off")["figure"].as_f64().unwrap() > 30.0);
}

#[test]
fn events_of_several_tokens_are_told() {
    let artifacts = run("ttft=5&itl=1&tokens_per_chunk=4", "--streaming --isl 16 --osl 16 --request-count 20");
    assert_eq!(note(&artifacts, "chunks_with_several_tokens")["figure"], 4.0);
}

#[test]
fn failures_are_told_by_their_share() {
    let artifacts = run("ttft=5&itl=1&error_every=5", "--streaming --isl 16 --osl 4 --request-count 40");
    assert_eq!(note(&artifacts, "error_share")["figure"], 20.0);
}

#[test]
fn a_cold_server_is_told_unless_it_was_warmed_up() {
    let server = "ttft=20&itl=1&cold=2&cold_ms=3000";
    assert!(note(&run(server, LOAD), "warmup_missing")["figure"].as_f64().unwrap() > 3.0);
    assert_clean(&run(server, &format!("{LOAD} --warmup-request-count 4")));
}

#[test]
fn a_server_that_says_it_is_not_ready_is_told() {
    let words = "--streaming --isl 16 --osl 4 --concurrency 1 --request-count 40";
    let artifacts = run("ttft=5&itl=1&error_first=3&error_status=503", words);
    let unready = note(&artifacts, "server_not_ready");
    assert_eq!((&unready["figure"], &unready["severity"]), (&3.0.into(), &"warning".into()));
}

#[test]
fn a_server_that_was_waited_for_is_told_without_a_doubt() {
    // Used by nobody else, so that nobody takes it in between.
    let address = TcpListener::bind("127.0.7.9:0").unwrap().local_addr().unwrap();
    let running = Program::profile("--model m --tokenizer builtin --isl 16 --osl 4 --request-count 20")
        .with(&format!("--url http://{address} --wait-for-model-timeout 100 --wait-for-model-interval 0.02"))
        .start();
    wait_for("the program to find nobody there", || running.stderr().contains("is not ready").then_some(()));
    let _sim = Sim::start(SimOptions::from_query("ttft=5&itl=1&model=m").unwrap(), address).unwrap();
    let ended = running.end();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let artifacts = ended.artifacts;
    let waited = note(&artifacts, "server_not_ready");
    assert_eq!((&waited["severity"], &waited["subject"]), (&"info".into(), &"wait_for_model".into()));
}

#[test]
fn a_client_without_descriptors_to_spare_is_told() {
    // Eighty requests of three seconds each, and descriptors for some fifty connections.
    let (status, stderr, artifacts) =
        with_few_descriptors(&sim("ttft=3000&itl=0"), "--request-rate 200 --request-count 80");
    assert_eq!(status, Some(0), "{stderr}");
    assert!(stderr.contains("file descriptor limit of 64"), "not warned of before: {stderr}");
    note(&artifacts, "client_saturated");
    // A busy machine may have brought others.
    let notes = artifacts.summary()["validity"].to_string();
    assert!(notes.contains(r#""subject":"descriptors""#), "{notes}");
}

#[test]
fn descriptors_that_run_out_in_a_short_run_are_not_blamed_on_the_server() {
    // All in a fraction of a second: nobody looked at the descriptors meanwhile.
    let words = "--request-rate 5000 --arrival-pattern constant --request-count 200";
    let (_, stderr, artifacts) = with_few_descriptors(&sim("ttft=200&itl=0"), words);
    let summary = artifacts.summary();
    assert!(summary["error_summary"].to_string().contains("Too many open files"), "{stderr}");
    assert_eq!(summary["client_health"]["saturated"], true, "{}", summary["client_health"]);
    let limits = summary["client_health"]["limits"].to_string();
    assert!(limits.contains(r#""kind":"descriptors""#), "{limits}");
    let notes = artifacts.notes();
    assert!(notes.contains(&"client_saturated".to_owned()), "{notes:?}");
    assert!(!notes.contains(&"server_not_ready".to_owned()), "{notes:?}");
}

#[test]
fn a_closed_loop_beyond_the_descriptor_limit_is_refused_before_its_first_request() {
    let server = sim("ttft=5&itl=0");
    let (status, stderr, _) = with_few_descriptors(&server, "--concurrency 200 --request-count 400");
    assert_eq!(status, Some(1), "{stderr}");
    for part in ["error: ", "200 connections", "may open 64", "ulimit -n"] {
        assert!(stderr.contains(part), "{part}: {stderr}");
    }
    assert!(server.truth().is_empty(), "something was sent");
}

/// Runs with room for 64 open files.
fn with_few_descriptors(server: &Sim, words: &str) -> (Option<i32>, String, Artifacts) {
    let folder = TempDir::new().unwrap();
    let words = format!(
        "profile --model m --tokenizer builtin --isl 16 --osl 1 {words} --url {} --artifact-dir {}",
        server.url(),
        folder.path().display()
    );
    let command = ["-c", r#"ulimit -n 64 && exec "$0" "$@""#, env!("CARGO_BIN_EXE_aiperf")];
    let ended = Command::new("sh").args(command).args(words.split_whitespace()).output().unwrap();
    let stderr = String::from_utf8_lossy(&ended.stderr).into_owned();
    (ended.status.code(), stderr, Artifacts::new(folder, Path::new("")))
}

#[test]
fn strict_ends_a_doubtful_run_with_its_own_exit_code_and_all_files() {
    let failing = "ttft=5&itl=1&error_every=5";
    let words = "--streaming --isl 16 --osl 4 --request-count 40";
    let ended = |server: &str, strict: &str| program(&sim(server), words).with(strict).run();
    for strict in ["--strict", "--strict error_share", "--strict rate_shortfall,error-share"] {
        let doubtful = ended(failing, strict);
        assert_eq!(doubtful.code, Some(3), "{strict}: {}", doubtful.stderr);
        assert!(doubtful.stderr.lines().last().unwrap().contains("error_share"), "{}", doubtful.stderr);
        assert_eq!(doubtful.artifacts.summary()["is_complete"], true);
        assert_eq!(doubtful.artifacts.records().len(), 40);
    }
    assert_eq!(ended(failing, "--strict rate_shortfall").code, Some(0), "that one was not asked for");
    assert_eq!(ended(CLEAN, "--strict rate_shortfall,error_share,server_not_ready").code, Some(0));
    let unknown = ended(CLEAN, "--strict eror_share");
    assert_eq!(unknown.code, Some(1));
    assert!(unknown.stderr.contains("eror_share") && unknown.stderr.contains("error_share, "), "{}", unknown.stderr);
}

#[test]
fn a_report_from_records_has_their_notes_and_keeps_what_they_do_not_tell() {
    let words = "--streaming --isl 200 --osl 16 --concurrency 2 --request-count 40 --use-server-token-count";
    let artifacts = run("ttft=5&itl=1&error_every=5&tokens_per_chunk=4&count=approx", words);
    let before = artifacts.notes();
    for code in ["error_share", "chunks_with_several_tokens", "input_length_off"] {
        assert!(before.contains(&code.to_owned()), "{before:?}");
    }
    let again = || {
        let report = Command::new(env!("CARGO_BIN_EXE_aiperf")).arg("report").arg(artifacts.path("")).output().unwrap();
        assert!(report.status.success(), "{}", String::from_utf8_lossy(&report.stderr));
        let mut notes = artifacts.notes();
        notes.sort();
        notes
    };
    let mut sorted = before;
    sorted.sort();
    assert_eq!(again(), sorted);
    std::fs::remove_file(artifacts.path("profile_export_aiperf.json")).unwrap();
    let alone = again();
    assert!(alone.contains(&"error_share".to_owned()) && !alone.contains(&"input_length_off".to_owned()), "{alone:?}");
}
