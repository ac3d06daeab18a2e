//! A prefix cache as inference servers keep it: prompts cut into blocks, each block known by the hash of itself and of
//! all before it, the least recently used dropped first.

use std::collections::{BTreeMap, HashMap};

/// The blocks that are in the cache.
#[derive(Debug)]
pub(crate) struct PrefixCache {
    capacity: usize,
    /// When each block was last used, and the same the other way round, so that the oldest is found at once.
    used: HashMap<u64, u64>,
    by_use: BTreeMap<u64, u64>,
    clock: u64,
}

impl PrefixCache {
    pub(crate) fn new(capacity: usize) -> Self {
        Self { capacity, used: HashMap::new(), by_use: BTreeMap::new(), clock: 0 }
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::new(self.capacity);
    }

    /// How many of the leading blocks were known. Afterwards all of them are, as far as they fit.
    pub(crate) fn look_up_and_store(&mut self, blocks: &[u64]) -> usize {
        let hits = blocks.iter().take_while(|block| self.used.contains_key(block)).count();
        // From the back, so that of one prompt the front, which others may share, is dropped last.
        for &block in blocks.iter().rev() {
            self.clock += 1;
            if let Some(before) = self.used.insert(block, self.clock) {
                self.by_use.remove(&before);
            }
            self.by_use.insert(self.clock, block);
        }
        while self.used.len() > self.capacity {
            if let Some((_, oldest)) = self.by_use.pop_first() {
                self.used.remove(&oldest);
            }
        }
        hits
    }
}

/// The chained hashes of the complete blocks of a prompt.
pub(crate) fn block_hashes<T: Copy + Into<u64>>(units: &[T], block: usize) -> Vec<u64> {
    let mut hash = FNV_OFFSET;
    units
        .chunks_exact(block.max(1))
        .map(|block| {
            for &unit in block {
                hash = (hash ^ unit.into()).wrapping_mul(FNV_PRIME);
            }
            // Spreads the last units into the low bits before they are used as a key.
            hash ^= hash >> 29;
            hash
        })
        .collect()
}

/// FNV-1a with 64 bits (Fowler, Noll, Vo): the same in every build, unlike the standard library's hasher.
const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0100_0000_01b3;

/// A stable hash of bytes.
pub(crate) fn content_hash(parts: &[&[u8]]) -> u64 {
    let mut hash = FNV_OFFSET;
    for part in parts {
        for &byte in *part {
            hash = (hash ^ u64::from(byte)).wrapping_mul(FNV_PRIME);
        }
        // Keeps ("ab", "c") apart from ("a", "bc").
        hash = (hash ^ 0x1ff).wrapping_mul(FNV_PRIME);
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shared_prefix_hits_up_to_where_prompts_part() {
        let mut cache = PrefixCache::new(100);
        let first: Vec<u32> = (0..40).collect();
        let mut second = first.clone();
        second[25] = 999;
        assert_eq!(cache.look_up_and_store(&block_hashes(&first, 10)), 0);
        assert_eq!(cache.look_up_and_store(&block_hashes(&first, 10)), 4);
        assert_eq!(cache.look_up_and_store(&block_hashes(&second, 10)), 2);
    }

    #[test]
    fn a_block_is_known_by_what_stands_before_it() {
        let hashes = block_hashes(&[1_u32, 2, 1, 2], 2);
        assert_ne!(hashes[0], hashes[1]);
        assert_eq!(block_hashes(&[1_u32, 2, 3], 2).len(), 1, "an incomplete block is not cached");
    }

    #[test]
    fn the_least_recently_used_block_goes_first() {
        let mut cache = PrefixCache::new(2);
        cache.look_up_and_store(&[1]);
        cache.look_up_and_store(&[2]);
        cache.look_up_and_store(&[1]);
        cache.look_up_and_store(&[3]);
        assert_eq!(cache.look_up_and_store(&[1]), 1);
        assert_eq!(cache.look_up_and_store(&[2]), 0);
    }

    #[test]
    fn parts_are_kept_apart() {
        assert_ne!(content_hash(&[b"ab", b"c"]), content_hash(&[b"a", b"bc"]));
    }
}
