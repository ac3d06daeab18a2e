//! Small vocabularies with the settings of well-known model families, trained by the library.

use serde_json::{Value, json};
use tokenizers::models::TrainerWrapper;
use tokenizers::models::bpe::BpeTrainer;

use crate::corpus::MixedText;

/// A family of `tokenizer.json` files.
pub(crate) struct Family {
    pub(crate) name: &'static str,
    settings: fn() -> Value,
}

pub(crate) const FAMILIES: [Family; 12] = [
    Family { name: "gpt2", settings: || bytes(&Value::Null, vec![], true, false) },
    Family { name: "roberta", settings: || bytes(&Value::Null, vec![], true, true) },
    Family { name: "starcoder", settings: || bytes(&Value::Null, vec![digits(true)], true, false) },
    Family { name: "falcon", settings: || bytes(&Value::Null, vec![digits(false), split(r"\p{P}+")], true, false) },
    Family { name: "llama3", settings: || whole_first(bytes(&Value::Null, vec![split(CL100K)], false, false)) },
    Family {
        name: "qwen",
        settings: || bytes(&json!({"type": "NFC"}), vec![split(&CL100K.replace("{1,3}", ""))], false, false),
    },
    Family { name: "gpt_oss", settings: || bytes(&Value::Null, vec![kept(O200K)], false, false) },
    Family {
        name: "tekken",
        settings: || {
            let pattern = O200K.replace("(?i:'s|'t|'re|'ve|'m|'ll|'d)?", "").replace("{1,3}", "");
            whole_first(bytes(&Value::Null, vec![split(&pattern)], false, false))
        },
    },
    Family {
        name: "deepseek",
        settings: || {
            let parts = vec![split(r"\p{N}{1,3}"), split("[一-龥\u{3040}-ゟ゠-ヿ]+"), split(DEEPSEEK)];
            bytes(&json!({"type": "Sequence", "normalizers": []}), parts, false, false)
        },
    },
    Family {
        name: "llama2",
        settings: || characters(&json!([{"type": "Prepend", "prepend": "▁"}, replace()]), &Value::Null, true),
    },
    Family {
        name: "gemma",
        settings: || {
            let no_effect =
                json!({"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious", "invert": false});
            characters(&json!([replace()]), &no_effect, false)
        },
    },
    Family {
        name: "mistral",
        settings: || {
            let metaspace = json!({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": false});
            characters(&json!([]), &metaspace, true)
        },
    },
];

const CL100K: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const O200K: &str = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const DEEPSEEK: &str = "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+";

fn split(pattern: &str) -> Value {
    json!({"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": false})
}

fn kept(pattern: &str) -> Value {
    json!({"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Removed", "invert": true})
}

fn digits(individual: bool) -> Value {
    json!({"type": "Digits", "individual_digits": individual})
}

fn replace() -> Value {
    json!({"type": "Replace", "pattern": {"String": " "}, "content": "▁"})
}

/// A byte-level file.
fn bytes(normalizer: &Value, mut splits: Vec<Value>, use_regex: bool, prefix: bool) -> Value {
    splits.push(json!({"type": "ByteLevel", "add_prefix_space": prefix, "trim_offsets": true, "use_regex": use_regex}));
    let byte_level = json!({"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true});
    file(normalizer, &json!({"type": "Sequence", "pretokenizers": splits}), &byte_level, false)
}

/// A file that was converted from `SentencePiece`.
fn characters(normalizers: &Value, pre_tokenizer: &Value, strips: bool) -> Value {
    let mut decoders = vec![
        json!({"type": "Replace", "pattern": {"String": "▁"}, "content": " "}),
        json!({"type": "ByteFallback"}),
        json!({"type": "Fuse"}),
    ];
    if strips {
        decoders.push(json!({"type": "Strip", "content": " ", "start": 1, "stop": 0}));
    }
    let normalizer = json!({"type": "Sequence", "normalizers": normalizers});
    file(&normalizer, pre_tokenizer, &json!({"type": "Sequence", "decoders": decoders}), true)
}

fn file(normalizer: &Value, pre_tokenizer: &Value, decoder: &Value, byte_fallback: bool) -> Value {
    json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer, "post_processor": null, "decoder": decoder,
        "model": {"type": "BPE", "dropout": null, "unk_token": byte_fallback.then_some("<unk>"),
                  "continuing_subword_prefix": null, "end_of_word_suffix": null, "fuse_unk": byte_fallback,
                  "byte_fallback": byte_fallback, "ignore_merges": false, "vocab": {"<unk>": 0}, "merges": []},
    })
}

fn whole_first(mut file: Value) -> Value {
    file["model"]["ignore_merges"] = json!(true);
    file
}

/// The file of a family with a vocabulary.
pub(crate) fn trained(family: &Family) -> Value {
    let settings = (family.settings)();
    let mut library: tokenizers::Tokenizer = settings.to_string().parse().unwrap();
    let byte_fallback = settings["model"]["byte_fallback"] == true;
    let mut trainer = BpeTrainer::builder().show_progress(false).vocab_size(900).max_token_length(Some(24));
    if !byte_fallback {
        trainer = trainer.initial_alphabet((0..400).filter_map(char::from_u32).filter(|c| is_byte(*c)).collect());
    }
    let mut corpus = MixedText::new(Vec::new());
    let texts: Vec<String> = (0..40).map(|_| corpus.next_text()).collect();
    library.train(&mut TrainerWrapper::BpeTrainer(trainer.build()), texts.iter().map(String::as_str)).unwrap();
    let mut file: Value = serde_json::from_str(&library.to_string(false).unwrap()).unwrap();
    for flag in ["byte_fallback", "ignore_merges", "unk_token", "fuse_unk"] {
        file["model"][flag] = settings["model"][flag].clone();
    }
    add_tokens(&mut file, byte_fallback);
    file
}

/// The characters that stand for bytes in byte-level vocabularies.
fn is_byte(c: char) -> bool {
    matches!(c, '!'..='~' | '\u{a1}'..='\u{ac}' | '\u{ae}'..='\u{143}')
}

/// Added tokens of all kinds: in the vocabulary or not, special or not, normalized or not, one the start of another.
fn add_tokens(file: &mut Value, byte_fallback: bool) {
    let vocabulary = file["model"]["vocab"].as_object_mut().unwrap();
    let mut next = vocabulary.len() as u32;
    let mut of_vocabulary: Vec<String> = vec!["<｜begin▁of▁sentence｜>".to_owned(), "<|end|>".to_owned()];
    if byte_fallback {
        of_vocabulary.push("<unk>".to_owned());
        of_vocabulary.extend((0..256).map(|byte| format!("<0x{byte:02X}>")));
    }
    for token in of_vocabulary {
        vocabulary.entry(token).or_insert_with(|| {
            next += 1;
            json!(next - 1)
        });
    }
    let mut added = Vec::new();
    let texts = ["<｜begin▁of▁sentence｜>", "<|end|>", "<|end|>more", "<tool_call>", "\n\n\n", "<e\u{301}>"];
    for (number, content) in texts.iter().enumerate() {
        added.push(json!({"id": number, "content": content, "single_word": false, "lstrip": false, "rstrip": false,
                          "normalized": number == 5 && !byte_fallback, "special": number < 3}));
    }
    file["added_tokens"] = json!(added);
}
