//! A file that has another name until it is whole, so that whoever finds it finds all of it; and JSON as these files lay
//! it out: two blanks for each level, no line end after the last brace.

use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::ReportError;
use crate::folder::paths::with_end;

const BUFFER_BYTES: usize = 256 * 1024;

#[derive(Debug)]
pub(crate) struct PartFile {
    path: PathBuf,
    part: PathBuf,
    out: BufWriter<File>,
}

impl PartFile {
    pub(crate) fn create(path: &Path) -> Result<Self, ReportError> {
        if let Some(dir) = path.parent() {
            fs::create_dir_all(dir).map_err(|source| ReportError::create(dir, source))?;
        }
        let part = with_end(path, "part");
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        // The ready marker is for its owner alone.
        #[cfg(unix)]
        if path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b".")) {
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        let file = options.open(&part).map_err(|source| ReportError::create(&part, source))?;
        Ok(Self { path: path.to_owned(), part, out: BufWriter::with_capacity(BUFFER_BYTES, file) })
    }

    pub(crate) fn put(&mut self, bytes: &[u8]) -> Result<(), ReportError> {
        self.out.write_all(bytes).map_err(|source| ReportError::write(&self.path, source))
    }

    /// Gives the file its name.
    pub(crate) fn finish(mut self) -> Result<(), ReportError> {
        let written = self.out.flush().and_then(|()| fs::rename(&self.part, &self.path));
        written.map_err(|source| {
            // Whatever is left of it is of no use to anyone.
            let _ = fs::remove_file(&self.part);
            ReportError::write(&self.path, source)
        })
    }

    /// Leaves nothing behind.
    pub(crate) fn discard(self) {
        let _ = fs::remove_file(&self.part);
    }
}

/// Writes a whole file at once.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), ReportError> {
    let mut file = PartFile::create(path)?;
    match file.put(bytes) {
        Ok(()) => file.finish(),
        Err(error) => {
            file.discard();
            Err(error)
        }
    }
}

/// Writes a whole file that is there, whole, also after a loss of power.
pub fn write_durably(path: &Path, bytes: &[u8]) -> Result<(), ReportError> {
    let mut file = PartFile::create(path)?;
    let written = file.put(bytes).and_then(|()| {
        let synced = file.out.flush().and_then(|()| file.out.get_ref().sync_all());
        synced.map_err(|source| ReportError::write(path, source))
    });
    if let Err(error) = written {
        file.discard();
        return Err(error);
    }
    file.finish()?;
    // The name is durable when the folder is. Not every file system lets a folder be synced.
    if let Some(Ok(folder)) = path.parent().map(File::open) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// A value that stands `depth` blanks deep in its file.
pub(crate) fn indented(value: &impl Serialize, depth: usize) -> String {
    // Plain data with text keys cannot fail to serialise. A line break in a text is written as an escape: all that are
    // seen are those of the layout.
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    if depth == 0 { text } else { text.replace('\n', &format!("\n{:depth$}", "")) }
}
