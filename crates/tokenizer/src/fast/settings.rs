//! What a `tokenizer.json` says besides its vocabulary.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Why a file is left to the `tokenizers` library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unsupported(pub(crate) String);

/// The parts of a file by their names there.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct TokenizerSettings {
    pub(crate) added_tokens: Vec<AddedToken>,
    pub(crate) normalizer: Value,
    pub(crate) pre_tokenizer: Value,
    pub(crate) post_processor: Value,
    pub(crate) decoder: Value,
    pub(crate) model: ModelSettings,
}

/// The `model` without its vocabulary and merges.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ModelSettings {
    pub(crate) dropout: Option<f32>,
    pub(crate) unk_token: Option<String>,
    pub(crate) continuing_subword_prefix: Option<String>,
    pub(crate) end_of_word_suffix: Option<String>,
    pub(crate) byte_fallback: bool,
    pub(crate) ignore_merges: bool,
    /// The number of entries in its vocabulary.
    pub(crate) entries: u32,
}

/// A token that is found in the text before anything else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AddedToken {
    pub(crate) content: String,
    pub(crate) single_word: bool,
    /// Whether it includes the white space before it.
    pub(crate) lstrip: bool,
    /// Whether it includes the white space after it.
    pub(crate) rstrip: bool,
    /// Whether it is found in the normalized text.
    pub(crate) normalized: bool,
    pub(crate) special: bool,
    /// Its id if it is in the vocabulary as well. Not part of the file.
    #[serde(default)]
    pub(crate) vocabulary_id: Option<u32>,
}

/// Steps of a `Sequence`, or the single step; none for `null`.
pub(crate) fn steps<'v>(value: &'v Value, list: &str) -> Vec<&'v Value> {
    match value {
        Value::Null => Vec::new(),
        _ if kind(value) == "Sequence" => {
            value.get(list).and_then(Value::as_array).into_iter().flatten().flat_map(|step| steps(step, list)).collect()
        }
        _ => vec![value],
    }
}

/// The `type` of a step.
pub(crate) fn kind(step: &Value) -> &str {
    step.get("type").and_then(Value::as_str).unwrap_or_default()
}

/// A flag of a step; `None` if it is missing.
pub(crate) fn flag(step: &Value, name: &str) -> Option<bool> {
    step.get(name).and_then(Value::as_bool)
}

pub(crate) fn unsupported<T>(what: impl Into<String>) -> Result<T, Unsupported> {
    Err(Unsupported(what.into()))
}
