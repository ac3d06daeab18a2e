//! The documents that people read.

use std::fs;
use std::path::{Path, PathBuf};

use crate::phrases::complaints;
use crate::{files, repository, shown};

/// A reader finds a command to copy in this many lines.
const FIRST_LINES: usize = 25;

/// All documents of the repository.
pub(crate) fn pages() -> Vec<PathBuf> {
    let root = repository();
    let mut pages = vec![root.join("README.md"), root.join("CONTRIBUTING.md")];
    for folder in ["docs", "conformance", "benches", "faults", "realservers"] {
        pages.extend(files(&root.join(folder), "md"));
    }
    pages
}

/// The text of a page without code, comments and addresses of links. Lines keep their numbers.
pub(crate) fn prose(page: &str) -> String {
    let mut text = String::new();
    let mut in_code = false;
    for line in page.lines() {
        let is_fence = line.trim_start().starts_with("```");
        if !is_fence && !in_code && !line.starts_with("<!--") {
            text.push_str(&without_code(line));
        }
        in_code ^= is_fence;
        text.push('\n');
    }
    text
}

/// Code in backticks and addresses of links are left out.
fn without_code(line: &str) -> String {
    let outside: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
    let mut parts = outside.split("](");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.push(']');
        text.push_str(part.split_once(')').map_or("", |(_, after)| after));
    }
    text
}

fn read(page: &Path) -> String {
    fs::read_to_string(page).unwrap()
}

#[test]
fn pages_are_written_in_plain_english() {
    let found: Vec<String> =
        pages().into_iter().flat_map(|page| complaints(&shown(&page), &prose(&read(&page)))).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_page_begins_with_a_command_to_copy() {
    for page in pages() {
        let text = read(&page);
        let has_command = text.lines().take(FIRST_LINES).any(|line| line.trim_start().starts_with("```"));
        assert!(has_command, "{} has no code block in its first {FIRST_LINES} lines", shown(&page));
    }
}

#[test]
fn code_and_addresses_are_not_prose() {
    let page = "A `is no` [word](is-no.md).\n```\nanew\n```\nEnd";
    assert_eq!(prose(page), "A ` [word].\n\n\n\nEnd\n");
}
