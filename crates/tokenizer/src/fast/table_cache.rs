//! Keeps the tables of vocabularies in the user's cache folder, ready for use: laying out a vocabulary of 128,000 tokens takes
//! longer than reading its tables. A file is found by the hash of the `tokenizer.json` that it was made from.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use aiperf_bpe::{TableReader, TableWriter, Vocabulary};
use sha2::{Digest, Sha256};

use super::settings::TokenizerSettings;

/// The version of the layout. Files of another one are not read.
const VERSION: &str = "1";
/// Smaller files are read as fast as their tables.
const SMALLEST: u64 = 1 << 20;

/// Where tables are kept.
#[derive(Debug, Clone)]
pub(crate) struct TableCache {
    /// `None`: nowhere.
    folder: Option<PathBuf>,
}

impl TableCache {
    pub(crate) fn new(folder: Option<PathBuf>) -> Self {
        Self { folder }
    }

    /// The place of the tables of a `tokenizer.json`.
    pub(crate) fn find(&self, tokenizer: &Path) -> CachePlace {
        let is_large = || fs::metadata(tokenizer).is_ok_and(|file| file.len() >= SMALLEST);
        let folder = self.folder.as_ref().filter(|_| is_large());
        let file = folder.and_then(|folder| Some(folder.join(format!("{}.v{VERSION}", content_hash(tokenizer).ok()?))));
        CachePlace(file)
    }
}

/// The file with the tables of one `tokenizer.json`; none if they are not to be kept.
#[derive(Debug)]
pub(crate) struct CachePlace(Option<PathBuf>);

impl CachePlace {
    /// What is stored; `None` if there is nothing, or if it is damaged.
    pub(crate) fn stored(&self) -> Option<(TokenizerSettings, Vocabulary)> {
        let mut file = File::open(self.0.as_ref()?).ok()?;
        let mut reader = TableReader::new(&mut file);
        let settings = reader.section().ok().and_then(|section| serde_json::from_slice(&section).ok())?;
        Some((settings, Vocabulary::read(&mut reader).ok()?))
    }

    /// Stores tables. It is not an error if that fails: they are made again the next time.
    pub(crate) fn store(&self, settings: &TokenizerSettings, vocabulary: &Vocabulary) {
        let Some(path) = &self.0 else { return };
        if let Err(error) = write(path, settings, vocabulary) {
            log::debug!("cannot keep the tables of a tokenizer in {}: {error}", path.display());
        }
    }
}

/// Writes a file of its own and renames it, so that other processes never see a part of it.
fn write(path: &Path, settings: &TokenizerSettings, vocabulary: &Vocabulary) -> io::Result<()> {
    let mut writer = TableWriter::default();
    writer.section(&serde_json::to_vec(settings)?);
    vocabulary.write(&mut writer);
    let folder = path.parent().ok_or(io::ErrorKind::NotFound)?;
    fs::create_dir_all(folder)?;
    let own = path.with_extension(format!("v{VERSION}.{}.part", std::process::id()));
    let written = File::create(&own).and_then(|mut file| file.write_all(&writer.into_bytes()));
    let renamed = written.and_then(|()| fs::rename(&own, path));
    if renamed.is_err() {
        // A part that is left behind does no harm.
        let _ = fs::remove_file(&own);
    }
    renamed
}

/// The SHA-256 of a file in hexadecimal digits.
fn content_hash(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            read => hash.update(&buffer[..read]),
        }
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}
