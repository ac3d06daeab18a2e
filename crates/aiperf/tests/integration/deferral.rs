//! Data that is made while the run is under way: it starts at once, its memory does not grow with its data, and it sends
//! what it would have sent with everything made before.

use std::fs;

use aiperf_sim::Sim;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{Artifacts, Program, Running, requests, sim, wait_for};

fn against(sim: &Sim, words: &str) -> Program {
    Program::profile(&format!("--url {} --model test-model --tokenizer builtin {words}", sim.url()))
}

/// No contents stay when their session is over.
const CRAMPED: (&str, &str) = ("AIPERF_DATASET_MEMORY_MB", "0");

fn log_of(running: &Running) -> String {
    fs::read_to_string(running.out().join("logs/aiperf.log")).unwrap_or_default()
}

/// How many conversations had been generated when the first session began.
fn made_before_the_first(log: &str) -> usize {
    let (_, rest) = log.split_once("The first session begins; ").unwrap_or_else(|| panic!("not in {log}"));
    rest.split_once(' ').unwrap().0.parse().unwrap()
}

#[test]
fn the_first_request_goes_out_before_the_data_set_is_made() {
    let sim = sim("ttft=0&itl=0");
    let words = "--isl 2000 --osl 2 --num-dataset-entries 200000 --request-count 5 --random-seed 1 --log-level debug";
    let running = against(&sim, words).start();
    wait_for("the run to be over", || log_of(&running).contains("Writing the rest of inputs.json").then_some(()));
    assert_eq!(sim.truth().len(), 5);
    running.signal(Signal::INT);
    let ended = running.end();
    assert_eq!(ended.code, Some(0), "the run itself was complete: {}", ended.stderr);
    let log = ended.artifacts.text("logs/aiperf.log");
    assert!(made_before_the_first(&log) < 2_000, "{log}");
    assert!(log.contains("inputs.json was cut short: it lists "), "{log}");
    let inputs = ended.artifacts.inputs();
    assert!((5..200_000).contains(&inputs.len()), "{}", inputs.len());
    let sent = requests(&sim);
    assert!(inputs[..5].iter().all(|(_, payloads)| sent.contains(&payloads[0])));
}

/// The highest resident memory so far, in megabytes.
#[cfg(target_os = "linux")]
fn peak_memory(running: &Running) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{}/status", running.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kilobytes| kilobytes / 1024)
}

#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_prompts() {
    let sim = sim("ttft=0&itl=0&osl=1");
    // All bodies begin with the same long text, and each has its own copy of it.
    let words =
        "--isl 10 --system-prompt-file system.txt --num-dataset-entries 350 --request-count 350 --concurrency 4";
    let program = against(&sim, words).with("--use-server-token-count --streaming");
    let program = program.file("system.txt", &"so it was ".repeat(40_000));
    let mut running = program.env(CRAMPED.0, CRAMPED.1).start();
    let mut peak = 0;
    wait_for("the run to end", || {
        peak = peak_memory(&running).unwrap_or_default().max(peak);
        running.has_ended().then_some(())
    });
    let artifacts = running.end().artifacts;
    let prompts = fs::metadata(artifacts.path("inputs.json")).unwrap().len() >> 20;
    assert!(prompts > 130, "{prompts} MB of prompts");
    assert!(peak > 10 && peak < 170, "{peak} MB for {prompts} MB of prompts");
}

const CONVERSATIONS: &str = "--random-seed 7 --isl 30 --isl-stddev 10 --osl 4 --session-turns-mean 3 \
                             --session-turns-stddev 1 --num-dataset-entries 12 --concurrency 3 --export-level raw";

/// The bodies of every session, by conversation and turn: what is said does not depend on who made it when.
fn said(artifacts: &Artifacts) -> Vec<(String, u64, Value, Option<f64>)> {
    let counts = artifacts.records();
    let mut said: Vec<_> = artifacts
        .raw_records()
        .iter()
        .zip(&counts)
        .map(|(raw, record)| {
            assert_eq!(raw.word("x_request_id"), record.word("x_request_id"));
            let name = raw.word("conversation_id").to_owned();
            (name, raw.number("turn_index"), raw.0["payload"].clone(), record.value("input_sequence_length"))
        })
        .collect();
    said.sort_by_key(|(name, turn, body, _)| (name.clone(), *turn, body.to_string()));
    said
}

#[test]
fn conversations_that_were_let_go_and_made_again_say_the_same() {
    for sampling in ["sequential", "random", "shuffle"] {
        let words = format!("{CONVERSATIONS} --num-conversations 30 --dataset-sampling-strategy {sampling}");
        let runs = ["64", "0"].map(|megabytes| {
            let sim = sim("ttft=0&itl=0");
            let program = against(&sim, &words).env("AIPERF_DATASET_MEMORY_MB", megabytes);
            let artifacts = program.succeed();
            (artifacts.text("inputs.json"), said(&artifacts))
        });
        assert!(runs[0].1.len() > 50);
        assert_eq!(runs[0].0, runs[1].0, "inputs.json differs ({sampling})");
        assert_eq!(runs[0].1, runs[1].1, "{sampling}");
    }
}

#[test]
fn graphs_are_sent_whole_without_room() {
    let fixture = include_str!("../../../dataset/tests/fixtures/dag.jsonl");
    let rows: Vec<Value> = fixture.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let runs = ["64", "0"].map(|megabytes| {
        let sim = sim("ttft=0&itl=0");
        let program = Program::replaying(&sim, &rows, "--custom-dataset-type dag_jsonl --concurrency 2 --osl 4");
        let artifacts = program.env("AIPERF_DATASET_MEMORY_MB", megabytes).succeed();
        (artifacts.text("inputs.json"), said(&artifacts))
    });
    assert!(runs[0].1.len() > 3);
    assert_eq!(runs[0], runs[1]);
}

#[test]
fn a_replay_has_its_bodies_ready_in_the_order_of_its_schedule() {
    // The last row is due first.
    let rows: Vec<Value> =
        (0..40).map(|row| json!({"text": format!("row {row}"), "timestamp": 400 - 10 * row})).collect();
    let sim = sim("ttft=0&itl=0&osl=2");
    let program = Program::replaying(&sim, &rows, "--fixed-schedule --osl 2").env(CRAMPED.0, CRAMPED.1);
    let artifacts = program.succeed();
    let order: Vec<String> =
        artifacts.raw_records().iter().map(|raw| raw.0["payload"]["messages"][0]["content"].to_string()).collect();
    let expected: Vec<String> = (0..40).rev().map(|row| format!("\"row {row}\"")).collect();
    assert_eq!(order, expected);
    assert_eq!(artifacts.inputs().len(), 40);
}
