//! An artifact folder of somebody else: its records, and after a zero byte its summary, read back by everything that reads
//! records.
#![no_main]

use std::fs;
use std::sync::LazyLock;

use aiperf_artifact::{Folder, RebuildOptions, check, read_series, rebuild};
use tempfile::TempDir;

static DIR: LazyLock<TempDir> = LazyLock::new(|| tempfile::tempdir().expect("a folder for the files"));

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let dir = DIR.path();
    let (records, summary) = match data.iter().position(|byte| *byte == 0) {
        Some(end) => (&data[..end], Some(&data[end + 1..])),
        None => (data, None),
    };
    let summary_file = dir.join("profile_export_aiperf.json");
    fs::write(dir.join("profile_export.jsonl"), records).expect("records");
    match summary {
        Some(text) => fs::write(&summary_file, text).expect("summary"),
        None => drop(fs::remove_file(&summary_file)),
    }
    let Ok(folder) = Folder::open(dir) else { return };
    let _ = read_series(&folder, &[].into());
    let _ = rebuild(&folder, &RebuildOptions::default(), "0.0.0");
    let _ = check(&folder, "0.0.0");
});
