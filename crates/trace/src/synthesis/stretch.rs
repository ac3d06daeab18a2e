//! Makes a prompt longer or shorter, block by block.

use std::collections::HashMap;

use crate::{BlockId, Trace, TraceRequest};

/// Block ids: those of the trace, and new ones for parts and copies of them.
#[derive(Debug)]
pub(super) struct BlockNames {
    next: i64,
    parts: HashMap<(BlockId, u64), BlockId>,
    copies: HashMap<(BlockId, u32), BlockId>,
}

impl BlockNames {
    pub(super) fn of(trace: &Trace) -> Self {
        let blocks = trace.requests.iter().flat_map(TraceRequest::blocks);
        let largest = blocks.map(|block| block.0).max().unwrap_or(0);
        Self { next: largest.wrapping_add(1), parts: HashMap::new(), copies: HashMap::new() }
    }

    /// A new block id.
    fn fresh(&mut self) -> BlockId {
        let fresh = BlockId(self.next);
        self.next = self.next.wrapping_add(1);
        fresh
    }

    /// The part at this index of a stretched block; the first part is the block itself.
    fn part(&mut self, block: BlockId, place: u64) -> BlockId {
        if place == 0 {
            return block;
        }
        if let Some(known) = self.parts.get(&(block, place)) {
            return *known;
        }
        let fresh = self.fresh();
        self.parts.insert((block, place), fresh);
        fresh
    }

    /// The block in this copy of the tree.
    pub(super) fn in_copy(&mut self, block: BlockId, copy: u32) -> BlockId {
        if let Some(known) = self.copies.get(&(block, copy)) {
            return *known;
        }
        let fresh = self.fresh();
        self.copies.insert((block, copy), fresh);
        fresh
    }
}

/// How to change a prompt.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stretch {
    pub(super) block_size: u64,
    pub(super) prefix: f64,
    pub(super) own: f64,
    pub(super) longest: Option<u64>,
}

impl Stretch {
    /// The new length and blocks of a prompt whose first `shared` blocks are shared with others.
    pub(super) fn apply(
        self,
        tokens: u64,
        blocks: &[BlockId],
        shared: usize,
        names: &mut BlockNames,
    ) -> (u64, Vec<BlockId>) {
        let size = self.block_size;
        let (prefix, own) = blocks.split_at(shared);
        // A prompt that ends within a shared block is shared completely.
        let prefix_tokens = (shared as u64 * size).min(tokens);
        let missing = shared as u64 * size - prefix_tokens;
        let mut changed = self.stretched(prefix, names);
        let ends_in_last = missing > 0 && self.blocks_at(shared) > self.blocks_at(shared - 1);
        let mut length = changed.len() as u64 * size - if ends_in_last { missing } else { 0 };
        let own_tokens = ((tokens - prefix_tokens) as f64 * self.own).round_ties_even() as u64;
        // Tokens after the last block still have no block.
        let covered = tokens.saturating_sub(blocks.len() as u64 * size) == 0;
        let most = if covered { u64::MAX } else { (own.len() as f64 * self.own).round_ties_even() as u64 };
        let wanted = if blocks.is_empty() { 0 } else { own_tokens.div_ceil(size).min(most) };
        for place in 0..wanted {
            changed.push(own.get(place as usize).copied().unwrap_or_else(|| names.fresh()));
        }
        length = (length + own_tokens).max(1);
        if let Some(longest) = self.longest.filter(|longest| *longest < length) {
            length = longest;
        }
        changed.truncate(length.div_ceil(size) as usize);
        (length, changed)
    }

    fn stretched(self, prefix: &[BlockId], names: &mut BlockNames) -> Vec<BlockId> {
        let mut changed = Vec::with_capacity(self.blocks_at(prefix.len()) as usize);
        for (depth, block) in prefix.iter().enumerate() {
            let parts = self.blocks_at(depth + 1) - self.blocks_at(depth);
            changed.extend((0..parts).map(|place| names.part(*block, place)));
        }
        changed
    }

    /// The number of blocks that the first `depth` blocks become. It depends on the depth alone, so that shared blocks stay
    /// shared.
    fn blocks_at(self, depth: usize) -> u64 {
        (depth as f64 * self.prefix).round() as u64
    }
}
