//! Token ids are those of the `tokenizers` library, for each family of files that is not left to it.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test")]

mod corpus;
mod family;

use std::path::Path;
use std::sync::Arc;

use aiperf_tokenizer::{HubEnvironment, Tokenizer, TokenizerRequest};
use corpus::MixedText;
use family::FAMILIES;

fn load(path: &Path, cache: Option<&Path>) -> Arc<dyn Tokenizer> {
    let environment = HubEnvironment::from_variables(|name| match name {
        "HF_HUB_OFFLINE" => Some("1".to_owned()),
        "XDG_CACHE_HOME" => cache.map(|cache| cache.display().to_string()),
        _ => None,
    });
    aiperf_tokenizer::load(&TokenizerRequest::named(path.to_str().unwrap()), &environment).unwrap()
}

fn library(path: &Path) -> tokenizers::Tokenizer {
    let mut library: tokenizers::Tokenizer = std::fs::read_to_string(path).unwrap().parse().unwrap();
    library.with_padding(None);
    library.with_truncation(None).unwrap();
    library
}

/// Compares ids, counts and decoded texts of this many bytes of mixed text.
fn compare(name: &str, ours: &dyn Tokenizer, library: &tokenizers::Tokenizer, bytes: usize) {
    let mut added: Vec<String> =
        library.get_added_tokens_decoder().values().map(|token| token.content.clone()).collect();
    added.sort_unstable();
    let mut corpus = MixedText::new(added);
    let mut done = 0;
    while done < bytes {
        let text = corpus.next_text();
        done += text.len();
        check(name, ours, library, &text);
    }
}

fn check(name: &str, ours: &dyn Tokenizer, library: &tokenizers::Tokenizer, text: &str) {
    let expected = library.encode_fast(text, false).unwrap();
    let ids = ours.encode(text);
    if ids != expected.get_ids() {
        let at = ids.iter().zip(expected.get_ids()).position(|(a, b)| a != b).unwrap_or(ids.len().min(expected.len()));
        let from = at.saturating_sub(3);
        let near = |ids: &[u32]| library.decode(&ids[from.min(ids.len())..(at + 4).min(ids.len())], false).unwrap();
        panic!(
            "{name}: token {at} differs: {:?} is not {:?}; {:?} {:?}; text {:?}",
            near(&ids),
            near(expected.get_ids()),
            &ids[from.min(ids.len())..(at + 4).min(ids.len())],
            &expected.get_ids()[from..(at + 4).min(expected.len())],
            text.chars().take(200).collect::<String>()
        );
    }
    assert_eq!(ours.count(text), ids.len(), "{name}: {text:?}");
    assert_eq!(ours.decode(&ids), library.decode(&ids, false).unwrap(), "{name}");
}

#[test]
fn small_vocabularies_of_each_family_have_the_ids_of_the_library() {
    let folder = tempfile::tempdir().unwrap();
    for family in FAMILIES {
        let path = folder.path().join(format!("{}.json", family.name));
        std::fs::write(&path, family::trained(&family).to_string()).unwrap();
        let (ours, library) = (load(&path, None), library(&path));
        assert!(!ours.uses_library(), "{} is left to the library", family.name);
        compare(family.name, &*ours, &library, 100_000);
        for unit in ["a", "ab", " ", "\n", "漢", "é", "=", "\u{301}", "0"] {
            check(family.name, &*ours, &library, &unit.repeat(3_000));
        }
        let random: Vec<u32> = (0..500).map(|n| n * 7919 % 700).collect();
        assert_eq!(ours.decode(&random), library.decode(&random, false).unwrap(), "{}", family.name);
        let mut ids: Vec<u32> = library.get_vocab(true).into_values().collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ours.vocabulary(true), ids, "{}", family.name);
    }
}

/// `AIPERF_TEST_TOKENIZERS` names a folder of `tokenizer.json` files with any names, `AIPERF_TEST_MEGABYTES` the size of the
/// text for each.
#[test]
#[ignore = "takes minutes and needs real tokenizer files"]
fn real_files_have_the_ids_of_the_library() {
    let folder =
        std::env::var("AIPERF_TEST_TOKENIZERS").expect("AIPERF_TEST_TOKENIZERS names a folder of tokenizer files");
    let megabytes: f64 = std::env::var("AIPERF_TEST_MEGABYTES").map_or(50.0, |size| size.parse().unwrap());
    let cache = tempfile::tempdir().unwrap();
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let library = library(&path);
        // Made from the file, then read from the cache.
        for stored in [false, true] {
            let ours = load(&path, Some(cache.path()));
            if ours.uses_library() {
                println!("{name}: left to the library");
                break;
            }
            let bytes = if stored { megabytes * 1e6 } else { 1e6 };
            compare(&name, &*ours, &library, bytes as usize);
            if stored {
                println!("{name}: {megabytes} MB, no difference");
            }
        }
    }
}
