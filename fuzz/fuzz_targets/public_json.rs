//! JSON rows of public data sets, made into conversations by every recipe.
#![no_main]

use aiperf_tokenizer::{HubEnvironment, TokenizerRequest};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let nowhere = HubEnvironment::from_variables(|_| None);
    let Ok(tokenizer) = aiperf_tokenizer::load(&TokenizerRequest::named("builtin"), &nowhere) else { return };
    for set in aiperf_config::PUBLIC_SETS {
        let _ = aiperf_dataset::public_conversations_of(set, data, &*tokenizer);
    }
});
