//! The layout of the tables. The build script, which writes them, includes this file as well.

/// More than twice as many slots as tokens, so that most tokens are found in the first slot.
const SLOT_BITS: u32 = 19;
pub(crate) const SLOTS: usize = 1 << SLOT_BITS;
/// The length of the longest token in bytes.
pub(crate) const LONGEST: usize = 128;

/// The slot at which the search for a token begins. It continues slot by slot to the token or an empty slot.
pub(crate) fn first_slot(bytes: &[u8]) -> usize {
    (hash(bytes) >> (64 - SLOT_BITS)) as usize
}

const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

/// The upper bits are used, since they depend on every byte (multiplicative hashing, Knuth, The Art of Computer
/// Programming, volume 3, section 6.4).
fn hash(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let start = (bytes.len() as u64).wrapping_mul(MULTIPLIER);
    let hashed = words.iter().fold(start, |hashed, word| mix(hashed, u64::from_le_bytes(*word)));
    if rest.is_empty() {
        return hashed;
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    mix(hashed, u64::from_le_bytes(last))
}

fn mix(hashed: u64, word: u64) -> u64 {
    ((hashed ^ word).wrapping_mul(MULTIPLIER)).rotate_left(29) ^ word.wrapping_mul(MULTIPLIER)
}
