//! Each change does what it says and leaves the rest alone.

use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::{Analysis, BlockId, analyze};

const ROWS: &str = r#"{"timestamp":0,"input_length":1100,"output_length":10,"hash_ids":[1,2,3]}
{"timestamp":1001,"input_length":1536,"output_length":7,"hash_ids":[1,2,4]}
{"timestamp":2000,"input_length":700,"output_length":0,"hash_ids":[9,10]}
{"timestamp":3000,"delay":50,"input_length":50,"output_length":5}
"#;

fn trace(rows: &str) -> Trace {
    Trace::parse(Path::new("rows"), rows.as_bytes(), None).unwrap()
}

fn changed(rows: &str, synthesis: TraceSynthesis) -> Trace {
    let mut trace = trace(rows);
    synthesize(&synthesis, &mut trace, Seed::fixed(1));
    trace
}

fn ids(trace: &Trace) -> Vec<Vec<i64>> {
    trace.requests.iter().map(|request| request.blocks().iter().map(|block| block.0).collect()).collect()
}

fn lengths(trace: &Trace) -> Vec<u64> {
    trace.requests.iter().filter_map(TraceRequest::input_tokens).collect()
}

#[test]
fn prefixes_grow_and_shrink_block_by_block() {
    let with = |prefix_len| changed(ROWS, TraceSynthesis { prefix_len, ..TraceSynthesis::default() });
    let double = with(2.0);
    assert_eq!(lengths(&double), [2124, 2560, 700, 50]);
    let rows = ids(&double);
    assert_eq!((rows[0].len(), rows[0][..4] == rows[1][..4]), (5, true));
    assert_eq!((rows[0][4], rows[1][4], &rows[2]), (3, 4, &vec![9, 10]));
    assert_eq!(lengths(&with(1.5)), [1612, 2048, 700, 50]);
    let half = with(0.5);
    assert_eq!(lengths(&half), [588, 1024, 700, 50]);
    assert_eq!(ids(&half)[..2].to_vec(), [[1, 3], [1, 4]].map(Vec::from).to_vec());
}

#[test]
fn own_parts_grow_and_shrink_by_tokens() {
    let with = |prompt_len| changed(ROWS, TraceSynthesis { prompt_len, ..TraceSynthesis::default() });
    let double = with(2.0);
    assert_eq!(lengths(&double), [1176, 2048, 1400, 100]);
    assert_eq!(ids(&double).iter().map(Vec::len).collect::<Vec<_>>(), [3, 4, 3, 0]);
    let half = with(0.5);
    assert_eq!(lengths(&half), [1062, 1280, 350, 25]);
    assert_eq!(ids(&half)[2], [9]);
}

#[test]
fn a_row_that_ends_within_a_shared_block_works() {
    let rows = "{\"input_length\":700,\"hash_ids\":[1,2]}\n{\"input_length\":700,\"hash_ids\":[1,2]}\n";
    for (prefix_len, length, blocks) in [(1.0, 700, 2), (2.0, 1724, 4), (0.5, 512, 1)] {
        let trace =
            changed(rows, TraceSynthesis { prefix_len, prefix_roots: 1, prompt_len: 3.0, ..TraceSynthesis::default() });
        assert_eq!((lengths(&trace), ids(&trace)[0].len()), (vec![length; 2], blocks), "{prefix_len}");
        assert_eq!(ids(&trace)[0], ids(&trace)[1]);
    }
}

#[test]
fn times_pauses_and_outputs_scale() {
    let fast = changed(ROWS, TraceSynthesis { speedup: 2.0, ..TraceSynthesis::default() });
    let times: Vec<f64> = fast.requests.iter().filter_map(|r| r.timestamp_ms).collect();
    assert_eq!(times, [0.0, 500.5, 1000.0, 1500.0]);
    assert_eq!(fast.requests[3].delay_ms, Some(25.0));
    let outputs =
        |synthesis| -> Vec<u64> { changed(ROWS, synthesis).requests.iter().filter_map(|r| r.output_tokens).collect() };
    assert_eq!(outputs(TraceSynthesis { output_len: 1.5, ..TraceSynthesis::default() }), [15, 10, 1, 8]);
    assert_eq!(outputs(TraceSynthesis { max_osl: Some(6), ..TraceSynthesis::default() }), [6, 6, 0, 5]);
}

#[test]
fn too_long_prompts_are_left_out_and_none_becomes_too_long() {
    let with =
        |prefix_len| changed(ROWS, TraceSynthesis { prefix_len, max_isl: Some(1200), ..TraceSynthesis::default() });
    assert_eq!(lengths(&with(1.0)), [1100, 700, 50]);
    let rows = "{\"input_length\":1100,\"hash_ids\":[1,2,3]}\n{\"input_length\":1100,\"hash_ids\":[1,2,4]}\n";
    let clipped = changed(rows, TraceSynthesis { prefix_len: 4.0, max_isl: Some(1200), ..TraceSynthesis::default() });
    assert_eq!((lengths(&clipped), ids(&clipped)[0].len()), (vec![1200; 2], 3));
}

#[test]
fn more_trees_share_nothing_with_each_other() {
    let rows: Vec<String> =
        (0..400).map(|n| format!("{{\"input_length\":1100,\"hash_ids\":[1,2,{}]}}", 100 + n)).collect();
    let rows = rows.join("\n");
    let trace = changed(&rows, TraceSynthesis { prefix_roots: 4, ..TraceSynthesis::default() });
    let before = analyze(&self::trace(&rows));
    let after = analyze(&trace);
    assert_eq!((before.prefix_groups, after.prefix_groups), (1, 4));
    assert_eq!(after.unique_prefixes, before.unique_prefixes + 3 * 2);
    assert_eq!(after.input_length, before.input_length);
    assert_eq!(after.context_length, before.context_length);
    let fewer_hits = before.cache.unwrap().best_hit_rate() - after.cache.unwrap().best_hit_rate();
    assert!((fewer_hits - 3.0 * 1024.0 / (400.0 * 1100.0)).abs() < 1e-9, "only the first of each tree misses");
}

#[test]
fn a_session_stays_in_its_tree() {
    let rows: Vec<String> = (0..60)
        .flat_map(|n| {
            let first = 100 + 10 * n;
            [
                format!("{{\"input_length\":1100,\"hash_ids\":[1,{first},{}]}}", first + 1),
                format!("{{\"input_length\":2100,\"hash_ids\":[1,{first},{},{},{}]}}", first + 2, first + 3, first + 4),
            ]
        })
        .collect();
    let trace = changed(&rows.join("\n"), TraceSynthesis { prefix_roots: 3, ..TraceSynthesis::default() });
    for pair in trace.requests.chunks(2) {
        assert_eq!(pair[0].blocks()[..2], pair[1].blocks()[..2]);
    }
}

fn untouched(before: &Analysis, after: &Analysis) {
    assert_eq!(before.total_requests, after.total_requests);
    assert_eq!(before.output_length, after.output_length);
    assert_eq!(before.arrivals, after.arrivals);
}

#[test]
fn an_analysis_shows_the_change_and_nothing_else() {
    let rows = include_str!("../../tests/fixtures/mooncake_trace.jsonl");
    let before = analyze(&trace(rows));
    let mean = |statistics: Option<crate::Statistics>| statistics.unwrap().mean;
    let longer = analyze(&changed(rows, TraceSynthesis { prefix_len: 2.0, ..TraceSynthesis::default() }));
    untouched(&before, &longer);
    assert_eq!(longer.unique_prompt_length, before.unique_prompt_length);
    assert!((mean(longer.context_length) - 2.0 * mean(before.context_length)).abs() < 1e-9);
    let own = analyze(&changed(rows, TraceSynthesis { prompt_len: 3.0, ..TraceSynthesis::default() }));
    untouched(&before, &own);
    assert_eq!(own.context_length, before.context_length);
    assert!((mean(own.unique_prompt_length) - 3.0 * mean(before.unique_prompt_length)).abs() < 1.0);
}

/// What a cache makes of the trace, without its times.
fn sharing(analysis: &Analysis) -> (usize, usize, String) {
    let Analysis { unique_prefixes, prefix_groups, input_length, context_length, unique_prompt_length, .. } = analysis;
    let lengths = (input_length, context_length, unique_prompt_length, &analysis.hit_rates, &analysis.reuse_distance);
    let best = analysis.cache.as_ref().map(crate::CacheProfile::best_hit_rate);
    (*unique_prefixes, *prefix_groups, format!("{lengths:?} {best:?} {}", analysis.prefix_reuse_ratio))
}

#[test]
fn each_change_of_time_outputs_and_limits_is_all_that_an_analysis_shows() {
    let rows = include_str!("../../tests/fixtures/mooncake_trace.jsonl");
    let before = analyze(&trace(rows));
    let with = |synthesis: TraceSynthesis| analyze(&changed(rows, synthesis));
    let mean = |statistics: &Option<crate::Statistics>| statistics.as_ref().unwrap().mean;

    let fast = with(TraceSynthesis { speedup: 10.0, ..TraceSynthesis::default() });
    assert_eq!((sharing(&fast), &fast.output_length), (sharing(&before), &before.output_length));
    let rate = |analysis: &Analysis| analysis.arrivals.as_ref().unwrap().requests_per_second;
    assert!((rate(&fast) / rate(&before) - 10.0).abs() < 1e-9);
    let cv = |analysis: &Analysis| analysis.arrivals.as_ref().unwrap().inter_arrival_cv;
    assert!((cv(&fast).unwrap() - cv(&before).unwrap()).abs() < 1e-9, "as bursty as before");

    let wordy = with(TraceSynthesis { output_len: 2.0, ..TraceSynthesis::default() });
    assert_eq!((sharing(&wordy), &wordy.arrivals), (sharing(&before), &before.arrivals));
    assert!((mean(&wordy.output_length) - 2.0 * mean(&before.output_length)).abs() < 1e-9);

    let brief = with(TraceSynthesis { max_osl: Some(20), ..TraceSynthesis::default() });
    assert_eq!((sharing(&brief), &brief.arrivals), (sharing(&before), &before.arrivals));
    assert!((brief.output_length.as_ref().unwrap().max - 20.0).abs() < 1e-9);
    assert!(mean(&brief.output_length) < mean(&before.output_length));

    let most = 2000;
    let kept: Vec<&str> =
        rows.lines().filter(|row| trace(row).requests[0].input_tokens().is_some_and(|tokens| tokens <= most)).collect();
    assert!(!kept.is_empty() && kept.len() < 20);
    let short = with(TraceSynthesis { max_isl: Some(most), ..TraceSynthesis::default() });
    let alone = analyze(&trace(&kept.join("\n")));
    assert_eq!((sharing(&short), &short.output_length), (sharing(&alone), &alone.output_length));
    assert_eq!(short.arrivals, alone.arrivals);

    let apart = with(TraceSynthesis { prefix_roots: 3, ..TraceSynthesis::default() });
    untouched(&before, &apart);
    assert_eq!(apart.input_length, before.input_length);
    assert!(apart.prefix_groups > before.prefix_groups && mean(&apart.hit_rates) < mean(&before.hit_rates));
}

proptest! {
    #[test]
    fn every_result_is_a_valid_trace_that_shares_what_was_shared(
        rows in proptest::collection::vec((proptest::collection::vec(0_i64..4, 0..6), 0_u64..700), 1..15),
        prefix_len in prop_oneof![Just(1.0), 0.1..4.0],
        prompt_len in prop_oneof![Just(1.0), 0.0..4.0],
        prefix_roots in 1_u32..4,
        max_isl in proptest::option::of(1_u64..4000),
    ) {
        let text: Vec<String> = rows.iter().map(|(blocks, cut)| {
            let longest = (blocks.len() as u64 * 512 + 100).saturating_sub(*cut);
            let length = longest.max(blocks.len().saturating_sub(1) as u64 * 512 + 1);
            // As in published traces, a block's id says what stands before it too.
            let chained: Vec<i64> = blocks.iter().scan(1, |id, block| { *id = *id * 5 + block; Some(*id) }).collect();
            format!("{{\"input_length\":{length},\"hash_ids\":{chained:?}}}")
        }).collect();
        let before = trace(&text.join("\n"));
        let mut after = before.clone();
        let asked = TraceSynthesis { prefix_len, prefix_roots, prompt_len, max_isl, ..TraceSynthesis::default() };
        synthesize(&asked, &mut after, Seed::fixed(3));
        for request in &after.requests {
            prop_assert!(crate::request_problem(request, 512).is_none(), "{:?}", request);
            prop_assert!(request.input_tokens().unwrap() >= 1);
            prop_assert!(max_isl.is_none_or(|most| request.input_tokens().unwrap() <= most));
        }
        if prefix_roots == 1 && max_isl.is_none() {
            // What two requests have in common in front does not get shorter than the factor says.
            for (a, b) in (0..before.requests.len()).flat_map(|a| (0..a).map(move |b| (a, b))) {
                let common = |x: &[BlockId], y: &[BlockId]| x.iter().zip(y).take_while(|(x, y)| x == y).count();
                let old = common(before.requests[a].blocks(), before.requests[b].blocks());
                let new = common(after.requests[a].blocks(), after.requests[b].blocks());
                prop_assert_eq!(new, (old as f64 * prefix_len).round() as usize, "{} {}", a, b);
            }
        }
    }
}
