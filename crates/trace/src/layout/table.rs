//! Comma-separated values: fields by the names of the first line (RFC 4180).

use std::borrow::Cow;

use crate::request::MOST_TOKENS;

/// The columns that a layout needs, found by their names in the header.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CsvColumns<const N: usize> {
    names: [&'static str; N],
    places: [usize; N],
}

impl<const N: usize> CsvColumns<N> {
    /// The columns of a header; `None` if one is missing.
    pub(crate) fn find(header: &str, names: [&'static str; N]) -> Option<Self> {
        let fields: Vec<Cow<'_, str>> = split(header).collect();
        let mut places = [0; N];
        for (place, name) in places.iter_mut().zip(names) {
            *place = fields.iter().position(|field| field.trim() == name)?;
        }
        Some(Self { names, places })
    }

    /// The fields of one line, in the order of the names.
    pub(crate) fn of<'a>(&self, line: &'a str) -> Result<[Cow<'a, str>; N], String> {
        let mut found: [Option<Cow<'a, str>>; N] = [const { None }; N];
        for (index, field) in split(line).enumerate() {
            for (place, slot) in self.places.iter().zip(&mut found) {
                if *place == index {
                    *slot = Some(field.clone());
                }
            }
        }
        let mut fields = [const { Cow::Borrowed("") }; N];
        for ((field, slot), name) in fields.iter_mut().zip(found).zip(self.names) {
            *field = slot.ok_or_else(|| format!("{name} is missing: the row is too short"))?;
        }
        Ok(fields)
    }
}

/// The most lines in a quoted field. A quote that is not closed within them ends with its own line.
const MOST_LINES_OF_A_RECORD: usize = 1_000;

/// The records that are not blank, with the numbers of their first lines, from one. A line break in a quoted field does not
/// end a record.
pub(crate) fn records(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut rest = Some(bytes);
    let mut line = 0;
    let records = std::iter::from_fn(move || {
        let text = rest?;
        let (end, lines) = end_of_record(text);
        rest = text.get(end + 1..);
        let number = line + 1;
        line += lines;
        Some((number, text[..end].trim_ascii()))
    });
    records.filter(|(_, record)| !record.is_empty())
}

/// The end of the first record, and its number of lines.
fn end_of_record(text: &[u8]) -> (usize, usize) {
    let end_of_line =
        |from: usize| text[from..].iter().position(|byte| *byte == b'\n').map_or(text.len(), |at| from + at);
    let first = end_of_line(0);
    let (mut end, mut quoted) = (first, ends_in_quotes(&text[..first], false));
    for lines in 1..=MOST_LINES_OF_A_RECORD {
        if !quoted {
            return (end, lines);
        }
        if end >= text.len() {
            break;
        }
        let start = end + 1;
        end = end_of_line(start);
        quoted = ends_in_quotes(&text[start..end], true);
    }
    (first, 1)
}

/// Whether a quoted field is open at the end of a line.
fn ends_in_quotes(line: &[u8], mut quoted: bool) -> bool {
    let mut at_start = !quoted;
    let mut bytes = line.iter().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' if quoted => quoted = bytes.next_if_eq(&&b'"').is_some(),
            b'"' if at_start => quoted = true,
            b',' if !quoted => {
                at_start = true;
                continue;
            }
            _ => {}
        }
        at_start = false;
    }
    quoted
}

/// Parses a number of tokens. Some tools write 472 as 472.0.
pub(crate) fn tokens(name: &str, text: &str, least: u64) -> Result<u64, String> {
    let text = text.trim();
    let number = text.parse().ok().or_else(|| {
        let number: f64 = text.parse().ok()?;
        (number.fract() == 0.0 && (0.0..=MOST_TOKENS as f64).contains(&number)).then_some(number as u64)
    });
    number
        .filter(|number| (least..=MOST_TOKENS).contains(number))
        .ok_or_else(|| format!("{name}: a whole number from {least} to {MOST_TOKENS} is expected, not {text:?}"))
}

/// The fields of a line. A quoted field may hold commas, and quotes that are doubled.
fn split(line: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        let text = rest?;
        let Some(quoted) = text.strip_prefix('"') else {
            let (field, after) = text.split_once(',').map_or((text, None), |(field, after)| (field, Some(after)));
            rest = after;
            return Some(Cow::Borrowed(field));
        };
        let mut from = 0;
        let end = loop {
            match quoted[from..].find('"') {
                Some(place) if quoted[from + place + 1..].starts_with('"') => from += place + 2,
                Some(place) => break from + place,
                None => break quoted.len(),
            }
        };
        rest = quoted.get(end + 1..).and_then(|after| after.split_once(',')).map(|(_, after)| after);
        let field = &quoted[..end];
        Some(if field.contains("\"\"") { Cow::Owned(field.replace("\"\"", "\"")) } else { Cow::Borrowed(field) })
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn quoted_fields_may_hold_commas_and_quotes() {
        let fields: Vec<_> = split(r#"a,"b,c","d ""e""",,f"#).collect();
        assert_eq!(fields, ["a", "b,c", "d \"e\"", "", "f"]);
    }

    #[test]
    fn columns_are_found_by_name_wherever_they_stand() {
        let columns = CsvColumns::find("x, b ,\"a\"", ["a", "b"]).unwrap();
        assert_eq!(columns.of("1,2,3").unwrap(), ["3", "2"]);
        assert_eq!(columns.of("1,2").unwrap_err(), "a is missing: the row is too short");
        assert!(CsvColumns::find("x,b", ["a"]).is_none());
    }

    #[test]
    fn numbers_of_tokens_have_a_least_and_a_most() {
        assert_eq!((tokens("a", " 472 ", 1), tokens("a", "472.0", 1), tokens("a", "0", 0)), (Ok(472), Ok(472), Ok(0)));
        for bad in ["0", "-3", "1.5", "many", "", "100000001"] {
            let expected = format!("a: a whole number from 1 to 100000000 is expected, not {bad:?}");
            assert_eq!(tokens("a", bad, 1).unwrap_err(), expected);
        }
    }

    #[test]
    fn a_quoted_field_with_a_line_break_is_one_field() {
        let text = "a,b\r\n1,\"x\n\ny \"\"z\"\"\",3\r\n\n2,4\n";
        let found: Vec<(usize, &[u8])> = records(text.as_bytes()).collect();
        assert_eq!(found[..2], [(1, &b"a,b"[..]), (2, b"1,\"x\n\ny \"\"z\"\"\",3")]);
        assert_eq!(found[2..], [(6, &b"2,4"[..])]);
    }

    #[test]
    fn a_quote_that_is_never_closed_spoils_its_own_line_only() {
        let found: Vec<(usize, &[u8])> = records(b"a,b\n1,\"x\n2,3\n4,5").collect();
        assert_eq!(found.len(), 4);
    }

    proptest! {
        #[test]
        fn records_without_quotes_are_lines(text in "[a,\r\n ]{0,40}") {
            prop_assert!(records(text.as_bytes()).eq(crate::lines(text.as_bytes())));
        }

        #[test]
        fn no_line_makes_the_splitter_panic(line in "[a\",é ]{0,30}") {
            let _ = split(&line).count();
        }

        #[test]
        fn quoting_is_undone(fields in proptest::collection::vec("[a\",é ]{0,8}", 1..5)) {
            let line: Vec<String> = fields.iter().map(|field| format!("\"{}\"", field.replace('"', "\"\""))).collect();
            prop_assert!(split(&line.join(",")).eq(fields.iter().map(String::as_str)));
        }
    }
}
