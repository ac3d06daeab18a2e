//! Lays the vocabulary out for reading in place: the bytes of all tokens, where each starts, and a hash table of their
//! ids with open addressing.

use std::io;
use std::path::PathBuf;

#[allow(unreachable_pub, reason = "the file is part of a library as well")]
#[path = "../bpe/src/hash.rs"]
mod hash;
#[path = "src/layout.rs"]
mod layout;

const BYTES: &[u8] = include_bytes!("vocabulary/tokens.bin");
const LENGTHS: &[u8] = include_bytes!("vocabulary/lengths.bin");

fn main() -> io::Result<()> {
    for read in ["build.rs", "src/layout.rs", "../bpe/src/hash.rs", "vocabulary"] {
        println!("cargo::rerun-if-changed={read}");
    }
    let mut starts = vec![0_u32];
    let mut slots = vec![layout::EMPTY; layout::SLOTS];
    let mut end = 0;
    for (token, length) in (0_u32..).zip(LENGTHS) {
        let start = end;
        end += usize::from(*length);
        let text = &BYTES[start..end];
        assert!(text.len() <= layout::LONGEST, "token {token} has {} bytes", text.len());
        let search = layout::Search::of(text);
        let mut slot = search.slot;
        while slots[slot] != layout::EMPTY {
            slot = (slot + 1) % slots.len();
        }
        slots[slot] = search.filled(token);
        starts.push(end as u32);
    }
    assert_eq!(end, BYTES.len(), "the lengths of the tokens and their bytes do not fit together");
    write("starts.bin", &little_endian::<4>(&starts))?;
    write("slots.bin", &little_endian::<{ layout::SLOT_BYTES }>(&slots))
}

/// The lower bytes of each number.
fn little_endian<const BYTES: usize>(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes().into_iter().take(BYTES)).collect()
}

fn write(name: &str, content: &[u8]) -> io::Result<()> {
    let folder = std::env::var_os("OUT_DIR").ok_or(io::Error::other("OUT_DIR is not set"))?;
    std::fs::write(PathBuf::from(folder).join(name), content)
}
