//! How tokens become text again.

use aiperf_bpe::{MARK, bytes_of_token};
use serde_json::Value;

use super::settings::{Unsupported, kind, steps, unsupported};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenDecoder {
    /// The characters of a token stand for bytes.
    ByteLevel,
    /// Marks become spaces, and tokens of bytes become those bytes.
    Marked {
        /// Whether a space at the start is removed.
        strips_first: bool,
    },
}

impl TokenDecoder {
    pub(crate) fn of(decoder: &Value) -> Result<Self, Unsupported> {
        let steps = steps(decoder, "decoders");
        let kinds: Vec<&str> = steps.iter().map(|step| kind(step)).collect();
        match (kinds.as_slice(), steps.as_slice()) {
            (["ByteLevel"], _) => Ok(Self::ByteLevel),
            (["Replace", "ByteFallback", "Fuse", rest @ ..], [replace, _, _, strips @ ..]) => {
                let is_usual = replace["pattern"].get("String").and_then(Value::as_str)
                    == Some(MARK.to_string().as_str())
                    && replace["content"].as_str() == Some(" ");
                let strips_first = match (rest, strips) {
                    ([], []) => false,
                    (["Strip"], [strip]) if strip["content"] == " " && strip["start"] == 1 && strip["stop"] == 0 => {
                        true
                    }
                    _ => return unsupported("decoder"),
                };
                if is_usual { Ok(Self::Marked { strips_first }) } else { unsupported("decoder") }
            }
            _ => unsupported("decoder"),
        }
    }

    /// The text of tokens. Each is the bytes of a token of the vocabulary, or the text of an added token.
    pub(crate) fn decode<'t>(self, tokens: impl Iterator<Item = DecodedToken<'t>>) -> String {
        match self {
            Self::ByteLevel => {
                let mut bytes = Vec::new();
                for token in tokens {
                    match token {
                        DecodedToken::Vocabulary(own) => bytes.extend(own),
                        DecodedToken::Added(text) => {
                            if !bytes_of_token(text, &mut bytes) {
                                bytes.extend(text.as_bytes());
                            }
                        }
                    }
                }
                String::from_utf8_lossy(&bytes).into_owned()
            }
            Self::Marked { strips_first } => {
                let (mut text, mut pending) = (String::new(), Vec::new());
                for token in tokens {
                    let own = match token {
                        DecodedToken::Vocabulary(own) => std::str::from_utf8(own).unwrap_or_default(),
                        DecodedToken::Added(own) => own,
                    };
                    let own = own.replace(MARK, " ");
                    if let Some(byte) = byte_of(&own) {
                        pending.push(byte);
                    } else {
                        add_bytes(&mut pending, &mut text);
                        text.push_str(&own);
                    }
                }
                add_bytes(&mut pending, &mut text);
                if strips_first && text.starts_with(' ') {
                    text.remove(0);
                }
                text
            }
        }
    }
}

/// A token to decode.
#[derive(Debug, Clone, Copy)]
pub(crate) enum DecodedToken<'t> {
    Vocabulary(&'t [u8]),
    Added(&'t str),
}

/// The byte of a token such as `<0x0A>`.
fn byte_of(token: &str) -> Option<u8> {
    let digits = token.strip_prefix("<0x")?.strip_suffix('>')?;
    if digits.len() == 2 { u8::from_str_radix(digits, 16).ok() } else { None }
}

/// Appends bytes; if they are not UTF-8, a replacement character for each.
fn add_bytes(bytes: &mut Vec<u8>, text: &mut String) {
    match std::str::from_utf8(bytes) {
        Ok(valid) => text.push_str(valid),
        Err(_) => text.extend(std::iter::repeat_n(char::REPLACEMENT_CHARACTER, bytes.len())),
    }
    bytes.clear();
}
