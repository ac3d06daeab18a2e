//! Remembers how many tokens short pieces of text have. Words recur, and looking one up is much faster than splitting it
//! into tokens again.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};

/// Slots of a cache: some thousand words are most of any text, and this stays in the processor's cache.
const SLOTS: usize = 1 << 12;
/// Longer pieces are rare and are counted each time.
const LONGEST: usize = 15;

thread_local! {
    /// Record threads count without a lock: each has its own cache.
    static COUNTS: RefCell<CountCache> = RefCell::new(CountCache::new());
}

/// Identifies a token counter, so that a count can never come from another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CounterId(u64);

impl CounterId {
    pub(crate) const BUILTIN: Self = Self(0);

    /// An id that no other counter of the process has.
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    /// The cache of this counter in this thread. It is empty if another counter was used in between.
    pub(crate) fn with_cache<R>(self, use_cache: impl FnOnce(&mut CountCache) -> R) -> R {
        COUNTS.with_borrow_mut(|cache| {
            if cache.counter != self {
                cache.slots.fill(CachedCount::default());
                cache.counter = self;
            }
            use_cache(cache)
        })
    }
}

/// Counts of short pieces.
#[derive(Debug)]
pub(crate) struct CountCache {
    counter: CounterId,
    slots: Box<[CachedCount]>,
}

#[derive(Debug, Clone, Copy, Default)]
struct CachedCount {
    /// The bytes of the piece and, in the last byte, its length. Zero if the slot is empty.
    piece: u128,
    count: u32,
}

impl CountCache {
    fn new() -> Self {
        Self { counter: CounterId::BUILTIN, slots: vec![CachedCount::default(); SLOTS].into_boxed_slice() }
    }

    /// How many tokens the piece has. `count` must always return the same for the same piece.
    #[inline]
    pub(crate) fn count(&mut self, piece: &str, count: impl FnOnce(&str) -> usize) -> usize {
        let Some(key) = key(piece.as_bytes()) else { return count(piece) };
        let slot = &mut self.slots[slot_of(key)];
        if slot.piece == key {
            return slot.count as usize;
        }
        let counted = count(piece);
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
        let length = |piece: &str| {
            asked.set(asked.get() + 1);
            piece.len()
        };
        CounterId::new().with_cache(|cache| {
            for _ in 0..3 {
                assert_eq!(cache.count(" chair", length), 6);
            }
            assert_eq!(asked.get(), 1);
            assert_eq!(cache.count(" chair\0", length), 7);
            for _ in 0..3 {
                assert_eq!(cache.count("a piece of some length", length), 22);
                assert_eq!(cache.count("", length), 0);
            }
            assert_eq!(asked.get(), 8);
        });
    }

    #[test]
    fn two_counters_do_not_share_what_they_remember() {
        let (bytes, pieces) = (CounterId::new(), CounterId::new());
        let count =
            |counter: CounterId, count: fn(&str) -> usize| counter.with_cache(|cache| cache.count("same", count));
        assert_eq!((count(bytes, str::len), count(pieces, |_| 1), count(bytes, str::len)), (4, 1, 4));
    }
}
