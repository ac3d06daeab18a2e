//! Figures of known traces, and the cache against a plain one.

use std::path::Path;

use proptest::prelude::*;

use super::*;

fn trace(rows: &str) -> Trace {
    Trace::parse(Path::new("rows.jsonl"), rows.as_bytes(), None).unwrap()
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9 * expected.abs().max(1.0), "{found} instead of {expected}");
}

#[test]
fn the_sample_has_the_figures_of_the_reference() {
    let analysis = analyze(&trace(include_str!("../../tests/fixtures/mooncake_trace.jsonl")));
    assert_eq!((analysis.total_requests, analysis.unique_prefixes, analysis.prefix_groups), (20, 34, 1));
    close(analysis.hit_rates.unwrap().mean, 0.593_333_333_333_333_4);
    close(analysis.prefix_reuse_ratio, 2.0 / 3.0);
    close(analysis.input_length.unwrap().mean, 1873.0);
    close(analysis.output_length.unwrap().mean, 25.05);
    close(analysis.context_length.unwrap().mean, 1331.2);
    close(analysis.unique_prompt_length.unwrap().mean, 541.8);
}

#[test]
fn every_layout_is_analysed() {
    for (file, requests) in [
        (include_str!("../../tests/fixtures/bailian_trace.jsonl"), 14),
        (include_str!("../../tests/fixtures/burst_gpt.csv"), 12),
        (include_str!("../../tests/fixtures/mooncake_sessions.jsonl"), 13),
        (include_str!("../../tests/fixtures/mooncake_messages.jsonl"), 11),
        (
            "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.9799600,4808,10\n2023-11-16 18:17:04.0319600,3180,8\n",
            2,
        ),
    ] {
        assert_eq!(analyze(&trace(file)).total_requests, requests, "{file}");
    }
}

#[test]
fn rows_without_length_count_for_none() {
    let analysis = analyze(&trace("{\"text_input\":\"a\"}\n{\"input_length\":10,\"output_length\":0}\n"));
    assert_eq!((analysis.requests_without_length, analysis.zero_outputs), (1, 1));
    close(analysis.input_length.unwrap().mean, 10.0);
}

#[test]
fn an_even_stream_is_not_bursty_and_a_burst_is() {
    let at = |times: &[u32]| {
        let rows: Vec<String> = times.iter().map(|t| format!("{{\"timestamp\":{t},\"input_length\":1}}")).collect();
        analyze(&trace(&rows.join("\n"))).arrivals.unwrap()
    };
    let even = at(&(0..=100).map(|n| n * 100).collect::<Vec<_>>());
    close(even.inter_arrival_cv.unwrap(), 0.0);
    close(even.requests_per_second, 10.0);
    close(even.windows[0].index_of_dispersion, 0.0);
    close(even.windows[0].peak_to_mean, 1.0);
    let bursts = at(&[0, 0, 0, 0, 4000]);
    assert!(bursts.inter_arrival_cv.unwrap() > 1.5 && bursts.windows[0].index_of_dispersion > 2.0, "{bursts:?}");
}

#[test]
fn a_request_that_goes_on_from_another_continues_its_session() {
    let rows = r#"{"timestamp":0,"input_length":1100,"hash_ids":[0,1,2]}
{"timestamp":1,"input_length":1100,"hash_ids":[0,5,6]}
{"timestamp":2,"input_length":2100,"hash_ids":[0,1,3,4,7]}
{"timestamp":3,"input_length":600,"hash_ids":[0,9]}
"#;
    let sessions = analyze(&trace(rows)).sessions;
    assert_eq!((sessions.source, sessions.total), (SessionSource::Inferred, 3));
    assert_eq!(sessions.peak_active, 2);
}

/// A cache as one would write it without thought for speed.
fn plain_hits(trace: &Trace, capacity: usize) -> u64 {
    let mut held: Vec<Vec<i64>> = Vec::new();
    let mut hits = 0;
    for index in trace.order_of_arrival() {
        let request = &trace.requests[index];
        let whole = (request.input_tokens().unwrap() / u64::from(trace.block_size)) as usize;
        let blocks: Vec<i64> = request.blocks().iter().map(|block| block.0).collect();
        let prefixes: Vec<Vec<i64>> = (1..=whole.min(blocks.len())).map(|n| blocks[..n].to_vec()).collect();
        hits += prefixes.iter().take_while(|prefix| held.contains(prefix)).count() as u64;
        for prefix in prefixes.into_iter().rev() {
            held.retain(|other| *other != prefix);
            held.push(prefix);
        }
        let excess = held.len().saturating_sub(capacity);
        held.drain(..excess);
    }
    hits
}

proptest! {
    #[test]
    fn every_size_has_the_hits_of_a_plain_cache(
        rows in proptest::collection::vec((proptest::collection::vec(0_i64..4, 0..5), 0_u64..512, 0_u32..50), 1..25),
    ) {
        let text: Vec<String> = rows.iter().map(|(blocks, cut, time)| {
            let length = (blocks.len() as u64 * 512).saturating_sub(*cut).max(1);
            format!("{{\"timestamp\":{time},\"input_length\":{length},\"hash_ids\":{blocks:?}}}")
        }).collect();
        let trace = trace(&text.join("\n"));
        if let Some(cache) = analyze(&trace).cache {
            for capacity in 0..30 {
                let found = (cache.hit_rate(capacity) * cache.prompt_tokens as f64 / 512.0).round() as u64;
                prop_assert_eq!(found, plain_hits(&trace, capacity as usize), "capacity {}", capacity);
            }
            prop_assert!((cache.hit_rate(cache.unique_blocks) - cache.best_hit_rate()).abs() < 1e-12);
        }
    }
}
