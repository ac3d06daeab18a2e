//! Rows of JSON: the objects of one array, or a sequence of objects. Only one row at a time is in memory.

use std::fmt;
use std::io::{BufRead, BufReader, Read};
use std::ops::ControlFlow;

use serde::Deserializer as _;
use serde::de::{Error, SeqAccess, Visitor};
use serde_json::{Deserializer, Map, Value};

use super::row_file::Take;
use super::table_row::TableRow;

const BUFFER: usize = 1 << 18;

pub(super) fn each(reader: impl Read, take: &mut Take<'_>) -> Result<ControlFlow<()>, String> {
    let mut reader = BufReader::with_capacity(BUFFER, reader);
    let first = first_byte(&mut reader).map_err(|error| error.to_string())?;
    if first == Some(b'[') { array(reader, take) } else { one_by_one(reader, take) }
}

/// The first byte that is neither white space nor part of a byte order mark. It is not consumed.
fn first_byte(reader: &mut impl BufRead) -> std::io::Result<Option<u8>> {
    loop {
        let Some(byte) = reader.fill_buf()?.first().copied() else { return Ok(None) };
        if !byte.is_ascii_whitespace() && !matches!(byte, 0xef | 0xbb | 0xbf) {
            return Ok(Some(byte));
        }
        reader.consume(1);
    }
}

fn one_by_one(reader: impl Read, take: &mut Take<'_>) -> Result<ControlFlow<()>, String> {
    for object in Deserializer::from_reader(reader).into_iter::<Map<String, Value>>() {
        let row = TableRow::from(object.map_err(|error| not_json(&error))?);
        if take(row)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

fn array(reader: impl Read, take: &mut Take<'_>) -> Result<ControlFlow<()>, String> {
    let mut end = ReadEnd::Open;
    let read = Deserializer::from_reader(reader).deserialize_seq(RowVisitor { take, end: &mut end });
    match (end, read) {
        (ReadEnd::Enough, _) => Ok(ControlFlow::Break(())),
        (ReadEnd::Refused(reason), _) => Err(reason),
        (ReadEnd::Open, Ok(())) => Ok(ControlFlow::Continue(())),
        (ReadEnd::Open, Err(error)) => Err(not_json(&error)),
    }
}

fn not_json(error: &serde_json::Error) -> String {
    format!("not JSON rows: {error}")
}

/// Why reading stopped before the end of the array.
enum ReadEnd {
    Open,
    Enough,
    Refused(String),
}

struct RowVisitor<'t, 'f> {
    take: &'t mut Take<'f>,
    end: &'t mut ReadEnd,
}

impl<'de> Visitor<'de> for RowVisitor<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of objects")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<(), A::Error> {
        while let Some(object) = rows.next_element::<Map<String, Value>>()? {
            *self.end = match (self.take)(TableRow::from(object)) {
                Ok(ControlFlow::Continue(())) => continue,
                Ok(ControlFlow::Break(())) => ReadEnd::Enough,
                Err(reason) => ReadEnd::Refused(reason),
            };
            return Err(A::Error::custom("no more rows are wanted"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(content: &str, most: usize) -> Result<Vec<String>, String> {
        let mut rows = Vec::new();
        let _ = each(content.as_bytes(), &mut |row| {
            rows.push(row.text("a")?.to_owned());
            Ok(if rows.len() == most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        Ok(rows)
    }

    #[test]
    fn an_array_and_lines_give_the_same_rows() {
        for content in [
            r#"[{"a": "x"}, {"a": "y"}, {"a": "z"}]"#,
            "{\"a\": \"x\"}\n\n{\"a\": \"y\"}\n{\"a\": \"z\"}\n",
            "\u{feff} [ {\"a\": \"x\"},{\"a\": \"y\"},{\"a\": \"z\"} ] ",
        ] {
            assert_eq!(read(content, 9).unwrap(), ["x", "y", "z"], "{content}");
            assert_eq!(read(content, 2).unwrap(), ["x", "y"], "{content}");
        }
        assert!(read("", 9).unwrap().is_empty());
    }

    #[test]
    fn what_comes_after_enough_rows_is_not_looked_at() {
        assert_eq!(read(r#"[{"a": "x"}, garbage"#, 1).unwrap(), ["x"]);
        assert!(read(r#"[{"a": "x"}, garbage"#, 2).unwrap_err().contains("not JSON rows"));
    }

    #[test]
    fn a_row_that_is_refused_ends_the_reading() {
        assert!(
            read(r#"[{"a": "x"}, {"b": "y"}]"#, 9)
                .unwrap_err()
                .contains("column a is missing; the file has the columns b")
        );
        assert!(read("[1]", 9).unwrap_err().contains("not JSON rows"));
        assert!(read("1", 9).is_err());
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(content in "[\\[\\]{}a-c\":,0-9 \n]{0,60}") {
            let _ = read(&content, 3);
        }
    }
}
