//! The progress of a download.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Written by downloads, read by a progress line.
#[derive(Debug, Default)]
pub struct DownloadProgress {
    /// The number of bytes received for all files.
    received: AtomicU64,
    /// The number of bytes of the current file, including those of earlier downloads.
    done: AtomicU64,
    current: Mutex<Option<(String, Option<u64>)>>,
}

/// The progress of the current file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DownloadSnapshot {
    pub name: String,
    pub done: u64,
    /// The total size, if the server announces it.
    pub size: Option<u64>,
}

impl DownloadProgress {
    /// The file that is being downloaded; `None` when nothing is.
    pub fn snapshot(&self) -> Option<DownloadSnapshot> {
        let current = self.current.lock().ok()?;
        let (name, size) = current.as_ref()?;
        Some(DownloadSnapshot { name: name.clone(), done: self.done.load(Ordering::Relaxed), size: *size })
    }

    /// Bytes received so far.
    pub fn received(&self) -> u64 {
        self.received.load(Ordering::Relaxed)
    }

    pub(crate) fn begin(&self, name: &str, done: u64, size: Option<u64>) {
        self.done.store(done, Ordering::Relaxed);
        self.set(Some((name.to_owned(), size)));
    }

    pub(crate) fn advance(&self, bytes: u64) {
        self.received.fetch_add(bytes, Ordering::Relaxed);
        self.done.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn end(&self) {
        self.set(None);
    }

    fn set(&self, value: Option<(String, Option<u64>)>) {
        if let Ok(mut current) = self.current.lock() {
            *current = value;
        }
    }
}
