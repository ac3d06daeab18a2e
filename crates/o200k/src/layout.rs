//! The layout of the tables. The build script, which writes them, includes this file as well.

use crate::hash::hash;

/// Tokens are shared out to this many buckets by their hash.
const BUCKET_BITS: u32 = 16;
pub(crate) const BUCKETS: usize = 1 << BUCKET_BITS;
/// Some more slots than tokens.
const SLOT_BITS: u32 = 18;
#[allow(dead_code, reason = "the build script alone needs the number of slots")]
pub(crate) const SLOTS: usize = 1 << SLOT_BITS;
/// A slot has three bytes: the id of its token, and a mark of the token's bytes, which tells most other tokens from it without a
/// look at their bytes.
pub(crate) const SLOT_BYTES: usize = 3;
const ID_BITS: u32 = 18;
const MARK_BITS: u32 = SLOT_BYTES as u32 * 8 - ID_BITS;
const ID_MASK: u32 = (1 << ID_BITS) - 1;
/// A slot without a token: no token has this id.
#[allow(dead_code, reason = "the build script alone fills slots; a search rejects the id")]
pub(crate) const EMPTY: u32 = (1 << (SLOT_BYTES * 8)) - 1;
/// The length of the longest token in bytes.
pub(crate) const LONGEST: usize = 128;
/// The start of a token is stored in two bytes, relative to the first token of its block.
pub(crate) const BLOCK: usize = 512;
/// Odd, with bits all over: it makes other slots of the same hash.
const SPREAD: u64 = 0xD6E8_FEB8_6659_FD93;

/// Where to look for a token.
pub(crate) struct Search {
    hashed: u64,
}

impl Search {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self { hashed: hash(bytes) }
    }

    pub(crate) const fn bucket(&self) -> usize {
        (self.hashed >> (64 - BUCKET_BITS)) as usize
    }

    /// The only slot that the token can be in. `displacement`: the number of its bucket that gives each token of the vocabulary a slot of its own
    /// (Belazzougui, Botelho and Dietzfelbinger, Hash, Displace, and Compress, 2009).
    pub(crate) const fn slot(&self, displacement: u8) -> usize {
        let moved = self.hashed ^ SPREAD.wrapping_mul(displacement as u64);
        (moved.wrapping_mul(SPREAD) >> (64 - SLOT_BITS)) as usize
    }

    /// The upper bits of a hash are the good ones: the mark takes those below the bucket's.
    const fn mark(&self) -> u32 {
        ((self.hashed >> (64 - BUCKET_BITS - MARK_BITS)) as u32 % (1 << MARK_BITS)) << ID_BITS
    }

    /// The slot of the token with this id.
    #[allow(dead_code, reason = "the build script alone fills slots")]
    pub(crate) const fn filled(&self, id: u32) -> u32 {
        self.mark() | id
    }

    /// The id in a slot, if the token may be the one that is searched.
    #[allow(dead_code, reason = "the build script does not search")]
    pub(crate) const fn id_in(&self, slot: u32) -> Option<u32> {
        if slot & !ID_MASK == self.mark() { Some(slot & ID_MASK) } else { None }
    }
}
