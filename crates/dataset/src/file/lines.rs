//! Files of one JSON object per line.

use aiperf_trace::{lines, not_json};
use serde_json::{Map, Value};

use super::input_data::LoadedFile;
use super::row_errors::RowErrors;
use crate::{DatasetError, RowPlace};

/// Parses each line. Lines that cannot be parsed are reported to `errors`.
pub(crate) fn rows<T>(
    document: &LoadedFile,
    errors: &mut RowErrors,
    mut parse: impl FnMut(&[u8]) -> Result<T, String>,
) -> Result<Vec<T>, DatasetError> {
    let mut rows = Vec::new();
    for (line, content) in lines(&document.bytes) {
        match parse(content) {
            Ok(row) => rows.push(row),
            Err(problem) => errors.note(&document.path, RowPlace::Line(line), problem)?,
        }
    }
    Ok(rows)
}

/// The JSON object of one line; the error says what is wrong.
pub(crate) fn object(line: &[u8]) -> Result<Map<String, Value>, String> {
    match serde_json::from_slice(line) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err("a JSON object is expected".to_owned()),
        Err(error) => Err(not_json(line, &error)),
    }
}
