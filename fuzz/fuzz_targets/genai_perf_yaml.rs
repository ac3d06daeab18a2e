//! YAML configuration files of `genai-perf config`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if let Ok(text) = std::str::from_utf8(data) {
        let _ = aiperf_genai_perf::options_of_config(text);
    }
});
