//! The artifact folder: the names of its files, its lock, the note of the run, and files that appear only when they are
//! whole.

mod folder_lock;
pub(crate) mod part_file;
pub(crate) mod paths;
mod run_note;

pub use folder_lock::{ClearedFiles, EarlierFiles, FolderLock, FolderLockError, PREVIOUS};
pub use part_file::write_durably;
pub use paths::{ArtifactPaths, LOGS, PHASES, PLOT_LOG, PLOTS};
pub use run_note::RunNote;
