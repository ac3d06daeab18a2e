//! The files of a folder, sorted by name, so that every run reads them in the same order. Hidden files are left out.

use std::path::{Path, PathBuf};

use super::unpack;
use crate::DatasetError;

/// The files directly in the folder.
pub(crate) fn files(folder: &Path) -> Result<Vec<PathBuf>, DatasetError> {
    Ok(entries(folder)?.into_iter().filter(|path| path.is_file()).collect())
}

/// The files in the folder and its subfolders. Links to folders are not followed, since they may form a cycle.
pub(crate) fn files_below(folder: &Path) -> Result<Vec<PathBuf>, DatasetError> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for path in entries(&folder)? {
            if path.is_file() {
                found.push(path);
            } else if path.is_dir() && !path.is_symlink() {
                folders.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Whether the name ends in `.jsonl`, compressed or not.
pub(crate) fn is_jsonl(path: &Path) -> bool {
    plain_name(path).to_ascii_lowercase().ends_with(".jsonl")
}

/// Whether the name ends in `.json`, compressed or not.
pub(crate) fn is_json(path: &Path) -> bool {
    plain_name(path).to_ascii_lowercase().ends_with(".json")
}

/// The file name without folders and without the extension of a compression.
pub(crate) fn plain_name(path: &Path) -> &str {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    [".gz", ".zst"].iter().find_map(|packed| name.strip_suffix(packed)).unwrap_or(name)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, DatasetError> {
    let refuse = |error: std::io::Error| unpack::unreadable(folder, &error);
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(refuse)? {
        let entry = entry.map_err(refuse)?;
        if !entry.file_name().as_encoded_bytes().starts_with(b".") {
            paths.push(entry.path());
        }
    }
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_come_in_the_order_of_their_names_and_hidden_ones_do_not() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.jsonl", "a.jsonl.gz", ".hidden", "below/c.jsonl"] {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let names = |paths: Vec<PathBuf>| -> Vec<String> {
            paths.iter().map(|path| path.strip_prefix(folder.path()).unwrap().display().to_string()).collect()
        };
        assert_eq!(names(files(folder.path()).unwrap()), ["a.jsonl.gz", "b.jsonl"]);
        assert_eq!(names(files_below(folder.path()).unwrap()), ["a.jsonl.gz", "b.jsonl", "below/c.jsonl"]);
        assert!(files(folder.path()).unwrap().iter().all(|path| is_jsonl(path)));
    }
}
