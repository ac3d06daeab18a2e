//! Rows of a `speed_bench_*` file.
#![no_main]

use aiperf_config::FileFormat;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let _ = aiperf_dataset::conversations_of(FileFormat::named("speed_bench_coding"), data);
});
