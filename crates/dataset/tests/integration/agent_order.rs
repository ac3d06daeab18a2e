//! Recorded sessions of agents can be played to their end, whatever their times say: nothing waits for what comes after it.

use std::sync::Arc;

use aiperf_config::FileSource;
use aiperf_conversation::{BranchKind, Conversation, Lineage};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::agents::loaded;

fn call(at: u32, took: Option<u32>, ids: &[u32]) -> Value {
    let seconds = |tenths: u32| f64::from(tenths) / 10.0;
    json!({"t": seconds(at), "type": "n", "model": "m", "in": 64 * ids.len(), "out": 1, "hash_ids": ids,
           "api_time": took.map(seconds)})
}

/// Requests that repeat each other, beginning with a block of their own.
fn line(first_id: u32, times: &[(u32, Option<u32>)]) -> Vec<Value> {
    let ids: Vec<u32> = (first_id..).take(times.len()).collect();
    times.iter().enumerate().map(|(place, (at, took))| call(*at, *took, &ids[..=place])).collect()
}

fn recording(
    id: &str,
    mut requests: Vec<Value>,
    agents: impl IntoIterator<Item = (u32, Option<u32>, Vec<Value>)>,
) -> Value {
    for (number, (at, duration, calls)) in agents.into_iter().enumerate() {
        requests.push(json!({
            "t": f64::from(at) / 10.0, "type": "subagent", "agent_id": format!("a{number}"), "subagent_type": "x",
            "status": "completed", "duration_ms": duration.map(|tenths| tenths * 100), "models": ["m"], "requests": calls,
        }));
    }
    json!({"id": id, "models": ["m"], "block_size": 64, "hash_id_scope": "local", "requests": requests})
}

fn conversations(recordings: &[Value]) -> Vec<Arc<Conversation>> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.json");
    let lines: Vec<String> = recordings.iter().map(Value::to_string).collect();
    std::fs::write(&path, lines.join("\n")).unwrap();
    loaded(FileSource::of(path)).unwrap().outlines().to_vec()
}

/// How many turns of each conversation are answered when nothing moves any more.
fn played(conversations: &[Arc<Conversation>]) -> Vec<usize> {
    let mut answered = vec![0; conversations.len()];
    let mut is_started: Vec<bool> = conversations.iter().map(|of| of.lineage == Lineage::Root).collect();
    loop {
        let may_go = |index: usize, answered: &[usize]| {
            let Some(turn) = conversations[index].turns.get(answered[index]) else { return false };
            let joined = conversations[index].turns.iter().flat_map(|turn| &turn.branches).filter(
                |branch| matches!(branch.kind, BranchKind::Spawn { join_at: Some(turn) } if turn == answered[index]),
            );
            turn.answered_before.iter().all(|(other, before)| answered[other.0] > *before)
                && joined
                    .flat_map(|branch| &branch.children)
                    .all(|child| answered[child.0] == conversations[child.0].turns.len())
        };
        let Some(next) = (0..conversations.len()).find(|index| is_started[*index] && may_go(*index, &answered)) else {
            return answered;
        };
        for child in conversations[next].turns[answered[next]].branches.iter().flat_map(|branch| &branch.children) {
            is_started[child.0] = true;
        }
        answered[next] += 1;
    }
}

fn play_to_their_end(recordings: &[Value]) {
    let conversations = conversations(recordings);
    for (conversation, answered) in conversations.iter().zip(played(&conversations)) {
        let id = conversation.session_id.0.split("::").next();
        let recording = || recordings.iter().find(|recording| recording["id"].as_str() == id);
        assert_eq!(answered, conversation.turns.len(), "{} of {:?}", conversation.session_id.0, recording());
    }
}

#[test]
fn requests_that_took_no_time_and_began_together_do_not_wait_for_each_other() {
    let times = [(0, None), (5, None), (10, None)];
    play_to_their_end(&[recording("s", line(1, &times), [(1, None, line(50, &times[1..]))])]);
}

#[test]
fn nobody_waits_for_an_agent_that_went_on_behind_its_recorded_end() {
    let main = line(1, &[(0, Some(1)), (5, Some(1)), (10, Some(1)), (15, Some(1))]);
    let recording = [recording("s", main, [(1, Some(1), line(50, &[(1, Some(1)), (12, Some(1))]))])];
    play_to_their_end(&recording);
    let main = &conversations(&recording)[0];
    assert_eq!(main.turns[3].delay_ms.map(f64::round), Some(200.0), "behind the agent's last answer");
    let branch = &main.turns[0].branches[0];
    assert_eq!(branch.kind, BranchKind::Spawn { join_at: Some(3) }, "the first that was sent behind its last request");
}

#[test]
fn an_agent_whose_requests_lie_before_its_start_is_not_waited_for_by_who_starts_it() {
    let main = line(1, &[(0, Some(1)), (10, Some(1)), (20, Some(1))]);
    play_to_their_end(&[recording("s", main, [(11, None, line(50, &[(5, Some(1)), (14, Some(1))]))])]);
}

fn times() -> impl Strategy<Value = Vec<(u32, Option<u32>)>> {
    prop::collection::vec((0_u32..12, prop::option::of(0_u32..4)), 1..5)
}

fn agents() -> impl Strategy<Value = Vec<(u32, Option<u32>, Vec<(u32, Option<u32>)>)>> {
    prop::collection::vec((0_u32..12, prop::option::of(0_u32..8), times()), 0..4)
}

proptest! {
    // Each case is a file with many recordings.
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn every_recording_plays_to_its_end(sessions in prop::collection::vec((times(), agents()), 1..80)) {
        let recordings: Vec<Value> = sessions.into_iter().enumerate().map(|(place, (main, agents))| {
            let lines = (1..).map(|number| 100 * number);
            let agents = agents.into_iter().zip(lines).map(|((at, took, times), first)| (at, took, line(first, &times)));
            recording(&format!("s{place}"), line(1, &main), agents)
        }).collect();
        play_to_their_end(&recordings);
    }
}
