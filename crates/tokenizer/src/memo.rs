//! Remembers how many tokens short pieces of text have. Words recur, and to look one up is much quicker than to take it
//! apart again.

use std::cell::RefCell;

/// Slots of a thread's memory: some thousand words are most of any text, and this stays in the processor's cache.
const SLOTS: usize = 1 << 12;
/// Longer pieces are rare.
const LONGEST: usize = 15;

#[derive(Clone, Copy, Default)]
struct Slot {
    /// The bytes of the piece and, in the last byte, its length. Zero: nothing is remembered.
    piece: u128,
    count: u32,
}

thread_local! {
    static OF_THIS_THREAD: RefCell<Box<[Slot]>> = RefCell::new(vec![Slot::default(); SLOTS].into_boxed_slice());
}

/// What `count` says of `piece`, remembered where the piece is short. `count` must always say the same of the same piece,
/// and one thread must always ask the same `count`.
pub(crate) fn remembered(piece: &[u8], count: impl FnOnce(&[u8]) -> usize) -> usize {
    let Some(key) = key(piece) else { return count(piece) };
    let slot = slot_of(key);
    let known = OF_THIS_THREAD.with_borrow(|slots| slots[slot]);
    if known.piece == key {
        return known.count as usize;
    }
    let counted = count(piece);
    if let Ok(count) = u32::try_from(counted) {
        OF_THIS_THREAD.with_borrow_mut(|slots| slots[slot] = Slot { piece: key, count });
    }
    counted
}

/// Different for different pieces; `None` for the empty one and for long ones.
fn key(piece: &[u8]) -> Option<u128> {
    if piece.is_empty() || piece.len() > LONGEST {
        return None;
    }
    let mut bytes = [0; 16];
    bytes[..piece.len()].copy_from_slice(piece);
    bytes[15] = piece.len() as u8;
    Some(u128::from_le_bytes(bytes))
}

/// By the upper bits of a multiplication, which depend on all bits of the key (Knuth, The Art of Computer Programming,
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
        let count = |piece: &[u8]| {
            asked.set(asked.get() + 1);
            piece.len()
        };
        for _ in 0..3 {
            assert_eq!(remembered(b" chair", count), 6);
        }
        assert_eq!(asked.get(), 1);
        assert_eq!(remembered(b" chair\0", count), 7);
        for _ in 0..3 {
            assert_eq!(remembered(b"a piece of some length", count), 22);
            assert_eq!(remembered(b"", count), 0);
        }
        assert_eq!(asked.get(), 8);
    }
}
