//! The tables of the build script, and how to look up tokens in them.

use crate::layout::{BLOCK, BUCKETS, LONGEST, SLOT_BYTES, Search};

static BYTES: &[u8] = include_bytes!("../vocabulary/tokens.bin");
/// Where each block begins in `BYTES`, and where each token begins in its block. One more than there are tokens: the end.
static BLOCK_STARTS: &[[u8; 4]] = include_bytes!(concat!(env!("OUT_DIR"), "/block_starts.bin")).as_chunks::<4>().0;
const STARTS: &[[u8; 2]] = include_bytes!(concat!(env!("OUT_DIR"), "/starts.bin")).as_chunks::<2>().0;
static DISPLACEMENTS: &[u8; BUCKETS] = include_bytes!(concat!(env!("OUT_DIR"), "/displacements.bin"));
static IDS: &[[u8; SLOT_BYTES]] = include_bytes!(concat!(env!("OUT_DIR"), "/slots.bin")).as_chunks::<SLOT_BYTES>().0;

pub(crate) const TOKENS: u32 = STARTS.len() as u32 - 1;

/// The id of the token with exactly these bytes.
pub(crate) fn id_of(bytes: &[u8]) -> Option<u32> {
    if bytes.len() > LONGEST {
        return None;
    }
    let search = Search::of(bytes);
    let [low, middle, high] = IDS[search.slot(DISPLACEMENTS[search.bucket()])];
    let token = search.id_in(u32::from_le_bytes([low, middle, high, 0]))?;
    (bytes_of(token)? == bytes).then_some(token)
}

pub(crate) fn bytes_of(token: u32) -> Option<&'static [u8]> {
    let token = token as usize;
    BYTES.get(start_of(token)?..start_of(token + 1)?)
}

fn start_of(token: usize) -> Option<usize> {
    let in_block = u16::from_le_bytes(*STARTS.get(token)?);
    let block = u32::from_le_bytes(*BLOCK_STARTS.get(token / BLOCK)?);
    Some(block as usize + usize::from(in_block))
}
