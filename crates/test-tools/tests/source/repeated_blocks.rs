//! Logic has one place: no run of lines stands twice in the sources.

use std::collections::HashMap;

use crate::files::rust_files;

/// How many equal lines in a row are a repeated block.
const BLOCK: usize = 12;

#[test]
fn no_block_of_twelve_equal_lines_stands_twice() {
    let files = rust_files(&["src"]);
    let files: Vec<(&str, Vec<(usize, &str)>)> =
        files.iter().map(|file| (file.path.as_str(), counted_lines(&file.text))).collect();
    let mut first: HashMap<Vec<&str>, (usize, usize)> = HashMap::new();
    let mut repeated = Vec::new();
    for (index, (path, lines)) in files.iter().enumerate() {
        let mut skip_to = 0;
        for (start, block) in lines.windows(BLOCK).enumerate() {
            let text: Vec<&str> = block.iter().map(|(_, line)| *line).collect();
            let (other, other_start) = *first.entry(text).or_insert((index, start));
            let overlaps = other == index && other_start + BLOCK > start;
            if (other, other_start) != (index, start) && !overlaps && start >= skip_to {
                let (other_path, other_lines) = &files[other];
                repeated.push(format!("{path}:{} = {other_path}:{}", block[0].0, other_lines[other_start].0));
                skip_to = start + BLOCK;
            }
        }
    }
    assert!(repeated.is_empty(), "these blocks stand twice:\n{}", repeated.join("\n"));
}

/// The lines that count, with their numbers: not blank ones, comments, imports, or nothing but brackets.
fn counted_lines(text: &str) -> Vec<(usize, &str)> {
    let numbered = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    numbered.filter(|(_, line)| counts(line)).collect()
}

fn counts(line: &str) -> bool {
    let is_import =
        ["use ", "pub use ", "pub(crate) use ", "mod ", "pub mod "].iter().any(|word| line.starts_with(word));
    let has_words = line.contains(|c: char| c.is_alphanumeric());
    has_words && !is_import && !line.starts_with("//")
}
