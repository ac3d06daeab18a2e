//! Byte-pair encoding of one piece: repeatedly joins the neighbouring parts whose token has the lowest rank (the token's id),
//! the first such pair in the text, until no pair is a token.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::table::{bytes_of, id_of};

/// For pieces up to this many bytes, scanning all pairs each time is faster than a heap.
const SHORT: usize = 64;
/// The rank of a pair that is not a token.
const NONE: u32 = u32::MAX;

/// Appends the tokens of `piece`.
pub(crate) fn merge(piece: &[u8], tokens: &mut Vec<u32>) {
    if piece.len() <= SHORT {
        merge_short(piece, tokens);
    } else {
        merge_long(piece, tokens);
    }
}

/// A part of the piece, and the rank of joining it with the next.
#[derive(Clone, Copy)]
struct MergePart {
    start: usize,
    rank: u32,
}

fn merge_short(piece: &[u8], tokens: &mut Vec<u32>) {
    let mut parts = [MergePart { start: 0, rank: NONE }; SHORT + 1];
    for (start, part) in parts.iter_mut().enumerate().take(piece.len() + 1) {
        *part = MergePart { start, rank: rank(piece, start, start + 2) };
    }
    // The last entry only marks the end of the piece.
    let mut count = piece.len();
    while let Some(at) = (0..count.saturating_sub(1)).min_by_key(|&at| parts[at].rank) {
        if parts[at].rank == NONE {
            break;
        }
        parts.copy_within(at + 2..=count, at + 1);
        count -= 1;
        let end_of = |at: usize| if at <= count { parts[at].start } else { usize::MAX };
        let (joined, before) = (end_of(at + 2), end_of(at + 1));
        parts[at].rank = rank(piece, parts[at].start, joined);
        if let Some(previous) = at.checked_sub(1) {
            parts[previous].rank = rank(piece, parts[previous].start, before);
        }
    }
    tokens.extend(parts[..=count].windows(2).filter_map(|pair| id_of(&piece[pair[0].start..pair[1].start])));
}

fn rank(piece: &[u8], start: usize, end: usize) -> u32 {
    piece.get(start..end).and_then(id_of).unwrap_or(NONE)
}

/// Merges with a heap. Parts are identified by their start. The heap is sorted by rank and start; pairs that have changed since
/// they were added are skipped.
fn merge_long(piece: &[u8], tokens: &mut Vec<u32>) {
    let end = piece.len();
    // The end of the part that starts here; 0 if no part starts here.
    let mut ends: Vec<usize> = (1..=end).collect();
    // The start of the part that ends here.
    let mut starts: Vec<usize> = (0..=end).map(|at| at.saturating_sub(1)).collect();
    let mut pairs = BinaryHeap::new();
    for start in 0..end - 1 {
        push(piece, start, start + 2, &mut pairs);
    }
    while let Some(Reverse((rank, start))) = pairs.pop() {
        let middle = ends[start];
        if middle == 0 || middle == end {
            continue;
        }
        let stop = ends[middle];
        if bytes_of(rank) != Some(&piece[start..stop]) {
            continue;
        }
        ends[start] = stop;
        ends[middle] = 0;
        starts[stop] = start;
        if stop < end {
            push(piece, start, ends[stop], &mut pairs);
        }
        if start > 0 {
            push(piece, starts[start], stop, &mut pairs);
        }
    }
    let mut at = 0;
    while at < end {
        tokens.extend(id_of(&piece[at..ends[at]]));
        at = ends[at];
    }
}

fn push(piece: &[u8], start: usize, end: usize, pairs: &mut BinaryHeap<Reverse<(u32, usize)>>) {
    if let Some(rank) = id_of(&piece[start..end]) {
        pairs.push(Reverse((rank, start)));
    }
}
