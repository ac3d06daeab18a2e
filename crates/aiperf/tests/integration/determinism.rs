//! The same seed gives the same bytes in the same order, whatever the number of threads.

use crate::support::{Artifacts, Program, requests, sim};

const WORDS: &str = "--random-seed 42 --request-count 24 --isl-stddev 6 --osl 4 --osl-stddev 2 --streaming";

fn order(artifacts: &Artifacts) -> Vec<String> {
    artifacts.records().iter().map(|record| record.word("conversation_id").to_owned()).collect()
}

#[test]
fn one_worker_and_four_send_the_same_bytes_in_the_same_order() {
    for strategy in ["sequential", "random", "shuffle"] {
        let runs = ["--workers-max 1", "--workers-max 4"].map(|workers| {
            let sim = sim("ttft=uniform:0,4&itl=0");
            let program = Program::against(&sim, WORDS).with(workers).with("--concurrency 6 --num-dataset-entries 10");
            let artifacts = program.with("--dataset-sampling-strategy").with(strategy).succeed();
            (artifacts.text("inputs.json"), order(&artifacts))
        });
        assert_eq!(runs[0].0, runs[1].0, "inputs.json differs ({strategy})");
        assert_eq!(runs[0].1, runs[1].1, "{strategy}");
        assert_eq!(runs[0].1.len(), 24);
    }
}

#[test]
fn the_server_sees_the_same_bodies_in_the_same_order() {
    let runs = ["--workers-max 1", "--workers-max 4"].map(|workers| {
        let sim = sim("ttft=0&itl=0");
        let words = "--concurrency 1 --model one,two --model-selection-strategy random";
        Program::against(&sim, WORDS).with(workers).with(words).succeed();
        requests(&sim)
    });
    assert_eq!(runs[0], runs[1]);
    assert_eq!(runs[0].len(), 24);
}

#[test]
fn open_loop_arrivals_follow_the_seed_too() {
    let runs = ["--workers-max 1", "--workers-max 4"].map(|workers| {
        let sim = sim("ttft=0&itl=0");
        let program = Program::against(&sim, WORDS).with(workers).with("--request-rate 400 --arrival-pattern gamma");
        let artifacts = program.succeed();
        (artifacts.text("inputs.json"), order(&artifacts))
    });
    assert_eq!(runs[0], runs[1]);
}

#[test]
fn another_seed_gives_other_data() {
    let inputs = ["1", "2"].map(|seed| {
        let sim = sim("ttft=0&itl=0");
        let program = Program::against(&sim, "--request-count 3 --random-seed").with(seed);
        program.succeed().inputs().into_iter().map(|(_, payloads)| payloads).collect::<Vec<_>>()
    });
    assert_ne!(inputs[0], inputs[1]);
}
