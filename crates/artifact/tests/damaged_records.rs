//! Records and summaries with bytes changed, cut and doubled: whatever they hold, they are read without a panic. The fuzz
//! target `artifact_records` does the same for longer; both start from `fuzz/corpus/artifact_records`.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the failure")]

use std::fs;
use std::path::Path;

use aiperf_artifact::{Folder, RebuildOptions, check, read_series, rebuild};

/// Damaged forms of each sample.
const ROUNDS: u64 = 10;

/// Numbers that look random and are the same in each run (Vigna, "splitmix64").
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit.max(1) as u64) as usize
    }
}

fn damaged(sample: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    let mut bytes = sample.to_vec();
    for _ in 0..=numbers.below(4) {
        let (from, length) = (numbers.below(bytes.len()), numbers.below(40));
        let to = (from + length).min(bytes.len());
        match numbers.below(5) {
            0 => bytes.truncate(from),
            1 => drop(bytes.drain(from..to)),
            2 => {
                let part = bytes[from..to].to_vec();
                bytes.splice(from..from, part);
            }
            // Digits: other times, counts and lengths.
            3 => bytes[from..to].iter_mut().filter(|byte| byte.is_ascii_digit()).for_each(|byte| *byte = b'9'),
            _ => bytes[from..to].iter_mut().take(1).for_each(|byte| *byte = b"-{}[]\",:0e."[numbers.below(11)]),
        }
    }
    bytes
}

#[test]
fn damaged_folders_are_read_without_a_panic() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/artifact_records");
    let samples: Vec<Vec<u8>> =
        fs::read_dir(corpus).unwrap().map(|entry| fs::read(entry.unwrap().path()).unwrap()).collect();
    assert!(samples.len() >= 5);
    let dir = tempfile::tempdir().unwrap();
    let mut numbers = Numbers(7);
    for sample in samples.iter().flat_map(|sample| (0..ROUNDS).map(move |_| sample)) {
        let data = damaged(sample, &mut numbers);
        let mut parts = data.splitn(2, |byte| *byte == 0);
        let summary = dir.path().join("profile_export_aiperf.json");
        fs::write(dir.path().join("profile_export.jsonl"), parts.next().unwrap_or_default()).unwrap();
        match parts.next() {
            Some(text) => fs::write(&summary, text).unwrap(),
            None => drop(fs::remove_file(&summary)),
        }
        let folder = Folder::open(dir.path()).unwrap();
        let _ = read_series(&folder, &[].into());
        let _ = rebuild(&folder, &RebuildOptions::default(), "0.0.0");
        let _ = check(&folder, "0.0.0");
    }
}
