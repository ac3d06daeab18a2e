//! The tables of the build script, and how to look up tokens in them.

use crate::layout::{LONGEST, SLOTS, first_slot};

static BYTES: &[u8] = include_bytes!("../vocabulary/tokens.bin");
const STARTS: &[[u8; 4]] = words(include_bytes!(concat!(env!("OUT_DIR"), "/starts.bin")));
static IDS: &[[u8; 4]] = words(include_bytes!(concat!(env!("OUT_DIR"), "/slots.bin")));

pub(crate) const TOKENS: u32 = STARTS.len() as u32 - 1;
const EMPTY: u32 = u32::MAX;

const fn words(bytes: &'static [u8]) -> &'static [[u8; 4]] {
    bytes.as_chunks::<4>().0
}

/// The id of the token with exactly these bytes.
pub(crate) fn id_of(bytes: &[u8]) -> Option<u32> {
    if bytes.len() > LONGEST {
        return None;
    }
    let mut slot = first_slot(bytes);
    loop {
        let token = u32::from_le_bytes(IDS[slot]);
        if token == EMPTY {
            return None;
        }
        if bytes_of(token) == Some(bytes) {
            return Some(token);
        }
        slot = (slot + 1) % SLOTS;
    }
}

pub(crate) fn bytes_of(token: u32) -> Option<&'static [u8]> {
    let token = token as usize;
    let start = u32::from_le_bytes(*STARTS.get(token)?);
    let end = u32::from_le_bytes(*STARTS.get(token + 1)?);
    BYTES.get(start as usize..end as usize)
}
