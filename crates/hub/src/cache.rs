//! The hub's cache on disk: `models--OWNER--NAME/` with `refs/REVISION` (which contains a commit), `blobs/ETAG` (the bytes) and
//! `snapshots/COMMIT/FILE` (links to blobs).

use std::io;
use std::path::{Path, PathBuf};

use crate::identity::{FilePath, RepositoryId, Revision, is_safe_part};

/// The folder of one repository.
#[derive(Debug)]
pub(crate) struct Repository {
    folder: PathBuf,
}

impl Repository {
    pub(crate) fn new(cache: &Path, id: &RepositoryId) -> Self {
        Self { folder: cache.join(id.folder()) }
    }

    /// The commit of a revision when it was last requested. A commit is its own revision.
    pub(crate) fn commit(&self, revision: &Revision) -> Option<String> {
        let stored = std::fs::read_to_string(self.folder.join("refs").join(revision.as_str())).ok();
        match stored.as_deref().map(str::trim) {
            Some(commit) => is_safe_part(commit).then(|| commit.to_owned()),
            None => self.snapshot(revision.as_str()).is_dir().then(|| revision.as_str().to_owned()),
        }
    }

    /// The path of a file, if it is in the cache.
    pub(crate) fn find(&self, revision: &Revision, file: &FilePath) -> Option<PathBuf> {
        let path = self.snapshot(&self.commit(revision)?).join(file.as_str());
        path.is_file().then_some(path)
    }

    /// Stores the commit of a revision.
    pub(crate) fn remember(&self, revision: &Revision, commit: &str) -> io::Result<()> {
        if revision.as_str() == commit {
            return Ok(());
        }
        let reference = self.folder.join("refs").join(revision.as_str());
        if let Some(parent) = reference.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(reference, commit)
    }

    pub(crate) fn blob(&self, etag: &str) -> io::Result<PathBuf> {
        let blobs = self.folder.join("blobs");
        std::fs::create_dir_all(&blobs)?;
        Ok(blobs.join(etag))
    }

    /// The path of a blob that is not complete yet.
    pub(crate) fn partial(&self, etag: &str) -> PathBuf {
        self.folder.join("blobs").join(format!("{etag}.aiperf.incomplete"))
    }

    /// Makes a complete blob visible under its name in a commit.
    pub(crate) fn link(&self, commit: &str, file: &FilePath, etag: &str) -> io::Result<PathBuf> {
        let path = self.snapshot(commit).join(file.as_str());
        if path.is_file() {
            return Ok(path);
        }
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        let mut target: PathBuf = file.as_str().split('/').map(|_| "..").collect();
        target.extend(["..", "blobs", etag]);
        // File systems without symbolic links get a copy.
        match make_link(&target, &path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                std::fs::copy(self.folder.join("blobs").join(etag), &path)?;
            }
            _ => {}
        }
        Ok(path)
    }

    /// The path of the list of a commit's files. The hub's own tools do not store such a list.
    pub(crate) fn listing(&self, commit: &str) -> PathBuf {
        self.folder.join(".aiperf").join(format!("{commit}.json"))
    }

    /// The files of a commit that are in the cache, and their sizes.
    pub(crate) fn files(&self, commit: &str) -> Vec<(FilePath, u64)> {
        let mut found = Vec::new();
        walk(&self.snapshot(commit), "", &mut found);
        found.sort();
        found
    }

    fn snapshot(&self, commit: &str) -> PathBuf {
        self.folder.join("snapshots").join(commit)
    }
}

#[cfg(unix)]
fn make_link(target: &Path, path: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, path)
}

#[cfg(windows)]
fn make_link(target: &Path, path: &Path) -> io::Result<()> {
    std::os::windows::fs::symlink_file(target, path)
}

fn walk(folder: &Path, prefix: &str, found: &mut Vec<(FilePath, u64)>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let Ok(name) = entry.file_name().into_string() else { continue };
        let name = if prefix.is_empty() { name } else { format!("{prefix}/{name}") };
        let Ok(facts) = std::fs::metadata(entry.path()) else { continue };
        if facts.is_dir() {
            walk(&entry.path(), &name, found);
        } else if let Ok(path) = FilePath::parse(&name) {
            found.push((path, facts.len()));
        }
    }
}
