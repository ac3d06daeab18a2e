//! What requests share: prefixes, and the hits of an unlimited cache.

use std::collections::HashMap;

use super::statistics::Statistics;
use crate::number_map::{NumberMap, NumberSet};
use crate::prefix_tree::PrefixTree;
use crate::{Trace, TraceRequest};

#[derive(Debug, Clone)]
pub(crate) struct ReuseStatistics {
    pub(crate) unique_prefixes: usize,
    pub(crate) prefix_groups: usize,
    /// The share of prefix occurrences that belong to a prefix with more than one occurrence.
    pub(crate) ratio: f64,
    pub(crate) hit_rates: Option<Statistics>,
    pub(crate) context_lengths: Option<Statistics>,
    pub(crate) unique_lengths: Option<Statistics>,
}

pub(crate) fn measure(trace: &Trace, tree: &PrefixTree) -> ReuseStatistics {
    let shared: u64 = tree.count.iter().filter(|count| **count >= 2).map(|count| u64::from(*count)).sum();
    let (context_lengths, unique_lengths) = context(trace);
    ReuseStatistics {
        unique_prefixes: tree.len(),
        prefix_groups: groups(trace),
        ratio: if tree.passes() == 0 { 0.0 } else { shared as f64 / tree.passes() as f64 },
        hit_rates: Statistics::of(hit_rates(trace)),
        context_lengths: Statistics::of(context_lengths),
        unique_lengths: Statistics::of(unique_lengths),
    }
}

/// The number of first blocks that at least two requests start with.
fn groups(trace: &Trace) -> usize {
    let mut starts: HashMap<i64, usize> = HashMap::new();
    for block in trace.requests.iter().filter_map(|request| request.blocks().first()) {
        *starts.entry(block.0).or_default() += 1;
    }
    starts.values().filter(|count| **count >= 2).count()
}

/// For each request with blocks, in file order: the share of its blocks before the first that no earlier request had.
fn hit_rates(trace: &Trace) -> Vec<f64> {
    let mut seen = NumberSet::default();
    let with_blocks = trace.requests.iter().map(TraceRequest::blocks).filter(|blocks| !blocks.is_empty());
    with_blocks
        .map(|blocks| {
            let hits = blocks.iter().take_while(|block| seen.contains(&(block.0 as u64))).count();
            seen.extend(blocks.iter().map(|block| block.0 as u64));
            hits as f64 / blocks.len() as f64
        })
        .collect()
}

/// The lengths of the shared and the unshared part of each request. A block is shared if another request has it at the same
/// position.
fn context(trace: &Trace) -> (Vec<f64>, Vec<f64>) {
    let mut numbers: NumberMap<u32> = NumberMap::default();
    let mut counts: NumberMap<u32> = NumberMap::default();
    let mut keys: Vec<u64> = Vec::new();
    for request in &trace.requests {
        for (place, block) in request.blocks().iter().enumerate() {
            let next = numbers.len() as u32;
            let key = (place as u64) << 32 | u64::from(*numbers.entry(block.0 as u64).or_insert(next));
            *counts.entry(key).or_default() += 1;
            keys.push(key);
        }
    }
    let mut rest = keys.as_slice();
    let mut contexts = Vec::with_capacity(trace.requests.len());
    let mut uniques = Vec::with_capacity(trace.requests.len());
    for request in &trace.requests {
        let (own, after) = rest.split_at(request.blocks().len());
        rest = after;
        let Some(length) = request.input_tokens().map(|tokens| tokens as f64) else { continue };
        let shared = own.iter().filter(|key| counts.get(key).is_some_and(|count| *count >= 2)).count();
        let all = !own.is_empty() && shared == own.len();
        let context = if all { length } else { shared as f64 * f64::from(trace.block_size) };
        contexts.push(context);
        uniques.push(length - context);
    }
    (contexts, uniques)
}
