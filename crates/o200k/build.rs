//! Lays the vocabulary out for reading in place: the bytes of all tokens, where each starts, and a hash table of their ids in which each
//! token has one slot.

use std::cmp::Reverse;
use std::io;
use std::path::PathBuf;

#[allow(unreachable_pub, reason = "the file is part of a library as well")]
#[path = "../bpe/src/hash.rs"]
mod hash;
#[path = "src/layout.rs"]
mod layout;

use layout::{BLOCK, BUCKETS, EMPTY, LONGEST, SLOT_BYTES, SLOTS, Search};

const BYTES: &[u8] = include_bytes!("vocabulary/tokens.bin");
const LENGTHS: &[u8] = include_bytes!("vocabulary/lengths.bin");

fn main() -> io::Result<()> {
    for read in ["build.rs", "src/layout.rs", "../bpe/src/hash.rs", "vocabulary"] {
        println!("cargo::rerun-if-changed={read}");
    }
    let mut starts = vec![0_u32];
    let mut buckets: Vec<Vec<(u32, Search)>> = (0..BUCKETS).map(|_| Vec::new()).collect();
    let mut end = 0;
    for (token, length) in (0_u32..).zip(LENGTHS) {
        let start = end;
        end += usize::from(*length);
        let text = &BYTES[start..end];
        assert!(text.len() <= LONGEST, "token {token} has {} bytes", text.len());
        let search = Search::of(text);
        buckets[search.bucket()].push((token, search));
        starts.push(end as u32);
    }
    assert_eq!(end, BYTES.len(), "the lengths of the tokens and their bytes do not fit together");
    let blocks = starts.chunks(BLOCK).map(|block| block[0]).collect::<Vec<u32>>();
    let in_block: Vec<u32> =
        starts.chunks(BLOCK).flat_map(|block| block.iter().map(|start| start - block[0])).collect();
    assert!(
        in_block.iter().all(|&start| u16::try_from(start).is_ok()),
        "the tokens of a block have more than 65,535 bytes"
    );
    let (displacements, slots) = slots_of(&buckets);
    write("block_starts.bin", &little_endian::<4>(&blocks))?;
    write("starts.bin", &little_endian::<2>(&in_block))?;
    write("displacements.bin", &displacements)?;
    write("slots.bin", &little_endian::<SLOT_BYTES>(&slots))
}

/// A displacement for each bucket, and the slots. Full buckets choose first: they need the most room.
fn slots_of(buckets: &[Vec<(u32, Search)>]) -> (Vec<u8>, Vec<u32>) {
    let mut displacements = vec![0; buckets.len()];
    let mut slots = vec![EMPTY; SLOTS];
    let mut order: Vec<usize> = (0..buckets.len()).collect();
    order.sort_by_key(|&bucket| Reverse(buckets[bucket].len()));
    for bucket in order {
        let tokens = &buckets[bucket];
        let chosen = (0..=u8::MAX).find(|&displacement| {
            let mut taken: Vec<usize> = tokens.iter().map(|(_, search)| search.slot(displacement)).collect();
            taken.sort_unstable();
            taken.iter().all(|&slot| slots[slot] == EMPTY) && taken.windows(2).all(|pair| pair[0] != pair[1])
        });
        assert!(chosen.is_some(), "the tokens of a bucket have slots of their own; if not, change SPREAD");
        displacements[bucket] = chosen.unwrap_or_default();
        for (token, search) in tokens {
            slots[search.slot(displacements[bucket])] = search.filled(*token);
        }
    }
    (displacements, slots)
}

/// The lower bytes of each number.
fn little_endian<const BYTES: usize>(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes().into_iter().take(BYTES)).collect()
}

fn write(name: &str, content: &[u8]) -> io::Result<()> {
    let folder = std::env::var_os("OUT_DIR").ok_or(io::Error::other("OUT_DIR is not set"))?;
    std::fs::write(PathBuf::from(folder).join(name), content)
}
