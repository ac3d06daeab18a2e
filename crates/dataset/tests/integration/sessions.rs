//! Conversations of several turns through the public door: generated ones, files, graphs, and their place in time.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aiperf_config::{
    DatasetSource, FileFormat, FileSource, Length, PrefixPrompts, SyntheticSource, SystemPrompt, TimeWindow, TurnDelay,
};
use aiperf_conversation::{ConversationIndex, Turn};
use aiperf_dataset::{Dataset, DatasetError, build};
use aiperf_seed::Seed;

use crate::described::{builtin, config, prompts};

fn synthetic() -> SyntheticSource {
    SyntheticSource {
        turns: Length::normal(4.0, 1.5),
        turn_delay: TurnDelay { pause_ms: Some(Length::normal(100.0, 20.0)), ratio: 0.5 },
        ..prompts(200, 20.0)
    }
}

fn made(source: SyntheticSource) -> Dataset {
    build(&config(DatasetSource::Synthetic(source)), Seed::fixed(7), &builtin()).unwrap()
}

fn turns(dataset: &Dataset) -> impl Iterator<Item = Turn> {
    dataset.conversations().flat_map(|conversation| conversation.turns.clone())
}

fn all_texts(turn: &Turn) -> Vec<String> {
    turn.all_texts().map(str::to_owned).collect()
}

fn file(name: &str) -> FileSource {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    FileSource::of(path)
}

fn loaded(source: FileSource) -> Result<Dataset, DatasetError> {
    build(&config(DatasetSource::File(source)), Seed::fixed(7), &builtin())
}

/// A file of these rows, which lives as long as the folder.
fn rows(content: &str) -> (tempfile::TempDir, FileSource) {
    let folder = tempfile::tempdir().unwrap();
    let path: PathBuf = folder.path().join("rows.jsonl");
    std::fs::write(&path, content).unwrap();
    (folder, FileSource { path, ..file("") })
}

#[test]
fn sessions_have_the_turns_and_pauses_that_were_asked_for() {
    let dataset = made(synthetic());
    let counts: Vec<usize> = dataset.conversations().map(|c| c.turns.len()).collect();
    let mean = counts.iter().sum::<usize>() as f64 / 200.0;
    assert!((mean - 4.0).abs() < 0.4 && counts.iter().all(|count| *count >= 1), "{mean}");
    assert!(dataset.conversations().all(|c| c.turns[0].delay_ms.is_none()), "no pause before the first turn");
    let pauses: Vec<f64> =
        dataset.conversations().flat_map(|c| c.turns[1..].to_vec()).map(|turn| turn.delay_ms.unwrap()).collect();
    let mean = pauses.iter().sum::<f64>() / pauses.len() as f64;
    assert!((mean - 50.0).abs() < 2.0, "the ratio halves them: {mean}");
    assert!(turns(&dataset).all(|turn| builtin().count(turn.all_texts().next().unwrap()) == 20));
    let texts: HashSet<String> = turns(&dataset).flat_map(|turn| all_texts(&turn)).collect();
    assert_eq!(texts.len(), turns(&dataset).count(), "no two prompts are alike");
}

#[test]
fn a_fixed_number_of_turns_is_exact_and_no_pause_is_drawn_unless_asked_for() {
    let turn_delay = TurnDelay { ratio: 30.0, ..TurnDelay::default() };
    let dataset = made(SyntheticSource { turns: Length::normal(3.0, 0.0), turn_delay, ..synthetic() });
    assert!(dataset.conversations().all(|c| c.turns.len() == 3));
    assert!(turns(&dataset).all(|turn| turn.delay_ms.is_none()));
}

#[test]
fn pauses_do_not_change_which_prompts_are_made() {
    let texts = |turn_delay| {
        let dataset = made(SyntheticSource { turn_delay, entries: 20, ..synthetic() });
        turns(&dataset).flat_map(|turn| all_texts(&turn)).collect::<Vec<_>>()
    };
    assert_eq!(texts(TurnDelay::default()), texts(synthetic().turn_delay));
}

#[test]
fn only_the_first_turn_has_a_prefix() {
    let prefix = Some(PrefixPrompts { pool_size: 1, tokens: 10 });
    let dataset = made(SyntheticSource { prefix, entries: 5, turns: Length::normal(3.0, 0.0), ..synthetic() });
    for conversation in dataset.conversations() {
        let lengths: Vec<usize> =
            conversation.turns.iter().flat_map(Turn::all_texts).map(|t| builtin().count(t)).collect();
        assert_eq!(lengths, [30, 20, 20]);
    }
}

#[test]
fn the_system_prompt_of_the_run_stands_before_that_of_the_file() {
    let fixtures = std::fs::read_to_string(file("multi_turn.jsonl").path).unwrap();
    // Without its row with a picture, whose path is relative to the working directory.
    let (_folder, source) =
        rows(&fixtures.lines().filter(|line| !line.contains("media/")).collect::<Vec<_>>().join("\n"));
    let mut config = config(DatasetSource::File(source));
    config.system_prompt = SystemPrompt::Verbatim(Arc::from("Be kind."));
    let dataset = build(&config, Seed::fixed(7), &builtin()).unwrap();
    assert_eq!(dataset.outlines()[1].system.as_deref(), Some("Be kind.\n\nYou are terse."));
    assert_eq!(dataset.outlines()[0].system.as_deref(), Some("Be kind."));
    config.has_system_role = false;
    let dataset = build(&config, Seed::fixed(7), &builtin()).unwrap();
    assert_eq!(dataset.outlines()[1].turns.len(), 3, "a turn like any other");
}

#[test]
fn pauses_are_capped_and_long_ones_are_counted() {
    let content = r#"{"turns": [{"text": "a"}, {"text": "b", "delay": 90000}, {"text": "c", "delay": 60000}]}"#;
    let (_folder, source) = rows(content);
    let pauses = |dataset: &Dataset| turns(dataset).map(|turn| turn.delay_ms).collect::<Vec<_>>();
    let free = loaded(source.clone()).unwrap();
    assert_eq!((pauses(&free), free.long_pauses), (vec![None, Some(90_000.0), Some(60_000.0)], 1));
    let capped = loaded(FileSource { delay_cap_ms: Some(500.0), ..source }).unwrap();
    assert_eq!((pauses(&capped), capped.long_pauses), (vec![None, Some(500.0), Some(500.0)], 0));
}

#[test]
fn only_roots_of_a_graph_are_drawn() {
    let dataset = loaded(file("dag.jsonl")).unwrap();
    assert_eq!(dataset.roots(), [0, 9, 10].map(ConversationIndex));
    let mut sampler = dataset.sampler(Seed::fixed(1));
    assert_eq!([0; 4].map(|_| sampler.draw().0), [0, 9, 10, 0]);
    assert!(turns(&dataset).all(|turn| !turn.model.is_empty()), "children have their models too");
    let orchestrated = loaded(file("dag_orchestrator.jsonl")).unwrap();
    assert_eq!(orchestrated.roots(), [ConversationIndex(0)]);
}

#[test]
fn a_graph_is_named_by_file_line_session_turn_and_rule() {
    let (_folder, source) = rows(r#"{"session_id": "a", "turns": [{"messages": [{"role": "user"}], "forks": ["b"]}]}"#);
    let error = loaded(FileSource { format: Some(FileFormat::DagJsonl), ..source }).unwrap_err().to_string();
    let expected =
        r#"rows.jsonl, line 1: session "a": turn 0: forks names "b", but no line of the file has that session_id"#;
    assert!(error.contains(expected), "{error}");
}

#[test]
fn a_schedule_has_every_root_by_its_first_timestamp() {
    let content = "{\"timestamp\": 30, \"text\": \"a\"}\n{\"timestamp\": 10.5, \"text\": \"b\"}\n\
                   {\"timestamp\": 30, \"text\": \"c\"}\n{\"timestamp\": 0, \"text\": \"d\"}\n";
    let (_folder, source) = rows(content);
    let expected = [(3, 0.0), (1, 10.5), (0, 30.0), (2, 30.0)].map(|(place, at)| (ConversationIndex(place), at));
    assert_eq!(loaded(source).unwrap().schedule().unwrap(), expected);
    let sample = loaded(file("single_turn_schedule.jsonl")).unwrap();
    assert_eq!(sample.schedule().unwrap().len(), 11);
    assert_eq!(sample.first_timestamp_ms(ConversationIndex(2)), Some(1500.5));
}

#[test]
fn a_conversation_without_a_time_cannot_be_scheduled() {
    let (_folder, source) = rows(
        "{\"session_id\": \"s\", \"turns\": [{\"timestamp\": 5, \"text\": \"a\"}, {\"text\": \"b\"}]}\n\
         {\"session_id\": \"t\", \"turns\": [{\"text\": \"a\"}, {\"timestamp\": 5, \"text\": \"b\"}]}\n",
    );
    let error = loaded(source).unwrap().schedule().unwrap_err().to_string();
    assert!(
        error.contains("--fixed-schedule: the first turn of session t has no timestamp (conversation 2"),
        "{error}"
    );
    assert!(loaded(file("dag.jsonl")).unwrap().schedule().is_err());
}

#[test]
fn a_window_keeps_what_begins_in_it_both_ends_included() {
    let kept = |start_ms, end_ms| {
        let window = TimeWindow { start_ms, end_ms };
        let dataset = loaded(FileSource { window, ..file("single_turn_schedule.jsonl") })?;
        Ok::<_, DatasetError>(turns(&dataset).filter_map(|turn| turn.timestamp_ms).collect::<Vec<_>>())
    };
    assert_eq!(kept(Some(1500.0), Some(2600.0)).unwrap(), [1500.0, 1500.5, 2500.0, 2600.0]);
    assert_eq!(kept(Some(3400.0), None).unwrap(), [3500.0]);
    assert_eq!(kept(None, Some(1000.0)).unwrap(), [1000.0]);
    let error = kept(Some(9000.0), None).unwrap_err().to_string();
    assert!(error.contains("no conversation starts from 9000 ms on; they start between 1000 and 3500 ms"), "{error}");
}

#[test]
fn a_window_takes_or_leaves_a_session_as_a_whole() {
    let (_folder, source) = rows(
        "{\"session_id\": \"s\", \"timestamp\": 5, \"text\": \"a\"}\n{\"session_id\": \"t\", \"timestamp\": 50, \"text\": \"b\"}\n\
         {\"session_id\": \"s\", \"timestamp\": 60, \"text\": \"c\"}\n{\"text\": \"no time\"}\n",
    );
    let window = TimeWindow { start_ms: None, end_ms: Some(20.0) };
    let dataset = loaded(FileSource { window, ..source }).unwrap();
    let shape: Vec<String> = dataset.conversations().map(|c| format!("{} {}", c.session_id, c.turns.len())).collect();
    assert_eq!(shape, ["s 2", "session_000000 1"]);
}
