//! A folder belongs to one run at a time: a lock keeps a second writer out. Files of an earlier run are moved aside or
//! deleted before the first new file is written.

mod leftovers;

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use self::leftovers::Leftovers;

/// The folder, within that of a run, that files of earlier runs are moved to.
pub const PREVIOUS: &str = "previous";
/// Within [`PREVIOUS`]: what was there when the next run came.
const OLDER: &str = "older";

/// What happens to the files of an earlier run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EarlierFiles {
    /// They are moved to `previous/`.
    SetAside,
    /// They are deleted.
    Delete,
}

/// A folder that nobody else writes to while this value lives.
#[derive(Debug)]
pub struct FolderLock {
    dir: PathBuf,
    /// The lock is on the folder itself, so that no file is left behind and none can be stale. `None` if the file system has
    /// no locks.
    lock: Option<File>,
}

#[derive(Debug, Error)]
pub enum FolderLockError {
    #[error(
        "another aiperf run is writing to {}; wait until it has ended, or choose another folder with --artifact-dir",
        .dir.display()
    )]
    InUse { dir: PathBuf },
    #[error("cannot write to {}: {source}; choose a writable folder with --artifact-dir", .dir.display())]
    Make { dir: PathBuf, source: io::Error },
    #[error(
        "cannot move {} of an earlier run to {}: {source}; choose another folder with --artifact-dir, or delete the earlier \
         results with --overwrite",
        .file.display(), .to.display()
    )]
    Move { file: PathBuf, to: PathBuf, source: io::Error },
    #[error("cannot delete {} of an earlier run: {source}; choose another folder with --artifact-dir", .file.display())]
    Delete { file: PathBuf, source: io::Error },
}

impl FolderLock {
    /// Makes the folder if it is missing and locks it.
    pub fn take(dir: &Path) -> Result<Self, FolderLockError> {
        fs::create_dir_all(dir).map_err(|source| FolderLockError::Make { dir: dir.to_owned(), source })?;
        let folder = File::open(dir).map_err(|source| FolderLockError::Make { dir: dir.to_owned(), source })?;
        let lock = match folder.try_lock() {
            Ok(()) => Some(folder),
            Err(TryLockError::WouldBlock) => return Err(FolderLockError::InUse { dir: dir.to_owned() }),
            Err(TryLockError::Error(_)) => None,
        };
        Ok(Self { dir: dir.to_owned(), lock })
    }

    /// Whether a second writer would be refused.
    pub fn is_locked(&self) -> bool {
        self.lock.is_some()
    }

    /// Moves or deletes every file that an earlier run of this program left here, the ready mark first; files of others, and
    /// those in `kept`, stay. Says where they are now, or `None` if there were none.
    pub fn clear(&self, earlier: EarlierFiles, kept: &[PathBuf]) -> Result<Option<ClearedFiles>, FolderLockError> {
        let leftovers = Leftovers::find(&self.dir, kept);
        if leftovers.files.is_empty() {
            return Ok(None);
        }
        let cleared = match earlier {
            EarlierFiles::SetAside => {
                let previous = self.make_previous()?;
                for file in &leftovers.files {
                    move_below(&self.dir, file, &previous)?;
                }
                ClearedFiles { files: leftovers.files.len(), moved_to: Some(previous) }
            }
            EarlierFiles::Delete => {
                for file in &leftovers.files {
                    fs::remove_file(file).map_err(|source| FolderLockError::Delete { file: file.clone(), source })?;
                }
                ClearedFiles { files: leftovers.files.len(), moved_to: None }
            }
        };
        for folder in &leftovers.folders {
            // Those with files of others in them stay.
            let _ = fs::remove_dir(folder);
        }
        Ok(Some(cleared))
    }

    /// An empty `previous/`: what it held goes to `previous/older/N`.
    fn make_previous(&self) -> Result<PathBuf, FolderLockError> {
        let previous = self.dir.join(PREVIOUS);
        let failed = |source| FolderLockError::Move { file: previous.clone(), to: previous.join(OLDER), source };
        if !previous.exists() {
            fs::create_dir(&previous).map_err(failed)?;
            return Ok(previous);
        }
        let older = previous.join(OLDER);
        let entries: Vec<_> = fs::read_dir(&previous).and_then(Iterator::collect).map_err(failed)?;
        let entries: Vec<PathBuf> = entries.iter().map(fs::DirEntry::path).filter(|path| *path != older).collect();
        if entries.is_empty() {
            return Ok(previous);
        }
        let numbers = fs::read_dir(&older).into_iter().flatten().flatten();
        let last = numbers.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok()).max().unwrap_or(0);
        let place = older.join(last.saturating_add(1).to_string());
        fs::create_dir_all(&place).map_err(failed)?;
        for entry in entries {
            move_below(&previous, &entry, &place)?;
        }
        Ok(previous)
    }
}

/// What happened to the files of an earlier run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClearedFiles {
    pub files: usize,
    /// `None` if they were deleted.
    pub moved_to: Option<PathBuf>,
}

/// Gives a file or folder the same place below another folder.
fn move_below(root: &Path, file: &Path, to: &Path) -> Result<(), FolderLockError> {
    let place = to.join(file.strip_prefix(root).unwrap_or(file));
    let parent = place.parent().unwrap_or(to);
    fs::create_dir_all(parent).and_then(|()| fs::rename(file, &place)).map_err(|source| FolderLockError::Move {
        file: file.to_owned(),
        to: place.clone(),
        source,
    })
}

#[cfg(test)]
mod tests;
