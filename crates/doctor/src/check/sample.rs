//! Files of made-up machines, for tests.

use std::fs;

use tempfile::TempDir;

use crate::machine_files::MachineFiles;

/// A machine that has the given files. The folder lives as long as the first value.
pub(super) fn machine(files: &[(&str, &str)]) -> (TempDir, MachineFiles) {
    let folder = TempDir::new().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let files = MachineFiles::below(folder.path());
    (folder, files)
}
