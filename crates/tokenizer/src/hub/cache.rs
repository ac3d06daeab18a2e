//! The hub's cache on disk: `models--OWNER--NAME/` with `refs/REVISION` (holding a commit), `blobs/ETAG` (the bytes) and
//! `snapshots/COMMIT/FILE` (links to blobs).

use std::io;
use std::path::{Path, PathBuf};

use super::identity::{RepositoryId, Revision};

/// The folder of one repository.
#[derive(Debug)]
pub(crate) struct Repository {
    folder: PathBuf,
}

impl Repository {
    pub(crate) fn new(cache: &Path, id: &RepositoryId) -> Self {
        Self { folder: cache.join(id.folder()) }
    }

    /// The cached file of the revision, if it is there.
    pub(crate) fn find(&self, revision: &Revision, name: &str) -> Option<PathBuf> {
        let stored = std::fs::read_to_string(self.folder.join("refs").join(revision.as_str())).ok();
        let commit = stored.as_deref().map_or(revision.as_str(), str::trim);
        let file = self.snapshot(commit).join(name);
        file.is_file().then_some(file)
    }

    /// Puts a downloaded file into the cache. `fill` writes the bytes; nothing is visible to others before they are all
    /// there.
    pub(crate) fn store(
        &self,
        revision: &Revision,
        name: &str,
        commit: &str,
        etag: &str,
        fill: impl FnOnce(&mut std::fs::File) -> io::Result<u64>,
    ) -> io::Result<PathBuf> {
        let blob = self.folder.join("blobs").join(etag);
        let partial = self.folder.join("blobs").join(format!("{etag}.{}.incomplete", std::process::id()));
        std::fs::create_dir_all(self.folder.join("blobs"))?;
        let written = std::fs::File::create(&partial).and_then(|mut file| fill(&mut file).and(file.sync_all()));
        if let Err(error) = written.and_then(|()| std::fs::rename(&partial, &blob)) {
            // The first error is the one worth telling; a partial file left behind does no harm.
            let _ = std::fs::remove_file(&partial);
            return Err(error);
        }
        let snapshot = self.snapshot(commit);
        std::fs::create_dir_all(&snapshot)?;
        let file = snapshot.join(name);
        if !file.is_file() {
            link(etag, &blob, &file)?;
        }
        if revision.as_str() != commit {
            let reference = self.folder.join("refs").join(revision.as_str());
            if let Some(parent) = reference.parent() {
                std::fs::create_dir_all(parent)?;
            }
            std::fs::write(reference, commit)?;
        }
        Ok(file)
    }

    fn snapshot(&self, commit: &str) -> PathBuf {
        self.folder.join("snapshots").join(commit)
    }
}

#[cfg(unix)]
fn link(etag: &str, blob: &Path, file: &Path) -> io::Result<()> {
    let target = Path::new("..").join("..").join("blobs").join(etag);
    // File systems without symbolic links get a copy.
    std::os::unix::fs::symlink(target, file).or_else(|_| std::fs::copy(blob, file).map(drop))
}

#[cfg(not(unix))]
fn link(_etag: &str, blob: &Path, file: &Path) -> io::Result<()> {
    std::fs::copy(blob, file).map(drop)
}
