//! Requests of text alone.

use aiperf_conversation::{Media, Turn};

use crate::public::cell::Cell;

/// In front of a piece of code that is to be changed.
const EDIT: &str =
    "Change the code below as it is asked for after it. Answer with the whole changed code and nothing else.";

pub(super) fn turn(text: &str) -> Turn {
    Turn { texts: vec![Media::unnamed(text)], ..Turn::default() }
}

/// One turn; none without words.
pub(super) fn prompt(text: &str) -> Vec<Turn> {
    if text.trim().is_empty() { Vec::new() } else { vec![turn(text)] }
}

/// One turn for each text of a list.
pub(super) fn all(list: &[Cell]) -> Result<Vec<Turn>, String> {
    let text = |cell: &Cell| match cell {
        Cell::Text(text) => Ok(prompt(text)),
        Cell::Null => Ok(Vec::new()),
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
