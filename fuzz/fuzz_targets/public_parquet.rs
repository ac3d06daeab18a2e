//! Rows of a Parquet file of a public data set, with all its columns.
#![no_main]

use aiperf_tokenizer::{HubEnvironment, TokenizerRequest};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let nowhere = HubEnvironment::from_variables(|_| None);
    let Ok(tokenizer) = aiperf_tokenizer::load(&TokenizerRequest::named("builtin"), &nowhere) else { return };
    let file = [b"PAR1", data].concat();
    for set in aiperf_config::PUBLIC_SETS.iter().filter(|set| ["mmstar", "exgentic"].contains(&set.name)) {
        let _ = aiperf_dataset::public_conversations_of(set, &file, &*tokenizer);
    }
});
