//! The data of a page: a JSON head and binary columns, compressed together. The same data gives the same bytes.

use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::{Compression, GzBuilder};
use serde_json::{Value, json};

use crate::HtmlReportError;

/// The columns of a page, one after the other, while it is put together.
#[derive(Debug, Default)]
pub(crate) struct ColumnStore {
    bytes: Vec<u8>,
}

impl ColumnStore {
    /// Appends a column. The result says where it is, for the head.
    pub(crate) fn put(&mut self, column: &[u8]) -> Value {
        let at = self.bytes.len();
        self.bytes.extend_from_slice(column);
        json!({"at": at, "bytes": column.len()})
    }
}

/// Length of the head as four bytes, the head, the columns; gzip without a time; base64.
pub(crate) fn embed(head: &Value, columns: &ColumnStore) -> Result<String, HtmlReportError> {
    let head = head.to_string();
    let length = u32::try_from(head.len()).unwrap_or(u32::MAX);
    let mut gzip = GzBuilder::new().mtime(0).write(Vec::new(), Compression::new(9));
    gzip.write_all(&length.to_le_bytes())?;
    gzip.write_all(head.as_bytes())?;
    gzip.write_all(&columns.bytes)?;
    Ok(STANDARD.encode(gzip.finish()?))
}
