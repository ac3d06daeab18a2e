//! Agentic replay, by the log of the server: sessions entered in the middle, what leads up to there, and how they go on.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::support::{Artifacts, Ended, Entry, Log, Program, sim};

const SCENARIO: &str = "--scenario inferencex-agentx-mvp --unsafe-override --random-seed 5";

pub(crate) fn call(at: f64, input: u64, output: u64, ids: &[u64]) -> Value {
    json!({"t": at, "type": "n", "model": "big", "in": input, "out": output, "hash_ids": ids, "input_types": ["text"],
           "output_types": ["text"], "stop": "end_turn", "api_time": 0.05, "think_time": null})
}

/// A main line of three, and an agent that outlives it.
pub(crate) fn recording(id: &str) -> Value {
    let agent = json!({
        "t": 0.12, "type": "subagent", "agent_id": "a1", "subagent_type": "Explore", "duration_ms": 1130,
        "total_tokens": 1, "tool_use_count": 1, "status": "completed", "models": ["big"], "tool_tokens": 0,
        "system_tokens": 0,
        "requests": [call(0.15, 140, 5, &[50, 51]), call(0.5, 210, 5, &[50, 51, 52]), call(1.2, 280, 5, &[50, 51, 52, 53])],
    });
    json!({"id": id, "models": ["big"], "block_size": 64, "hash_id_scope": "local", "tool_tokens": 64,
           "system_tokens": 64, "requests": [call(0.0, 200, 8, &[1, 2, 3]), agent, call(0.4, 300, 7, &[1, 2, 3, 4]),
                                             call(0.8, 420, 6, &[1, 2, 3, 4, 5, 6])]})
}

pub(crate) fn run(sim: &aiperf_sim::Sim, recordings: &[Value], words: &str) -> Ended {
    let lines: Vec<String> = recordings.iter().map(ToString::to_string).collect();
    Program::profile(&format!("--url {} --model m --tokenizer builtin --export-level raw {SCENARIO}", sim.url()))
        .with("--input-file rows.json --custom-dataset-type weka_trace")
        .with(words)
        .file("rows.json", &lines.join("\n"))
        .run()
}

pub(crate) fn replayed(sim: &aiperf_sim::Sim, recordings: &[Value], words: &str) -> (Artifacts, Log) {
    let ended = run(sim, recordings, words);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let log = Log::of(sim, &ended.artifacts);
    (ended.artifacts, log)
}

/// The marker in front of the first user message.
fn marker(entry: &Entry) -> String {
    let user = entry.messages().into_iter().find(|(role, _)| role == "user").unwrap();
    assert!(user.1.starts_with("[rid:"), "{}", &user.1[..20]);
    user.1[..18].to_owned()
}

/// Conversation and turn of each request, by its id.
pub(crate) fn places(artifacts: &Artifacts) -> HashMap<String, (String, String, u64)> {
    let records = artifacts.records();
    let place = |record: &crate::support::Record| {
        let words = (record.word("phase_name").to_owned(), record.word("conversation_id").to_owned());
        (record.word("x_request_id").to_owned(), (words.0, words.1, record.number("turn_index")))
    };
    records.iter().map(place).collect()
}

#[test]
fn every_line_is_brought_to_its_point_and_goes_on_from_there() {
    let sim = sim("ttft=5&itl=0");
    let words = "--concurrency 6 --num-sessions 6 --trajectory-start-min-ratio 0.3";
    let (artifacts, log) = replayed(&sim, &[recording("one"), recording("two")], words);
    let places = places(&artifacts);
    let place = |entry: &Entry| places[entry.id()].clone();
    let (primed, measured): (Vec<&Entry>, Vec<&Entry>) =
        log.iter().partition(|entry| place(entry).0 == "agentic.warmup");
    let summary = artifacts.summary();
    let lanes = summary["agentic_replay"]["lanes"].as_array().unwrap();
    let live: u64 = lanes.iter().map(|lane| lane["live_streams"].as_u64().unwrap()).sum();
    assert_eq!((lanes.len(), primed.len() as u64), (6, live));
    assert!(primed.iter().all(|entry| entry.body["max_completion_tokens"] == 1), "a warmup wants one token");
    assert!(log.iter().all(|entry| entry.body["ignore_eos"] == true && entry.body["stream"] == true));
    for entry in &primed {
        let (_, conversation, turn) = place(entry);
        let next = measured.iter().find(|later| later.session() == entry.session()).expect("a line that goes on");
        assert_eq!((place(next).1, place(next).2), (conversation, turn + 1));
        assert_eq!(marker(next), marker(entry), "what the warmup left in the cache is of use");
    }
    let branches = &summary["branch_stats"];
    assert_eq!(
        branches["children_spawned"], branches["children_completed"],
        "also those that were entered: {branches}"
    );
    let warmup = artifacts.accounting("agentic.warmup");
    assert_eq!((&warmup["sent"], &warmup["sessions_sent"]), (&json!(live), &json!(6)));
    assert_eq!(warmup["sessions_cancelled"], 0, "they go on in the next phase");
    assert_eq!(artifacts.accounting("profiling")["sent"], measured.len());
    assert_eq!(summary["metadata"]["submission_valid"], false);
    let reasons = &summary["metadata"]["submission_invalid_reasons"];
    assert_eq!(*reasons, json!(["unsafe_override", "ended_before_duration"]));
}

#[test]
fn lanes_come_to_their_points_together_and_go_on_as_they_were_recorded() {
    let sim = sim("ttft=5&itl=0");
    let (artifacts, log) = replayed(&sim, &[recording("one")], "--concurrency 4 --num-sessions 4");
    let places = places(&artifacts);
    let summary = artifacts.summary();
    let points: Vec<f64> = summary["agentic_replay"]["lanes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|lane| 1.2 * lane["start_ratio"].as_f64().unwrap())
        .collect();
    let times = |conversation: &str| if conversation == "one" { [0.0, 0.4, 0.8] } else { [0.15, 0.5, 1.2] };
    let start = |phase: &str| artifacts.accounting(phase)["start_ns"].as_u64().unwrap() as f64 / 1e9;
    let warmup = start("agentic.warmup") - start("profiling");
    let primed: Vec<&Entry> = log.iter().filter(|entry| places[entry.id()].0 == "agentic.warmup").collect();
    // Lanes of one session are distinguished by where its lines were, as far as that goes: how long before its lane's point a
    // request was recorded, at least and at most.
    let before = |entry: &Entry| {
        let (_, conversation, turn) = &places[entry.id()];
        let (last, next) = (times(conversation)[*turn as usize], times(conversation)[*turn as usize + 1]);
        let lanes = points.iter().filter(|point| **point > last && **point <= next).map(|point| point - last);
        lanes.fold((f64::MAX, 0.0_f64), |(least, most), before| (least.min(before), most.max(before)))
    };
    let longest = primed.iter().map(|entry| before(entry).0).fold(0.0, f64::max);
    for entry in primed {
        let (_, conversation, turn) = &places[entry.id()];
        let wait = longest - before(entry).1;
        assert!(entry.arrival - warmup >= wait - 1e-3, "too early in the warmup");
        let next = log.iter().find(|later| later.session() == entry.session() && later.arrival >= 0.0).unwrap();
        let after = points.iter().map(|point| times(conversation)[*turn as usize + 1] - point);
        let earliest = after.filter(|after| *after >= 0.0).fold(f64::MAX, f64::min);
        assert!(next.arrival >= earliest - 1e-3, "{} before {earliest}", next.arrival);
    }
}

#[test]
fn a_lane_is_taken_until_the_last_agent_has_ended_and_then_has_another_session() {
    let sim = sim("ttft=5&itl=0");
    let words = "--concurrency 1 --trajectory-start-max-ratio 0 --num-sessions 3";
    let (artifacts, log) = replayed(&sim, &[recording("one"), recording("two")], words);
    let places = places(&artifacts);
    let trees: Vec<Vec<&Entry>> = {
        let mut trees: Vec<(String, Vec<&Entry>)> = Vec::new();
        for entry in log.iter() {
            match trees.iter_mut().find(|(known, _)| *known == marker(entry)) {
                Some((_, tree)) => tree.push(entry),
                None => trees.push((marker(entry), vec![entry])),
            }
        }
        trees.into_iter().map(|(_, tree)| tree).collect()
    };
    assert_eq!(trees.len(), 3, "a marker for each session, with its agent");
    for (before, after) in trees.iter().zip(&trees[1..]) {
        let ended = before.iter().map(|entry| entry.end).fold(0.0, f64::max);
        assert!(after[0].arrival >= ended, "two sessions in one lane");
    }
    for tree in &trees {
        let place = |entry: &&Entry| &places[entry.id()];
        assert!(place(&tree[0]).1 != "one::sa:a1" && place(&tree[0]).2 == 0, "from its beginning");
        for is_agent in [false, true] {
            let line = tree.iter().map(place).filter(|place| place.1.contains("::sa:a1") == is_agent);
            assert_eq!(line.map(|place| place.2).collect::<Vec<_>>(), [0, 1, 2]);
        }
    }
    assert_eq!(artifacts.counted("sessions_sent"), 3);
    assert_eq!(artifacts.summary()["agentic_replay"]["trees_completed"], 3);
}

/// Ten minutes between two requests: what is not waited for is seen without a clock.
fn slow(id: &str) -> Value {
    let mut slow = recording(id);
    let turn = |turn: u64| call(600.0 * turn as f64, 200 + 64 * turn, 3 + turn, &(0..3 + turn).collect::<Vec<_>>());
    slow["requests"] = (0..40).map(turn).collect();
    slow
}

#[test]
fn all_first_requests_leave_together_if_asked() {
    let sim = sim("ttft=5&itl=0");
    let words = "--concurrency 4 --num-sessions 4 --request-count 4 --burst-phase-starts";
    let words = format!("{words} --system-idle-gap-cap-seconds 6000 --trajectory-start-min-ratio 0.5");
    let (artifacts, log) = replayed(&sim, &[slow("one")], &words);
    assert_eq!(log.len(), 8, "four in the warmup and four behind them, none of which waits for its time");
    assert_eq!(artifacts.summary()["agentic_replay"]["idle_gaps_shortened"], 0);
}

#[test]
fn pauses_of_all_sessions_together_are_cut() {
    let sim = sim("ttft=5&itl=0");
    let words = "--concurrency 1 --request-count 2 --trajectory-start-max-ratio 0 --system-idle-gap-cap-seconds 0.3";
    let (artifacts, log) = replayed(&sim, &[slow("slow")], words);
    assert_eq!(log.len(), 2);
    assert!(log.0[1].arrival - log.0[0].end >= 0.29, "the cap is a pause all the same");
    let replay = &artifacts.summary()["agentic_replay"];
    assert_eq!(replay["idle_gaps_shortened"], 1);
    assert!((replay["idle_seconds_skipped"].as_f64().unwrap() - 599.65).abs() < 0.3, "{replay}");
}

#[test]
fn a_cache_is_filled_without_pauses_and_its_sessions_are_handed_over() {
    // Slow enough that no session ends before the cache is filled.
    let sim = sim("ttft=40&itl=0");
    let words =
        "--concurrency 2 --request-count 4 --agentic-cache-warmup-duration 0.5 --trajectory-start-max-ratio 0.2";
    let words = format!("{words} --trajectory-start-min-ratio 0.1 --system-idle-gap-cap-seconds 0.2");
    let (artifacts, log) = replayed(&sim, &[slow("one"), slow("two")], &words);
    let places = places(&artifacts);
    let (filled, measured): (Vec<&Entry>, Vec<&Entry>) =
        log.iter().partition(|entry| places[entry.id()].0 == "agentic.warmup");
    assert!(filled.len() > 2, "two are the warmup itself, and more come without their pauses");
    assert!(filled.iter().all(|entry| entry.body["max_completion_tokens"] == 1));
    assert_eq!(measured.len(), 4);
    assert!(measured.iter().all(|entry| entry.body["max_completion_tokens"].as_u64().unwrap() > 1));
    for entry in &measured[..2] {
        let before = filled.iter().rfind(|before| before.session() == entry.session()).expect("a session that goes on");
        assert_eq!(places[entry.id()].2, places[before.id()].2 + 1);
        assert_eq!(marker(entry), marker(before));
    }
}

#[test]
fn a_line_ends_where_its_prompts_become_too_long() {
    let sim = sim("ttft=5&itl=0&context=350");
    let words = "--concurrency 1 --trajectory-start-max-ratio 0 --num-sessions 2";
    let (artifacts, log) = replayed(&sim, &[recording("one")], words);
    // The third turn of the main line has 420 tokens; that of the agent, with 280, is taken.
    assert_eq!(log.len(), 12);
    let skipped: Vec<bool> =
        artifacts.profiled().iter().map(|record| record.meta("context_overflow_skip").as_bool().unwrap()).collect();
    assert_eq!(skipped.iter().filter(|skipped| **skipped).count(), 2);
    let reasons = &artifacts.summary()["metadata"]["submission_invalid_reasons"];
    assert_eq!(*reasons, json!(["unsafe_override", "ended_before_duration", "context_overflow_rate_exceeded"]));
    let mut longer = recording("longer");
    longer["requests"] = json!([
        call(0.0, 300, 4, &[1, 2, 3, 4]),
        call(0.1, 420, 4, &[1, 2, 3, 4, 5, 6]),
        call(0.2, 500, 4, &[1, 2, 3, 4, 5, 6, 7])
    ]);
    let (_, log) = replayed(
        &crate::support::sim("ttft=5&itl=0&context=350"),
        &[longer],
        &words.replace("sessions 2", "sessions 1"),
    );
    assert_eq!(log.len(), 2, "the third turn would be longer still");
}

#[test]
fn a_session_that_cannot_be_brought_to_its_point_ends_the_run() {
    let sim = sim("ttft=5&itl=0&context=100");
    let ended = run(
        &sim,
        &[recording("one")],
        "--concurrency 1 --trajectory-start-min-ratio 0.5 --trajectory-start-max-ratio 0.5",
    );
    assert_ne!(ended.code, Some(0));
    assert!(ended.stderr.contains("the warmup failed"), "{}", ended.stderr);
    assert!(ended.stderr.contains("maximum context length"), "{}", ended.stderr);
    assert!(ended.stderr.contains("--max-context-length"), "what to do: {}", ended.stderr);
    assert!(sim.truth().len() <= 2, "nothing is measured");
}

#[test]
fn more_lanes_than_sessions_need_leave_or_markers() {
    let sim = sim("ttft=5&itl=0");
    let words = "--concurrency 3 --num-sessions 3 --cache-bust none";
    let refused = run(&sim, &[recording("one")], words);
    assert_eq!(refused.code, Some(1));
    for word in ["--concurrency 3", "--allow-dataset-wrap", "there are 1"] {
        assert!(refused.stderr.contains(word), "{}", refused.stderr);
    }
    let (_, log) = replayed(&sim, &[recording("one")], &format!("{words} --allow-dataset-wrap"));
    assert!(log.len() > 3);
}
