//! The tables of the build script, and how to look up tokens in them.

use crate::layout::{EMPTY, LONGEST, SLOT_BYTES, SLOTS, Search, TOKENS_PER_START};

static BYTES: &[u8] = include_bytes!("../vocabulary/tokens.bin");
const VOCABULARY: &[u8] = include_bytes!("../vocabulary/lengths.bin");
/// The lengths of eight tokens, and where the first of them starts.
static LENGTHS: &[[u8; TOKENS_PER_START]] =
    include_bytes!(concat!(env!("OUT_DIR"), "/lengths.bin")).as_chunks::<TOKENS_PER_START>().0;
static STARTS: &[[u8; 4]] = include_bytes!(concat!(env!("OUT_DIR"), "/starts.bin")).as_chunks::<4>().0;
static IDS: &[[u8; SLOT_BYTES]] = include_bytes!(concat!(env!("OUT_DIR"), "/slots.bin")).as_chunks::<SLOT_BYTES>().0;

pub(crate) const TOKENS: u32 = VOCABULARY.len() as u32;

/// The id of the token with exactly these bytes.
pub(crate) fn id_of(bytes: &[u8]) -> Option<u32> {
    if bytes.len() > LONGEST {
        return None;
    }
    let search = Search::of(bytes);
    let mut at = search.slot;
    loop {
        let [low, middle, high] = IDS[at];
        let slot = u32::from_le_bytes([low, middle, high, 0]);
        if slot == EMPTY {
            return None;
        }
        if let Some(token) = search.id_in(slot)
            && bytes_of(token) == Some(bytes)
        {
            return Some(token);
        }
        at = (at + 1) % SLOTS;
    }
}

pub(crate) fn bytes_of(token: u32) -> Option<&'static [u8]> {
    if token >= TOKENS {
        return None;
    }
    let (group, place) = (token as usize / TOKENS_PER_START, token as usize % TOKENS_PER_START);
    let lengths = LENGTHS.get(group)?;
    let start = u32::from_le_bytes(*STARTS.get(group)?) as usize + sum_of_first(place, *lengths);
    BYTES.get(start..start + usize::from(lengths[place]))
}

/// The sum of the first `count` bytes, of at most seven.
fn sum_of_first(count: usize, bytes: [u8; TOKENS_PER_START]) -> usize {
    const EVERY_SECOND: u64 = 0x00FF_00FF_00FF_00FF;
    let kept = u64::from_le_bytes(bytes) & !(u64::MAX << (8 * count));
    // Four sums of two bytes each, 16 bits wide, then all of them in the upper 16 bits of a product.
    let pairs = (kept & EVERY_SECOND) + (kept >> 8 & EVERY_SECOND);
    (pairs.wrapping_mul(0x0001_0001_0001_0001) >> 48) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bytes_are_added_whatever_they_are() {
        let bytes = [128, 255, 0, 7, 255, 255, 1, 9];
        for count in 0..8 {
            let expected: usize = bytes[..count].iter().map(|byte| usize::from(*byte)).sum();
            assert_eq!(sum_of_first(count, bytes), expected);
        }
    }
}
