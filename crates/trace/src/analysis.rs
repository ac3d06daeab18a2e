//! The analysis of a trace: lengths, shared prefixes, cache hit rates and arrivals.

mod arrivals;
mod cache;
mod model_shape;
mod reuse;
mod sessions;
mod statistics;
#[cfg(test)]
mod tests;

pub use arrivals::{ArrivalStatistics, ArrivalWindow};
pub use cache::CacheProfile;
pub use model_shape::ModelShape;
pub(crate) use sessions::members as session_members;
pub use sessions::{SessionPoint, SessionSource, SessionStatistics};
pub use statistics::Statistics;
pub(crate) use statistics::percentile;

use crate::prefix_tree::PrefixTree;
use crate::{Layout, Trace, TraceRequest};

#[derive(Debug, Clone)]
pub struct Analysis {
    pub layout: Layout,
    pub block_size: u32,
    pub total_requests: usize,
    /// The number of rows that could not be read and were left out.
    pub skipped_rows: usize,
    /// The number of requests without a recorded prompt length; the length statistics leave them out.
    pub requests_without_length: usize,
    /// The number of requests with more blocks than fit into their prompt, a sign of another block size.
    pub requests_with_too_many_blocks: usize,
    /// The number of requests whose recorded output is empty.
    pub zero_outputs: usize,
    pub unique_prefixes: usize,
    pub prefix_groups: usize,
    /// The share of prefix occurrences that belong to a prefix with more than one occurrence.
    pub prefix_reuse_ratio: f64,
    pub input_length: Option<Statistics>,
    pub output_length: Option<Statistics>,
    /// The shared part of requests, in tokens.
    pub context_length: Option<Statistics>,
    pub unique_prompt_length: Option<Statistics>,
    /// For each request, the share of its blocks that are hits in an unlimited cache.
    pub hit_rates: Option<Statistics>,
    /// `None` if the trace has no blocks.
    pub cache: Option<CacheProfile>,
    /// The number of different blocks used between two uses of a block, itself included.
    pub reuse_distance: Option<Statistics>,
    pub reuse_interval_seconds: Option<Statistics>,
    pub arrivals: Option<ArrivalStatistics>,
    pub sessions: SessionStatistics,
}

/// Analyzes a trace.
pub fn analyze(trace: &Trace) -> Analysis {
    let tree = PrefixTree::of(trace);
    let reuse = reuse::measure(trace, &tree);
    let mut cache = (tree.passes() > 0).then(|| cache::profile(trace, &tree));
    let inputs: Vec<f64> =
        trace.requests.iter().filter_map(TraceRequest::input_tokens).map(|tokens| tokens as f64).collect();
    let outputs: Vec<f64> = trace.requests.iter().filter_map(|r| r.output_tokens).map(|tokens| tokens as f64).collect();
    let distances = cache.as_ref().map(|cache| cache.distances.iter().map(|d| f64::from(*d)).collect());
    let intervals = cache.as_mut().map(|cache| std::mem::take(&mut cache.intervals));
    Analysis {
        layout: trace.layout,
        block_size: trace.block_size,
        total_requests: trace.requests.len(),
        skipped_rows: trace.skipped_rows,
        requests_without_length: trace.requests.len() - inputs.len(),
        requests_with_too_many_blocks: trace
            .requests
            .iter()
            .filter(|r| r.has_too_many_blocks(trace.block_size))
            .count(),
        zero_outputs: outputs.iter().filter(|tokens| **tokens == 0.0).count(),
        unique_prefixes: reuse.unique_prefixes,
        prefix_groups: reuse.prefix_groups,
        prefix_reuse_ratio: reuse.ratio,
        input_length: Statistics::of(inputs),
        output_length: Statistics::of(outputs),
        context_length: reuse.context_lengths,
        unique_prompt_length: reuse.unique_lengths,
        hit_rates: reuse.hit_rates,
        cache,
        reuse_distance: distances.and_then(Statistics::of),
        reuse_interval_seconds: intervals.and_then(Statistics::of),
        arrivals: arrivals::measure(trace),
        sessions: sessions::measure(trace, &tree),
    }
}
