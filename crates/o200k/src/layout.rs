//! The layout of the tables. The build script, which writes them, includes this file as well.

use crate::hash::hash;

/// More than twice as many slots as tokens, so that most tokens are found in the first slot.
const SLOT_BITS: u32 = 19;
pub(crate) const SLOTS: usize = 1 << SLOT_BITS;
/// The length of the longest token in bytes.
pub(crate) const LONGEST: usize = 128;

/// The slot at which the search for a token begins. It continues slot by slot to the token or an empty slot.
pub(crate) fn first_slot(bytes: &[u8]) -> usize {
    (hash(bytes) >> (64 - SLOT_BITS)) as usize
}
