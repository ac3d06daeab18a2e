//! The hit rate of a server's prefix cache, for all cache sizes at once.
//!
//! The cache contains complete blocks, each identified by itself and all blocks before it, and evicts the least recently used;
//! of one prompt, the end is evicted before the beginning. A larger cache contains everything that a smaller one does, so
//! that one pass over the trace gives for each block the smallest cache that would have contained it (Mattson, Gecsei, Slutz, Traiger,
//! "Evaluation techniques for storage hierarchies", 1970), counted with a Fenwick tree in O(n log n).

use crate::Trace;
use crate::prefix_tree::PrefixTree;

/// The block accesses of a trace as a cache sees them.
#[derive(Debug, Clone)]
pub struct CacheProfile {
    /// The number of complete blocks of all prompts.
    pub block_accesses: u64,
    /// The number of different blocks: a cache of this size never evicts any.
    pub unique_blocks: u64,
    /// The number of tokens of all prompts, in blocks or not.
    pub prompt_tokens: u64,
    pub block_size: u32,
    /// For each access that can be a hit, the smallest cache size in blocks for which it is one; sorted.
    needed: Vec<u32>,
    /// For each repeated block, the number of different blocks used since its last use, itself included; sorted.
    pub(crate) distances: Vec<u32>,
    /// For each repeated block, the time since its last use in seconds.
    pub(crate) intervals: Vec<f64>,
}

impl CacheProfile {
    /// The share of all prompt tokens that are hits in a cache of this many blocks.
    pub fn hit_rate(&self, blocks: u64) -> f64 {
        self.rate(self.needed.partition_point(|needed| u64::from(*needed) <= blocks))
    }

    /// The hit rate of a cache that never evicts anything.
    pub fn best_hit_rate(&self) -> f64 {
        self.rate(self.needed.len())
    }

    /// The smallest cache that has this share of the hits of an unlimited one; `None` if there are no hits.
    pub fn blocks_for(&self, share_of_best: f64) -> Option<u64> {
        let hits = (self.needed.len() as f64 * share_of_best).ceil() as usize;
        self.needed.get(hits.max(1) - 1).map(|needed| u64::from(*needed))
    }

    /// Cache sizes to show: powers of two up to the size that evicts nothing, and that size.
    pub fn sizes(&self) -> Vec<u64> {
        let mut sizes: Vec<u64> =
            (0..u32::BITS).map(|power| 1 << power).take_while(|size| *size < self.unique_blocks).collect();
        sizes.push(self.unique_blocks);
        sizes
    }

    fn rate(&self, hits: usize) -> f64 {
        if self.prompt_tokens == 0 {
            return 0.0;
        }
        hits as f64 * f64::from(self.block_size) / self.prompt_tokens as f64
    }
}

pub(crate) fn profile(trace: &Trace, tree: &PrefixTree) -> CacheProfile {
    let mut stack = Stack::new(tree.passes(), tree.len() + 1);
    let mut last_time: Vec<Option<f64>> = vec![None; tree.len() + 1];
    let (mut needed, mut distances, mut intervals) = (Vec::new(), Vec::new(), Vec::new());
    let (mut accesses, mut unique, mut prompt_tokens) = (0, 0, 0);
    for index in trace.order_of_arrival() {
        let request = &trace.requests[index];
        let tokens = request.input_tokens().unwrap_or(0);
        prompt_tokens += tokens;
        let whole = (tokens / u64::from(trace.block_size)) as usize;
        let path = tree.path(index);
        let path = &path[..whole.min(path.len())];
        let mut size = Some(0);
        for node in path {
            let distance = stack.distance(*node);
            size = size.zip(distance).map(|(size, distance): (u32, u32)| size.max(distance));
            needed.extend(size);
            distances.extend(distance);
            let slot = &mut last_time[*node as usize];
            if let (Some(before), Some(now)) = (*slot, request.timestamp_ms) {
                intervals.push((now - before) / 1e3);
            }
            unique += u64::from(distance.is_none());
            *slot = request.timestamp_ms;
        }
        accesses += path.len() as u64;
        for node in path.iter().rev() {
            stack.touch(*node);
        }
    }
    needed.sort_unstable();
    distances.sort_unstable();
    CacheProfile {
        block_accesses: accesses,
        unique_blocks: unique,
        prompt_tokens,
        block_size: trace.block_size,
        needed,
        distances,
        intervals,
    }
}

/// Blocks by last use: a Fenwick tree with a one at the time of each block's last use.
#[derive(Debug)]
struct Stack {
    sums: Vec<u32>,
    /// The time of each node's last use, from one; zero for never.
    last: Vec<u32>,
    now: u32,
    held: u32,
}

impl Stack {
    fn new(uses: usize, nodes: usize) -> Self {
        Self { sums: vec![0; uses + 1], last: vec![0; nodes], now: 0, held: 0 }
    }

    /// The number of different nodes used since the last use of this one, itself included.
    fn distance(&self, node: u32) -> Option<u32> {
        let last = self.last[node as usize];
        (last > 0).then(|| self.held - self.sum(last - 1))
    }

    fn touch(&mut self, node: u32) {
        self.now += 1;
        let before = std::mem::replace(&mut self.last[node as usize], self.now);
        if before > 0 {
            self.add(before, u32::MAX);
        } else {
            self.held += 1;
        }
        self.add(self.now, 1);
    }

    /// Adds an amount at a time; `u32::MAX` stands for minus one.
    fn add(&mut self, mut time: u32, amount: u32) {
        while let Some(sum) = self.sums.get_mut(time as usize) {
            *sum = sum.wrapping_add(amount);
            time += time & time.wrapping_neg();
        }
    }

    fn sum(&self, mut time: u32) -> u32 {
        let mut sum = 0_u32;
        while time > 0 {
            sum = sum.wrapping_add(self.sums[time as usize]);
            time &= time - 1;
        }
        sum
    }
}
