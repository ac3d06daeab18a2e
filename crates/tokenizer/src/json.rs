//! A tokenizer described by a Hugging Face `tokenizer.json`.

use std::path::Path;

use tokenizers::{
    NormalizedString, Normalizer, OffsetReferential, OffsetType, PostProcessor, PreTokenizedString, PreTokenizer,
};

use crate::pieces::PieceCut;
use crate::{ChatTemplate, Tokenizer, TokenizerError};

/// Texts that every usable tokenizer can encode: words, and a character that is in no vocabulary (private use area).
const PROBES: [&str; 2] = ["The quick brown fox", "\u{e000}"];

#[derive(Debug)]
pub(crate) struct JsonTokenizer {
    name: String,
    inner: tokenizers::Tokenizer,
    special_tokens_to_add: usize,
    keeps_words_apart: bool,
    cut: PieceCut,
    chat_template: Option<ChatTemplate>,
}

impl JsonTokenizer {
    pub(crate) fn read(name: &str, path: &Path) -> Result<Self, TokenizerError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| TokenizerError::Unreadable { path: path.to_owned(), reason: source.to_string() })?;
        let invalid = |reason: String| TokenizerError::Invalid { path: path.to_owned(), reason };
        // Parsed from a string because that is compiled in their crate; `from_bytes` is generic and would be compiled here again.
        let mut inner: tokenizers::Tokenizer = text.parse().map_err(|e: tokenizers::Error| invalid(e.to_string()))?;
        // Files of embedding models truncate or pad every text to a fixed length, which would make counts wrong.
        inner.with_padding(None);
        inner.with_truncation(None).map_err(|e| invalid(e.to_string()))?;
        // Encoding can only fail in a vocabulary without an unknown token. Checked here, it cannot fail later.
        for probe in PROBES {
            inner.encode_fast(probe, false).map_err(|e| invalid(format!("it cannot encode {probe:?}: {e}")))?;
        }
        let special_tokens_to_add = inner.get_post_processor().map_or(0, |processor| processor.added_tokens(false));
        let keeps_words_apart = keeps_words_apart(&inner);
        let cut = PieceCut::probe(|text| count(&inner, text));
        Ok(Self { name: name.to_owned(), inner, special_tokens_to_add, keeps_words_apart, cut, chat_template: None })
    }

    pub(crate) fn with_chat_template(self, template: ChatTemplate) -> Self {
        Self { chat_template: Some(template), ..self }
    }
}

impl Tokenizer for JsonTokenizer {
    fn name(&self) -> &str {
        &self.name
    }

    fn encode(&self, text: &str) -> Vec<u32> {
        self.inner.encode_fast(text, false).map(|encoding| encoding.get_ids().to_vec()).unwrap_or_default()
    }

    fn decode(&self, tokens: &[u32]) -> String {
        self.inner.decode(tokens, false).unwrap_or_default()
    }

    fn count(&self, text: &str) -> usize {
        self.cut.pieces(text).map(|piece| count(&self.inner, piece)).sum()
    }

    fn special_tokens_to_add(&self) -> usize {
        self.special_tokens_to_add
    }

    fn keeps_words_apart(&self) -> bool {
        self.keeps_words_apart
    }

    fn vocabulary(&self, with_special_tokens: bool) -> Vec<u32> {
        let added = self.inner.get_added_tokens_decoder();
        let is_special = |id: &u32| added.get(id).is_some_and(|token| token.special);
        let mut ids: Vec<u32> = self.inner.get_vocab(true).into_values().collect();
        ids.retain(|id| with_special_tokens || !is_special(id));
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    fn uses_library(&self) -> bool {
        true
    }

    fn chat_template(&self) -> Option<&ChatTemplate> {
        self.chat_template.as_ref()
    }
}

fn count(inner: &tokenizers::Tokenizer, text: &str) -> usize {
    inner.encode_fast(text, false).map_or(0, |encoding| encoding.len())
}

/// Whether words are tokenized separately. Models see the pieces of a pre-tokenizer one by one: if each space and each
/// punctuation mark begins a piece, no token spans it.
fn keeps_words_apart(inner: &tokenizers::Tokenizer) -> bool {
    const SENTENCES: &str = "So it was, then. The river rose while Anna slept. In 1 hour, all was over";
    let Some(pre_tokenizer) = inner.get_pre_tokenizer() else { return false };
    let mut text = NormalizedString::from(SENTENCES);
    if inner.get_normalizer().is_some_and(|normalizer| normalizer.normalize(&mut text).is_err()) {
        return false;
    }
    let mut pieces = PreTokenizedString::from(text);
    if pre_tokenizer.pre_tokenize(&mut pieces).is_err() {
        return false;
    }
    let pieces = pieces.get_splits(OffsetReferential::Original, OffsetType::Byte);
    let begins = |place: usize| pieces.iter().any(|(_, (start, _), _)| *start == place);
    SENTENCES.char_indices().all(|(place, c)| match c {
        ' ' => begins(place) || begins(place + 1),
        ',' | '.' => begins(place),
        _ => true,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn described(description: &Value) -> Result<JsonTokenizer, TokenizerError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokenizer.json");
        std::fs::write(&path, description.to_string()).unwrap();
        JsonTokenizer::read("small", &path)
    }

    fn words() -> Value {
        json!({
            "version": "1.0",
            "truncation": {"direction": "Right", "max_length": 3, "strategy": "LongestFirst", "stride": 0},
            "padding": {"strategy": {"Fixed": 8}, "direction": "Right", "pad_to_multiple_of": null,
                        "pad_id": 0, "pad_type_id": 0, "pad_token": "<unk>"},
            "added_tokens": [{"id": 1, "content": "<s>", "single_word": false, "lstrip": false, "rstrip": false,
                              "normalized": false, "special": true}],
            "normalizer": null,
            "pre_tokenizer": {"type": "Whitespace"},
            "post_processor": {
                "type": "TemplateProcessing",
                "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
                "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
                "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}}
            },
            "decoder": null,
            "model": {"type": "WordLevel", "vocab": {"<unk>": 0, "<s>": 1, "hello": 2, "world": 3}, "unk_token": "<unk>"}
        })
    }

    #[test]
    fn the_files_own_truncation_and_padding_do_not_touch_counts() {
        let tokenizer = described(&words()).unwrap();
        assert_eq!(tokenizer.encode("hello world"), [2, 3]);
        assert_eq!(tokenizer.count("hello world hello world nobody"), 5);
        assert_eq!(tokenizer.decode(&[2, 3]), "hello world");
    }

    #[test]
    fn a_bos_is_told_but_not_encoded() {
        let tokenizer = described(&words()).unwrap();
        assert_eq!(tokenizer.special_tokens_to_add(), 1);
        assert_eq!(tokenizer.count("hello"), 1);
        assert_eq!(tokenizer.name(), "small");
    }

    #[test]
    fn a_vocabulary_without_unknown_token_is_refused_at_load() {
        let mut description = words();
        description["model"]["unk_token"] = json!("<missing>");
        let error = described(&description).unwrap_err().to_string();
        assert!(error.contains("cannot encode"), "{error}");
    }

    /// Byte pairs: single characters, and the merges that make up some words.
    fn byte_pairs(normalizer: &Value, pre_tokenizer: &Value, blank: &str) -> Value {
        let mut tokens: Vec<String> = (33_u8..127).map(|byte| char::from(byte).to_string()).collect();
        tokens.extend([blank, "\u{10a}", "<unk>"].map(str::to_owned));
        let merges = [
            ("t", "h"),
            ("th", "e"),
            (blank, "the"),
            ("a", "n"),
            ("an", "d"),
            (blank, "and"),
            (blank, "a"),
            ("o", "f"),
        ];
        tokens.extend(merges.map(|(left, right)| format!("{left}{right}")));
        let vocabulary: serde_json::Map<String, Value> =
            tokens.into_iter().zip(0..).map(|(token, id): (String, u32)| (token, json!(id))).collect();
        json!({
            "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": normalizer,
            "pre_tokenizer": pre_tokenizer, "post_processor": null, "decoder": null,
            "model": {"type": "BPE", "dropout": null, "unk_token": "<unk>", "continuing_subword_prefix": null,
                      "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false, "vocab": vocabulary,
                      "merges": merges.map(|(left, right)| json!([left, right]))},
        })
    }

    /// The shapes of real files: GPT-2 and Llama 3, Llama 2 with its mark in front, and T5.
    fn shapes() -> [(Value, PieceCut); 3] {
        let byte_level =
            json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true});
        let marked = json!({"type": "Sequence", "normalizers": [
            {"type": "Prepend", "prepend": "\u{2581}"}, {"type": "Replace", "pattern": {"String": " "}, "content": "\u{2581}"}]});
        let metaspace =
            json!({"type": "Metaspace", "replacement": "\u{2581}", "prepend_scheme": "always", "split": true});
        [
            (byte_pairs(&Value::Null, &byte_level, "\u{120}"), PieceCut::BeforeBlank),
            (byte_pairs(&marked, &Value::Null, "\u{2581}"), PieceCut::WithoutBlank),
            (byte_pairs(&Value::Null, &metaspace, "\u{2581}"), PieceCut::BeforeBlank),
        ]
    }

    #[test]
    fn a_long_text_has_as_many_tokens_in_pieces_as_at_once() {
        let sentence = "the cat and the dog, and 1 of a thousand. Then\nother words and more of the and ";
        let long = sentence.repeat(3 * 65_536 / sentence.len());
        for (description, cut) in shapes() {
            let tokenizer = described(&description).unwrap();
            assert_eq!(tokenizer.cut, cut);
            assert!(cut.pieces(&long).count() > 2);
            assert_eq!(tokenizer.count(&long), tokenizer.encode(&long).len(), "{cut:?}");
        }
    }

    #[test]
    fn a_file_that_is_no_tokenizer_is_named() {
        let error = described(&json!({"model": 1})).unwrap_err().to_string();
        assert!(error.contains("tokenizer.json") && error.contains("--tokenizer builtin"), "{error}");
    }
}
