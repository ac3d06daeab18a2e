//! Lays the vocabulary out for reading in place: the bytes of all tokens, where each starts, and a hash table of their
//! ids with open addressing.

use std::io;
use std::path::PathBuf;

#[path = "src/layout.rs"]
mod layout;

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/layout.rs");
    let bpe = &bpe_openai::o200k_base().bpe;
    let count = bpe.num_tokens() as u32;
    let mut bytes = Vec::new();
    let mut starts = vec![0_u32];
    let mut slots = vec![u32::MAX; layout::SLOTS];
    for token in 0..count {
        let text = bpe.decode_tokens(&[token]);
        let mut slot = layout::first_slot(&text);
        while slots[slot] != u32::MAX {
            slot = (slot + 1) % slots.len();
        }
        slots[slot] = token;
        assert!(text.len() <= layout::LONGEST, "token {token} has {} bytes", text.len());
        bytes.extend_from_slice(&text);
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
