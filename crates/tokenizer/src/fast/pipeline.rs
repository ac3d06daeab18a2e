//! How text becomes pieces: chosen by what the file says about normalization and pre-tokenization.

use std::borrow::Cow;

use aiperf_bpe::{Lead, MARK, MarkedWords, RegexSplit, Splitter, Stage, Vocabulary, WordPattern};
use serde_json::Value;
use unicode_normalization_alignments::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use super::settings::{TokenizerSettings, Unsupported, flag, kind, steps, unsupported};

/// Two of the three patterns of DeepSeek V3; the third is a [`WordPattern`].
const NUMBERS: &str = r"\p{N}{1,3}";
const IDEOGRAPHS: &str = "[一-龥\u{3040}-ゟ゠-ヿ]+";

#[derive(Debug)]
pub(crate) enum Pipeline {
    /// Byte-level vocabularies: text is split by patterns.
    Bytes { nfc: bool, leading_space: bool, splitter: Splitter },
    /// Vocabularies of characters that were converted from `SentencePiece`.
    Characters {
        words: MarkedWords,
        /// Whether a mark is only put before a text, not after added tokens as well.
        leads_once: bool,
    },
}

impl Pipeline {
    pub(crate) fn of(settings: &TokenizerSettings) -> Result<Self, Unsupported> {
        let normalizers = steps(&settings.normalizer, "normalizers");
        let splits = steps(&settings.pre_tokenizer, "pretokenizers");
        match (normalizers.as_slice(), splits.as_slice()) {
            ([], [metaspace]) if kind(metaspace) == "Metaspace" => marked_by_metaspace(metaspace),
            (normalizers, [splits @ .., byte_level]) if kind(byte_level) == "ByteLevel" => {
                let nfc = match normalizers {
                    [] => false,
                    [only] if kind(only) == "NFC" => true,
                    _ => return unsupported("normalizer"),
                };
                let leading_space = flag(byte_level, "add_prefix_space").unwrap_or(true);
                if leading_space && !splits.is_empty() {
                    return unsupported("a space before each piece");
                }
                let mut stages = splits.iter().map(|split| stage(split)).collect::<Result<Vec<_>, _>>()?;
                if flag(byte_level, "use_regex").unwrap_or(true) {
                    stages.push(Stage::Words(WordPattern::Gpt2));
                }
                Ok(Self::Bytes { nfc, leading_space, splitter: Splitter::new(stages) })
            }
            (normalizers @ [_, ..], splits) if splits.iter().all(|split| splits_spaces(split)) => {
                let replaces = normalizers.iter().filter(|step| replaces_spaces(step)).count();
                let prepends = normalizers.iter().filter(|step| prepends_mark(step)).count();
                if replaces != 1 || prepends > 1 || replaces + prepends != normalizers.len() {
                    return unsupported("normalizer");
                }
                let lead = if prepends == 1 { Lead::Always } else { Lead::Never };
                Ok(Self::Characters { words: MarkedWords { lead, splits_at_marks: false }, leads_once: false })
            }
            _ => unsupported("pre_tokenizer"),
        }
    }

    /// The text as it is encoded.
    pub(crate) fn normalized<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self {
            Self::Bytes { nfc: true, .. } => nfc(text),
            Self::Bytes { .. } | Self::Characters { .. } => Cow::Borrowed(text),
        }
    }

    /// Whether [`Pipeline::normalized`] is all of the normalization, so that tokens can be found in its result.
    pub(crate) fn normalizes_at_once(&self) -> bool {
        match self {
            Self::Bytes { .. } => true,
            // A metaspace is part of the pre-tokenization.
            Self::Characters { words, .. } => words.lead == Lead::UnlessMarked || words.splits_at_marks,
        }
    }

    /// Passes on the pieces of a normalized text without added tokens. `is_start`: whether the whole text starts with it.
    #[inline]
    pub(crate) fn each_piece(&self, vocabulary: &Vocabulary, text: &str, is_start: bool, mut piece: impl FnMut(&str)) {
        match self {
            Self::Bytes { leading_space: true, splitter, .. } if !text.starts_with(' ') && !text.is_empty() => {
                splitter.each(&format!(" {text}"), piece);
            }
            Self::Bytes { splitter, .. } => splitter.each(text, piece),
            Self::Characters { words, leads_once } => {
                words.each(vocabulary, text, is_start || !leads_once, |part| piece(part));
            }
        }
    }
}

/// Normalization form C, in the Unicode version of the `tokenizers` library.
pub(crate) fn nfc(text: &str) -> Cow<'_, str> {
    // Characters below U+0300 have at most two bytes, of which the first is below 0xCC. They are never composed.
    let Some(at) = text.bytes().position(|byte| byte >= 0xCC) else { return Cow::Borrowed(text) };
    if is_nfc_quick(text[at..].chars()) == IsNormalized::Yes {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.nfc().map(|(c, _)| c).collect())
}

fn marked_by_metaspace(metaspace: &Value) -> Result<Pipeline, Unsupported> {
    let is_mark = metaspace.get("replacement").and_then(Value::as_str) == Some(MARK.to_string().as_str());
    let scheme = metaspace.get("prepend_scheme").map_or(Some("always"), Value::as_str);
    let prefix = flag(metaspace, "add_prefix_space");
    let (lead, leads_once) = match scheme {
        Some("always") if prefix != Some(false) => (Lead::UnlessMarked, false),
        Some("first") if prefix != Some(false) => (Lead::UnlessMarked, true),
        Some("never") => (Lead::Never, false),
        _ => return unsupported("prepend_scheme"),
    };
    if !is_mark {
        return unsupported("replacement of spaces");
    }
    let splits_at_marks = flag(metaspace, "split").unwrap_or(true);
    Ok(Pipeline::Characters { words: MarkedWords { lead, splits_at_marks }, leads_once })
}

fn stage(step: &Value) -> Result<Stage, Unsupported> {
    match kind(step) {
        "Digits" => Ok(Stage::Digits { individual: flag(step, "individual_digits").unwrap_or(false) }),
        "Split" => {
            let pattern = step.get("pattern").and_then(|pattern| pattern.get("Regex")).and_then(Value::as_str);
            let behavior = step.get("behavior").and_then(Value::as_str);
            let keeps_gaps = match (behavior, flag(step, "invert")) {
                (Some("Isolated"), Some(false)) => true,
                (Some("Removed"), Some(true)) => false,
                _ => return unsupported("behavior of a split"),
            };
            let Some(pattern) = pattern else { return unsupported("split by a text") };
            match (WordPattern::known(pattern), pattern) {
                (None, NUMBERS) if keeps_gaps => Ok(Stage::Numbers { most: 3 }),
                (None, IDEOGRAPHS) if keeps_gaps => Ok(Stage::Ideographs),
                (Some(known), _) if keeps_gaps || known != WordPattern::DeepSeek => Ok(Stage::Words(known)),
                _ => match RegexSplit::new(pattern, keeps_gaps) {
                    Some(split) => Ok(Stage::Regex(split)),
                    None => unsupported(format!("the pattern {pattern:?}")),
                },
            }
        }
        other => unsupported(format!("pre-tokenizer {other}")),
    }
}

fn replaces_spaces(step: &Value) -> bool {
    kind(step) == "Replace"
        && step["pattern"].get("String").and_then(Value::as_str) == Some(" ")
        && step["content"].as_str() == Some(MARK.to_string().as_str())
}

fn prepends_mark(step: &Value) -> bool {
    kind(step) == "Prepend" && step["prepend"].as_str() == Some(MARK.to_string().as_str())
}

/// A split at spaces does nothing after they have been replaced.
fn splits_spaces(step: &Value) -> bool {
    kind(step) == "Split" && step["pattern"].get("String").and_then(Value::as_str) == Some(" ")
}
