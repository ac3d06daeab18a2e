//! The page on architecture has a row for each crate.

use std::collections::BTreeSet;
use std::fs;

use crate::repository;

#[test]
fn the_page_on_architecture_lists_the_crates_that_exist() {
    let page = fs::read_to_string(repository().join("docs/architecture.md")).unwrap();
    let section = page.split("\n## Crates\n").nth(1).unwrap().split("\n## ").next().unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` |"));
    let listed: BTreeSet<String> = rows.map(|(name, _)| name.to_owned()).collect();
    let folders = fs::read_dir(repository().join("crates")).unwrap().map(|entry| entry.unwrap().path());
    let existing: BTreeSet<String> = folders
        .filter(|folder| folder.join("Cargo.toml").exists())
        .map(|folder| folder.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    assert_eq!(listed, existing);
}
