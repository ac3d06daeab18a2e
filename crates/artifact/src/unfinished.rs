//! What a run that was killed left unfinished: lists that can be closed after their last whole entry are completed, the rest
//! is removed.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::Folder;

/// The end of an entry of a list under `data`: nothing but such an end begins a line in this way, since line breaks within
/// texts are escaped.
const ENTRY_END: &str = "\n    }";
const LIST_END: &str = "\n  ]\n}";

/// What happened to an unfinished file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnfinishedFile {
    /// It is complete now, with this many entries.
    Completed {
        name: String,
        entries: usize,
    },
    Removed {
        name: String,
    },
    /// It is still there, for this reason.
    Left {
        name: String,
        reason: String,
    },
}

impl std::fmt::Display for UnfinishedFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Completed { name, entries } => {
                write!(f, "{name} was not finished when the run ended: it was closed after {entries} entries")
            }
            Self::Removed { name } => write!(f, "{name} was not finished when the run ended: it was removed"),
            Self::Left { name, reason } => write!(f, "{name} was not finished and cannot be removed: {reason}"),
        }
    }
}

/// Completes or removes the unfinished files of a folder.
pub(crate) fn finish(folder: &Folder) -> Vec<UnfinishedFile> {
    let paths = folder.paths();
    let lists = [paths.inputs(), paths.outputs()];
    let files = paths.unfinished_files().into_iter().filter(|path| path.is_file());
    files
        .map(|part| {
            let whole = part.with_extension("");
            let name = folder.name(&part);
            let completed = if lists.contains(&whole) { complete(&part, &whole) } else { None };
            if let Some(entries) = completed {
                return UnfinishedFile::Completed { name: folder.name(&whole), entries };
            }
            match fs::remove_file(&part) {
                Ok(()) => UnfinishedFile::Removed { name },
                Err(error) => UnfinishedFile::Left { name, reason: error.to_string() },
            }
        })
        .collect()
}

/// Closes a list after its last whole entry; says how many entries it has.
fn complete(part: &Path, whole: &PathBuf) -> Option<usize> {
    if whole.exists() || part.extension()? != "part" {
        return None;
    }
    let bytes = fs::read(part).ok()?;
    // A character that was cut in two is in the part that goes.
    let text = String::from_utf8_lossy(&bytes);
    let end = text.rfind(ENTRY_END)? + ENTRY_END.len();
    let closed = format!("{}{LIST_END}", &text[..end]);
    let value: Value = serde_json::from_str(&closed).ok()?;
    let entries = value["data"].as_array()?.len();
    fs::write(part, closed).ok()?;
    fs::rename(part, whole).ok()?;
    Some(entries)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn finished(files: &[(&str, &str)]) -> (tempfile::TempDir, Vec<UnfinishedFile>) {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(dir.path().join(name), text).unwrap();
        }
        fs::write(dir.path().join("profile_export.jsonl"), "").unwrap();
        let finished = finish(&Folder::open(dir.path()).unwrap());
        (dir, finished)
    }

    #[test]
    fn a_list_is_closed_after_its_last_whole_entry() {
        let whole = format!(
            "{:#}",
            json!({"data": [{"session_id": "a", "payloads": [{"x": "}\n    }"}]}, {"session_id": "b"}]})
        );
        // Cut within the second entry, in the middle of a character.
        let cut = whole.find("\"b\"").unwrap();
        let (dir, finished) = finished(&[("inputs.json.part", &whole[..cut])]);
        assert_eq!(finished, [UnfinishedFile::Completed { name: "inputs.json".to_owned(), entries: 1 }]);
        let closed = Folder::json(&dir.path().join("inputs.json")).unwrap();
        assert_eq!(closed, json!({"data": [{"session_id": "a", "payloads": [{"x": "}\n    }"}]}]}));
        assert!(!dir.path().join("inputs.json.part").exists());
    }

    #[test]
    fn what_cannot_be_closed_is_removed_and_a_whole_file_stays() {
        let (dir, finished) = finished(&[
            ("inputs.json.part", "{\n  \"data\": ["),
            ("outputs.json", "{}"),
            ("outputs.json.part", "{"),
            ("profile_export.parquet.part", "PAR1"),
        ]);
        assert_eq!(finished.len(), 3);
        assert!(finished.iter().all(|finished| matches!(finished, UnfinishedFile::Removed { .. })), "{finished:?}");
        let mut names: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["outputs.json", "profile_export.jsonl"]);
    }
}
