//! The Rust files of the workspace.

use std::fs;
use std::path::{Path, PathBuf};

/// A source file: its path below the root of the workspace, and its text.
pub(crate) struct SourceFile {
    pub(crate) path: String,
    pub(crate) text: String,
}

pub(crate) fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace has a root")
}

/// Every Rust file below `folders` of each member, in the order of their paths.
pub(crate) fn rust_files(folders: &[&str]) -> Vec<SourceFile> {
    let root = workspace();
    let members = fs::read_dir(root.join("crates")).expect("crates/ can be read");
    let mut members: Vec<PathBuf> = members.map(|entry| entry.expect("crates/ can be listed").path()).collect();
    members.push(root.join("faults"));
    let mut files = Vec::new();
    for member in members {
        for folder in folders {
            collect(&root, &member.join(folder), &mut files);
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<SourceFile>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.expect("a folder of the workspace can be listed").path();
        if path.is_dir() {
            collect(root, &path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("a source file is text");
            let path = path.strip_prefix(root).expect("it is below the root").display().to_string();
            files.push(SourceFile { path, text });
        }
    }
}
