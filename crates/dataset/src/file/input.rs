//! What is read: one file, in memory, or a folder of files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use aiperf_config::FileSource;
use aiperf_seed::Seed;

use super::faults::Faults;
use super::media::MediaFiles;
use super::{folder, unpack};
use crate::DatasetError;

#[derive(Debug)]
pub(crate) enum Input {
    Document(Document),
    Folder(PathBuf),
}

impl Input {
    pub(crate) fn open(path: &Path) -> Result<Self, DatasetError> {
        Ok(if path.is_dir() { Self::Folder(path.to_owned()) } else { Self::Document(Document::open(path)?) })
    }
}

/// A file, unpacked.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) path: PathBuf,
    pub(crate) bytes: Vec<u8>,
}

impl Document {
    pub(crate) fn open(path: &Path) -> Result<Self, DatasetError> {
        Ok(Self { path: path.to_owned(), bytes: unpack::file(path)? })
    }

    /// Its name without folders and extension.
    pub(crate) fn stem(&self) -> &str {
        let name = folder::plain_name(&self.path);
        name.rsplit_once('.').map_or(name, |(stem, _)| stem)
    }
}

/// What every format needs for its reading.
#[derive(Debug)]
pub(crate) struct Reading<'a> {
    pub(crate) source: &'a FileSource,
    /// Without it a system message in the file is a turn like any other.
    pub(crate) has_system_role: bool,
    pub(crate) seed: Seed,
    /// Those that the user asks for.
    pub(crate) models: &'a [Arc<str>],
    pub(crate) media: MediaFiles,
    pub(crate) faults: Faults,
}

impl<'a> Reading<'a> {
    pub(crate) fn new(source: &'a FileSource, has_system_role: bool, seed: Seed, media: MediaFiles) -> Self {
        Self { source, has_system_role, seed, models: &[], media, faults: Faults::new(source.bad_rows) }
    }
}
