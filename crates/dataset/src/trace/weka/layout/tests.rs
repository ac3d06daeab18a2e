//! Messages of a prompt that grows, is cut or changes.

use std::sync::Arc;

use proptest::prelude::*;

use super::*;

fn call(input: u64, output: u64, ids: &[i64]) -> RecordedCall {
    let (start_s, api_s, think_s) = (0.0, None, None);
    let (place, reuse) = Default::default();
    RecordedCall {
        start_s,
        api_s,
        think_s,
        model: Arc::from("a"),
        input,
        output,
        tool_result: false,
        ids: ids.into(),
        place,
        reuse,
    }
}

fn shown(system_tokens: u64, calls: Vec<RecordedCall>) -> Vec<String> {
    let turns = calls.len();
    let layout = MessageLayout::of(&AgentRequests { system_tokens, calls }, 64);
    let segment = |segment: &MessageSegment| {
        let speaker = match segment.speaker {
            Speaker::System => 's',
            Speaker::User => 'u',
            Speaker::Assistant => 'a',
        };
        format!("{speaker}{}", (segment.end - segment.start) * 64 + segment.tail)
    };
    (0..turns).map(|turn| layout.prompt(turn).segments.iter().map(segment).collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn a_growing_prompt_keeps_its_messages_and_adds_an_answer_and_a_question() {
    let all: Vec<i64> = (1..15).collect();
    let calls =
        vec![call(200, 101, &all[..3]), call(300, 102, &all[..4]), call(420, 103, &all[..6]), call(900, 104, &all)];
    assert_eq!(
        shown(128, calls),
        ["s128 u72", "s128 u64 a64 u44", "s128 u64 a64 a128 u36", "s128 u64 a64 a128 a128 u388"]
    );
}

#[test]
fn a_prompt_that_was_cut_or_changed_keeps_what_it_shares() {
    let calls = vec![
        call(400, 105, &[1, 2, 3, 4, 5, 6]),
        call(500, 106, &[1, 2, 3, 4, 5, 6, 7]),
        call(200, 107, &[1, 2, 30]),
        call(300, 108, &[1, 2, 30, 31]),
    ];
    assert_eq!(shown(64, calls), ["s64 u336", "s64 u320 a64 u52", "s64 u64 a64 u8", "s64 u64 a64 a64 u44"]);
    let another = vec![call(200, 107, &[1, 2, 3]), call(300, 108, &[11, 12, 13, 14])];
    assert_eq!(shown(64, another), ["s64 u136", "u300"], "nothing is left of the first");
}

#[test]
fn the_last_message_is_the_users() {
    let calls = vec![call(128, 500, &[1, 2]), call(192, 500, &[1, 2, 3]), call(320, 500, &[1, 2, 3, 4, 5])];
    assert_eq!(shown(0, calls), ["u128", "u128 u64", "u128 u64 a64 u64"]);
    let broken_off = vec![call(130, 152, &[1, 2]), call(290, 60, &[1, 2, 3, 4]), call(192, 9, &[1, 2, 3])];
    assert_eq!(shown(0, broken_off), ["u130", "u128 u162", "u128 u64"], "what ends a prompt later was no answer");
}

#[test]
fn tokens_without_blocks_and_blocks_beyond_the_prompt_count_as_the_prompt_says() {
    assert_eq!(shown(0, vec![call(100, 9, &[]), call(150, 9, &[])]), ["u100", "u150"]);
    assert_eq!(shown(150, vec![call(100, 9, &[1, 2, 3]), call(100, 9, &[1, 2, 3])]), ["s64 u36", "s64 u36"]);
    assert_eq!(shown(0, vec![call(200, 9, &[1, 2, 3]), call(200, 9, &[1, 2, 3])]), ["u200", "u192 u8"]);
}

proptest! {
    #[test]
    fn every_prompt_has_the_recorded_length_and_ends_with_the_user(
        system in 0_u64..200,
        rounds in proptest::collection::vec((1_u64..900, 0_u64..300, proptest::collection::vec(1_i64..4, 0..12)), 1..12),
    ) {
        let calls: Vec<RecordedCall> = rounds.iter().map(|(input, output, ids)| call(*input, *output, ids)).collect();
        let layout = MessageLayout::of(&AgentRequests { system_tokens: system, calls: calls.clone() }, 64);
        for (turn, call) in calls.iter().enumerate() {
            let prompt = layout.prompt(turn);
            let tokens: usize = prompt.segments.iter().map(|s| (s.end - s.start) * 64 + s.tail).sum();
            prop_assert_eq!(tokens as u64, call.input);
            prop_assert_eq!(&prompt.ids[..], call.whole_blocks(64));
            let last = prompt.segments.last().unwrap();
            prop_assert!(last.speaker != Speaker::Assistant);
            prop_assert!(prompt.segments.windows(2).all(|pair| pair[0].end == pair[1].start));
        }
    }
}
