//! Rounds of a `tracelab` file.
#![no_main]

use aiperf_config::FileFormat;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let _ = aiperf_dataset::conversations_of(Some(FileFormat::Tracelab), data);
});
