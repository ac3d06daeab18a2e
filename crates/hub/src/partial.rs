//! A partially downloaded file. Only one process at a time writes to it; its content remains when that process ends.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

#[derive(Debug)]
pub(crate) struct Partial {
    path: PathBuf,
    file: File,
    length: u64,
}

impl Partial {
    /// Opens or creates the file, with the content of an earlier download; `None` while another process has it locked.
    pub(crate) fn open(path: &Path) -> io::Result<Option<Self>> {
        let file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        if !lock(&file)? {
            return Ok(None);
        }
        // Another process may have renamed or deleted it between opening and locking.
        if !is_still_at(&file, path)? {
            return Ok(None);
        }
        let length = file.metadata()?.len();
        Ok(Some(Self { path: path.to_owned(), file, length }))
    }

    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    pub(crate) fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Deletes the content.
    pub(crate) fn restart(&mut self) -> io::Result<()> {
        self.file.set_len(0)?;
        self.length = 0;
        Ok(())
    }

    pub(crate) fn sha256(&mut self) -> io::Result<String> {
        self.file.seek(SeekFrom::Start(0))?;
        let mut hash = Sha256::new();
        let mut buffer = vec![0; 1 << 16];
        loop {
            match self.file.read(&mut buffer)? {
                0 => break,
                read => hash.update(&buffer[..read]),
            }
        }
        Ok(hex(&hash.finalize()))
    }

    /// Renames the complete file to its final path.
    pub(crate) fn finish(self, path: &Path) -> io::Result<()> {
        self.file.sync_all()?;
        std::fs::rename(&self.path, path)
    }

    pub(crate) fn discard(self) -> io::Result<()> {
        std::fs::remove_file(&self.path)
    }
}

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

#[cfg(unix)]
fn is_still_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    Ok(std::fs::metadata(path).map_or(0, |there| there.ino()) == file.metadata()?.ino())
}

/// The standard library does not tell files apart here; a name that is gone is noticed.
#[cfg(not(unix))]
fn is_still_at(_file: &File, path: &Path) -> io::Result<bool> {
    path.try_exists()
}

#[cfg(not(unix))]
fn lock(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(std::fs::TryLockError::WouldBlock) => Ok(false),
        Err(std::fs::TryLockError::Error(error)) => Err(error),
    }
}

#[cfg(unix)]
fn lock(file: &File) -> io::Result<bool> {
    match rustix::fs::flock(file, rustix::fs::FlockOperation::NonBlockingLockExclusive) {
        // On file systems without locks, other processes cannot be detected.
        Ok(()) | Err(rustix::io::Errno::NOTSUP | rustix::io::Errno::NOSYS | rustix::io::Errno::NOLCK) => Ok(true),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_writer_at_a_time_and_what_was_written_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.incomplete");
        let mut first = Partial::open(&path).unwrap().unwrap();
        first.append(b"ab").unwrap();
        assert!(Partial::open(&path).unwrap().is_none());
        drop(first);
        let mut second = Partial::open(&path).unwrap().unwrap();
        assert_eq!(second.length(), 2);
        second.append(b"c").unwrap();
        assert_eq!(second.sha256().unwrap(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        second.finish(&folder.path().join("x")).unwrap();
        assert_eq!(std::fs::read(folder.path().join("x")).unwrap(), b"abc");
    }
}
