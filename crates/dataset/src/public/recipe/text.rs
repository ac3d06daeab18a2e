//! Requests that contain only text.

use aiperf_conversation::{Media, Turn};

use crate::public::table_row::ColumnValue;

/// The instruction before code that is to be edited.
const EDIT: &str =
    "Change the code below as it is asked for after it. Answer with the whole changed code and nothing else.";

pub(super) fn turn(text: &str) -> Turn {
    Turn { texts: vec![Media::unnamed(text)], ..Turn::default() }
}

/// One turn; none if the text is blank.
pub(super) fn prompt(text: &str) -> Vec<Turn> {
    if text.trim().is_empty() { Vec::new() } else { vec![turn(text)] }
}

/// One turn per text of a list.
pub(super) fn all(list: &[ColumnValue]) -> Result<Vec<Turn>, String> {
    let text = |cell: &ColumnValue| match cell {
        ColumnValue::Text(text) => Ok(prompt(text)),
        ColumnValue::Null => Ok(Vec::new()),
        _ => Err("a list of texts is expected".to_owned()),
    };
    Ok(list.iter().map(text).collect::<Result<Vec<_>, _>>()?.concat())
}

/// A piece of code and what to do with it.
pub(super) fn edit(code: &str, request: &str) -> Vec<Turn> {
    if code.trim().is_empty() || request.trim().is_empty() {
        return Vec::new();
    }
    vec![turn(&format!("{EDIT}\n\n```\n{}\n```\n\n{}", code.trim_end(), request.trim()))]
}
