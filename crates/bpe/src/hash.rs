//! The hash of the token tables. The build script of `aiperf-o200k` includes this file as well.

const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

/// The upper bits are used, since they depend on every byte (multiplicative hashing, Knuth, The Art of Computer
/// Programming, volume 3, section 6.4).
pub fn hash(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let start = (bytes.len() as u64).wrapping_mul(MULTIPLIER);
    let hashed = words.iter().fold(start, |hashed, word| mix(hashed, u64::from_le_bytes(*word)));
    if rest.is_empty() {
        return hashed;
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    mix(hashed, u64::from_le_bytes(last))
}

fn mix(hashed: u64, word: u64) -> u64 {
    ((hashed ^ word).wrapping_mul(MULTIPLIER)).rotate_left(29) ^ word.wrapping_mul(MULTIPLIER)
}

/// Detects damage of a stored table. Four sums at a time, since each multiplication waits for the one before it.
#[allow(dead_code, reason = "a build script that includes this file needs the hash only")]
pub fn checksum(bytes: &[u8]) -> u64 {
    let (blocks, rest) = bytes.as_chunks::<32>();
    let mut sums = [1_u64, 2, 3, 4];
    for block in blocks {
        let (words, _) = block.as_chunks::<8>();
        for (sum, word) in sums.iter_mut().zip(words) {
            *sum = mix(*sum, u64::from_le_bytes(*word));
        }
    }
    sums.into_iter().fold(mix(hash(rest), bytes.len() as u64), mix)
}
