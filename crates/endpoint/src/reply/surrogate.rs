//! Halves of characters in JSON strings. A JSON text may hold one half of a UTF-16 surrogate pair (`"\ud83d"`): proxies that
//! cut JavaScript strings send an emoji as two events with one half each. Such an event is not readable as Rust text, but it is
//! content like any other, so that each lone half is replaced by a stand-in before the event is read, and halves that meet
//! become the character again.

use std::borrow::Cow;

use serde_json::Value;

/// The first surrogate, and how many there are.
const FIRST: u32 = 0xD800;
const COUNT: u32 = 0x800;
/// The first code point of those that stand for surrogates while a reply is put together: the private use area of plane 16,
/// which no tokenizer has and no server sends.
const STAND_INS: u32 = 0x10_F000;
/// The first byte of every stand-in in UTF-8.
const LEAD_BYTE: u8 = 0xF4;
const FIRST_LOW: u16 = 0xDC00;

/// The JSON text with a stand-in for each lone surrogate; `None` if it has none.
pub(crate) fn replace_lone(json: &str) -> Option<String> {
    let bytes = json.as_bytes();
    let mut replaced = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &bytes[at..]) {
        let escape = at + found;
        let Some(unit) = unit_at(bytes, escape) else {
            // A backslash and the character that it escapes.
            at = (escape + 2).min(bytes.len());
            continue;
        };
        at = escape + ESCAPE_LENGTH;
        if !(FIRST..FIRST + COUNT).contains(&u32::from(unit)) {
            continue;
        }
        if unit < FIRST_LOW && unit_at(bytes, at).is_some_and(is_low) {
            at += ESCAPE_LENGTH;
            continue;
        }
        replaced.push_str(&json[copied..escape]);
        replaced.extend(char::from_u32(STAND_INS + u32::from(unit) - FIRST));
        copied = at;
    }
    if copied == 0 {
        return None;
    }
    replaced.push_str(&json[copied..]);
    Some(replaced)
}

/// Bytes of an escape: a backslash, the letter u and four hexadecimal digits.
const ESCAPE_LENGTH: usize = 6;

fn unit_at(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + ESCAPE_LENGTH)?.strip_prefix(b"\\u")?;
    let digits = std::str::from_utf8(digits).ok().filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))?;
    u16::from_str_radix(digits, 16).ok()
}

fn is_low(unit: u16) -> bool {
    (FIRST_LOW..0xE000).contains(&unit)
}

/// The surrogate that a character stands for.
fn surrogate_of(c: char) -> Option<u16> {
    let offset = u32::from(c).checked_sub(STAND_INS).filter(|offset| *offset < COUNT)?;
    u16::try_from(FIRST + offset).ok()
}

/// Text that comes in pieces, of which some may hold stand-ins.
#[derive(Debug, Clone, Default)]
pub(crate) struct Joined {
    text: String,
    /// A high surrogate at the end of the last piece, for which the low one may still come.
    half: Option<u16>,
}

impl Joined {
    /// Text as it is.
    pub(crate) fn push(&mut self, piece: &str) {
        self.close_half();
        self.text.push_str(piece);
    }

    /// Text that may hold stand-ins.
    pub(crate) fn push_with_stand_ins(&mut self, piece: &str) {
        for c in piece.chars() {
            match surrogate_of(c) {
                Some(unit) if is_low(unit) => match self.half.take() {
                    Some(high) => self.text.extend(char::decode_utf16([high, unit]).map(|c| c.unwrap_or(REPLACEMENT))),
                    None => self.text.push(REPLACEMENT),
                },
                Some(high) => {
                    self.close_half();
                    self.half = Some(high);
                }
                None => {
                    self.close_half();
                    self.text.push(c);
                }
            }
        }
    }

    /// What is certain so far: a half that waits for the other is not part of it.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    pub(crate) fn finish(mut self) -> String {
        self.close_half();
        self.text
    }

    fn close_half(&mut self) {
        if self.half.take().is_some() {
            self.text.push(REPLACEMENT);
        }
    }
}

const REPLACEMENT: char = char::REPLACEMENT_CHARACTER;

/// The text with its stand-ins joined to characters, or replaced.
pub(crate) fn resolved(text: &str) -> Cow<'_, str> {
    if memchr::memchr(LEAD_BYTE, text.as_bytes()).is_none() || !text.chars().any(|c| surrogate_of(c).is_some()) {
        return Cow::Borrowed(text);
    }
    let mut joined = Joined::default();
    joined.push_with_stand_ins(text);
    Cow::Owned(joined.finish())
}

/// Does the same to all strings of a value.
pub(crate) fn resolve_value(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(whole) = resolved(text) {
                *text = whole;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(resolve_value),
        Value::Object(fields) => fields.values_mut().for_each(resolve_value),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The string of a JSON text, read with its lone halves replaced.
    fn read(json: &str) -> String {
        let replaced = replace_lone(json);
        let text: String = serde_json::from_str(replaced.as_deref().unwrap_or(json)).unwrap();
        resolved(&text).into_owned()
    }

    #[test]
    fn a_lone_half_is_replaced_and_a_pair_is_left_alone() {
        assert_eq!(read(r#""a\ud83db""#), "a\u{FFFD}b");
        assert_eq!(read(r#""\ude00""#), "\u{FFFD}");
        assert_eq!(read(r#""\ud83d\ud83d\ude00""#), "\u{FFFD}\u{1F600}");
        assert_eq!(read(r#""\ude00\ud83d""#), "\u{FFFD}\u{FFFD}");
        for whole in [r#""\ud83d\ude00""#, r#""\\ud83d""#, r#""plain""#, r#""\u00e9\n""#, r#""\uZZZZ""#, "\"\\", ""] {
            assert_eq!(replace_lone(whole), None, "{whole}");
        }
    }

    #[test]
    fn halves_in_two_pieces_become_one_character() {
        let mut joined = Joined::default();
        let half = |json: &str| serde_json::from_str::<String>(&replace_lone(json).unwrap()).unwrap();
        joined.push_with_stand_ins(&half(r#""so \ud83d""#));
        assert_eq!(joined.as_str(), "so ");
        joined.push_with_stand_ins(&half(r#""\ude00!""#));
        assert_eq!(joined.as_str(), "so \u{1F600}!");
        joined.push_with_stand_ins(&half(r#""\ud83d""#));
        joined.push("other");
        assert_eq!(joined.finish(), "so \u{1F600}!\u{FFFD}other");
    }

    proptest! {
        #[test]
        fn any_units_read_as_a_lossy_reading_of_utf16_says(units in prop::collection::vec(prop_oneof![
            0xD7FE_u16..0xE002, Just(u16::from(b'a')), Just(0x20)
        ], 0..12)) {
            let escapes: Vec<String> = units.iter().map(|unit| format!("\\u{unit:04x}")).collect();
            let expected = String::from_utf16_lossy(&units);
            // A pair can be one of the characters that stand for halves, which no server sends.
            prop_assume!(!expected.chars().any(|c| surrogate_of(c).is_some()));
            prop_assert_eq!(read(&format!("\"{}\"", escapes.concat())), expected);
        }

        #[test]
        fn no_text_panics(json in ".{0,40}|[\\\\ud83e0\"]{0,30}") {
            let _ = replace_lone(&json);
        }
    }
}
