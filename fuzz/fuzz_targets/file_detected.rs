//! A file of a format that is not known: recognised, unpacked, read.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let _ = aiperf_dataset::conversations_of(None, data);
});
