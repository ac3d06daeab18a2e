//! Keeps the tables of vocabularies in the user's cache folder, ready for use: laying out a vocabulary of 128,000 tokens takes
//! longer than reading its tables. A file is found by the hash of the `tokenizer.json` that it was made from.

use std::fs::{self, File};
use std::io::{self, Read};
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
    let folder = path.parent().ok_or(io::ErrorKind::NotFound)?;
    fs::create_dir_all(folder)?;
    let own = path.with_extension(format!("v{VERSION}.{}.part", std::process::id()));
    let written = File::create(&own).and_then(|mut file| {
        let mut writer = TableWriter::new(&mut file);
        writer.section(&serde_json::to_vec(settings)?)?;
        vocabulary.write(&mut writer)
    });
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
    let digits = |byte: &u8| [byte >> 4, byte & 15].map(|digit| char::from_digit(u32::from(digit), 16).unwrap_or('0'));
    Ok(hash.finalize().iter().flat_map(digits).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fast::file;

    /// A file that is large enough to be kept, with two merges.
    fn tokenizer(folder: &Path) -> PathBuf {
        let mut vocabulary: serde_json::Map<String, serde_json::Value> = serde_json::Map::new();
        for token in ["a", "b", "ab", "abab"] {
            vocabulary.insert(token.to_owned(), vocabulary.len().into());
        }
        let description = serde_json::json!({
            "version": "1.0", "added_tokens": [], "normalizer": null,
            "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true},
            "post_processor": null, "decoder": {"type": "ByteLevel"}, "comment": " ".repeat(SMALLEST as usize),
            "model": {"type": "BPE", "vocab": vocabulary, "merges": ["a b", "ab ab"]},
        });
        let path = folder.join("tokenizer.json");
        fs::write(&path, description.to_string()).unwrap();
        path
    }

    fn tokens(vocabulary: &Vocabulary) -> Vec<u32> {
        let mut ids = Vec::new();
        vocabulary.encode_piece("ababab", &mut ids);
        ids
    }

    #[test]
    fn tables_are_found_by_the_content_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = tokenizer(folder.path());
        let cache = TableCache::new(Some(folder.path().join("cache")));
        assert!(cache.find(&path).stored().is_none());
        let (settings, vocabulary) = file::read(&fs::read_to_string(&path).unwrap()).unwrap();
        cache.find(&path).store(&settings, &vocabulary);
        let moved = folder.path().join("another.json");
        fs::rename(&path, &moved).unwrap();
        let (stored_settings, stored) = cache.find(&moved).stored().unwrap();
        assert_eq!((stored_settings, tokens(&stored)), (settings, tokens(&vocabulary)));
        assert_eq!(tokens(&vocabulary), [3, 2]);
        fs::write(&moved, fs::read_to_string(&moved).unwrap() + " ").unwrap();
        assert!(cache.find(&moved).stored().is_none());
        let names: Vec<_> =
            fs::read_dir(folder.path().join("cache")).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(names.len(), 1, "{names:?}");
    }

    #[test]
    fn a_damaged_file_is_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let path = tokenizer(folder.path());
        let place = TableCache::new(Some(folder.path().to_owned())).find(&path);
        let (settings, vocabulary) = file::read(&fs::read_to_string(&path).unwrap()).unwrap();
        place.store(&settings, &vocabulary);
        let stored = place.0.clone().unwrap();
        let whole = fs::read(&stored).unwrap();
        for at in (0..whole.len()).step_by(37) {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x10;
            fs::write(&stored, damaged).unwrap();
            assert!(place.stored().is_none(), "byte {at}");
            fs::write(&stored, &whole[..at]).unwrap();
            assert!(place.stored().is_none(), "cut at {at}");
        }
    }

    #[test]
    fn nothing_is_kept_without_a_folder_or_of_a_small_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = tokenizer(folder.path());
        assert!(TableCache::new(None).find(&path).0.is_none());
        fs::write(&path, "{}").unwrap();
        assert!(TableCache::new(Some(folder.path().to_owned())).find(&path).0.is_none());
    }
}
