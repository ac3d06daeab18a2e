//! What is in a folder and below: which folders are runs, which files stand for themselves, and which are not ours.

use std::fs;
use std::path::{Path, PathBuf};

use aiperf_report::{ArtifactPaths, LOGS, PHASES, PLOT_LOG, PLOTS, PREVIOUS};

use super::loose::FileKind;
use crate::{ArtifactError, Folder};

/// Folders of a run whose files its own check looks at.
const OF_A_RUN: [&str; 2] = [LOGS, PHASES];

/// Whether a folder has a file that only the folder of a run has.
pub fn is_run_folder(dir: &Path) -> bool {
    ArtifactPaths::new(dir, None).marks_of_a_run().iter().any(|mark| mark.is_file())
}

#[derive(Debug, Default)]
pub(super) struct Inventory {
    pub(super) runs: Vec<PathBuf>,
    pub(super) loose: Vec<(PathBuf, FileKind)>,
    /// Relative to the folder.
    pub(super) others: Vec<String>,
}

impl Inventory {
    pub(super) fn take(root: &Path) -> Result<Self, ArtifactError> {
        let mut inventory = Self::default();
        inventory.enter(root, root)?;
        inventory.others.sort();
        Ok(inventory)
    }

    fn enter(&mut self, root: &Path, dir: &Path) -> Result<(), ArtifactError> {
        let (files, folders) = entries(dir)?;
        let is_run = is_run_folder(dir);
        let own = if is_run { Folder::open(dir)?.own_files() } else { Vec::new() };
        if is_run {
            self.runs.push(dir.to_owned());
        }
        // The configuration that repeats a command may stand above its runs.
        let repeats = ArtifactPaths::new(dir, None).config_file();
        for file in files.into_iter().filter(|file| !own.contains(file) && *file != repeats) {
            match FileKind::of(&file) {
                Some(kind) => self.loose.push((file, kind)),
                None => self.others.push(file.strip_prefix(root).unwrap_or(&file).display().to_string()),
            }
        }
        // Files of an earlier run do not belong to this one.
        for folder in folders.into_iter().filter(|folder| folder == root || !folder.ends_with(PREVIOUS)) {
            let is_charts = folder.ends_with(PLOTS) && folder.join(PLOT_LOG).is_file();
            let is_its_own = is_charts || (is_run && OF_A_RUN.iter().any(|name| folder.ends_with(name)));
            if !is_its_own {
                self.enter(root, &folder)?;
            }
        }
        Ok(())
    }
}

/// Files and folders, each in order. Links to folders are not followed: they may lead back.
fn entries(dir: &Path) -> Result<(Vec<PathBuf>, Vec<PathBuf>), ArtifactError> {
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(dir).map_err(ArtifactError::read(dir))? {
        let path = entry.map_err(ArtifactError::read(dir))?.path();
        if path.is_file() {
            files.push(path);
        } else if path.is_dir() && !path.is_symlink() {
            folders.push(path);
        }
    }
    files.sort();
    folders.sort();
    Ok((files, folders))
}
