//! Byte-pair encoding of one piece: repeatedly joins the two neighbours of the lowest rank, the first such pair in the piece,
//! until no two neighbours join.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::pair_table::{Join, NEVER, PairTable};

/// For pieces up to this many symbols, comparing all pairs each time is faster than a heap.
const FEW: usize = 48;
/// Buffers of more elements than this are freed after use.
const KEPT: usize = 1 << 16;
/// In place of a symbol that was joined with the one before it.
const REMOVED: u32 = u32::MAX;
const NOWHERE: u32 = u32::MAX;

/// The symbols of a piece, and buffers that are used again for the next piece.
#[derive(Debug, Default)]
pub(crate) struct Merger {
    /// First the smallest tokens of the piece; after [`Merger::merge`] its tokens.
    pub(crate) symbols: Vec<u32>,
    before: Vec<u32>,
    after: Vec<u32>,
    /// Ranks in the upper half, places in the lower half.
    pairs: BinaryHeap<Reverse<u64>>,
}

impl Merger {
    /// Joins the symbols to tokens.
    pub(crate) fn merge(&mut self, table: &PairTable) {
        if self.symbols.len() <= FEW {
            self.merge_few(table);
        } else {
            self.merge_many(table);
        }
    }

    fn merge_few(&mut self, table: &PairTable) {
        let mut joins = [Join::NONE; FEW];
        let symbols = &mut self.symbols;
        for (join, pair) in joins.iter_mut().zip(symbols.windows(2)) {
            *join = table.join(pair[0], pair[1]);
        }
        let mut count = symbols.len();
        while let Some(at) = (1..count).map(|at| at - 1).min_by_key(|&at| joins[at].rank) {
            if joins[at].rank == NEVER {
                break;
            }
            symbols[at] = joins[at].token;
            symbols.copy_within(at + 2..count, at + 1);
            // The pair of the removed symbol and the one after it is replaced below.
            joins.copy_within((at + 2).min(count)..count, at + 1);
            count -= 1;
            joins[at] = if at + 1 < count { table.join(symbols[at], symbols[at + 1]) } else { Join::NONE };
            if let Some(previous) = at.checked_sub(1) {
                joins[previous] = table.join(symbols[previous], symbols[at]);
            }
        }
        symbols.truncate(count);
    }

    /// Merges with a heap that is sorted by rank and place. Pairs that have changed since they were added are skipped.
    fn merge_many(&mut self, table: &PairTable) {
        let Self { symbols, before, after, pairs } = self;
        let count = symbols.len() as u32;
        before.clear();
        before.extend((0..count).map(|at| at.checked_sub(1).unwrap_or(NOWHERE)));
        after.clear();
        after.extend((1..=count).map(|at| if at == count { NOWHERE } else { at }));
        let joins = symbols.windows(2).map(|pair| table.join(pair[0], pair[1]).rank).zip(0_u64..);
        // As a whole: a heap that grows pair by pair is sorted in more steps.
        let mut all = std::mem::take(pairs).into_vec();
        all.clear();
        all.extend(joins.filter(|(rank, _)| *rank != NEVER).map(|(rank, at)| Reverse(entry(rank, at))));
        *pairs = all.into();
        while let Some(Reverse(pair)) = pairs.pop() {
            let (rank, at) = ((pair >> 32) as u32, pair as u32 as usize);
            let next = after[at];
            if symbols[at] == REMOVED || next == NOWHERE {
                continue;
            }
            let join = table.join(symbols[at], symbols[next as usize]);
            if join.rank != rank {
                continue;
            }
            symbols[at] = join.token;
            symbols[next as usize] = REMOVED;
            let beyond = after[next as usize];
            after[at] = beyond;
            if beyond != NOWHERE {
                before[beyond as usize] = at as u32;
                push(pairs, table.join(join.token, symbols[beyond as usize]), at as u64);
            }
            let previous = before[at];
            if previous != NOWHERE {
                push(pairs, table.join(symbols[previous as usize], join.token), u64::from(previous));
            }
        }
        symbols.retain(|symbol| *symbol != REMOVED);
        for buffer in [before, after] {
            buffer.clear();
            buffer.shrink_to(KEPT);
        }
        pairs.shrink_to(KEPT);
    }

    /// Empties the piece and frees what a very long one needed.
    pub(crate) fn clear(&mut self) {
        self.symbols.clear();
        self.symbols.shrink_to(KEPT);
    }
}

fn entry(rank: u32, at: u64) -> u64 {
    u64::from(rank) << 32 | at
}

fn push(pairs: &mut BinaryHeap<Reverse<u64>>, join: Join, at: u64) {
    if join.rank != NEVER {
        pairs.push(Reverse(entry(join.rank, at)));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The definition, without any cleverness.
    fn expected(table: &PairTable, symbols: &[u32]) -> Vec<u32> {
        let mut symbols = symbols.to_vec();
        loop {
            let pairs = symbols.windows(2).map(|pair| table.join(pair[0], pair[1])).enumerate();
            let Some((at, join)) =
                pairs.filter(|(_, join)| join.rank != NEVER).min_by_key(|(at, join)| (join.rank, *at))
            else {
                return symbols;
            };
            symbols[at] = join.token;
            symbols.remove(at + 1);
        }
    }

    fn merged(table: &PairTable, symbols: &[u32], merge: fn(&mut Merger, &PairTable)) -> Vec<u32> {
        let mut merger = Merger { symbols: symbols.to_vec(), ..Merger::default() };
        merge(&mut merger, table);
        merger.symbols
    }

    /// Each token is made of one pair of smaller ones.
    const MERGES: [(u32, u32, u32); 9] =
        [(0, 1, 4), (0, 0, 5), (5, 5, 6), (4, 2, 7), (2, 3, 8), (6, 6, 9), (1, 4, 10), (3, 3, 11), (9, 5, 12)];

    proptest! {
        #[test]
        fn both_ways_of_merging_follow_the_definition(symbols in proptest::collection::vec(0_u32..4, 0..FEW)) {
            let table = PairTable::new(&MERGES);
            let expected = expected(&table, &symbols);
            prop_assert_eq!(merged(&table, &symbols, Merger::merge_few), expected.clone());
            prop_assert_eq!(merged(&table, &symbols, Merger::merge_many), expected);
        }

        #[test]
        fn long_pieces_follow_the_definition(symbols in proptest::collection::vec(0_u32..2, FEW..300)) {
            let table = PairTable::new(&MERGES);
            prop_assert_eq!(merged(&table, &symbols, Merger::merge), expected(&table, &symbols));
        }
    }
}
