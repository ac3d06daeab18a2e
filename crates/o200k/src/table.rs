//! The tables of the build script, and how to look up tokens in them.

use crate::layout::{EMPTY, LONGEST, SLOT_BYTES, SLOTS, Search};

static BYTES: &[u8] = include_bytes!("../vocabulary/tokens.bin");
const STARTS: &[[u8; 4]] = include_bytes!(concat!(env!("OUT_DIR"), "/starts.bin")).as_chunks::<4>().0;
static IDS: &[[u8; SLOT_BYTES]] = include_bytes!(concat!(env!("OUT_DIR"), "/slots.bin")).as_chunks::<SLOT_BYTES>().0;

pub(crate) const TOKENS: u32 = STARTS.len() as u32 - 1;

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
    let token = token as usize;
    let start = u32::from_le_bytes(*STARTS.get(token)?);
    let end = u32::from_le_bytes(*STARTS.get(token + 1)?);
    BYTES.get(start as usize..end as usize)
}
