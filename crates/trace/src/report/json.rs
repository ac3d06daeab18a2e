//! The analysis as JSON: the keys of the reference in its order, then additional ones.

use serde::Serialize;
use serde_json::{Value, json};

use crate::{Analysis, CacheProfile, ModelShape, Statistics};

#[derive(Debug, Serialize)]
struct AnalysisReport<'a> {
    total_requests: usize,
    unique_prefixes: usize,
    num_prefix_groups: usize,
    cache_hit_rate: f64,
    min_isl: f64,
    max_isl: f64,
    avg_isl: f64,
    min_osl: f64,
    max_osl: f64,
    avg_osl: f64,
    prefix_reuse_ratio: f64,
    isl_stats: Option<Statistics>,
    osl_stats: Option<Statistics>,
    context_length_stats: Option<Statistics>,
    unique_prompt_length_stats: Option<Statistics>,
    hit_rate_stats: Option<Statistics>,
    layout: &'static str,
    block_size: u32,
    skipped_rows: usize,
    requests_without_length: usize,
    requests_with_too_many_blocks: usize,
    zero_outputs: usize,
    prefix_cache: Option<Value>,
    reuse_distance_blocks: Option<Statistics>,
    reuse_interval_seconds: Option<Statistics>,
    arrivals: &'a Option<crate::ArrivalStatistics>,
    sessions: &'a crate::SessionStatistics,
}

/// The analysis as JSON. With `shape`, sizes are also given in GiB.
pub fn json(analysis: &Analysis, shape: Option<ModelShape>) -> Value {
    let of = |statistics: Option<Statistics>, figure: fn(Statistics) -> f64| statistics.map_or(0.0, figure);
    let (isl, osl) = (analysis.input_length, analysis.output_length);
    let report = AnalysisReport {
        total_requests: analysis.total_requests,
        unique_prefixes: analysis.unique_prefixes,
        num_prefix_groups: analysis.prefix_groups,
        cache_hit_rate: of(analysis.hit_rates, |rates| rates.mean),
        min_isl: of(isl, |isl| isl.min),
        max_isl: of(isl, |isl| isl.max),
        avg_isl: of(isl, |isl| isl.mean),
        min_osl: of(osl, |osl| osl.min),
        max_osl: of(osl, |osl| osl.max),
        avg_osl: of(osl, |osl| osl.mean),
        prefix_reuse_ratio: analysis.prefix_reuse_ratio,
        isl_stats: isl,
        osl_stats: osl,
        context_length_stats: analysis.context_length,
        unique_prompt_length_stats: analysis.unique_prompt_length,
        hit_rate_stats: analysis.hit_rates,
        layout: analysis.layout.name(),
        block_size: analysis.block_size,
        skipped_rows: analysis.skipped_rows,
        requests_without_length: analysis.requests_without_length,
        requests_with_too_many_blocks: analysis.requests_with_too_many_blocks,
        zero_outputs: analysis.zero_outputs,
        prefix_cache: analysis.cache.as_ref().map(|cache| prefix_cache(cache, shape)),
        reuse_distance_blocks: analysis.reuse_distance,
        reuse_interval_seconds: analysis.reuse_interval_seconds,
        arrivals: &analysis.arrivals,
        sessions: &analysis.sessions,
    };
    // Numbers, texts, lists and structs of them can always be serialized.
    serde_json::to_value(report).unwrap_or_default()
}

fn prefix_cache(cache: &CacheProfile, shape: Option<ModelShape>) -> Value {
    let sized = |blocks: u64, mut value: Value| {
        value["blocks"] = json!(blocks);
        value["tokens"] = json!(blocks * u64::from(cache.block_size));
        if let Some(shape) = shape {
            value["gib"] = json!(shape.gib(blocks, cache.block_size));
        }
        value
    };
    let curve: Vec<Value> =
        cache.sizes().into_iter().map(|size| sized(size, json!({"hit_rate": cache.hit_rate(size)}))).collect();
    let enough: Vec<Value> = [0.5, 0.9, 0.95, 0.99, 1.0]
        .into_iter()
        .filter_map(|share| Some(sized(cache.blocks_for(share)?, json!({"share_of_best": share}))))
        .collect();
    let mut value = json!({
        "hit_rate": cache.best_hit_rate(),
        "block_accesses": cache.block_accesses,
        "unique_blocks": cache.unique_blocks,
        "prompt_tokens": cache.prompt_tokens,
        "lru": curve,
        "size_for": enough,
    });
    if let Some(shape) = shape {
        value["bytes_per_token"] = json!(shape.bytes_per_token());
    }
    value
}
