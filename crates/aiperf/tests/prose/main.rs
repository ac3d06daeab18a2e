//! Checks the English of the documents, of the comments and of the program's messages: phrases that make a reader stop, pages that do not begin
//! with a command, links that lead nowhere. Only files are read.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends where something is not as it should be")]

mod architecture;
mod comments;
mod crate_table;
mod links;
mod literals;
mod pages;
mod phrases;

use std::path::{Path, PathBuf};

/// The root of the repository.
fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All files below a folder whose names end in `.extension`, sorted.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The path as a developer would type it.
fn shown(path: &Path) -> String {
    path.strip_prefix(repository()).unwrap().display().to_string()
}
