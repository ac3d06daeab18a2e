//! Rows of a `dag_jsonl` file, and the graph that they make.
#![no_main]

use aiperf_config::FileFormat;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let _ = aiperf_dataset::conversations_of(Some(FileFormat::DagJsonl), data);
});
