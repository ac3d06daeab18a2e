//! Recorded load through the public door: every layout, exact lengths, blocks that are the same everywhere, and what is
//! changed on the way.

use std::collections::HashMap;

use aiperf_config::{BadRows, FileFormat, FileSource, Replay, TimeWindow, TraceCorpus, TraceOptions, TraceSynthesis};
use aiperf_conversation::{ContextMode, Conversation, ConversationIndex};
use aiperf_dataset::Dataset;
use proptest::prelude::*;

use crate::described::{builtin, fixture, loaded, rows};

fn tokens(conversation: &Conversation) -> Vec<Vec<u32>> {
    let builtin = builtin();
    conversation.turns.iter().map(|turn| builtin.encode(turn.all_texts().next().unwrap_or(""))).collect()
}

fn outputs(dataset: &Dataset) -> Vec<Option<u32>> {
    dataset.outlines().iter().flat_map(|outline| &outline.turns).map(|turn| turn.max_tokens).collect()
}

fn times(dataset: &Dataset) -> Vec<Option<f64>> {
    dataset.outlines().iter().flat_map(|outline| &outline.turns).map(|turn| turn.timestamp_ms).collect()
}

#[test]
fn prompts_of_program_text_have_the_recorded_lengths_too() {
    let corpus = Some(TraceCorpus::Code);
    let trace = TraceOptions { corpus, ..TraceOptions::default() };
    let lengths = |dataset: &Dataset| -> Vec<usize> {
        dataset.conversations().flat_map(|made| tokens(&made)).map(|tokens| tokens.len()).collect()
    };
    let (words, code) =
        (loaded(fixture("mooncake_trace.jsonl")), loaded(FileSource { trace, ..fixture("mooncake_trace.jsonl") }));
    let (words, code) = (words.unwrap(), code.unwrap());
    assert_eq!(lengths(&words), lengths(&code));
    let text =
        |dataset: &Dataset| dataset.conversation(ConversationIndex(0)).turns[0].all_texts().next().unwrap().to_owned();
    assert!(text(&code).contains(['=', '(', '{']) && !text(&words).contains(['=', '(', '{']));
}

#[test]
fn prompts_have_exactly_the_recorded_lengths() {
    let dataset = loaded(fixture("mooncake_trace.jsonl")).unwrap();
    assert_eq!((dataset.len(), dataset.file_format), (20, Some(FileFormat::MooncakeTrace)));
    let text = std::fs::read_to_string(fixture("mooncake_trace.jsonl").path).unwrap();
    let lengths: Vec<usize> = text
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["input_length"].as_u64().unwrap() as usize)
        .collect();
    let made: Vec<usize> = dataset.conversations().map(|conversation| tokens(&conversation)[0].len()).collect();
    assert_eq!(made, lengths);
    assert_eq!(dataset.inexact_texts(), 0);
    let again = loaded(fixture("mooncake_trace.jsonl")).unwrap();
    assert!(dataset.conversations().eq(again.conversations()), "the same seed gives the same bytes");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn the_same_id_is_the_same_tokens_wherever_it_stands(
        lists in proptest::collection::vec((proptest::collection::vec(0_i64..6, 0..5), 0_usize..16, 0_usize..20), 1..8),
    ) {
        const SIZE: usize = 16;
        let mut content = String::new();
        let mut wanted: Vec<(Vec<i64>, usize)> = Vec::new();
        for (ids, cut, more) in &lists {
            // Ends within the last block, at its end, or behind it.
            let length = (ids.len() * SIZE).saturating_sub(*cut).max(1) + if *cut == 0 { *more } else { 0 };
            content += &format!("{{\"input_length\":{length},\"hash_ids\":{ids:?}}}\n");
            wanted.push((ids.clone(), length));
        }
        let (_folder, source) = rows(&content);
        // Where no row has blocks, a size for them is refused.
        let block_size = lists.iter().any(|(ids, ..)| !ids.is_empty()).then_some(SIZE as u32);
        let trace = TraceOptions { block_size, ..TraceOptions::default() };
        let dataset = loaded(FileSource { trace, ..source }).unwrap();
        let mut blocks: HashMap<i64, Vec<u32>> = HashMap::new();
        for (conversation, (ids, length)) in dataset.conversations().zip(wanted) {
            let tokens = tokens(&conversation).remove(0);
            prop_assert_eq!(tokens.len(), length);
            for (id, block) in ids.iter().zip(tokens.chunks(SIZE)) {
                let known = blocks.entry(*id).or_default();
                let common = known.len().min(block.len());
                prop_assert_eq!(&known[..common], &block[..common], "one is the front of the other");
                if block.len() > known.len() {
                    *known = block.to_vec();
                }
            }
        }
    }
}

#[test]
fn a_long_prompt_takes_no_more_than_its_own_text() {
    let ids: Vec<i64> = (0..250).collect();
    let (_folder, source) = rows(&format!("{{\"input_length\":128000,\"hash_ids\":{ids:?}}}"));
    let dataset = loaded(source).unwrap();
    assert_eq!(tokens(&dataset.conversation(ConversationIndex(0)))[0].len(), 128_000);
}

#[test]
fn mooncake_rows_of_every_kind_are_read() {
    let sessions = loaded(fixture("mooncake_sessions.jsonl")).unwrap();
    let turns: usize = sessions.outlines().iter().map(|outline| outline.turns.len()).sum();
    assert_eq!((sessions.len(), turns), (7, 13));
    assert_eq!(sessions.outlines()[0].context_mode, ContextMode::DeltasWithoutResponses);
    assert_eq!(sessions.outlines()[0].turns[1].delay_ms, Some(400.0));
    let messages =
        loaded(FileSource { format: Some(FileFormat::MooncakeTrace), ..fixture("mooncake_messages.jsonl") }).unwrap();
    assert_eq!(messages.len(), 10);
    let first = &messages.outlines()[0];
    assert_eq!(first.context_mode, ContextMode::MessageArrayWithResponses);
    assert!(first.turns[0].raw_messages.is_some() && first.turns[0].raw_tools.is_some());
    let payloads = loaded(fixture("mooncake_payload.jsonl")).unwrap();
    let body = payloads.outlines()[0].turns[0].raw_payload.clone().unwrap();
    assert!(body.starts_with(br#"{"model": "m", "messages""#), "as it was written");
}

#[test]
fn a_bailian_turn_is_sent_alone() {
    let dataset = loaded(fixture("bailian_trace.jsonl")).unwrap();
    let turns: usize = dataset.outlines().iter().map(|outline| outline.turns.len()).sum();
    assert_eq!((dataset.len(), turns), (6, 14));
    let first = dataset.conversation(ConversationIndex(0));
    assert_eq!((&*first.session_id.0, first.context_mode), ("10", ContextMode::MessageArrayWithResponses));
    assert_eq!(first.turns[0].timestamp_ms, Some(500.0));
    let tokens = tokens(&first);
    assert_eq!(tokens[0].len(), 40);
    assert_eq!(tokens[0][..32], tokens[1][..32], "blocks of 16 tokens that both have");
}

#[test]
fn csv_traces_keep_failed_requests_and_leave_out_broken_rows() {
    let dataset = loaded(fixture("burst_gpt.csv")).unwrap();
    assert_eq!((dataset.len(), dataset.skipped_rows.count), (12, 1));
    assert_eq!(times(&dataset)[..2], [Some(5_000.0), Some(45_000.0)]);
    let zero = loaded(fixture("burst_gpt_zero_response.csv")).unwrap();
    assert!(zero.empty_outputs >= 1 && outputs(&zero).iter().all(|tokens| tokens.unwrap() >= 1));
    let (_folder, azure) = rows(
        "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.9799600,48,10\n2023-11-16 18:17:04.0319600,31,8\n",
    );
    let azure = loaded(azure).unwrap();
    assert_eq!((times(&azure), outputs(&azure)), (vec![Some(0.0), Some(52.0)], vec![Some(10), Some(8)]));
    assert_eq!(tokens(&azure.conversation(ConversationIndex(1)))[0].len(), 31);
}

#[test]
fn bad_rows_are_named_or_left_out() {
    let content = "{\"input_length\":5}\n{\"input_length\":512,\"hash_ids\":[1,2]}\n{\"input_length\":0}\n";
    let (_folder, source) = rows(content);
    let error = loaded(source.clone()).unwrap_err().to_string();
    assert!(error.contains("line 2: hash_ids: 2 blocks of 512 tokens do not fit into input_length 512"), "{error}");
    let dataset = loaded(FileSource { bad_rows: BadRows::Skip, ..source }).unwrap();
    assert_eq!((dataset.len(), dataset.skipped_rows.count), (1, 2));
}

const TIMED: &str = r#"{"timestamp":0,"session_id":"a","input_length":10,"output_length":4}
{"timestamp":1000,"session_id":"b","input_length":20,"output_length":6}
{"delay":500,"session_id":"a","input_length":30,"output_length":8}
{"timestamp":9000,"session_id":"b","input_length":40,"output_length":10}
"#;

fn with(trace: TraceOptions) -> Dataset {
    let (_folder, source) = rows(TIMED);
    loaded(FileSource { trace, ..source }).unwrap()
}

#[test]
fn time_is_scaled_shortened_or_forgotten() {
    let replay = Replay { speedup: 2.0, ..Replay::default() };
    let fast = with(TraceOptions { replay, ..TraceOptions::default() });
    assert_eq!(times(&fast), [Some(0.0), None, Some(500.0), Some(4500.0)]);
    assert_eq!(fast.outlines()[0].turns[1].delay_ms, Some(250.0));
    let replay = Replay { max_idle_gap_ms: Some(600.0), ..Replay::default() };
    let short = with(TraceOptions { replay, ..TraceOptions::default() });
    assert_eq!(times(&short), [Some(0.0), None, Some(600.0), Some(1200.0)]);
    let none = with(TraceOptions { ignore_times: true, ..TraceOptions::default() });
    assert_eq!(times(&none), [None; 4]);
    assert_eq!(none.outlines()[0].turns[1].delay_ms, None);
}

#[test]
fn strict_replay_makes_every_row_a_session() {
    let (_folder, source) = rows(TIMED);
    let replay = Replay { strict: true, ..Replay::default() };
    let trace = TraceOptions { replay, ..TraceOptions::default() };
    let error = loaded(FileSource { trace: trace.clone(), ..source }).unwrap_err().to_string();
    assert!(error.contains("line 3: a timestamp is expected"), "{error}");
    let (_folder, source) = rows(&TIMED.replace("delay", "timestamp"));
    assert_eq!(loaded(FileSource { trace, ..source }).unwrap().len(), 4);
}

#[test]
fn a_share_of_the_sessions_is_kept_whole_and_never_none() {
    let content: Vec<String> =
        (0..600).map(|n| format!("{{\"session_id\":\"{}\",\"input_length\":3}}", n / 2)).collect();
    let sampled = |session_share: f64| {
        let (_folder, source) = rows(&content.join("\n"));
        let replay = Replay { session_share, ..Replay::default() };
        loaded(FileSource { trace: TraceOptions { replay, ..TraceOptions::default() }, ..source }).unwrap()
    };
    let half = sampled(0.5);
    assert!((120..180).contains(&half.len()), "{}", half.len());
    assert!(half.outlines().iter().all(|outline| outline.turns.len() == 2));
    assert_eq!(sampled(1e-9).len(), 1);
}

#[test]
fn rows_outside_the_window_are_left_out_with_what_follows_them() {
    let within = |start, end| {
        let (_folder, source) = rows(TIMED);
        loaded(FileSource { window: TimeWindow { start_ms: start, end_ms: end }, ..source })
    };
    assert_eq!(times(&within(None, Some(1000.0)).unwrap()), [Some(0.0), None, Some(1000.0)]);
    assert_eq!(times(&within(Some(1.0), None).unwrap()), [Some(1000.0), Some(9000.0)]);
    let error = within(Some(9001.0), None).unwrap_err().to_string();
    assert!(error.contains("between 0 and 9000"), "{error}");
}

#[test]
fn a_trace_is_changed_before_it_is_sent() {
    let synthesis = TraceSynthesis { prompt_len: 2.0, output_len: 0.5, max_isl: Some(30), ..TraceSynthesis::default() };
    let dataset = with(TraceOptions { synthesis, ..TraceOptions::default() });
    let lengths: Vec<usize> = dataset.conversations().flat_map(|c| tokens(&c)).map(|prompt| prompt.len()).collect();
    assert_eq!((lengths, outputs(&dataset)), (vec![20, 30, 30], vec![Some(2), Some(4), Some(3)]));
    let (_folder, source) = rows(TIMED);
    let synthesis = TraceSynthesis { max_isl: Some(5), ..TraceSynthesis::default() };
    let trace = TraceOptions { synthesis, ..TraceOptions::default() };
    let error = loaded(FileSource { trace, ..source }).unwrap_err().to_string();
    assert!(error.contains("--synthesis-max-isl 5") && error.contains("shortest has 10 tokens"), "{error}");
}

#[test]
fn a_change_that_no_row_has_anything_for_is_refused() {
    let changed = |content: &str, synthesis: TraceSynthesis| {
        let (_folder, source) = rows(content);
        loaded(FileSource { trace: TraceOptions { synthesis, ..TraceOptions::default() }, ..source })
    };
    let longer = || TraceSynthesis { prefix_len: 2.0, ..TraceSynthesis::default() };
    let error = changed(TIMED, longer()).unwrap_err().to_string();
    assert!(error.contains("--synthesis-prefix-len-multiplier has no effect on --input-file"), "{error}");
    let shared = "{\"input_length\":600,\"hash_ids\":[1,2]}\n{\"input_length\":600,\"hash_ids\":[1,3]}\n";
    assert!(changed(shared, longer()).is_ok());
}

#[test]
fn a_size_of_blocks_is_refused_where_there_are_none() {
    let sized = |content: &str| {
        let (_folder, source) = rows(content);
        loaded(FileSource { trace: TraceOptions { block_size: Some(16), ..TraceOptions::default() }, ..source })
    };
    let error = sized(TIMED).unwrap_err().to_string();
    assert!(error.contains("--isl-block-size has no effect") && error.contains("no row has block ids"), "{error}");
    assert!(sized("{\"input_length\":20,\"hash_ids\":[1,2]}\n").is_ok());
}

#[test]
fn a_row_that_holds_the_earlier_turns_is_sent_alone() {
    let mode = |field: &str| {
        let row = format!("{{\"session_id\":\"a\",\"input_length\":5{field}}}\n");
        let (_folder, source) = rows(&row.repeat(2));
        loaded(source).unwrap().outlines()[0].context_mode
    };
    assert_eq!(mode(""), ContextMode::DeltasWithoutResponses);
    let whole = ",\"context_mode\":\"message_array_with_responses\"";
    assert_eq!(mode(whole), ContextMode::MessageArrayWithResponses);
}

#[test]
fn lengths_that_cannot_be_are_refused_and_rows_of_tables_left_out() {
    let (_folder, source) = rows("{\"input_length\":5,\"output_length\":99999999999}\n");
    let error = loaded(source).unwrap_err().to_string();
    assert!(error.contains("line 1: output_length: from 0 to 100000000 tokens are expected"), "{error}");
    let (_folder, source) = rows("Timestamp,Request tokens,Response tokens\n1,0,5\n2,6,5\n");
    let dataset = loaded(source).unwrap();
    assert_eq!((dataset.len(), dataset.skipped_rows.count), (1, 1), "a prompt has at least one token");
}

fn baseten(replay: Replay) -> Dataset {
    let trace = TraceOptions { replay, ..TraceOptions::default() };
    loaded(FileSource { trace, ..fixture("baseten_trace.parquet") }).unwrap()
}

#[test]
fn a_baseten_trace_sends_its_own_prompts_with_what_is_known_of_them() {
    let dataset = baseten(Replay::default());
    assert_eq!((dataset.len(), dataset.empty_outputs), (3, 1));
    let first = dataset.conversation(ConversationIndex(0));
    assert_eq!((&*first.session_id.0, first.turns.len()), ("A", 2));
    assert_eq!(first.context_mode, ContextMode::MessageArrayWithResponses);
    assert_eq!(first.turns[1].all_texts().collect::<Vec<_>>(), ["p-a-1 p-a-2"]);
    assert_eq!(first.turns[1].timestamp_ms, Some(900.0));
    let extra = first.turns[1].extra_body.clone().unwrap();
    assert_eq!(
        (&extra["min_tokens"], &extra["hash_ids"], &extra["block_size"]),
        (&5.into(), &vec![1, 2, 4].into(), &64.into())
    );
    let plain = baseten(Replay { block_hints: false, min_tokens: false, ..Replay::default() });
    assert_eq!(plain.outlines()[0].turns[0].extra_body, Some(serde_json::Map::new()));
}

#[test]
fn in_a_closed_loop_turns_follow_answers_after_the_recorded_pause() {
    let dataset = baseten(Replay { closed_loop: true, speedup: 2.0, ..Replay::default() });
    let second = &dataset.outlines()[0].turns[1];
    assert_eq!((second.timestamp_ms, second.delay_ms), (None, Some(300.0)), "half of 900 less 300");
    let strict = baseten(Replay { strict: true, ..Replay::default() });
    assert_eq!(strict.len(), 5);
}
