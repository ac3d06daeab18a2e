//! Rows of a `bailian_trace` file.
#![no_main]

use aiperf_config::FileFormat;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let _ = aiperf_dataset::conversations_of(Some(FileFormat::BailianTrace), data);
});
