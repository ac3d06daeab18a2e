//! One meaning per word: a type name that stands for three things stands for none.

use std::collections::BTreeMap;

use crate::files::rust_files;

/// Names that may stand more than twice, each with its reason.
const EXCEPTIONS: [(&str, &str); 0] = [];

const MOST: usize = 2;

#[test]
fn no_type_name_is_defined_more_than_twice() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in rust_files(&["src", "tests", "benches"]) {
        for (index, line) in file.text.lines().enumerate() {
            if let Some(name) = defined_type(line) {
                places.entry(name.to_owned()).or_default().push(format!("{}:{}", file.path, index + 1));
            }
        }
    }
    let is_excepted = |name: &str| EXCEPTIONS.iter().any(|(excepted, _)| *excepted == name);
    let crowded: Vec<String> = places
        .iter()
        .filter(|(name, found)| found.len() > MOST && !is_excepted(name))
        .map(|(name, found)| format!("{name} is defined {} times: {}", found.len(), found.join(", ")))
        .collect();
    assert!(crowded.is_empty(), "give all but two of each a name that says more:\n{}", crowded.join("\n"));
    for (name, reason) in EXCEPTIONS {
        let count = places.get(name).map_or(0, Vec::len);
        assert!(count > MOST, "{name} is defined {count} times: it needs no exception ({reason})");
    }
}

/// The name of the type that a line defines. An indented `type` is one that a trait asks for, not a name of ours.
fn defined_type(line: &str) -> Option<&str> {
    let code = line.trim_start();
    let code = match code.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(") ")?.1,
        Some(rest) => rest.trim_start(),
        None => code,
    };
    let (keyword, rest) = code.split_once(' ')?;
    let is_definition = match keyword {
        "struct" | "enum" | "trait" | "union" => true,
        "type" => !line.starts_with(' '),
        _ => false,
    };
    let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    (is_definition && name.starts_with(|c: char| c.is_ascii_uppercase())).then_some(name)
}

#[test]
fn definitions_are_told_from_other_lines() {
    assert_eq!(defined_type("pub(crate) struct Column<'a> {"), Some("Column"));
    assert_eq!(defined_type("    enum State {"), Some("State"));
    assert_eq!(defined_type("pub type Result<T> = std::result::Result<T, Error>;"), Some("Result"));
    assert_eq!(defined_type("    type Error = io::Error;"), None);
    assert_eq!(defined_type("    structure: Structure,"), None);
    assert_eq!(defined_type("/// struct of the run"), None);
}
