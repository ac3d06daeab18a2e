//! A place in the text of a line. Each function returns `None` where the text is not what was asked for.

use serde::Deserialize;

/// Powers of ten that are exact as floating-point numbers.
const TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];
/// Whole numbers up to this one are exact as floating-point numbers.
const LARGEST_EXACT: u64 = 1 << 53;
/// As many digits always fit into 64 bits.
const SAFE_DIGITS: usize = 19;

#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub(super) fn new(line: &'a [u8]) -> Self {
        Self { rest: line }
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    #[inline]
    pub(super) fn eat(&mut self, text: &[u8]) -> Option<()> {
        self.rest = self.rest.strip_prefix(text)?;
        Some(())
    }

    /// The name of a field, with the colon after it.
    #[inline]
    pub(super) fn key(&mut self) -> Option<&'a [u8]> {
        let key = self.quoted()?;
        self.eat(b":")?;
        Some(key)
    }

    pub(super) fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.quoted()?).ok()
    }

    /// A text that is put there, or `null`.
    pub(super) fn text_or_null(&mut self, to: &mut Option<String>) -> Option<()> {
        if self.eat(b"null").is_none() {
            *to = Some(self.text()?.to_owned());
        }
        Some(())
    }

    /// The text between two quotation marks, without anything that stands for something else.
    #[inline]
    pub(super) fn quoted(&mut self) -> Option<&'a [u8]> {
        self.eat(b"\"")?;
        let end = memchr::memchr(b'"', self.rest)?;
        let (inside, rest) = self.rest.split_at(end);
        // Without an early end, so that many bytes are looked at together.
        let is_special = |byte: &u8| u8::from(*byte < 0x20) | u8::from(*byte == b'\\');
        if inside.iter().fold(0, |found, byte| found | is_special(byte)) != 0 {
            return None;
        }
        self.rest = &rest[1..];
        Some(inside)
    }

    /// A whole number that fits into 64 bits.
    #[inline]
    pub(super) fn whole(&mut self) -> Option<u64> {
        let (digits, rest) = self.digits()?;
        if matches!(rest.first(), Some(b'.' | b'e' | b'E')) {
            return None;
        }
        let value = digits
            .iter()
            .try_fold(0_u64, |value, digit| value.checked_mul(10)?.checked_add(u64::from(digit - b'0')))?;
        self.rest = rest;
        Some(value)
    }

    /// A whole number that is put there, or `null`.
    pub(super) fn whole_or_null(&mut self, to: &mut Option<u64>) -> Option<()> {
        if self.eat(b"null").is_none() {
            *to = Some(self.whole()?);
        }
        Some(())
    }

    pub(super) fn truth(&mut self) -> Option<bool> {
        if self.eat(b"true").is_some() {
            return Some(true);
        }
        self.eat(b"false").map(|()| false)
    }

    /// The digits before a point or an end. A number does not begin with a needless zero.
    #[inline]
    fn digits(&self) -> Option<(&'a [u8], &'a [u8])> {
        let count = count_digits(self.rest);
        let is_number = count > 0 && (count == 1 || self.rest[0] != b'0');
        is_number.then(|| self.rest.split_at(count))
    }

    /// The floating-point number that is nearest to what is written.
    #[inline]
    pub(super) fn number(&mut self) -> Option<f64> {
        let begin = self.rest;
        let is_negative = self.eat(b"-").is_some();
        let (whole, mut rest) = self.digits()?;
        let mut fraction: &[u8] = &[];
        if let Some(after) = rest.strip_prefix(b".") {
            let count = count_digits(after);
            if count == 0 {
                return None;
            }
            (fraction, rest) = after.split_at(count);
        }
        let has_exponent = matches!(rest.first(), Some(b'e' | b'E'));
        self.rest = if has_exponent { after_exponent(rest)? } else { rest };
        if !has_exponent && whole.len() + fraction.len() <= SAFE_DIGITS {
            let all = whole.iter().chain(fraction).fold(0_u64, |value, digit| value * 10 + u64::from(digit - b'0'));
            if all <= LARGEST_EXACT {
                // One rounding of two exact numbers: the result is the nearest one.
                let value = all as f64 / TENS[fraction.len()];
                return Some(if is_negative { -value } else { value });
            }
        }
        let text = std::str::from_utf8(&begin[..begin.len() - self.rest.len()]).ok()?;
        text.parse().ok().filter(|value: &f64| value.is_finite())
    }

    /// Passes over a value that is not a list and not an object.
    pub(super) fn skip(&mut self) -> Option<()> {
        match self.rest.first()? {
            b'"' => self.quoted().map(drop),
            b't' | b'f' => self.truth().map(drop),
            b'n' => self.eat(b"null"),
            b'-' | b'0'..=b'9' => self.number().map(drop),
            _ => None,
        }
    }

    /// A value of any layout.
    pub(super) fn value<T: Deserialize<'a>>(&mut self) -> Option<T> {
        let mut values = serde_json::Deserializer::from_slice(self.rest).into_iter::<T>();
        let value = values.next()?.ok()?;
        self.rest = &self.rest[values.byte_offset()..];
        Some(value)
    }
}

#[inline]
fn count_digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// What follows an exponent, which the text begins with.
fn after_exponent(text: &[u8]) -> Option<&[u8]> {
    let mut rest = &text[1..];
    if let Some(b'+' | b'-') = rest.first() {
        rest = &rest[1..];
    }
    let count = count_digits(rest);
    (count > 0).then(|| &rest[count..])
}
