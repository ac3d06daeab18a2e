//! Files of one JSON object per line.

use aiperf_trace::not_json;
use serde_json::{Map, Value};

use super::faults::Faults;
use super::input::Document;
use crate::{DatasetError, RowPlace};

/// The lines that hold something, with their numbers from one. A byte order mark is not part of the first.
pub(crate) fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let numbered = bytes.split(|byte| *byte == b'\n').enumerate();
    numbered.map(|(index, line)| (index + 1, line.trim_ascii())).filter(|(_, line)| !line.is_empty())
}

/// What each line says. Those that cannot be read are for `faults` to judge.
pub(crate) fn rows<T>(
    document: &Document,
    faults: &mut Faults,
    mut parse: impl FnMut(&[u8]) -> Result<T, String>,
) -> Result<Vec<T>, DatasetError> {
    let mut rows = Vec::new();
    for (line, content) in lines(&document.bytes) {
        match parse(content) {
            Ok(row) => rows.push(row),
            Err(problem) => faults.note(&document.path, RowPlace::Line(line), problem)?,
        }
    }
    Ok(rows)
}

/// The object of one line; the error says what is wrong.
pub(crate) fn object(line: &[u8]) -> Result<Map<String, Value>, String> {
    match serde_json::from_slice(line) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err("a JSON object is expected".to_owned()),
        Err(error) => Err(not_json(line, &error)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn lines_keep_their_numbers(blank in 0_usize..5) {
            let content = format!("\u{feff}{}x\r\n", "\n".repeat(blank));
            let found: Vec<(usize, &[u8])> = lines(content.as_bytes()).collect();
            prop_assert_eq!(found, vec![(blank + 1, &b"x"[..])]);
        }
    }
}
