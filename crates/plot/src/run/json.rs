//! JSON files of a folder; a file that is missing and one that is not JSON are different things.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use serde_json::Value;

use crate::PlotError;

/// `None` if there is no such file.
pub(super) fn read(path: &Path) -> Result<Option<Value>, PlotError> {
    let text = match fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(PlotError::Read { path: path.to_owned(), source }),
    };
    serde_json::from_slice(&text)
        .map(Some)
        .map_err(|error| PlotError::NotReadable { path: path.to_owned(), problem: error.to_string() })
}
