//! The files in which Linux describes a machine. Tests give a folder with files of other machines.

use std::fs;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone)]
pub struct MachineFiles {
    root: PathBuf,
}

impl MachineFiles {
    /// Those of this machine.
    pub fn of_this_machine() -> Self {
        Self { root: PathBuf::from("/") }
    }

    /// Files below another folder.
    pub fn below(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    /// The trimmed text of a file; `None` if there is none, as on other systems than Linux.
    pub(crate) fn text(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.root.join(path.trim_start_matches('/'))).ok().map(|text| text.trim().to_owned())
    }

    pub(crate) fn number(&self, path: &str) -> Option<u64> {
        self.text(path)?.parse().ok()
    }

    /// The names in a folder.
    pub(crate) fn names(&self, path: &str) -> Vec<String> {
        let entries = fs::read_dir(self.root.join(path.trim_start_matches('/'))).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        names
    }
}
