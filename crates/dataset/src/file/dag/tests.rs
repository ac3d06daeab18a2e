//! Graphs of conversations: the samples whole, and what is refused.

use aiperf_config::FileSource;
use aiperf_conversation::{Branch, BranchKind, ContextMode, Lineage, Orchestrator, Round, ThinkTime};
use aiperf_seed::Seed;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::file::media::MediaFiles;

fn loaded(rows: &str) -> Result<Vec<Conversation>, String> {
    let source = FileSource::of("rows.jsonl".into());
    let document = LoadedFile { path: source.path.clone(), bytes: rows.as_bytes().to_vec() };
    let mut reading = ReadContext::new(&source, true, Seed::fixed(1), MediaFiles::none());
    conversations(&document, &mut reading).map_err(|error| error.to_string())
}

/// Rows of the given JSON, and a spare child `c`.
fn error_of(rows: &[&str]) -> String {
    let spare = r#"{"session_id":"c","turns":[{"messages":[{"role":"user","content":"c"}]}]}"#;
    loaded(&format!("{}\n{spare}\n", rows.join("\n"))).unwrap_err()
}

/// The rest of a turn after its messages.
fn row(id: &str, turns: &[&str]) -> String {
    let message = r#""messages":[{"role":"user","content":"x"}]"#;
    let turns: Vec<String> = turns.iter().map(|more| format!("{{{message}{more}}}")).collect();
    format!(r#"{{"session_id":"{id}","turns":[{}]}}"#, turns.join(","))
}

fn spawn(join_at: Option<usize>, children: &[usize]) -> Branch {
    Branch { kind: BranchKind::Spawn { join_at }, children: indices(children) }
}

fn fork(background: bool, children: &[usize]) -> Branch {
    Branch { kind: BranchKind::Fork { background }, children: indices(children) }
}

fn indices(places: &[usize]) -> Vec<ConversationIndex> {
    places.iter().copied().map(ConversationIndex).collect()
}

#[test]
fn the_sample_graph_is_read_whole() {
    let all = loaded(include_str!("../../../tests/fixtures/dag.jsonl")).unwrap();
    let roots: Vec<&str> = all.iter().filter(|c| c.lineage != Lineage::Child).map(|c| &*c.session_id.0).collect();
    assert_eq!(roots, ["root", "solo2", "root2"], "children of every kind are no roots");
    let branches: Vec<&[Branch]> = all[0].turns.iter().map(|turn| &turn.branches[..]).collect();
    let expected: [&[Branch]; 5] =
        [&[spawn(Some(1), &[1, 2])], &[], &[fork(true, &[4]), spawn(Some(4), &[3])], &[], &[fork(false, &[5, 6])]];
    assert_eq!(branches, expected);
    assert_eq!(all[10].lineage, Lineage::RootWithSpawns(indices(&[7])));
    assert_eq!(all[10].turns[1].branches, [fork(false, &[11])]);
    let first = &all[0].turns[0];
    assert_eq!(first.raw_messages.as_ref().unwrap()[0], json!({"role": "system", "content": "You plan."}));
    assert_eq!((first.max_tokens, first.delay_ms, &*first.model), (Some(5), None, ""));
    assert_eq!(all[0].turns[1].delay_ms, Some(50.0));
    assert_eq!(all[0].turns[1].extra_body.as_ref().unwrap()["temperature"], 0.5);
    assert_eq!(&*all[2].turns[0].model, "m2");
}

#[test]
fn the_sample_orchestrator_has_its_rounds() {
    let all = loaded(include_str!("../../../tests/fixtures/dag_orchestrator.jsonl")).unwrap();
    let round = |median_ms: f64, children: &[usize]| Round {
        think: ThinkTime { median_ms, ..ThinkTime::default() },
        children: indices(children),
    };
    let rounds = vec![round(100.0, &[1, 2]), round(200.0, &[3])];
    assert_eq!(all[0].lineage, Lineage::Orchestrator(Orchestrator { rounds }));
    assert!(all[0].turns.is_empty());
    assert!(all[1..].iter().all(|c| c.lineage == Lineage::Child), "named in rounds only, yet no roots");
    assert_eq!(all[3].context_mode, ContextMode::MessageArrayWithResponses);
}

#[test]
fn a_number_of_rounds_repeats_the_children_and_a_spread_is_kept() {
    let child = row("a", &[""]);
    let spine = r#"{"session_id":"s","orchestrator":true,"spawns":["a"],"rounds":3,"think_time_ms":40,
        "think_time_sigma":0.5,"think_time_min_ms":10,"think_time_max_ms":90}"#
        .replace('\n', " ");
    let all = loaded(&format!("\u{feff}{spine}\n{child}")).unwrap();
    let think = ThinkTime { median_ms: 40.0, sigma: 0.5, min_ms: Some(10.0), max_ms: Some(90.0) };
    let rounds = vec![Round { think, children: indices(&[1]) }; 3];
    assert_eq!(all[0].lineage, Lineage::Orchestrator(Orchestrator { rounds }));
    let once = loaded(&format!("{{\"session_id\":\"s\",\"orchestrator\":true,\"spawns\":[\"a\"]}}\n{child}")).unwrap();
    assert!(matches!(&once[0].lineage, Lineage::Orchestrator(o) if o.rounds.len() == 1));
}

#[test]
fn spawns_join_at_the_next_turn_unless_they_say_otherwise_or_nothing_follows() {
    let rows = [
        row(
            "p",
            &[
                r#","spawns":["a",{"children":["b"],"join_at":2}]"#,
                r#","spawns":[{"children":["a"]}]"#,
                r#","spawns":["a"]"#,
            ],
        ),
        row("a", &[""]),
        row("b", &[""]),
    ];
    let all = loaded(&rows.join("\n")).unwrap();
    assert_eq!(all[0].turns[0].branches, [spawn(Some(2), &[2]), spawn(Some(1), &[1])]);
    assert_eq!(all[0].turns[1].branches, [spawn(Some(2), &[1])]);
    assert_eq!(all[0].turns[2].branches, [spawn(None, &[1])]);
}

#[test]
fn a_spawned_child_may_have_many_parents_and_one_that_forks_it() {
    let rows =
        [row("p", &[r#","spawns":["c"]"#, r#","forks":["c"]"#]), row("q", &[r#","spawns":["c"]"#]), row("c", &[""])];
    assert_eq!(loaded(&rows.join("\n")).unwrap()[2].lineage, Lineage::Child);
}

#[test]
fn a_bad_line_is_named_by_line_session_and_rule() {
    let user = r#"{"messages":[{"role":"user","content":"x"}]}"#;
    for (line, expected) in [
        (r#"{"turns":[]}"#.to_owned(), "session_id: a name for the conversation is expected"),
        (r#"{"session_id":""}"#.to_owned(), "session_id: a name for the conversation is expected"),
        (r#"{"session_id":7}"#.to_owned(), "session_id: a string is expected, not 7"),
        (row("c", &[""]), r#"session "c" is defined twice"#),
        (r#"{"session_id":"p","turns":[]}"#.to_owned(), r#"session "p": turns: at least one is expected"#),
        (format!(r#"{{"session_id":"p","turns":[{user}],"colour":1}}"#), r#""colour" is not a field of this format"#),
        (format!(r#"{{"session_id":"p","turns":[{user}],"type":"x"}}"#), "read as dag_jsonl"),
        (format!(r#"{{"session_id":"p","turns":[{user}],"rounds":2}}"#), "rounds belongs to an orchestrator"),
        (format!(r#"{{"session_id":"p","turns":[{user}],"spawns":["c"]}}"#), "spawns belongs to an orchestrator"),
        (
            format!(r#"{{"session_id":"p","turns":[{user}],"context_mode":"message_array_without_responses"}}"#),
            "context_mode: deltas_without_responses, ",
        ),
        (format!(r#"{{"session_id":"p","turns":[{user}],"pre_session_spawns":["c","c"]}}"#), r#"names "c" twice"#),
        (
            format!(r#"{{"session_id":"p","turns":[{user}],"pre_session_spawns":["z"]}}"#),
            r#"pre_session_spawns names "z", but no line"#,
        ),
        (r#"{"session_id":"p","turns":[5]}"#.to_owned(), r#"session "p": turn 0: turns: an object is expected"#),
        (row("p", &["", r#","colour":1"#]), r#"session "p": turn 1: "colour" is not a field"#),
        (r#"{"session_id":"p","turns":[{"max_tokens":1}]}"#.to_owned(), "messages: at least one message is expected"),
        (
            r#"{"session_id":"p","turns":[{"messages":[{"content":"x"}]}]}"#.to_owned(),
            "messages: an object with a role is expected",
        ),
        (row("p", &[r#","max_tokens":true"#]), "max_tokens: a whole number above zero is expected, not true"),
        (row("p", &[r#","max_tokens":0"#]), "max_tokens: a whole number above zero"),
        (row("p", &[r#","delay":-1"#]), "delay: a non-negative number of milliseconds"),
        (row("p", &[r#","tools":{}"#]), "tools: a list is expected"),
        (row("p", &[r#","forks":["z"]"#]), r#"forks names "z", but no line of the file has that session_id"#),
        (row("p", &[r#","forks":[{"background":true}]"#]), "forks: an object with a child is expected"),
        (row("p", &[r#","forks":[{"child":"c","back":true}]"#]), r#"forks: "back" is not a field"#),
        (row("p", &[r#","forks":["c"]"#, ""]), "only allowed in the last turn (1)"),
        (row("p", &[r#","forks":["c"],"spawns":["c"]"#]), "name a child twice"),
        (row("p", &[r#","spawns":["c",{"children":["c"]}]"#, ""]), "name a child twice"),
        (row("p", &[r#","spawns":[{"children":[]}]"#]), "at least one of children"),
        (row("p", &[r#","spawns":[{"children":["c"],"join_at":1}]"#]), "join_at 1 is not a later turn"),
        (row("p", &["", r#","spawns":[{"children":["c"],"join_at":1}]"#]), "join_at 1 is not a later turn"),
        (row("p", &[r#","spawns":["p"]"#]), r#"session "p": starts itself: "p" -> "p""#),
        (
            r#"{"session_id":"p","turns":[{"messages":[{"role":"user"},{"role":"system"}]}]}"#.to_owned(),
            "message 1 is a system message",
        ),
        (
            format!(r#"{{"session_id":"p","turns":[{user},{{"messages":[{{"role":"system"}}]}}]}}"#),
            r#"session "p", turn 1: message 0 is a system message"#,
        ),
    ] {
        let error = error_of(&[&row("good", &[""]), "", &line]);
        let place = if expected.contains("twice") && line == row("c", &[""]) { "line 4: " } else { "line 3: " };
        assert!(error.contains(place) && error.contains(expected), "{line}: {error}");
    }
}

#[test]
fn an_orchestrator_is_held_to_its_rules() {
    for (more, expected) in [
        (r#""turns":[{}]"#, "sends nothing itself"),
        (r#""spawns":["c"],"pre_session_spawns":["c"]"#, "pre_session_spawns does not apply"),
        (r#""rounds":2"#, "needs spawns, or a list of rounds"),
        (r#""spawns":[],"rounds":2"#, "needs spawns, or a list of rounds"),
        (r#""spawns":["c"],"rounds":0"#, "rounds: a whole number above zero"),
        (r#""spawns":["c"],"rounds":4000000000"#, "more than 1000000 sessions"),
        (r#""spawns":["c"],"rounds":[{"spawns":["c"]}]"#, "cannot be given together"),
        (r#""rounds":[]"#, "rounds: at least one is expected"),
        (r#""rounds":["c"]"#, "round 0: rounds: an object with spawns is expected"),
        (r#""rounds":[{"spawns":[]}]"#, "round 0: spawns: at least one child"),
        (r#""rounds":[{"spawns":["c"]},{"spawns":["c"]}]"#, "round 1: spawns: a child of an earlier round"),
        (r#""rounds":[{"spawns":["c","c"]}]"#, r#"names "c" twice"#),
        (r#""rounds":[{"spawns":["c"],"join_at":1}]"#, r#""join_at" is not a field"#),
        (r#""spawns":["c"],"think_time_ms":5"#, "think_time_ms is the pause before a round, so it needs rounds"),
        (r#""spawns":["c"],"rounds":1,"think_time_sigma":0.5"#, "think_time_sigma needs think_time_ms"),
        (r#""spawns":["c"],"rounds":1,"think_time_ms":5,"think_time_sigma":0"#, "above 0 and up to 10"),
        (r#""spawns":["c"],"rounds":1,"think_time_ms":5,"think_time_sigma":11"#, "above 0 and up to 10"),
        (r#""spawns":["c"],"rounds":1,"think_time_ms":5,"think_time_max_ms":9"#, "need think_time_sigma"),
        (
            r#""spawns":["c"],"rounds":1,"think_time_ms":5,"think_time_sigma":1,"think_time_min_ms":9,"think_time_max_ms":8"#,
            "is above",
        ),
    ] {
        let error = error_of(&[&format!(r#"{{"session_id":"s","orchestrator":true,{more}}}"#)]);
        assert!(error.contains(r#"line 1: session "s": "#) && error.contains(expected), "{more}: {error}");
    }
}

#[test]
fn conversations_that_cannot_go_together_are_named() {
    let forks = |id: &str| row(id, &[r#","forks":["c"]"#]);
    let twice = error_of(&[&forks("p"), &forks("q")]);
    assert!(twice.contains(r#"line 2: session "q", turn 0: forks "c", which turn 0 of "p" forks already"#), "{twice}");

    let array = row("a", &[""]).replace("\"turns\"", r#""context_mode":"message_array_with_responses","turns""#);
    let dropped = error_of(&[&row("p", &[r#","forks":["a"]"#]), &array]);
    assert!(dropped.contains(r#"line 2: session "a": with context_mode message_array"#), "{dropped}");

    let before = row("q", &[""]).replace("\"turns\"", r#""pre_session_spawns":["c"],"turns""#);
    let no_history = error_of(&[&forks("p"), &before]);
    assert!(no_history.contains(r#"line 3: session "c": "q" starts it before its first turn"#), "{no_history}");
    let child_with_spawns = error_of(&[&row("p", &[r#","spawns":["q"]"#]), &before]);
    assert!(child_with_spawns.contains(r#"line 2: session "q": pre_session_spawns"#), "{child_with_spawns}");

    let spine = r#"{"session_id":"s","orchestrator":true,"spawns":["c"]}"#;
    let nested = error_of(&[&row("p", &[r#","spawns":["s"]"#]), spine]);
    assert!(nested.contains(r#"line 2: session "s": an orchestrator is a root"#), "{nested}");

    let system = row("f", &[""]).replace("user", "system");
    let second_system = error_of(&[&row("p", &[r#","forks":["f"]"#]), &system]);
    assert!(second_system.contains("a forked child continues its parent's"), "{second_system}");
    assert!(loaded(&format!("{}\n{system}", row("p", &[r#","spawns":["f"]"#]))).is_ok(), "a spawned one starts empty");

    let circle = error_of(&[
        &row("top", &[r#","spawns":["p"]"#]),
        &row("p", &[r#","spawns":["q"]"#]),
        &row("q", &[r#","spawns":["p"]"#]),
    ]);
    assert!(circle.contains("line 2: ") && circle.contains(r#""p" -> "q" -> "p""#), "{circle}");
}

#[test]
fn a_system_message_may_open_every_array_that_is_sent_whole() {
    let turn = r#"{"messages":[{"role":"system","content":"s"},{"role":"user","content":"u"}]}"#;
    let whole =
        format!(r#"{{"session_id":"a","context_mode":"message_array_with_responses","turns":[{turn},{turn}]}}"#);
    assert!(loaded(&whole).is_ok());
    assert!(loaded(&whole.replace("message_array", "deltas")).is_err());
}

proptest! {
    #[test]
    fn no_value_of_any_field_makes_the_reader_panic(
        of_turn in any::<bool>(),
        field in "session_id|turns|pre_session_spawns|context_mode|orchestrator|spawns|rounds|think_time_ms|think_time_sigma|messages|max_tokens|tools|extra|delay|forks",
        value in r#"null|-?[0-9]{1,20}|0\.[0-9]{1,5}|"[ac]?"|\[("c"|5|\{"child":"c"\}|\{"children":\["c"\],"join_at":[0-9]\}|\{"spawns":\["c"\]\})?\]|\{\}|true"#,
    ) {
        let rows = if of_turn {
            row("a", &[&format!(r#","{field}":{value}"#)])
        } else {
            format!(r#"{{"session_id":"a","turns":[{{"messages":[{{"role":"user"}}]}}],"{field}":{value}}}"#)
        };
        let orchestrator = rows.replacen('{', r#"{"orchestrator":true,"#, 1);
        let _ = loaded(&format!("{rows}\n{}", row("c", &[""])));
        let _ = loaded(&format!("{orchestrator}\n{}", row("c", &[""])));
    }

    #[test]
    fn a_graph_loads_exactly_when_nothing_starts_itself_again(
        edges in proptest::collection::vec((0_usize..6, 0_usize..6), 0..9),
    ) {
        let rows: Vec<String> = (0..6)
            .map(|parent| {
                let mut children: Vec<String> = edges.iter().filter(|e| e.0 == parent).map(|e| format!("\"n{}\"", e.1)).collect();
                children.sort();
                children.dedup();
                row(&format!("n{parent}"), &[&format!(r#","spawns":[{}]"#, children.join(","))])
            })
            .collect();
        // Which node leads to which, in one step or more (Warshall).
        let mut reaches = [[false; 6]; 6];
        for (from, to) in &edges {
            reaches[*from][*to] = true;
        }
        for via in 0..6 {
            for from in 0..6 {
                for to in 0..6 {
                    reaches[from][to] |= reaches[from][via] && reaches[via][to];
                }
            }
        }
        let cyclic = (0..6).any(|node| reaches[node][node]);
        match loaded(&rows.join("\n")) {
            Err(error) => prop_assert!(cyclic && error.contains("starts itself"), "{}", error),
            Ok(all) => {
                prop_assert!(!cyclic);
                for (place, conversation) in all.iter().enumerate() {
                    let started = edges.iter().any(|edge| edge.1 == place);
                    prop_assert_eq!(conversation.lineage == Lineage::Child, started);
                }
            }
        }
    }
}
