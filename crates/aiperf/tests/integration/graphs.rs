//! Conversations that start others, as the server saw them: who comes after whom, and with which history.

use serde_json::{Value, json};

use crate::support::{Artifacts, Entry, Log, Program, Record, reply_of, sim};

const FAST: &str = "ttft=20&itl=0&osl=4";

fn turn(text: &str) -> Value {
    json!({"messages": [{"role": "user", "content": text}]})
}

/// A turn with more fields.
fn turn_with(text: &str, more: &Value) -> Value {
    let mut turn = turn(text);
    turn.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    turn
}

fn conversation(name: &str, turns: &[Value]) -> Value {
    json!({"session_id": name, "turns": turns})
}

/// Runs the graph and returns the log.
fn run(options: &str, rows: &[Value], words: &str) -> (Artifacts, Log) {
    let sim = sim(options);
    let artifacts = Program::replaying(&sim, rows, "--custom-dataset-type dag_jsonl").with(words).succeed();
    let log = Log::of(&sim, &artifacts);
    (artifacts, log)
}

/// The sums over branches that are not zero.
fn branches(artifacts: &Artifacts) -> Value {
    let mut sums = artifacts.summary()["branch_stats"].clone();
    assert_eq!(sums.as_object().unwrap().len(), 11);
    sums.as_object_mut().unwrap().retain(|_, count| *count != 0);
    sums
}

/// The record of a request.
fn record_of(artifacts: &Artifacts, entry: &Entry) -> Record {
    artifacts.records().into_iter().find(|record| record.word("x_request_id") == entry.id()).unwrap()
}

/// All that a request and the answer to it leave in the history.
fn said(entry: &Entry) -> Vec<(String, String)> {
    let mut said = entry.messages();
    said.push(("assistant".to_owned(), reply_of(&sim(FAST), &entry.body)));
    said
}

#[test]
fn a_fork_ends_its_parent_and_goes_on_from_its_history() {
    let rows = [
        conversation("root", &[turn("r0"), turn_with("r1", &json!({"forks": ["a", "b"]}))]),
        conversation("a", &[turn("a0"), turn("a1")]),
        conversation("b", &[turn("b0")]),
    ];
    let (artifacts, log) = run(FAST, &rows, "");
    assert_eq!(log.len(), 5, "the root once: that is the whole graph");
    let parent = log.saying("r1");
    let history = said(parent);
    assert_eq!(history[..2], said(log.saying("r0")));
    for (first, name) in [("a0", "a"), ("b0", "b")] {
        let child = log.saying(first);
        assert!(child.arrival >= parent.end);
        assert_eq!(child.messages()[..4], history, "{name} goes on from the live reply");
        assert_eq!(child.messages().len(), 5);
    }
    assert_eq!(log.saying("a1").messages()[..6], said(log.saying("a0")));

    let root = record_of(&artifacts, log.saying("r0"));
    assert_eq!((root.number("agent_depth"), root.meta("parent_correlation_id").is_null()), (0, true));
    for text in ["a0", "a1", "b0"] {
        let entry = log.saying(text);
        let record = record_of(&artifacts, entry);
        assert_eq!(record.number("agent_depth"), 1);
        assert_eq!(record.word("parent_correlation_id"), parent.session());
        assert_eq!(record.word("root_correlation_id"), parent.session());
        assert_eq!(record.word("x_correlation_id"), entry.session());
    }
    assert_ne!(log.saying("a0").session(), log.saying("b0").session());
    assert_eq!((artifacts.counted("sessions_sent"), artifacts.counted("sessions_completed")), (1, 1));
}

#[test]
fn a_child_names_its_parent_to_a_server_that_wants_to_know() {
    let rows = [conversation("root", &[turn_with("r0", &json!({"forks": ["a"]}))]), conversation("a", &[turn("a0")])];
    let sim = sim(FAST);
    let program = Program::replaying(&sim, &rows, "--custom-dataset-type dag_jsonl");
    let artifacts = program.env("AIPERF_HTTP_X_DYNAMO_SESSION_ID_FROM_CORRELATION_ID", "true").succeed();
    let log = Log::of(&sim, &artifacts);
    let (root, child) = (log.saying("r0"), log.saying("a0"));
    assert_eq!(root.header("x-dynamo-session-id"), Some(root.session()));
    assert_eq!(root.header("x-dynamo-parent-session-id"), None);
    assert_eq!(child.header("x-dynamo-session-id"), Some(child.session()));
    assert_eq!(child.header("x-dynamo-parent-session-id"), Some(root.session()));
}

#[test]
fn a_background_fork_leaves_its_parent_running() {
    let fork = json!({"forks": [{"child": "side", "background": true}]});
    let rows = [
        conversation("root", &[turn_with("r0", &fork), turn("r1")]),
        conversation("side", &[turn_with("s0", &json!({"delay": 1_000})), turn("s1")]),
    ];
    let (_, log) = run(FAST, &rows, "");
    assert_eq!(log.len(), 4);
    let first = said(log.saying("r0"));
    assert_eq!(log.saying("s0").messages()[..2], first);
    assert_eq!(log.saying("r1").messages()[..2], first);
    assert!(log.saying("r1").arrival >= log.saying("r0").end);
    assert!(log.saying("s0").arrival >= log.saying("r0").end + 1.0);
    assert!(log.saying("r1").arrival < log.saying("s0").arrival, "the parent waited");
}

#[test]
fn a_join_waits_for_all_that_was_spawned() {
    let rows = [
        conversation("root", &[turn_with("r0", &json!({"spawns": ["a", "b"]})), turn("r1"), turn("r2")]),
        conversation("a", &[turn("a0"), turn_with("a1", &json!({"delay": 400}))]),
        conversation("b", &[turn_with("b0", &json!({"spawns": ["c"]})), turn("b1")]),
        conversation("c", &[turn_with("c0", &json!({"delay": 300}))]),
    ];
    let (artifacts, log) = run(FAST, &rows, "");
    assert_eq!(log.len(), 8);
    for first in ["a0", "b0"] {
        let child = log.saying(first);
        assert!(child.arrival >= log.saying("r0").end);
        assert_eq!(child.messages(), [("user".to_owned(), first.to_owned())], "a spawned one starts afresh");
    }
    assert!(log.saying("a1").arrival >= log.saying("a0").end + 0.4);
    assert!(log.saying("b1").arrival >= log.saying("c0").end, "a child joins its own children");
    for text in ["a0", "a1", "b0", "b1", "c0"] {
        assert!(log.saying("r1").arrival >= log.saying(text).end, "the join did not wait for {text}");
    }
    assert_eq!(log.saying("r1").messages()[..2], said(log.saying("r0")), "its own history, not its children's");
    let grandchild = record_of(&artifacts, log.saying("c0"));
    assert_eq!(grandchild.number("agent_depth"), 2);
    assert_eq!(grandchild.word("parent_correlation_id"), log.saying("b0").session());
    assert_eq!(grandchild.word("root_correlation_id"), log.saying("r0").session());
    let sums = json!({"children_spawned": 3, "children_completed": 3, "children_delayed": 1,
        "parents_suspended": 2, "parents_resumed": 2});
    assert_eq!(branches(&artifacts), sums);
}

#[test]
fn a_later_join_lets_the_turns_before_it_go_on() {
    let spawn = json!({"spawns": [{"children": ["slow"], "join_at": 2}]});
    let rows = [
        conversation("root", &[turn_with("r0", &spawn), turn("r1"), turn_with("r2", &json!({"delay": 200}))]),
        conversation("slow", &[turn("s0"), turn_with("s1", &json!({"delay": 1_200}))]),
    ];
    let (_, log) = run(FAST, &rows, "");
    assert_eq!(log.len(), 5);
    assert!(log.saying("r1").arrival < log.saying("s1").arrival, "turn 1 waited for the join of turn 2");
    assert!(log.saying("r2").arrival >= log.saying("s1").end);
    assert_eq!(log.saying("r2").messages().len(), 5);
}

#[test]
fn what_the_last_turn_spawns_holds_nobody_up() {
    let rows = [
        conversation("one", &[turn_with("one", &json!({"spawns": ["left behind"]}))]),
        conversation("two", &[turn("two")]),
        conversation("left behind", &[turn_with("l0", &json!({"delay": 1_200}))]),
    ];
    let (artifacts, log) = run(FAST, &rows, "--concurrency 1");
    assert_eq!(log.len(), 3, "two roots, each once, and what they started");
    assert!(log.saying("two").arrival >= log.saying("one").end);
    assert!(log.saying("two").arrival < log.saying("l0").arrival, "a child holds no slot");
    assert!(log.saying("l0").arrival >= log.saying("one").end + 1.2);
    assert_eq!(artifacts.counted("sessions_sent"), 2);
}

#[test]
fn an_orchestrator_runs_round_after_round() {
    let rounds = json!([{"spawns": ["a", "b"], "think_time_ms": 200}, {"spawns": ["c"], "think_time_ms": 300}, {"spawns": ["d"]}]);
    let rows = [
        json!({"session_id": "spine", "orchestrator": true, "rounds": rounds}),
        conversation("a", &[turn("a0"), turn_with("a1", &json!({"delay": 250}))]),
        conversation("b", &[turn("b0")]),
        conversation("c", &[turn("c0")]),
        conversation("d", &[turn("d0")]),
    ];
    let (artifacts, log) = run(FAST, &rows, "");
    assert_eq!(log.len(), 5, "the spine runs once, and sends nothing itself");
    for first in ["a0", "b0"] {
        assert!(log.saying(first).arrival >= 0.2, "the first round has its pause, too");
    }
    for last in ["a1", "b0"] {
        assert!(log.saying("c0").arrival >= log.saying(last).end + 0.3, "round 2 began before {last} was over");
    }
    assert!(log.saying("d0").arrival >= log.saying("c0").end);
    assert_eq!(
        (artifacts.counted("sent"), artifacts.counted("sessions_sent"), artifacts.counted("sessions_completed")),
        (5, 1, 1)
    );
    let child = record_of(&artifacts, log.saying("a0"));
    assert_eq!(child.number("agent_depth"), 1);
    assert_eq!(child.word("root_correlation_id"), child.word("parent_correlation_id"));
    let sums = json!({"children_spawned": 4, "children_completed": 4, "parents_suspended": 3, "parents_resumed": 3,
        "graphs_admitted": 1, "graphs_completed_to_end": 1});
    assert_eq!(branches(&artifacts), sums);
}

#[test]
fn a_number_of_rounds_repeats_them() {
    let rows = [
        json!({"session_id": "spine", "orchestrator": true, "spawns": ["a", "b"], "rounds": 3, "think_time_ms": 50}),
        conversation("a", &[turn("a0")]),
        conversation("b", &[turn("b0")]),
    ];
    let (_, log) = run(FAST, &rows, "");
    let (a, b) = (log.all_saying("a0"), log.all_saying("b0"));
    assert_eq!((a.len(), b.len()), (3, 3));
    for round in 1..3 {
        let over = a[round - 1].end.max(b[round - 1].end);
        assert!(a[round].arrival >= over + 0.05 && b[round].arrival >= over + 0.05, "round {round} came too early");
    }
    let sessions: std::collections::HashSet<&str> = log.iter().map(Entry::session).collect();
    assert_eq!(sessions.len(), 6, "each is a session of its own");
}

#[test]
fn what_comes_before_a_root_comes_once_in_a_phase_and_not_in_the_warmup() {
    let rows = [
        json!({"session_id": "root", "pre_session_spawns": ["before"], "turns": [turn("r0")]}),
        conversation("before", &[turn("b0")]),
    ];
    let (artifacts, log) = run(FAST, &rows, "--warmup-request-count 2 --num-sessions 3");
    assert_eq!(log.all_saying("r0").len(), 5);
    let before = log.saying("b0");
    assert!(before.arrival >= 0.0, "in the warmup");
    assert_eq!(record_of(&artifacts, before).number("agent_depth"), 1);
}

#[test]
fn a_request_count_holds_for_children_too_and_frees_the_join() {
    let rows = [
        conversation("root", &[turn_with("r0", &json!({"spawns": ["a", "b"]})), turn("r1")]),
        conversation("a", &[turn("a0")]),
        conversation("b", &[turn("b0")]),
    ];
    let (artifacts, log) = run(FAST, &rows, "--request-count 2");
    assert_eq!(log.len(), 2);
    assert_eq!(artifacts.counted("sent"), 2);
}

#[test]
fn a_failed_child_still_ends_and_its_parent_goes_on() {
    let rows = [
        conversation("root", &[turn_with("r0", &json!({"spawns": ["a"]})), turn("r1")]),
        conversation("a", &[turn("a0")]),
    ];
    let (artifacts, log) = run("ttft=5&itl=0&osl=4&error_every=2", &rows, "");
    assert_eq!(log.saying("a0").truth.status, 500);
    assert!(log.saying("r1").arrival >= log.saying("a0").end);
    assert_eq!((artifacts.counted("errors"), artifacts.counted("sessions_completed")), (1, 1));
    let sums = json!({"children_spawned": 1, "children_errored": 1, "parents_suspended": 1, "parents_resumed": 1});
    assert_eq!(branches(&artifacts), sums);
}

#[test]
fn a_warmup_that_ends_within_a_graph_leaves_nothing_of_it_to_the_measured_phase() {
    let fork = json!({"forks": [{"child": "side", "background": true}], "spawns": ["spawned"]});
    let rows = [
        conversation("root", &[turn_with("r0", &fork), turn("r1")]),
        conversation("side", &[turn("f0")]),
        conversation("spawned", &[turn("s0")]),
    ];
    for requests in 1..=3 {
        let (artifacts, log) = run("ttft=0&itl=0&osl=2", &rows, &format!("--warmup-request-count {requests}"));
        let measured: Vec<&Entry> = log.iter().filter(|entry| entry.arrival >= 0.0).collect();
        assert_eq!((log.len(), measured.len()), (requests + 4, 4), "after {requests}");
        assert_eq!(artifacts.accounting("warmup")["sent"], requests);
        assert_eq!((artifacts.counted("sent"), artifacts.counted("sessions_completed")), (4, 1));
    }
}

#[test]
fn the_end_of_the_time_ends_children_too() {
    let rows = [
        conversation("root", &[turn_with("r0", &json!({"spawns": ["a", "b"]})), turn("r1")]),
        conversation("a", &[turn_with("a0", &json!({"delay": 600_000}))]),
        conversation("b", &[turn("b0"), turn("b1")]),
    ];
    let (artifacts, log) = run(FAST, &rows, "--num-sessions 1 --benchmark-duration 1.5");
    assert!(log.saying("r0").completed());
    for text in ["a0", "r1"] {
        assert!(log.all_saying(text).is_empty(), "neither a nor the join that waits for it");
    }
    assert_eq!((artifacts.counted("sessions_completed"), artifacts.counted("sessions_cancelled")), (0, 1));
}

#[test]
fn each_child_takes_the_next_server_and_stays_there() {
    let servers = [sim(FAST), sim(FAST)];
    let rows = [
        conversation(
            "root",
            &[turn_with("r0", &json!({"spawns": ["a"]})), turn_with("r1", &json!({"spawns": ["b"]})), turn("r2")],
        ),
        conversation("a", &[turn("a0"), turn("a1")]),
        conversation("b", &[turn("b0")]),
    ];
    let program = Program::replaying(&servers[0], &rows, "--custom-dataset-type dag_jsonl --url");
    let artifacts = program.word(servers[1].url()).succeed();
    let log = Log::of_all(&[&servers[0], &servers[1]], &artifacts);
    let order: Vec<(String, usize)> = log.iter().map(|entry| (entry.prompt(), entry.server)).collect();
    let expected = [("r0", 0), ("a0", 1), ("a1", 1), ("r1", 0), ("b0", 0), ("r2", 0)];
    assert_eq!(order, expected.map(|(text, server)| (text.to_owned(), server)));
}

#[test]
fn children_wait_for_arrivals_and_for_prefill_like_anyone_else() {
    let children: Vec<String> = (0..5).map(|n| format!("c{n}")).collect();
    let mut rows = vec![conversation("root", &[turn_with("r0", &json!({"spawns": children})), turn("r1")])];
    rows.extend(children.iter().map(|name| conversation(name, &[turn(name)])));
    let (_, log) = run(FAST, &rows, "--request-rate 10 --arrival-pattern constant");
    assert_eq!(log.len(), 7);
    for (index, entry) in log.iter().enumerate() {
        assert!(entry.arrival >= (index + 1) as f64 / 10.0, "request {index} came before its arrival");
    }
    let (_, log) = run("ttft=80&itl=20&osl=3", &rows, "--streaming --concurrency 2 --prefill-concurrency 2");
    for now in log.iter() {
        let waits = |entry: &&Entry| entry.arrival <= now.arrival && entry.answered.is_none_or(|at| at > now.arrival);
        assert!(log.iter().filter(waits).count() <= 2);
    }
    assert_eq!(log.len(), 7);
}

#[test]
fn every_branch_that_was_started_has_one_end_wherever_a_limit_falls() {
    let rows = [
        conversation(
            "root",
            &[turn_with("r0", &json!({"spawns": ["a"]})), turn_with("r1", &json!({"forks": ["b", "c"]}))],
        ),
        conversation("a", &[turn("a0"), turn_with("a1", &json!({"spawns": ["d"]})), turn("a2")]),
        conversation("b", &[turn("b0"), turn("b1")]),
        conversation("c", &[turn("c0"), turn("c1")]),
        conversation("d", &[turn("d0"), turn("d1")]),
    ];
    let mut cut = 0;
    for limit in 1..12 {
        let (artifacts, _) = run(FAST, &rows, &format!("--concurrency 1 --request-count {limit}"));
        let sums = artifacts.summary()["branch_stats"].clone();
        let sum = |name: &str| sums[format!("children_{name}")].as_u64().unwrap();
        assert_eq!(sum("spawned"), sum("completed") + sum("errored") + sum("truncated"), "limit {limit}: {sums}");
        cut += sum("truncated");
    }
    assert!(cut > 0, "no limit cut a branch off");
}
