//! Token ids of a text, by ours and by the `tokenizers` library: the same for each family of vocabularies. The first byte chooses
//! the family; the rest is the text, as it reaches us.
#![no_main]

use std::sync::{Arc, LazyLock};

use aiperf_tokenizer::{HubEnvironment, Tokenizer, TokenizerRequest};

#[path = "../../crates/tokenizer/tests/ids/corpus.rs"]
mod corpus;
#[path = "../../crates/tokenizer/tests/ids/family.rs"]
mod family;

type Both = (Arc<dyn Tokenizer>, tokenizers::Tokenizer);

static FAMILIES: LazyLock<Vec<Both>> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let both = |family: &family::Family| {
        let path = folder.path().join("tokenizer.json");
        let description = family::trained(family).to_string();
        std::fs::write(&path, &description).expect("the folder can be written to");
        let request = TokenizerRequest::named(path.to_string_lossy());
        let ours = aiperf_tokenizer::load(&request, &HubEnvironment::from_variables(|_| None)).expect("it can be loaded");
        assert!(!ours.uses_library(), "{} is left to the library", family.name);
        (ours, description.parse().expect("it can be loaded"))
    };
    family::FAMILIES.iter().map(both).collect()
});

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((&number, rest)) = data.split_first() else { return };
    let (ours, library) = &FAMILIES[usize::from(number) % FAMILIES.len()];
    let text = String::from_utf8_lossy(rest);
    let expected = library.encode_fast(&*text, false).expect("any text can be encoded");
    let ids = ours.encode(&text);
    assert_eq!(ids, expected.get_ids());
    assert_eq!(ours.count(&text), ids.len());
    assert_eq!(ours.decode(&ids), library.decode(&ids, false).expect("its own ids can be decoded"));
});
