//! The merges of a vocabulary: which two tokens join to which, and in which order.

use crate::table_file::{DamagedTables, TableReader, TableWriter};

/// The rank of two tokens that do not join.
pub(crate) const NEVER: u32 = u32::MAX;

const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;
const EMPTY: u64 = u64::MAX;
const SLOT: usize = 16;

/// What two neighbouring tokens join to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Join {
    /// Lower ranks join first. [`NEVER`] if the two do not join.
    pub(crate) rank: u32,
    pub(crate) token: u32,
}

impl Join {
    pub(crate) const NONE: Self = Self { rank: NEVER, token: 0 };
}

#[derive(Debug)]
pub(crate) struct PairTable {
    /// A hash table with open addressing. A slot has the two tokens, the rank and the joined token: four bytes each.
    slots: Box<[u8]>,
}

impl PairTable {
    /// The index of a merge is its rank. If a pair is there twice, the last one is valid.
    pub(crate) fn new(merges: &[(u32, u32, u32)]) -> Self {
        // At most two thirds full.
        let count = (merges.len() + merges.len() / 2).next_power_of_two().max(2);
        let mut slots = vec![u8::MAX; SLOT * count].into_boxed_slice();
        let places = slots.as_chunks_mut::<SLOT>().0;
        for (rank, &(left, right, joined)) in (0_u32..).zip(merges) {
            let key = key(left, right);
            let mut slot = first_slot(key, count);
            while ![EMPTY, key].contains(&(u128::from_le_bytes(places[slot]) as u64)) {
                slot = (slot + 1) & (count - 1);
            }
            let content = u128::from(key) | u128::from(rank) << 64 | u128::from(joined) << 96;
            places[slot] = content.to_le_bytes();
        }
        Self { slots }
    }

    pub(crate) fn read(reader: &mut TableReader<'_>) -> Result<Self, DamagedTables> {
        let slots = reader.section()?;
        let is_whole = slots.len().is_multiple_of(SLOT) && (slots.len() / SLOT).is_power_of_two() && slots.len() > SLOT;
        if is_whole { Ok(Self { slots }) } else { Err(DamagedTables) }
    }

    pub(crate) fn write(&self, writer: &mut TableWriter<'_>) -> std::io::Result<()> {
        writer.section(&self.slots)
    }

    #[inline]
    pub(crate) fn join(&self, left: u32, right: u32) -> Join {
        let slots = self.slots.as_chunks::<SLOT>().0;
        let key = key(left, right);
        let mut slot = first_slot(key, slots.len());
        for _ in 0..slots.len() {
            let content = u128::from_le_bytes(slots[slot]);
            if content as u64 == key {
                return Join { rank: (content >> 64) as u32, token: (content >> 96) as u32 };
            }
            if content as u64 == EMPTY {
                break;
            }
            slot = (slot + 1) & (slots.len() - 1);
        }
        Join::NONE
    }
}

#[inline]
fn key(left: u32, right: u32) -> u64 {
    u64::from(left) | u64::from(right) << 32
}

#[inline]
fn first_slot(key: u64, slots: usize) -> usize {
    let mixed = (key ^ key >> 32).wrapping_mul(MULTIPLIER) ^ key;
    (mixed.wrapping_mul(MULTIPLIER) >> (64 - slots.trailing_zeros())) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_joins_as_its_last_merge_says() {
        let merges = [(1, 2, 10), (2, 1, 11), (1, 2, 12)];
        let table = PairTable::new(&merges);
        assert_eq!(table.join(1, 2), Join { rank: 2, token: 12 });
        assert_eq!(table.join(2, 1), Join { rank: 1, token: 11 });
        assert_eq!(table.join(1, 1), Join::NONE);
    }

    #[test]
    fn a_full_table_of_merges_finds_each() {
        let merges: Vec<(u32, u32, u32)> = (0..5_000).map(|n| (n, n % 7, n + 1)).collect();
        let table = PairTable::new(&merges);
        for (rank, (left, right, token)) in (0..).zip(&merges) {
            assert_eq!(table.join(*left, *right), Join { rank, token: *token });
            assert_eq!(table.join(*left, 8), Join::NONE);
        }
    }
}
