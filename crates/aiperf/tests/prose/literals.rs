//! String literals of the crates: help texts, errors, log lines and labels.

use std::fs;
use std::path::Path;

use crate::phrases::complaints;
use crate::{files, repository, shown};

/// Where tests begin, by convention at the end of a file.
const TESTS: &str = "#[cfg(test)]\nmod ";

/// The contents of the string literals of a source file, each at the number of its line; everything else is blank.
fn literals(source: &str) -> String {
    let mut text = String::new();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let (code, literal) = if rest.starts_with("//") {
            (rest.find('\n').unwrap_or(rest.len()), None)
        } else if let Some(raw) = raw_string(rest) {
            raw
        } else if first == '"' {
            let end = end_of_string(&rest[1..]) + 1;
            ((end + 1).min(rest.len()), Some(&rest[1..end]))
        } else if rest.starts_with("'\"'") || rest.starts_with("'\\\"'") {
            (rest[1..].find('\'').map_or(1, |end| end + 2), None)
        } else {
            (first.len_utf8(), None)
        };
        let lines = rest[..code].matches('\n').count();
        if let Some(literal) = literal {
            // A phrase may go on behind a line that ends in a backslash.
            text.push_str(&literal.replace("\\\n", " \n").replace("\\n", "\u{b6}"));
            text.push('\u{b6}');
        } else {
            text.extend(std::iter::repeat_n('\n', lines));
        }
        rest = &rest[code..];
    }
    text
}

/// The length of a raw string that begins here, and what is in it.
fn raw_string(source: &str) -> Option<(usize, Option<&str>)> {
    let hashes = source.strip_prefix('r')?.chars().take_while(|letter| *letter == '#').count();
    let start = hashes + 2;
    source.get(..start)?.ends_with('"').then_some(())?;
    let end = source[start..].find(&format!("\"{}", "#".repeat(hashes)))?;
    Some((start + end + 1 + hashes, Some(&source[start..start + end])))
}

/// Where the string ends whose first character is the first of the text.
fn end_of_string(text: &str) -> usize {
    let mut escaped = false;
    for (index, letter) in text.char_indices() {
        match letter {
            '"' if !escaped => return index,
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    text.len()
}

fn is_test(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == "tests") || path.file_stem().is_some_and(|name| name == "tests")
}

#[test]
fn messages_are_written_in_plain_english() {
    let root = repository().join("crates");
    let mut found = Vec::new();
    for folder in fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()) {
        for path in files(&folder.join("src"), "rs") {
            if !is_test(path.strip_prefix(&folder).unwrap()) {
                let source = fs::read_to_string(&path).unwrap();
                let source = source.split(TESTS).next().unwrap();
                found.extend(complaints(&shown(&path), &literals(source)));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn literals_are_read_and_code_is_not() {
    let source = "let is = no; // is no\nlet a = \"one \\\"two\\\"\";\nlet b = r#\"raw \"x\"\"#; let c = '\"'; \"last \\\n   line\"";
    assert_eq!(literals(source), "\none \\\"two\\\"\u{b6}\nraw \"x\"\u{b6}last  \n   line\u{b6}");
}
