//! One line of a page. Parsing is a pure function that borrows from the line.

use super::PageFormat;
use super::labels::{Labels, unescaped};

/// What a line says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PageLine<'a> {
    /// A blank line, or a comment.
    Nothing,
    Help {
        name: &'a str,
        text: &'a str,
    },
    Type {
        name: &'a str,
        kind: &'a str,
    },
    Unit {
        name: &'a str,
        unit: &'a str,
    },
    Sample(SampleText<'a>),
    /// `# EOF`, the end of an OpenMetrics page.
    End,
}

/// A sample whose labels are checked and not yet unescaped.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SampleText<'a> {
    /// Name and labels as they stand on the line.
    pub key: &'a str,
    /// The name before the braces; empty if it is quoted inside them.
    bare_name: &'a str,
    /// Between the braces.
    inside: &'a str,
    pub value: f64,
}

impl<'a> PageLine<'a> {
    /// Parses one line without its end.
    pub fn parse(line: &'a str, format: PageFormat) -> Result<Self, &'static str> {
        let line = line.trim_start_matches(BLANKS);
        if line.is_empty() {
            return Ok(Self::Nothing);
        }
        match line.strip_prefix('#') {
            Some(comment) => Ok(Self::comment(comment, format)),
            None => SampleText::parse(line, format).map(Self::Sample),
        }
    }

    fn comment(comment: &'a str, format: PageFormat) -> Self {
        let (keyword, rest) = first_word(comment);
        let (name, text) = first_word(rest);
        let name = name.strip_prefix('"').and_then(|name| name.strip_suffix('"')).unwrap_or(name);
        match keyword {
            "HELP" if !name.is_empty() => Self::Help { name, text: text.trim_end_matches(BLANKS) },
            "TYPE" if !name.is_empty() => Self::Type { name, kind: text.trim_matches(BLANKS) },
            "UNIT" if !name.is_empty() => Self::Unit { name, unit: text.trim_matches(BLANKS) },
            "EOF" if rest.is_empty() && format == PageFormat::OpenMetrics => Self::End,
            _ => Self::Nothing,
        }
    }
}

const BLANKS: [char; 3] = [' ', '\t', '\r'];

/// The first word, and what follows the blanks after it.
fn first_word(text: &str) -> (&str, &str) {
    let text = text.trim_start_matches(BLANKS);
    let end = text.find(BLANKS).unwrap_or(text.len());
    (&text[..end], text[end..].trim_start_matches(BLANKS))
}

const NO_NAME: &str = "a sample has no name";
const OPEN_LABELS: &str = "the labels have no closing brace";
const BAD_LABEL: &str = "a label is not written name=\"value\"";

impl<'a> SampleText<'a> {
    fn parse(line: &'a str, format: PageFormat) -> Result<Self, &'static str> {
        let bytes = line.as_bytes();
        let mut at = bytes.iter().position(|byte| !is_name_byte(*byte)).unwrap_or(bytes.len());
        let bare_name = &line[..at];
        if bare_name.bytes().next().is_some_and(|first| first.is_ascii_digit()) {
            return Err(NO_NAME);
        }
        let brace = at + blanks(&bytes[at..]);
        let mut inside = "";
        if bytes.get(brace) == Some(&b'{') {
            let end = end_of_labels(&bytes[brace + 1..])?;
            inside = &line[brace + 1..brace + 1 + end];
            at = brace + end + 2;
        }
        let sample = Self { key: &line[..at], bare_name, inside, value: value(&line[at..], format)? };
        if bare_name.is_empty() && sample.quoted_name().is_none() {
            return Err(NO_NAME);
        }
        Ok(sample)
    }

    /// The name and the labels.
    pub fn name_and_labels(&self) -> (String, Labels) {
        let mut name = self.bare_name.to_owned();
        let mut pairs = Vec::new();
        for part in LabelParts(self.inside) {
            match part {
                LabelPart::Name(quoted) => quoted.clone_into(&mut name),
                LabelPart::Pair(label, value) => {
                    pairs.push((unescaped(label).into_owned(), unescaped(value).into_owned()));
                }
            }
        }
        (unescaped(&name).into_owned(), Labels::new(pairs))
    }

    fn quoted_name(&self) -> Option<&'a str> {
        LabelParts(self.inside).find_map(|part| match part {
            LabelPart::Name(name) => Some(name),
            LabelPart::Pair(..) => None,
        })
    }
}

/// Letters, digits, `_`, `:`, and anything beyond ASCII.
const fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b':' || byte >= 0x80
}

fn blanks(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// Checks the labels after the opening brace, and says where the closing one is.
fn end_of_labels(bytes: &[u8]) -> Result<usize, &'static str> {
    let mut at = 0;
    loop {
        at += blanks(&bytes[at..]);
        match bytes.get(at) {
            None => return Err(OPEN_LABELS),
            Some(b'}') => return Ok(at),
            Some(b'"') => at = end_of_quoted(bytes, at)?,
            Some(_) => {
                let name = bytes[at..].iter().take_while(|byte| is_name_byte(**byte)).count();
                if name == 0 {
                    return Err(BAD_LABEL);
                }
                at += name;
            }
        }
        at += blanks(&bytes[at..]);
        if bytes.get(at) == Some(&b'=') {
            at += 1;
            at += blanks(&bytes[at..]);
            at = end_of_quoted(bytes, at)?;
            at += blanks(&bytes[at..]);
        } else if bytes.get(at.wrapping_sub(1)) != Some(&b'"') {
            // Only a quoted name of the metric itself may stand without a value.
            return Err(BAD_LABEL);
        }
        match bytes.get(at) {
            Some(b',') => at += 1,
            Some(b'}') => return Ok(at),
            Some(_) => return Err(BAD_LABEL),
            None => return Err(OPEN_LABELS),
        }
    }
}

/// The place after the closing quote of the text that begins at `at`.
fn end_of_quoted(bytes: &[u8], at: usize) -> Result<usize, &'static str> {
    if bytes.get(at) != Some(&b'"') {
        return Err(BAD_LABEL);
    }
    let mut at = at + 1;
    loop {
        at += memchr::memchr2(b'"', b'\\', bytes.get(at..).unwrap_or_default()).ok_or(OPEN_LABELS)?;
        if bytes[at] == b'"' {
            return Ok(at + 1);
        }
        at += 2;
    }
}

/// One entry between the braces.
enum LabelPart<'a> {
    /// The name of the metric, quoted.
    Name(&'a str),
    Pair(&'a str, &'a str),
}

/// Entries of a text that [`end_of_labels`] has checked.
struct LabelParts<'a>(&'a str);

impl<'a> Iterator for LabelParts<'a> {
    type Item = LabelPart<'a>;

    fn next(&mut self) -> Option<LabelPart<'a>> {
        let text = self.0.trim_start_matches([' ', '\t', ',']);
        let (name, rest) = quoted(text).or_else(|| {
            let end = text.bytes().position(|byte| !is_name_byte(byte))?;
            Some((&text[..end], &text[end..]))
        })?;
        let rest = rest.trim_start_matches([' ', '\t']);
        let Some(after) = rest.strip_prefix('=') else {
            self.0 = rest;
            return Some(LabelPart::Name(name));
        };
        let (value, rest) = quoted(after.trim_start_matches([' ', '\t']))?;
        self.0 = rest;
        Some(LabelPart::Pair(name, value))
    }
}

/// The text between the quotes at the start, and what follows.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let end = end_of_quoted(text.as_bytes(), 0).ok()?;
    Some((&text[1..end - 1], &text[end..]))
}

/// The value of a sample, from the rest of its line. A timestamp must be a number and is not used: values are stamped when the
/// page arrives. Neither is an exemplar, which OpenMetrics puts after a `#`.
pub(crate) fn value(rest: &str, format: PageFormat) -> Result<f64, &'static str> {
    let sample = match format {
        PageFormat::OpenMetrics => rest.split_once(" # ").map_or(rest, |(sample, _)| sample),
        PageFormat::Prometheus => rest,
    };
    let (value, rest) = first_word(sample);
    let parsed = value.parse::<f64>().map_err(|_| "the value of a sample is not a number")?;
    let rest = rest.trim_end_matches(BLANKS);
    if !rest.is_empty() && rest.parse::<f64>().is_err() {
        return Err("what follows the value of a sample is not a timestamp");
    }
    Ok(parsed)
}
