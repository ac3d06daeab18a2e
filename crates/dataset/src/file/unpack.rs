//! The bytes of a file, decompressed if it is a gzip or zstd file.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use aiperf_trace::{SourceError, read_file, unpack, unpacking};

use crate::DatasetError;

/// All bytes of a file.
pub(crate) fn file(path: &Path) -> Result<Vec<u8>, DatasetError> {
    read_file(path).map_err(|error| match error {
        SourceError::Unreadable(reason) => DatasetError::Unreadable { path: path.to_owned(), reason },
        SourceError::Content(problem) => DatasetError::Content { path: path.to_owned(), problem },
    })
}

/// The decompressed bytes, or the bytes themselves if they are not compressed. `path` is only used in messages.
pub(crate) fn bytes(path: &Path, packed: Vec<u8>, most: u64) -> Result<Vec<u8>, DatasetError> {
    unpack(packed, most).map_err(|problem| DatasetError::Content { path: path.to_owned(), problem })
}

/// A longer first line is not read.
const LONGEST_FIRST_LINE: u64 = 16 << 20;

/// The first line that is not blank, trimmed and without a byte order mark; `None` if there is none.
pub(crate) fn first_line(path: &Path) -> Result<Option<Vec<u8>>, DatasetError> {
    let refuse = |error: io::Error| unreadable(path, &error);
    let mut reader = BufReader::new(File::open(path).map_err(refuse)?);
    let unpacked = unpacking(&mut reader).map_err(refuse)?;
    let mut lines = BufReader::new(unpacked.take(LONGEST_FIRST_LINE));
    loop {
        let mut line = Vec::new();
        if lines.read_until(b'\n', &mut line).map_err(refuse)? == 0 {
            return Ok(None);
        }
        let text = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line).trim_ascii();
        if !text.is_empty() {
            return Ok(Some(text.to_vec()));
        }
    }
}

pub(crate) fn unreadable(path: &Path, error: &io::Error) -> DatasetError {
    DatasetError::Unreadable { path: path.to_owned(), reason: error.to_string() }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(text: &[u8]) -> Vec<u8> {
        zstd::encode_all(text, 1).unwrap()
    }

    #[test]
    fn the_first_line_of_a_file_is_found_packed_or_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let text = "\u{feff}\r\n \r\nfirst\r\nsecond";
        for content in [text.as_bytes().to_vec(), gzip(text.as_bytes()), zstd(text.as_bytes())] {
            std::fs::write(&path, content).unwrap();
            assert_eq!(first_line(&path).unwrap().unwrap(), b"first");
        }
        std::fs::write(&path, "\n").unwrap();
        assert_eq!(first_line(&path).unwrap(), None);
    }
}
