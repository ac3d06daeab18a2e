//! Comments of the source files: they follow the same rules as documents.

use std::fs;

use crate::phrases::complaints;
use crate::{files, repository, shown};

/// The text of the comments of a source file, each at the number of its line. Comments on their own lines are one text, so that a
/// phrase is found that goes on in the next line.
fn comments(source: &str) -> String {
    let mut text = String::new();
    for line in source.lines() {
        let line = line.trim_start();
        if let Some(comment) = line.strip_prefix("//") {
            text.push_str(comment.trim_start_matches(['/', '!']));
        } else {
            // No phrase reaches across code.
            text.push('\u{b6}');
        }
        text.push('\n');
    }
    text
}

#[test]
fn comments_are_written_in_plain_english() {
    let mut found = Vec::new();
    for folder in ["crates", "faults"] {
        for path in files(&repository().join(folder), "rs") {
            found.extend(complaints(&shown(&path), &comments(&fs::read_to_string(&path).unwrap())));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn comments_are_read_across_lines_and_code_is_not() {
    let source = "/// It is\n/// no file.\nlet is = no;\n    //! Last.\n";
    assert_eq!(comments(source), " It is\n no file.\n\u{b6}\n Last.\n");
}
