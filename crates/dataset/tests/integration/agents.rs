//! Recorded sessions of agents through the public door: conversations and what they start, messages of exact lengths,
//! pauses, models and what is left out.

use std::sync::Arc;

use aiperf_config::{AgentReplay, DatasetConfig, DatasetSource, FileSource, TraceOptions, TraceSynthesis};
use aiperf_conversation::{BranchKind, Conversation, ConversationIndex, Lineage, ReplayOrigin, Turn};
use aiperf_dataset::{Dataset, DatasetError, build};
use aiperf_seed::Seed;

use crate::described::{builtin, config, fixture};

pub(crate) fn loaded(source: FileSource) -> Result<Dataset, DatasetError> {
    let models = vec![Arc::from("m1"), Arc::from("m2")];
    let config = DatasetConfig { models, ..config(DatasetSource::File(source)) };
    build(&config, Seed::fixed(7), &builtin())
}

fn with(name: &str, agents: AgentReplay) -> Result<Dataset, DatasetError> {
    loaded(FileSource { trace: TraceOptions { agents, ..TraceOptions::default() }, ..fixture(name) })
}

fn names(dataset: &Dataset) -> Vec<&str> {
    dataset.outlines().iter().map(|outline| &*outline.session_id.0).collect()
}

/// Role and tokens of each message.
fn messages(turn: &Turn) -> Vec<String> {
    let tokenizer = builtin();
    let shown = |message: &serde_json::Value| {
        let content = message["content"].as_str().unwrap();
        format!("{}{}", &message["role"].as_str().unwrap()[..1], tokenizer.count(content))
    };
    turn.raw_messages.iter().flatten().map(shown).collect()
}

fn delays(conversation: &Conversation) -> Vec<Option<u64>> {
    conversation.turns.iter().map(|turn| turn.delay_ms.map(|delay| delay.round() as u64)).collect()
}

#[test]
fn the_sample_of_weka_gives_two_sessions_and_an_agent_with_the_recorded_lengths() {
    let dataset = loaded(fixture("weka_traces")).unwrap();
    assert_eq!(names(&dataset), ["wk1", "wk1::sa:agent_001", "wk2"]);
    assert_eq!(dataset.roots().len(), 2);
    let root = dataset.conversation(ConversationIndex(0));
    let shown: Vec<Vec<String>> = root.turns.iter().map(messages).collect();
    assert_eq!(shown, [&["s128", "u72"][..], &["s128", "u64", "a64", "u44"], &["s128", "u64", "a64", "a64", "u100"]]);
    let contents = |turn: usize, place: usize| root.turns[turn].raw_messages.as_ref().unwrap()[place].clone();
    assert_eq!(contents(0, 0), contents(2, 0));
    assert_eq!((contents(1, 1), contents(1, 2)), (contents(2, 1), contents(2, 2)));
    let first = contents(0, 1)["content"].as_str().unwrap().to_owned();
    assert!(first.starts_with(contents(1, 1)["content"].as_str().unwrap()), "a block has one text");
    let branch = &dataset.outlines()[0].turns[1].branches[0];
    assert_eq!(branch.kind, BranchKind::Spawn { join_at: Some(2) });
    let child = dataset.conversation(branch.children[0]);
    assert_eq!(child.lineage, Lineage::Child);
    assert_eq!(child.turns.iter().map(messages).collect::<Vec<_>>(), [&["u140"][..], &["u128", "a64", "u18"]]);
    let asked = |conversation: &Conversation| {
        conversation.turns.iter().map(|turn| (turn.model.to_string(), turn.max_tokens.unwrap())).collect::<Vec<_>>()
    };
    assert_eq!(asked(&root), [("m1".to_owned(), 8), ("m1".to_owned(), 8), ("m1".to_owned(), 6)]);
    assert_eq!(asked(&child), [("m2".to_owned(), 5), ("m2".to_owned(), 5)]);
    assert_eq!((delays(&root), delays(&child)), (vec![None, Some(800), Some(600)], vec![Some(100), Some(200)]));
    assert!(!dataset.writes_inputs() && dataset.inexact_texts() == 0);
}

#[test]
fn one_turn_alone_is_made_as_it_is_among_all() {
    let dataset = loaded(fixture("weka_traces")).unwrap();
    let (all, one) = (dataset.conversation(ConversationIndex(0)), dataset.conversation_at(ConversationIndex(0), 2));
    assert_eq!(all.turns[2], one.turns[2]);
    assert!(dataset.is_made_by_turn() && one.turns[0].raw_messages.is_none());
}

#[test]
fn the_sample_of_tracelab_puts_a_session_under_the_one_that_called_it() {
    let dataset = loaded(fixture("tracelab.jsonl")).unwrap();
    assert_eq!(names(&dataset), ["claude_s-1", "claude_s-1::sa:claude_s-child", "codex_s-2", "claude_s-3"]);
    let root = dataset.conversation(ConversationIndex(0));
    assert_eq!(
        root.turns.iter().map(messages).collect::<Vec<_>>(),
        [&["u300"][..], &["u256", "a64", "u100"], &["u256", "a64", "u64", "a64", "u112"]]
    );
    assert_eq!(root.turns[1].branches[0].kind, BranchKind::Spawn { join_at: Some(2) });
    assert_eq!(delays(&dataset.conversation(ConversationIndex(1))), [Some(500), Some(500)]);
    let thinking = &dataset.outlines()[3];
    assert!(thinking.turns.iter().all(|turn| turn.max_tokens == Some(10)), "what was thought is part of the output");
}

/// Trace, entry, place in it, whose it was, and reused of all blocks.
fn origins(dataset: &Dataset) -> Vec<String> {
    let turns = dataset.outlines().iter().flat_map(|outline| &outline.turns);
    let shown = |origin: &ReplayOrigin| {
        let ReplayOrigin { trace, place, line, blocks } = origin;
        let inner = place.inner.map_or(String::new(), |inner| format!(".{inner}"));
        format!("{trace} {}{inner} {} {}/{}", place.entry, line.name(), blocks.reused, blocks.blocks)
    };
    turns.map(|turn| shown(turn.origin.as_ref().unwrap())).collect()
}

#[test]
fn every_request_knows_where_it_was_recorded_and_what_a_cache_could_have_of_it() {
    assert_eq!(
        origins(&loaded(fixture("weka_traces")).unwrap()),
        [
            "wk1 0 weka_main 0/3",
            "wk1 1 weka_main 3/4",
            "wk1 3 weka_main 4/6",
            "wk1 2.0 weka_subagent 1/2",
            "wk1 2.1 weka_subagent 2/3",
            "wk2 0 weka_main 0/2",
            "wk2 1 weka_main 2/3",
        ]
    );
    assert_eq!(
        origins(&loaded(fixture("tracelab.jsonl")).unwrap())[..6],
        [
            "claude_s-1 0 weka_main 0/4",
            "claude_s-1 1 weka_main 4/6",
            "claude_s-1 3 weka_main 6/8",
            "claude_s-1 2.0 weka_subagent 0/3",
            "claude_s-1 2.1 weka_subagent 3/4",
            "codex_s-2 0 weka_main 0/2",
        ]
    );
}

#[test]
fn messages_beside_each_other_have_the_recorded_length_together() {
    let (dataset, tokenizer) = (loaded(fixture("weka_traces")).unwrap(), builtin());
    let root = dataset.conversation(ConversationIndex(0));
    let length = |turn: &Turn| {
        let texts: Vec<&str> =
            turn.raw_messages.iter().flatten().map(|said| said["content"].as_str().unwrap()).collect();
        tokenizer.count(&texts.join(" "))
    };
    assert_eq!(root.turns.iter().map(length).collect::<Vec<_>>(), [200, 300, 420]);
}

#[test]
fn pauses_and_sessions_are_changed_as_asked() {
    let first = |agents: AgentReplay| delays(&with("weka_traces", agents).unwrap().outlines()[0]);
    assert_eq!(first(AgentReplay { think_time_only: true, ..AgentReplay::default() }), [None, Some(800), Some(500)]);
    let capped = first(AgentReplay { idle_gap_cap_s: Some(0.5), ..AgentReplay::default() });
    assert_eq!(capped[1], Some(300));
    let ignored = TraceOptions { ignore_times: true, ..TraceOptions::default() };
    let ignored = loaded(FileSource { trace: ignored, ..fixture("weka_traces") }).unwrap();
    assert!(ignored.outlines().iter().flat_map(|outline| &outline.turns).all(|turn| turn.delay_ms.is_none()));
    let short = with("weka_traces", AgentReplay { max_context: Some(210), ..AgentReplay::default() }).unwrap();
    assert_eq!(names(&short), ["wk2"]);
    let one = with("weka_traces", AgentReplay { entries: Some(1), ..AgentReplay::default() }).unwrap();
    assert_eq!(names(&one), ["wk1", "wk1::sa:agent_001"]);
    let none = with("weka_traces", AgentReplay { max_context: Some(9), ..AgentReplay::default() }).unwrap_err();
    assert!(none.to_string().contains("--max-context-length 9") && none.to_string().contains("204"), "{none}");
}

#[test]
fn requests_with_longer_prompts_are_left_out_if_asked() {
    let within = |most: u64| {
        let synthesis = TraceSynthesis { max_isl: Some(most), ..TraceSynthesis::default() };
        loaded(FileSource { trace: TraceOptions { synthesis, ..TraceOptions::default() }, ..fixture("weka_traces") })
    };
    let places = |most: u64| -> Vec<String> {
        let shown = |origin: String| origin.split(" weka").next().unwrap().to_owned();
        origins(&within(most).unwrap()).into_iter().map(shown).collect()
    };
    assert_eq!(places(300), ["wk1 0", "wk1 1", "wk1 2.0", "wk1 2.1", "wk2 0", "wk2 1"]);
    assert_eq!(places(200), ["wk1 0", "wk1 2.0", "wk2 0", "wk2 1"]);
    assert_eq!(places(139), ["wk2 0"], "an agent of a session that is left out is none");
    assert_eq!(delays(&within(200).unwrap().outlines()[0]), [None]);
    let none = within(129).unwrap_err().to_string();
    assert!(none.contains("--synthesis-max-isl 129") && none.contains("130"), "{none}");
}

#[test]
fn what_is_wrong_is_said_with_file_line_and_field() {
    let good = r#"{"id":"a","models":["m"],"block_size":64,"hash_id_scope":"local","requests":[{"t":0,"type":"n","model":"m","in":70,"out":1,"hash_ids":[1]}]}"#;
    for (from, to, expected) in [
        (r#""in":70"#, r#""in":0"#, "requests[0].in: a number of tokens above zero"),
        (r#""in":70"#, r#""in":"x""#, "requests[0].in"),
        (r#""t":0,"#, "", "requests[0].t: seconds"),
        (r#""type":"n""#, r#""type":"q""#, "requests[0].type: n, s or subagent"),
        (r#""hash_ids":[1]"#, r#""hash_ids":[1.5]"#, "requests[0].hash_ids"),
        (r#""block_size":64"#, r#""block_size":0"#, "block_size"),
        (r#""hash_id_scope":"local""#, r#""hash_id_scope":"global""#, "hash_id_scope"),
        (r#""id":"a","#, r#""id":"a","new":1,"#, "\"new\" is not a field"),
        (r#""id":"a","#, r#""id":"a","system_tokens":65,"#, "they need 2 blocks"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace.json");
        std::fs::write(&path, format!("\n{}", good.replace(from, to))).unwrap();
        let error = loaded(FileSource::of(path)).unwrap_err().to_string();
        assert!(error.contains("trace.json, line 2: ") && error.contains(expected), "{expected}: {error}");
    }
}
