//! The bytes of a file, unpacked if gzip or zstd packed it. Which of them did is seen from its first bytes.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::StreamingDecoder;

use crate::DatasetError;

/// A small archive can hold any amount of data. More than this is not taken into memory.
pub(crate) const MOST_UNPACKED: u64 = 4 << 30;

const GZIP: &[u8] = b"\x1f\x8b";
const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd";

/// All bytes of a file.
pub(crate) fn file(path: &Path) -> Result<Vec<u8>, DatasetError> {
    let packed = std::fs::read(path).map_err(|error| unreadable(path, &error))?;
    bytes(path, packed, MOST_UNPACKED)
}

/// The bytes that were packed into these, or these. `path` is for messages only.
pub(crate) fn bytes(path: &Path, packed: Vec<u8>, most: u64) -> Result<Vec<u8>, DatasetError> {
    if !packed.starts_with(GZIP) && !packed.starts_with(ZSTD) {
        return Ok(packed);
    }
    let refuse = |problem: String| DatasetError::Unpacking { path: path.to_owned(), problem };
    let mut unpacked = Vec::new();
    let reader = decoder(&packed[..]).map_err(|error| refuse(broken(&error)))?;
    let read = reader.take(most.saturating_add(1)).read_to_end(&mut unpacked);
    read.map_err(|error| refuse(broken(&error)))?;
    if unpacked.len() as u64 > most {
        let most = most >> 20;
        return Err(refuse(format!(
            "holds more than {most} MiB when unpacked, which is the most that is taken into memory"
        )));
    }
    Ok(unpacked)
}

/// The first line that holds something, byte order mark and blanks apart; none where there is none.
pub(crate) fn first_line(path: &Path) -> Result<Option<Vec<u8>>, DatasetError> {
    let refuse = |error: io::Error| unreadable(path, &error);
    let mut reader = BufReader::new(File::open(path).map_err(refuse)?);
    let unpacked = decoder(&mut reader).map_err(refuse)?;
    let mut lines = BufReader::new(unpacked.take(MOST_UNPACKED));
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

fn broken(error: &io::Error) -> String {
    format!("cannot be unpacked: {error}; it may be cut short")
}

fn decoder<'a>(mut packed: impl BufRead + 'a) -> io::Result<Box<dyn Read + 'a>> {
    let start = packed.fill_buf()?;
    if start.starts_with(GZIP) {
        Ok(Box::new(MultiGzDecoder::new(packed)))
    } else if start.starts_with(ZSTD) {
        Ok(Box::new(Frames { packed: Some(packed), frame: None }))
    } else {
        Ok(Box::new(packed))
    }
}

/// A zstd file may hold several frames, one after the other.
struct Frames<R: BufRead> {
    /// Between two frames.
    packed: Option<R>,
    frame: Option<StreamingDecoder<R, ruzstd::decoding::FrameDecoder>>,
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            if let Some(frame) = &mut self.frame {
                let read = frame.read(buffer)?;
                if read > 0 {
                    return Ok(read);
                }
            }
            if let Some(frame) = self.frame.take() {
                self.packed = Some(frame.into_inner());
            }
            let Some(mut packed) = self.packed.take() else { return Ok(0) };
            if packed.fill_buf()?.is_empty() {
                return Ok(0);
            }
            self.frame = Some(StreamingDecoder::new(packed).map_err(io::Error::other)?);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use proptest::prelude::*;

    use super::*;

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(text: &[u8]) -> Vec<u8> {
        ruzstd::encoding::compress_to_vec(text, ruzstd::encoding::CompressionLevel::Fastest)
    }

    fn unpacked(packed: Vec<u8>) -> Result<Vec<u8>, String> {
        bytes(Path::new("a"), packed, 1 << 20).map_err(|error| error.to_string())
    }

    #[test]
    fn packed_files_are_unpacked_all_their_parts_included() {
        let text = b"{\"text\": \"one\"}\n".repeat(100);
        for pack in [gzip, zstd] {
            assert_eq!(unpacked(pack(&text)).unwrap(), text);
            assert_eq!(unpacked([pack(b"one "), pack(b"two")].concat()).unwrap(), b"one two");
        }
        assert_eq!(unpacked(text.clone()).unwrap(), text);
        assert_eq!(unpacked(Vec::new()).unwrap(), b"");
    }

    #[test]
    fn an_archive_that_holds_too_much_or_is_cut_short_is_refused() {
        for pack in [gzip, zstd] {
            let bomb = pack(&vec![b'a'; (1 << 20) + 1]);
            assert!(bomb.len() < 1 << 18);
            assert!(unpacked(bomb).unwrap_err().contains("more than 1 MiB when unpacked"));
            let mut cut = pack(b"some text that is packed");
            cut.truncate(cut.len() - 9);
            assert!(unpacked(cut).unwrap_err().contains("cannot be unpacked"));
        }
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

    proptest! {
        #[test]
        fn no_bytes_make_the_unpacking_panic(
            magic in prop::sample::select(vec![GZIP, ZSTD]),
            rest in proptest::collection::vec(any::<u8>(), 0..200),
        ) {
            let _ = unpacked([magic, &rest].concat());
        }
    }
}
