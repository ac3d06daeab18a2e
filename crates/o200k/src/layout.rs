//! The layout of the tables. The build script, which writes them, includes this file as well.

use crate::hash::hash;

/// More than twice as many slots as tokens, so that most tokens are found in the first slot.
const SLOT_BITS: u32 = 19;
pub(crate) const SLOTS: usize = 1 << SLOT_BITS;
/// A slot has three bytes: the id of its token, and a mark of the token's bytes, which tells most other tokens from it without a
/// look at their bytes.
pub(crate) const SLOT_BYTES: usize = 3;
const ID_BITS: u32 = 18;
const MARK_BITS: u32 = SLOT_BYTES as u32 * 8 - ID_BITS;
const ID_MASK: u32 = (1 << ID_BITS) - 1;
/// A slot without a token: no token has this id.
pub(crate) const EMPTY: u32 = (1 << (SLOT_BYTES * 8)) - 1;
/// The length of the longest token in bytes.
pub(crate) const LONGEST: usize = 128;

/// Where to look for a token.
pub(crate) struct Search {
    /// The slot at which the search begins. It continues slot by slot to the token or an empty slot.
    pub(crate) slot: usize,
    mark: u32,
}

impl Search {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let hashed = hash(bytes);
        // The upper bits are the good ones: the mark takes those below the slot's.
        let mark = (hashed >> (64 - SLOT_BITS - MARK_BITS)) as u32 % (1 << MARK_BITS);
        Self { slot: (hashed >> (64 - SLOT_BITS)) as usize, mark: mark << ID_BITS }
    }

    /// The slot of the token with this id.
    #[allow(dead_code, reason = "the build script alone fills slots")]
    pub(crate) const fn filled(&self, id: u32) -> u32 {
        self.mark | id
    }

    /// The id in a slot, if the token may be the one that is searched.
    #[allow(dead_code, reason = "the build script does not search")]
    pub(crate) const fn id_in(&self, slot: u32) -> Option<u32> {
        if slot & !ID_MASK == self.mark { Some(slot & ID_MASK) } else { None }
    }
}
