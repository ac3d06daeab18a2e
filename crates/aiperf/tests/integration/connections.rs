//! Which server and which connection a request goes to, and how it is named, as the servers saw it.

use std::collections::{HashMap, HashSet};

use crate::support::{Log, Program, sim};

const FAST: &str = "ttft=5&itl=0&osl=2";

#[test]
fn pooled_connections_are_shared_by_all_requests() {
    let sim = sim(FAST);
    let words =
        "--concurrency 3 --request-count 15 --workers-max 1 --connection-reuse-strategy pooled --export-level raw";
    let artifacts = Program::against(&sim, words).succeed();
    let log = Log::of(&sim, &artifacts);
    let connections: HashSet<u64> = log.iter().map(|entry| entry.truth.connection).collect();
    assert!(log.len() == 15 && connections.len() <= 3, "{connections:?}");
}

#[test]
fn a_connection_is_never_used_twice_when_asked_so() {
    let sim = sim(FAST);
    let words =
        "--concurrency 3 --num-sessions 4 --session-turns-mean 3 --connection-reuse-strategy never --export-level raw";
    let artifacts = Program::against(&sim, words).succeed();
    let log = Log::of(&sim, &artifacts);
    let connections: HashSet<u64> = log.iter().map(|entry| entry.truth.connection).collect();
    assert_eq!((log.len(), connections.len()), (12, 12));
    assert!(log.iter().all(|entry| entry.truth.connection_request == 0));
}

#[test]
fn a_sticky_connection_belongs_to_one_session_from_its_first_turn_to_its_last() {
    let sim = sim(FAST);
    let words =
        "--concurrency 2 --num-sessions 5 --session-turns-mean 3 --session-turn-delay-mean 20 --export-level raw";
    let artifacts = Program::against(&sim, words)
        .with("--connection-reuse-strategy sticky-user-sessions --workers-max 2")
        .succeed();
    let log = Log::of(&sim, &artifacts);
    let mut owners: HashMap<u64, &str> = HashMap::new();
    for session in log.sessions() {
        let connections: HashSet<u64> = session.iter().map(|entry| entry.truth.connection).collect();
        assert_eq!(connections.len(), 1, "one session, one connection");
        let numbers: Vec<u64> = session.iter().map(|entry| entry.truth.connection_request).collect();
        assert_eq!(numbers, [0, 1, 2]);
        assert!(
            owners.insert(session[0].truth.connection, session[0].session()).is_none(),
            "one connection, one session"
        );
    }
    assert_eq!(owners.len(), 5);
}

#[test]
fn a_sticky_connection_is_closed_after_an_error() {
    let sim = sim("ttft=0&itl=0&osl=2&error_every=2");
    let words = "--num-sessions 1 --session-turns-mean 4 --connection-reuse-strategy sticky-user-sessions";
    let artifacts = Program::against(&sim, words).with("--export-level raw").succeed();
    let log = Log::of(&sim, &artifacts);
    let places: Vec<(u64, u64)> =
        log.iter().map(|entry| (entry.truth.connection, entry.truth.connection_request)).collect();
    assert_eq!(places, [(0, 0), (0, 1), (1, 0), (1, 1)], "turns 1 and 3 failed");
}

#[test]
fn a_session_stays_with_the_server_that_it_began_with() {
    let servers = [sim(FAST), sim(FAST), sim(FAST)];
    let words = "--num-sessions 6 --session-turns-mean 3 --export-level raw --url";
    let program = Program::against(&servers[0], words).word(servers[1].url()).with("--url").word(servers[2].url());
    let artifacts = program.succeed();
    let log = Log::of_all(&[&servers[0], &servers[1], &servers[2]], &artifacts);
    let sessions = log.sessions();
    assert!(sessions.iter().all(|session| session.len() == 3));
    for session in &sessions {
        assert!(session.iter().all(|entry| entry.server == session[0].server), "a session moved");
    }
    let order: Vec<usize> = sessions.iter().map(|session| session[0].server).collect();
    assert_eq!(order, [0, 1, 2, 0, 1, 2], "servers take turns with each session");
}

fn is_uuid(text: &str) -> bool {
    let lengths: Vec<usize> = text.split('-').map(str::len).collect();
    lengths == [8, 4, 4, 4, 12] && text.chars().all(|c| c == '-' || c.is_ascii_hexdigit())
}

#[test]
fn every_request_has_an_id_of_its_own_and_every_session_one_for_all_its_turns() {
    let sim = sim(FAST);
    let words = "--concurrency 2 --num-sessions 4 --session-turns-mean 3 --warmup-request-count 2 --export-level raw";
    let artifacts = Program::against(&sim, words).succeed();
    let log = Log::of(&sim, &artifacts);
    let ids: HashSet<&str> = log.iter().map(|entry| entry.header("x-request-id").unwrap()).collect();
    assert_eq!(ids.len(), log.len());
    assert!(ids.iter().all(|id| is_uuid(id)), "{ids:?}");
    let sessions: HashSet<&str> = log.iter().map(|entry| entry.header("x-correlation-id").unwrap()).collect();
    assert_eq!(sessions.len(), log.sessions().len());
    assert!(sessions.iter().all(|id| is_uuid(id)));
    for record in artifacts.records() {
        let entry = log.iter().find(|entry| entry.id() == record.word("x_request_id")).unwrap();
        assert_eq!(entry.session(), record.word("x_correlation_id"));
    }
}

#[test]
fn the_header_of_the_session_can_have_another_name() {
    let sim = sim(FAST);
    let words = "--num-sessions 2 --session-turns-mean 2 --session-header X-My-Session";
    let artifacts = Program::against(&sim, words).succeed();
    let header = |truth: &aiperf_sim::TruthRecord, name: &str| {
        truth.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.clone())
    };
    let truth = sim.truth();
    assert!(truth.iter().all(|truth| header(truth, "x-correlation-id").is_none()));
    let seen: Vec<String> = truth.iter().map(|truth| header(truth, "x-my-session").unwrap()).collect();
    assert!(seen[0] == seen[1] && seen[2] == seen[3] && seen[0] != seen[2], "{seen:?}");
    let told: Vec<String> = artifacts.records().iter().map(|r| r.word("x_correlation_id").to_owned()).collect();
    assert_eq!(seen, told);
}
