//! Agents are recognised by what they repeat, when they ask, and which model.

use super::*;

fn call(start_s: f64, api_s: f64, input: u64, output: u64, ids: impl IntoIterator<Item = i64>) -> RecordedCall {
    let (model, ids) = (Arc::from("a"), ids.into_iter().collect());
    let (place, reuse) = Default::default();
    RecordedCall {
        start_s,
        api_s: Some(api_s),
        think_s: None,
        model,
        input,
        output,
        tool_result: false,
        ids,
        place,
        reuse,
    }
}

/// The outputs of each line, which tell requests apart.
fn shown(calls: Vec<RecordedCall>, knobs: &AgentDetection) -> Vec<(String, Vec<u64>)> {
    let Split { main, others } = split(AgentRequests { system_tokens: 0, calls }, 64, knobs);
    let outputs = |strand: &AgentRequests| strand.calls.iter().map(|call| call.output).collect();
    let all = [("main".to_owned(), outputs(&main))].into_iter();
    all.chain(others.iter().map(|chain| (chain.name.clone(), outputs(&chain.strand)))).collect()
}

fn split_up(calls: Vec<RecordedCall>) -> Vec<(String, Vec<u64>)> {
    shown(calls, &AgentDetection::default())
}

fn expected(lines: &[(&str, &[u64])]) -> Vec<(String, Vec<u64>)> {
    lines.iter().map(|(name, outputs)| ((*name).to_owned(), outputs.to_vec())).collect()
}

fn two_agents() -> Vec<RecordedCall> {
    vec![
        call(0.0, 0.1, 20_000, 1, 1..300),
        call(1.0, 0.1, 20_100, 2, 1001..1300),
        call(2.0, 0.1, 20_300, 3, 1..310),
        call(3.0, 0.1, 20_500, 4, 1001..1310),
        call(4.0, 0.1, 20_600, 5, 1..320),
    ]
}

#[test]
fn two_agents_that_take_turns_are_told_apart_by_what_they_repeat() {
    assert_eq!(split_up(two_agents()), expected(&[("main", &[1, 3, 5]), ("fa:000", &[2, 4])]));
    let off = AgentDetection { split_flattened: false, ..AgentDetection::default() };
    assert_eq!(shown(two_agents(), &off), expected(&[("main", &[1, 2, 3, 4, 5])]));
}

#[test]
fn a_short_request_between_two_others_is_a_sidecar() {
    let calls = vec![call(0.0, 0.1, 200, 1, 1..4), call(1.0, 0.1, 100, 2, 50..51), call(2.0, 0.1, 300, 3, 1..5)];
    assert_eq!(split_up(calls), expected(&[("main", &[1, 3]), ("aux:000", &[2])]));
    let long = |output| {
        vec![
            call(0.0, 0.1, 20_000, 1, 1..300),
            call(1.0, 0.1, 19_000, output, 1001..1290),
            call(2.0, 0.1, 20_300, 3, 1..310),
        ]
    };
    assert_eq!(split_up(long(1505)), expected(&[("main", &[1, 3]), ("fa:000", &[1505])]));
    assert_eq!(split_up(long(900)), expected(&[("main", &[1, 3]), ("aux:000", &[900])]), "much in, little out");
}

#[test]
fn a_prompt_that_starts_anew_goes_on_if_nothing_returns_to_the_old_one() {
    let calls = vec![call(0.0, 0.1, 200, 1, 1..4), call(1.0, 0.1, 300, 2, 11..15), call(2.0, 0.1, 400, 3, 11..17)];
    assert_eq!(split_up(calls), expected(&[("main", &[1, 2, 3])]));
    let empty = vec![call(0.0, 0.1, 200, 1, 1..4), call(1.0, 0.1, 100, 2, []), call(2.0, 0.1, 300, 3, 1..5)];
    assert_eq!(split_up(empty), expected(&[("main", &[1, 2, 3])]));
}

#[test]
fn after_a_long_pause_a_request_must_share_half_of_the_blocks() {
    let after = |gap: f64, shared: i64| {
        let ids = (1..shared).chain(1001..1001 + 290 - shared);
        split_up(vec![call(0.0, 0.1, 20_000, 1, 1..300), call(gap, 0.2, 19_000, 1507, ids)])
    };
    assert_eq!(after(1.0, 30), expected(&[("main", &[1, 1507])]));
    assert_eq!(after(4000.0, 200), expected(&[("main", &[1, 1507])]));
    assert_eq!(after(4000.0, 30), expected(&[("main", &[1]), ("fa:000", &[1507])]));
}

#[test]
fn a_request_that_is_sent_before_the_answer_or_to_another_model_is_another_agents() {
    let calls = vec![
        call(0.0, 3.0, 20_000, 134, 1..300),
        call(1.0, 0.2, 20_200, 1509, 1..305),
        call(4.0, 0.2, 20_400, 1510, 1..308),
    ];
    assert_eq!(split_up(calls), expected(&[("main", &[134]), ("fa:000", &[1509, 1510])]));
    let mut other = vec![call(0.0, 0.1, 128, 1, 1..3), call(1.0, 0.1, 192, 2, 1..4)];
    other[1].model = Arc::from("b");
    assert_eq!(split_up(other), expected(&[("main", &[1]), ("aux:000", &[2])]));
}

#[test]
fn three_that_leave_at_one_place_and_run_side_by_side_are_a_group_of_workers() {
    let worker = |start: f64, base: i64, shared: i64, output: u64| {
        let ids = move |more: i64| (1..shared).chain(base..base + 290 - shared + more);
        [call(start, 0.5, 19_000, output, ids(0)), call(start + 1.0, 0.5, 19_100, output + 1, ids(5))]
    };
    let with = |shared: i64| {
        let mut calls = vec![call(0.0, 0.1, 20_000, 1, 1..300), call(4.0, 0.1, 20_300, 2, 1..310)];
        for (number, start) in [(1, 1.0), (2, 1.1), (3, 1.2)] {
            calls.extend(worker(start, 1000 * number, shared, 1500 + 10 * number as u64));
        }
        calls.sort_by(|a, b| a.start_s.total_cmp(&b.start_s));
        split_up(calls).into_iter().map(|(name, _)| name).collect::<Vec<_>>()
    };
    assert_eq!(with(50), ["main", "wg:000_000", "wg:000_001", "wg:000_002"]);
    assert_eq!(with(1), ["main", "fa:000", "fa:001", "fa:002"]);
}
