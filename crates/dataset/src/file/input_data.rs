//! The input: one file in memory, or a folder of files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use aiperf_config::{FileSource, InlineRows};
use aiperf_seed::Seed;

use super::media::MediaFiles;
use super::row_errors::RowErrors;
use super::{folder, unpack};
use crate::DatasetError;

#[derive(Debug)]
pub(crate) enum InputData {
    File(LoadedFile),
    Folder(PathBuf),
    /// Pools of the configuration, each as if it were a file.
    Pools(Vec<LoadedFile>),
}

impl InputData {
    /// The rows of the configuration, or else the file or folder that it names.
    pub(crate) fn of(source: &FileSource) -> Result<Self, DatasetError> {
        let named = |name: &Path, rows: &str| LoadedFile { path: name.to_owned(), bytes: rows.as_bytes().to_vec() };
        match &source.inline {
            None => Self::open(&source.path),
            Some(InlineRows::Rows(rows)) => Ok(Self::File(named(&source.path, rows))),
            Some(InlineRows::Pools(pools)) => Ok(Self::Pools(
                pools.iter().map(|(name, rows)| named(Path::new(&format!("{name}.jsonl")), rows)).collect(),
            )),
        }
    }

    pub(crate) fn open(path: &Path) -> Result<Self, DatasetError> {
        Ok(if path.is_dir() { Self::Folder(path.to_owned()) } else { Self::File(LoadedFile::open(path)?) })
    }
}

/// The decompressed contents of a file.
#[derive(Debug)]
pub(crate) struct LoadedFile {
    pub(crate) path: PathBuf,
    pub(crate) bytes: Vec<u8>,
}

impl LoadedFile {
    pub(crate) fn open(path: &Path) -> Result<Self, DatasetError> {
        Ok(Self { path: path.to_owned(), bytes: unpack::file(path)? })
    }

    /// The file name without folders and extension.
    pub(crate) fn stem(&self) -> &str {
        let name = folder::plain_name(&self.path);
        name.rsplit_once('.').map_or(name, |(stem, _)| stem)
    }
}

/// What every format's reader needs.
#[derive(Debug)]
pub(crate) struct ReadContext<'a> {
    pub(crate) source: &'a FileSource,
    /// Whether the endpoint has a system role. Without it a system message in the file is a turn like any other.
    pub(crate) has_system_role: bool,
    pub(crate) seed: Seed,
    /// The models that the user requests.
    pub(crate) models: &'a [Arc<str>],
    pub(crate) media: MediaFiles,
    pub(crate) row_errors: RowErrors,
}

impl<'a> ReadContext<'a> {
    pub(crate) fn new(source: &'a FileSource, has_system_role: bool, seed: Seed, media: MediaFiles) -> Self {
        Self { source, has_system_role, seed, models: &[], media, row_errors: RowErrors::new(source.bad_rows) }
    }
}
