//! Decompresses gzip and zstd files, recognised by their first bytes.

use std::io::{self, BufRead, Read};

use flate2::bufread::MultiGzDecoder;
use zstd::stream::read::Decoder as ZstdDecoder;

/// The most decompressed data that is read into memory. A small file can decompress to any size.
pub const MOST_UNPACKED: u64 = 4 << 30;

const GZIP: &[u8] = b"\x1f\x8b";
const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd";

/// Decompresses the bytes, or returns them if they are not compressed.
pub fn unpack(packed: Vec<u8>, most: u64) -> Result<Vec<u8>, String> {
    if !is_packed(&packed) {
        return Ok(packed);
    }
    let broken = |error: io::Error| format!("cannot be decompressed: {error}; the file may be truncated");
    let mut unpacked = Vec::new();
    let reader = unpacking(&packed[..]).map_err(broken)?;
    reader.take(most.saturating_add(1)).read_to_end(&mut unpacked).map_err(broken)?;
    if unpacked.len() as u64 > most {
        let most = most >> 20;
        return Err(format!("is larger than {most} MiB when decompressed, the most that is read into memory"));
    }
    Ok(unpacked)
}

/// Whether a file that starts with these bytes is compressed.
pub(crate) fn is_packed(start: &[u8]) -> bool {
    start.starts_with(GZIP) || start.starts_with(ZSTD)
}

/// A reader of the decompressed data, or of the data itself if it is not compressed.
pub fn unpacking<'a>(mut packed: impl BufRead + 'a) -> io::Result<Box<dyn Read + 'a>> {
    let start = packed.fill_buf()?;
    if start.starts_with(GZIP) {
        Ok(Box::new(MultiGzDecoder::new(packed)))
    } else if start.starts_with(ZSTD) {
        Ok(Box::new(ZstdDecoder::with_buffer(packed)?))
    } else {
        Ok(Box::new(packed))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use proptest::prelude::*;

    use super::*;
    use crate::{Layout, Trace, validate};

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(text: &[u8]) -> Vec<u8> {
        zstd::encode_all(text, 1).unwrap()
    }

    fn unpacked(packed: Vec<u8>) -> Result<Vec<u8>, String> {
        unpack(packed, 1 << 20)
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
            assert!(unpacked(bomb).unwrap_err().contains("larger than 1 MiB when decompressed"));
            let mut cut = pack(b"some text that is packed");
            cut.truncate(cut.len() - 9);
            assert!(unpacked(cut).unwrap_err().contains("cannot be decompressed"));
        }
    }

    #[test]
    fn a_packed_trace_is_read_and_checked() {
        let rows = include_str!("../../tests/fixtures/mooncake_trace.jsonl");
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in [("rows.jsonl.gz", gzip(rows.as_bytes())), ("rows.jsonl.zst", zstd(rows.as_bytes()))] {
            let path = folder.path().join(name);
            std::fs::write(&path, &content).unwrap();
            assert_eq!(Trace::read(&path, None).unwrap().requests.len(), 20);
            let checked = validate(&path, Some(Layout::Mooncake), None).unwrap();
            assert_eq!((checked.rows, checked.problems.len()), (20, 0));
            std::fs::write(&path, &content[..content.len() - 9]).unwrap();
            let error = Trace::read(&path, None).unwrap_err().to_string();
            assert!(error.contains(name) && error.contains("truncated"), "{error}");
        }
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
