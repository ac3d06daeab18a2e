//! Counting with a `tokenizer.json` of the kind that Llama 3 has: words that recur, and words that are counted for the first time.

use std::collections::HashMap;
use std::hint::black_box;
use std::sync::Arc;

use aiperf_tokenizer::{HubEnvironment, Tokenizer, TokenizerRequest};
use serde_json::{Value, json};

use crate::{BenchOutcome, answer};

const PATTERN: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";

/// Counting the tokens of an answer of 100.
pub(crate) fn count_words(times: usize) -> BenchOutcome {
    let tokenizer = tokenizer()?;
    let text = answer::text();
    for _ in 0..times {
        black_box(tokenizer.count(black_box(&text)));
    }
    Ok(())
}

/// Counting the tokens of 100 words that did not occur before.
pub(crate) fn count_new_words(times: usize) -> BenchOutcome {
    let tokenizer = tokenizer()?;
    for number in 0..times {
        let text: String = (0..100).map(|word| new_word(100 * number + word)).collect();
        black_box(tokenizer.count(black_box(&text)));
    }
    Ok(())
}

/// A word of nine letters; the same number gives the same word.
fn new_word(mut number: usize) -> String {
    let mut word = " planewater".to_owned();
    while number > 0 {
        word.push(char::from(b'a' + (number % 26) as u8));
        number /= 26;
    }
    word
}

fn tokenizer() -> Result<Arc<dyn Tokenizer>, Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("tokenizer.json");
    std::fs::write(&path, description().to_string())?;
    let nowhere = HubEnvironment::from_variables(|_| None);
    let tokenizer = aiperf_tokenizer::load(&TokenizerRequest::named(path.to_string_lossy()), &nowhere)?;
    if tokenizer.uses_library() {
        return Err("the file is left to the library".into());
    }
    Ok(tokenizer)
}

/// A byte-level vocabulary: bytes, and the words of the answer letter by letter.
fn description() -> Value {
    let mut vocabulary: HashMap<String, usize> = HashMap::new();
    for c in (0x21_u32..0x144).filter_map(char::from_u32).filter(|c| !matches!(*c, '\u{7f}'..='\u{a0}' | '\u{ad}')) {
        vocabulary.insert(c.to_string(), vocabulary.len());
    }
    let mut merges = Vec::new();
    let text = answer::text().replace(' ', " \u{120}");
    for word in text.split_whitespace() {
        let mut start = String::new();
        for c in word.chars() {
            let longer = format!("{start}{c}");
            if !vocabulary.contains_key(&longer) {
                merges.push(json!([start, c.to_string()]));
                vocabulary.insert(longer.clone(), vocabulary.len());
            }
            start = longer;
        }
    }
    let split = json!({"type": "Split", "pattern": {"Regex": PATTERN}, "behavior": "Isolated", "invert": false});
    let byte_level = json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": false});
    json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, byte_level]}, "post_processor": null,
        "decoder": {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true},
        "model": {"type": "BPE", "ignore_merges": true, "vocab": vocabulary, "merges": merges},
    })
}
