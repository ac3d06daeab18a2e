//! JSON as these files lay it out: two blanks for each level, no line end after the last brace.

use serde::Serialize;

/// A value that stands `depth` blanks deep in its file.
pub(crate) fn indented(value: &impl Serialize, depth: usize) -> String {
    // Plain data with text keys cannot fail to serialise. A line break in a text is written as an escape: all that are
    // seen are those of the layout.
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    if depth == 0 { text } else { text.replace('\n', &format!("\n{:depth$}", "")) }
}
