//! Lays the vocabulary out for reading in place: the bytes of all tokens, where each starts, and a hash table of their
//! ids with open addressing.

use std::io;
use std::path::PathBuf;

#[path = "src/layout.rs"]
mod layout;

/// All tokens in the order of their ids: a byte with the length, then the bytes of the token.
static VOCABULARY: &[u8] = include_bytes!("data/o200k_base.tokens");

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/layout.rs");
    println!("cargo::rerun-if-changed=data/o200k_base.tokens");
    let mut bytes = Vec::new();
    let mut starts = vec![0_u32];
    let mut slots = vec![u32::MAX; layout::SLOTS];
    let mut rest = VOCABULARY;
    while let Some((length, after)) = rest.split_first() {
        let (text, after) = after.split_at(usize::from(*length));
        rest = after;
        let token = starts.len() as u32 - 1;
        let mut slot = layout::first_slot(text);
        while slots[slot] != u32::MAX {
            slot = (slot + 1) % slots.len();
        }
        slots[slot] = token;
        assert!(text.len() <= layout::LONGEST, "token {token} has {} bytes", text.len());
        bytes.extend_from_slice(text);
        starts.push(bytes.len() as u32);
    }
    write("tokens.bin", &bytes)?;
    write("starts.bin", &little_endian(&starts))?;
    write("slots.bin", &little_endian(&slots))
}

fn little_endian(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn write(name: &str, content: &[u8]) -> io::Result<()> {
    let folder = std::env::var_os("OUT_DIR").ok_or(io::Error::other("OUT_DIR is not set"))?;
    std::fs::write(PathBuf::from(folder).join(name), content)
}
