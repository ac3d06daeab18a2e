//! Recorded sessions of agents, by the log of the server: the samples of both formats.

use crate::support::{Entry, Log, Program, sim};

fn replayed(sample: &str, more: &str) -> Vec<(u64, String, usize)> {
    let sim = sim("ttft=0&itl=0&osl=1");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../dataset/tests/fixtures/");
    let program = Program::profile(&format!("--url {} --model a --model b --tokenizer builtin", sim.url()))
        .with(&format!("--export-level raw --concurrency 1 --input-file {path}{sample}"))
        .with(more);
    let log = Log::of(&sim, &program.succeed());
    let shown = |entry: &Entry| {
        let body = &entry.body;
        let tokens = body["max_completion_tokens"].as_u64().unwrap();
        (tokens, body["model"].as_str().unwrap().to_owned(), entry.messages().len())
    };
    assert!(log.iter().all(Entry::completed));
    log.iter().map(shown).collect()
}

fn expected(all: &[(u64, &str, usize)]) -> Vec<(u64, String, usize)> {
    all.iter().map(|(tokens, model, messages)| (*tokens, (*model).to_owned(), *messages)).collect()
}

#[test]
fn weka_sessions_are_sent_in_order_and_wait_for_their_agents() {
    let sent = replayed("weka_traces", "--num-sessions 2 --ignore-trace-delays");
    let first = [(8, "a", 2), (8, "a", 4), (5, "b", 1), (5, "b", 3), (6, "a", 5)];
    assert_eq!(sent, expected(&[&first[..], &[(4, "a", 1), (4, "a", 3)]].concat()));
}

#[test]
fn tracelab_sessions_are_sent_in_order_and_wait_for_their_agents() {
    let sent = replayed("tracelab.jsonl", "--num-sessions 2 --ignore-trace-delays");
    let first = [(20, "a", 1), (25, "a", 3), (10, "a", 1), (12, "a", 3), (15, "a", 5)];
    assert_eq!(sent, expected(&[&first[..], &[(9, "a", 1)]].concat()));
}
