//! The page on architecture names functions, types and threads that exist.

use std::collections::BTreeSet;
use std::fs;

use crate::{files, repository};

fn page() -> String {
    fs::read_to_string(repository().join("docs/architecture.md")).unwrap()
}

/// The cells of each row of the table in a section, without its head.
fn rows(page: &str, section: &str) -> Vec<Vec<String>> {
    let text = page.split(&format!("\n## {section}\n")).nth(1).unwrap().split("\n## ").next().unwrap();
    let cells = |line: &str| line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect();
    text.lines().filter(|line| line.starts_with('|')).skip(2).map(cells).collect()
}

/// What stands between back quotes.
fn code(cell: &str) -> &str {
    cell.split('`').nth(1).unwrap_or_else(|| panic!("{cell:?} has no code"))
}

/// The sources of all crates, tests inside them included.
fn sources() -> Vec<String> {
    let crates = fs::read_dir(repository().join("crates")).unwrap().map(|entry| entry.unwrap().path().join("src"));
    let paths = crates.filter(|folder| folder.exists()).flat_map(|folder| files(&folder, "rs"));
    paths.map(|path| fs::read_to_string(path).unwrap()).collect()
}

/// Whether `text` has this word followed by something that is not part of a name.
fn defines(text: &str, keyword: &str, name: &str) -> bool {
    let definition = format!("{keyword} {name}");
    let mut rest = text;
    while let Some(at) = rest.find(&definition) {
        rest = &rest[at + definition.len()..];
        if !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_') {
            return true;
        }
    }
    false
}

#[test]
fn every_hop_of_the_walk_is_a_function_in_its_file() {
    let rows = rows(&page(), "The walk of one request");
    assert!(rows.len() >= 20, "{}", rows.len());
    for row in &rows {
        let (function, file) = (code(&row[1]), code(&row[2]));
        let text = fs::read_to_string(repository().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        let name = function.rsplit("::").next().unwrap();
        assert!(defines(&text, "fn", name), "{file} has no `fn {name}`");
        let parent = function.rsplit("::").nth(1).unwrap();
        if parent.starts_with(char::is_uppercase) {
            assert!(text.contains(parent), "{file} does not name {parent}");
        }
        let package = file.split('/').nth(1).unwrap().replace('-', "_");
        let expected = if package == "aiperf" { package } else { format!("aiperf_{package}") };
        assert_eq!(function.split("::").next().unwrap(), expected, "{function} is not in {file}");
    }
}

#[test]
fn every_type_of_the_glossary_exists() {
    let (page, sources) = (page(), sources());
    let rows = rows(&page, "Glossary");
    assert!((20..=30).contains(&rows.len()), "{}", rows.len());
    for row in &rows {
        let name = code(&row[2]).rsplit("::").next().unwrap();
        let is_defined = |text: &String| ["struct", "enum", "trait"].iter().any(|keyword| defines(text, keyword, name));
        assert!(sources.iter().any(is_defined), "{}: there is no type {name}", row[0]);
    }
}

#[test]
fn the_table_of_threads_names_every_thread_that_a_source_starts() {
    let mut listed = BTreeSet::new();
    for row in rows(&page(), "Threads").iter().filter(|row| row.len() == 3 && row[0].contains('`')) {
        listed.insert(code(&row[0]).to_owned());
    }
    let mut started = BTreeSet::new();
    for text in sources() {
        // Rust's own default is the only other way to name a thread.
        for part in text.split("thread::Builder::new()").skip(1) {
            let Some((_, argument)) = part.split_once(".name(") else { continue };
            let argument = argument.split(')').next().unwrap();
            // A name that is not written here is a constant of the caller.
            let Some(name) = argument.split('"').nth(1) else { continue };
            // `worker-{index}` stands in the table as `worker-N`.
            started.insert(name.split_once('{').map_or_else(|| name.to_owned(), |(stem, _)| format!("{stem}N")));
        }
        for part in text.split("const THREAD: &str = \"").skip(1) {
            started.insert(part.split('"').next().unwrap().to_owned());
        }
    }
    assert_eq!(listed, started);
}
