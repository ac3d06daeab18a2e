//! Remembers how many tokens short pieces of text have. Words recur, and looking one up is much faster than splitting it
//! into tokens again.

/// Slots of a cache: some thousand words are most of any text, and this stays in the processor's cache.
const SLOTS: usize = 1 << 12;
/// Longer pieces are rare and are counted each time.
const LONGEST: usize = 15;

/// A token counter with a cache in front of it. The cache belongs to its counter, so that a count can never come from
/// another one. `F` must always return the same count for the same piece.
#[derive(Debug)]
pub(crate) struct CountCache<F> {
    count: F,
    slots: Box<[CachedCount]>,
}

#[derive(Debug, Clone, Copy, Default)]
struct CachedCount {
    /// The bytes of the piece and, in the last byte, its length. Zero if the slot is empty.
    piece: u128,
    count: u32,
}

impl<F: Fn(&[u8]) -> usize> CountCache<F> {
    pub(crate) fn new(count: F) -> Self {
        Self { count, slots: vec![CachedCount::default(); SLOTS].into_boxed_slice() }
    }

    /// How many tokens the piece has.
    pub(crate) fn count(&mut self, piece: &[u8]) -> usize {
        let Some(key) = key(piece) else { return (self.count)(piece) };
        let slot = &mut self.slots[slot_of(key)];
        if slot.piece == key {
            return slot.count as usize;
        }
        let counted = (self.count)(piece);
        if let Ok(count) = u32::try_from(counted) {
            *slot = CachedCount { piece: key, count };
        }
        counted
    }
}

/// A key that differs for different pieces; `None` for the empty piece and for long ones.
fn key(piece: &[u8]) -> Option<u128> {
    if piece.is_empty() || piece.len() > LONGEST {
        return None;
    }
    let mut bytes = [0; 16];
    bytes[..piece.len()].copy_from_slice(piece);
    bytes[15] = piece.len() as u8;
    Some(u128::from_le_bytes(bytes))
}

/// The upper bits of a multiplication, which depend on all bits of the key (Knuth, The Art of Computer Programming,
/// volume 3, section 6.4).
fn slot_of(key: u128) -> usize {
    let folded = (key as u64) ^ ((key >> 64) as u64).rotate_left(29);
    (folded.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - SLOTS.trailing_zeros())) as usize
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn a_short_piece_is_counted_once_and_a_long_one_each_time() {
        let asked = Cell::new(0);
        let mut cache = CountCache::new(|piece: &[u8]| {
            asked.set(asked.get() + 1);
            piece.len()
        });
        for _ in 0..3 {
            assert_eq!(cache.count(b" chair"), 6);
        }
        assert_eq!(asked.get(), 1);
        assert_eq!(cache.count(b" chair\0"), 7);
        for _ in 0..3 {
            assert_eq!(cache.count(b"a piece of some length"), 22);
            assert_eq!(cache.count(b""), 0);
        }
        assert_eq!(asked.get(), 8);
    }

    #[test]
    fn two_counters_do_not_share_what_they_remember() {
        let (mut bytes, mut pieces) = (CountCache::new(<[u8]>::len), CountCache::new(|_: &[u8]| 1));
        assert_eq!((bytes.count(b"same"), pieces.count(b"same"), bytes.count(b"same")), (4, 1, 4));
    }
}
