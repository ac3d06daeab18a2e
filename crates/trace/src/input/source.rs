//! Reads an input file, decompressed and with limits. A file that never ends, is not text or does not fit into memory is an
//! error.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use super::compression::{MOST_UNPACKED, is_packed};
use super::{text_errors, unpacking};

/// The longest line; no format has longer rows.
const LONGEST_LINE: usize = 64 << 20;
/// The most bytes of a pipe or device, which may have no end.
const MOST_OF_A_STREAM: u64 = 1 << 30;
const CHUNK: usize = 1 << 16;
/// A pipe that sends nothing for longer than this is reported in the log.
const SILENCE_LIMIT: Duration = Duration::from_millis(1_500);

/// Why a file was not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// The operating system reported an error.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// The content is not valid.
    #[error("{0}")]
    Content(String),
}

/// The form of a file, judged by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileForm {
    /// One row per line.
    Lines,
    /// One JSON document, which may be a single line.
    Document,
    /// Columns in binary form.
    Table,
}

impl FileForm {
    fn of(path: &Path) -> Self {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_ascii_lowercase();
        let plain = [".gz", ".zst"].iter().find_map(|packed| name.strip_suffix(packed)).unwrap_or(&name);
        match Path::new(plain).extension().and_then(|extension| extension.to_str()) {
            Some("parquet" | "arrow" | "ipc") => Self::Table,
            Some("json") => Self::Document,
            _ => Self::Lines,
        }
    }
}

/// All bytes of a file, decompressed if it is a gzip or zstd file.
pub fn read_file(path: &Path) -> Result<Vec<u8>, SourceError> {
    let refuse = |error: io::Error| SourceError::Unreadable(error.to_string());
    let found = fs::metadata(path).map_err(refuse)?;
    let waiting = (!found.is_file()).then(|| SilenceWarning::for_first_byte(path));
    let mut reader = BufReader::with_capacity(CHUNK, File::open(path).map_err(refuse)?);
    let packed = is_packed(reader.fill_buf().map_err(refuse)?);
    drop(waiting);
    let most = if found.is_file() { MOST_UNPACKED } else { MOST_OF_A_STREAM };
    let form = FileForm::of(path);
    if packed {
        let broken = |error: io::Error| {
            SourceError::Content(format!("cannot be decompressed: {error}; the file may be truncated"))
        };
        read_all(unpacking(reader).map_err(broken)?, form, most, broken)
    } else {
        read_all(reader, form, most, refuse)
    }
}

fn read_all(
    mut reader: impl Read,
    form: FileForm,
    most: u64,
    refuse: impl Fn(io::Error) -> SourceError,
) -> Result<Vec<u8>, SourceError> {
    let mut bytes: Vec<u8> = Vec::new();
    let mut chunk = vec![0; CHUNK];
    // The start of the last, incomplete line.
    let mut line_start = 0;
    loop {
        let read = match reader.read(&mut chunk) {
            Ok(0) => return Ok(bytes),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(refuse(error)),
        };
        let is_first = bytes.is_empty();
        let new = &chunk[..read];
        if bytes.len() as u64 + read as u64 > most {
            let most = most >> 20;
            return Err(SourceError::Content(format!("is larger than {most} MiB, the most that is read into memory")));
        }
        if bytes.capacity() - bytes.len() < read {
            let more = read.max(bytes.len() / 2);
            bytes.try_reserve(more).map_err(|_| {
                SourceError::Content(format!("does not fit into memory; {} MiB had been read", bytes.len() >> 20))
            })?;
        }
        bytes.extend_from_slice(new);
        if form == FileForm::Table {
            continue;
        }
        if is_first && let Some(problem) = text_errors::in_beginning(&bytes) {
            return Err(SourceError::Content(problem));
        }
        if let Some(end) = new.iter().rposition(|byte| *byte == b'\n') {
            line_start = bytes.len() - read + end + 1;
        }
        if form == FileForm::Lines && bytes.len() - line_start > LONGEST_LINE {
            let number = bytes[..line_start].split(|byte| *byte == b'\n').count();
            let most = LONGEST_LINE >> 20;
            return Err(SourceError::Content(format!(
                "line {number} is longer than {most} MiB; an input file has one row per line"
            )));
        }
    }
}

/// Warns that a pipe or device has not sent anything, unless it is dropped before.
struct SilenceWarning {
    _over: mpsc::Sender<()>,
}

impl SilenceWarning {
    fn for_first_byte(path: &Path) -> Self {
        let (over, dropped) = mpsc::channel::<()>();
        let shown = path.display().to_string();
        thread::spawn(move || {
            if dropped.recv_timeout(SILENCE_LIMIT) == Err(RecvTimeoutError::Timeout) {
                log::warn!(
                    "Waiting for data: {shown} is a pipe or device and has sent nothing yet; Ctrl-C ends the wait"
                );
            }
        });
        Self { _over: over }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn read(bytes: impl Read, form: FileForm, most: u64) -> Result<Vec<u8>, String> {
        let refuse = |error: io::Error| SourceError::Unreadable(error.to_string());
        read_all(bytes, form, most, refuse).map_err(|error| error.to_string())
    }

    #[test]
    fn a_source_without_end_is_refused_and_says_what_it_is() {
        let zero = read(io::repeat(0), FileForm::Lines, 1 << 30).unwrap_err();
        assert!(zero.contains("not a text file"), "{zero}");
        let line = read(io::repeat(b'a'), FileForm::Lines, 1 << 30).unwrap_err();
        assert!(line.contains("line 1 is longer than 64 MiB"), "{line}");
        let rows = read(io::repeat(b'\n'), FileForm::Lines, 1 << 20).unwrap_err();
        assert!(rows.contains("larger than 1 MiB"), "{rows}");
    }

    #[test]
    fn a_long_line_is_named_by_its_number() {
        let start = Cursor::new(b"{}\n{}\n".to_vec());
        let error = read(start.chain(io::repeat(b'a')), FileForm::Lines, 1 << 30).unwrap_err();
        assert!(error.starts_with("line 3 is longer"), "{error}");
    }

    #[test]
    fn a_document_may_be_one_long_line_and_a_table_any_bytes() {
        let long = vec![b'a'; LONGEST_LINE + 1];
        assert_eq!(read(&long[..], FileForm::Document, 1 << 30).unwrap().len(), long.len());
        assert_eq!(read(&[0, 1, 0][..], FileForm::Table, 1 << 30).unwrap(), [0, 1, 0]);
        for (name, form) in [
            ("a.jsonl", FileForm::Lines),
            ("a.JSON", FileForm::Document),
            ("a.json.gz", FileForm::Document),
            ("a.parquet", FileForm::Table),
            ("fifo", FileForm::Lines),
        ] {
            assert_eq!(FileForm::of(Path::new(name)), form, "{name}");
        }
    }

    #[test]
    fn a_device_without_end_does_not_fill_the_memory() {
        let error = read_file(Path::new("/dev/zero")).unwrap_err().to_string();
        assert!(error.contains("not a text file"), "{error}");
    }
}
