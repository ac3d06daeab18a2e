//! Links between pages lead to files and headings that exist.

use std::fs;
use std::path::Path;

use crate::{pages, repository, shown};

/// Addresses of the links in a page, code left out.
fn links(page: &str) -> Vec<String> {
    let mut links = Vec::new();
    let mut in_code = false;
    for line in page.lines() {
        in_code ^= line.trim_start().starts_with("```");
        if in_code {
            continue;
        }
        for part in line.split("](").skip(1) {
            let Some((address, _)) = part.split_once(')') else { continue };
            links.push(address.to_owned());
        }
    }
    links
}

/// The names that headings have in addresses.
fn anchors(page: &str) -> Vec<String> {
    let mut anchors = Vec::new();
    let mut in_code = false;
    for line in page.lines() {
        in_code ^= line.trim_start().starts_with("```");
        if !in_code && line.starts_with('#') {
            anchors.push(anchor(line.trim_start_matches('#').trim()));
        }
    }
    anchors
}

fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

fn problem(page: &Path, link: &str) -> Option<String> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (path, heading) = link.split_once('#').map_or((link, None), |(path, heading)| (path, Some(heading)));
    let target = if path.is_empty() { page.to_owned() } else { page.parent()?.join(path) };
    if !target.exists() {
        return Some(format!("{}: {link} does not exist", shown(page)));
    }
    let heading = heading?;
    let known = anchors(&fs::read_to_string(&target).unwrap_or_default());
    let is_known = known.iter().any(|name| name == heading);
    (!is_known).then(|| format!("{}: {link} names no heading; there are {}", shown(page), known.join(", ")))
}

#[test]
fn links_lead_to_files_and_headings_that_exist() {
    let mut found = Vec::new();
    for page in pages::pages() {
        let text = fs::read_to_string(&page).unwrap();
        found.extend(links(&text).iter().filter_map(|link| problem(&page, link)));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn headings_get_the_names_that_browsers_know() {
    assert_eq!(anchor("Options of `aiperf compare` and `aiperf gate`"), "options-of-aiperf-compare-and-aiperf-gate");
    assert_eq!(anchor("Whole answers, no latency"), "whole-answers-no-latency");
    assert_eq!(anchor("`client_health`"), "client_health");
}

/// Folders of the repository that pages name files in.
const FOLDERS: [&str; 7] = ["crates/", "docs/", "schemas/", "benches/", "conformance/", "faults/", "realservers/"];

/// Files that a page names in backticks, relative to the root of the repository. Patterns and examples are left out.
fn named_files(page: &str) -> Vec<&str> {
    let code = page.lines().flat_map(|line| line.split('`').skip(1).step_by(2));
    let first_words = code.filter_map(|code| code.split_whitespace().next());
    first_words
        .filter(|word| {
            FOLDERS.iter().any(|folder| word.starts_with(folder))
                && !word.contains(['*', '<', '{'])
                && !word.contains("NAME")
        })
        .collect()
}

#[test]
fn pages_name_files_that_exist() {
    let mut found = Vec::new();
    for page in pages::pages() {
        let text = fs::read_to_string(&page).unwrap();
        for name in named_files(&text) {
            if !repository().join(name).exists() {
                found.push(format!("{}: {name} does not exist", shown(&page)));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
