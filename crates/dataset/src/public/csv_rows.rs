//! Rows of comma-separated values (RFC 4180): the first line has the names of the columns, and every value is a text.

use std::io::{BufReader, Read};
use std::ops::ControlFlow;

use super::row_file::Take;
use super::table_row::{ColumnValue, TableRow};

const BUFFER: usize = 1 << 18;

pub(super) fn each(reader: impl Read, take: &mut Take<'_>) -> Result<ControlFlow<()>, String> {
    let mut lines = CsvLines { bytes: BufReader::with_capacity(BUFFER, reader).bytes(), peeked: None };
    let Some(names) = lines.next()? else { return Ok(ControlFlow::Continue(())) };
    while let Some(values) = lines.next()? {
        if values.len() != names.len() {
            return Err(format!("a row has {} values, and the first line has {} names", values.len(), names.len()));
        }
        let columns = names.iter().cloned().zip(values.into_iter().map(ColumnValue::Text));
        if take(TableRow(columns.collect()))?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

struct CsvLines<B> {
    bytes: B,
    peeked: Option<u8>,
}

impl<B: Iterator<Item = std::io::Result<u8>>> CsvLines<B> {
    fn byte(&mut self) -> Result<Option<u8>, String> {
        match self.peeked.take() {
            Some(byte) => Ok(Some(byte)),
            None => self.bytes.next().transpose().map_err(|error| error.to_string()),
        }
    }

    /// The values of the next line that is not empty.
    fn next(&mut self) -> Result<Option<Vec<String>>, String> {
        let (mut values, mut value, mut quoted, mut any) = (Vec::new(), Vec::new(), false, false);
        loop {
            let Some(byte) = self.byte()? else {
                if quoted {
                    return Err("the file ends within quotation marks".to_owned());
                }
                if !any {
                    return Ok(None);
                }
                values.push(text(value)?);
                return Ok(Some(values));
            };
            match byte {
                b'"' if quoted => match self.byte()? {
                    Some(b'"') => value.push(b'"'),
                    other => (quoted, self.peeked) = (false, other),
                },
                _ if quoted => value.push(byte),
                b'"' if value.is_empty() => (quoted, any) = (true, true),
                b',' => {
                    any = true;
                    values.push(text(std::mem::take(&mut value))?);
                }
                b'\r' => {}
                b'\n' if !any => {}
                b'\n' => {
                    values.push(text(value)?);
                    return Ok(Some(values));
                }
                _ => {
                    any = true;
                    value.push(byte);
                }
            }
        }
    }
}

fn text(value: Vec<u8>) -> Result<String, String> {
    let text = String::from_utf8(value).map_err(|_| "a value is not UTF-8".to_owned())?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(file: &str) -> Result<Vec<TableRow>, String> {
        let mut rows = Vec::new();
        let flow = each(file.as_bytes(), &mut |row| {
            rows.push(row);
            Ok(ControlFlow::Continue(()))
        });
        flow.map(|_| rows)
    }

    #[test]
    fn values_in_quotation_marks_may_have_commas_lines_and_quotation_marks() {
        let rows = read("\u{feff}Question,Answer\r\n\"a, \"\"b\"\"\nc\",d\r\n\r\n,\"\"\r\nlast,e").unwrap();
        let texts: Vec<_> =
            rows.iter().map(|row| (row.text("Question").unwrap(), row.text("Answer").unwrap())).collect();
        assert_eq!(texts, [("a, \"b\"\nc", "d"), ("", ""), ("last", "e")]);
        assert!(read("a,b\n1").unwrap_err().contains("1 values"));
        assert!(read("a\n\"open").unwrap_err().contains("quotation"));
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(text in ".{0,60}") {
            let _ = read(&text);
        }
    }
}
