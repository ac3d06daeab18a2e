//! Texts that wait on disk until it is their turn.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use super::in_order::OutputPosition;
use crate::ReportError;

const BUFFER_BYTES: usize = 256 * 1024;

#[derive(Debug)]
pub(super) struct Early {
    path: PathBuf,
    out: BufWriter<File>,
    written: u64,
    /// Bytes that can be read.
    flushed: u64,
    source: BufReader<File>,
    /// Where the reader is.
    at: u64,
    waiting: BinaryHeap<Reverse<WaitingText>>,
}

/// Where a text lies in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct WaitingText {
    number: u64,
    index: u32,
    length: u32,
    offset: u64,
}

impl Early {
    pub(super) fn create(path: &Path) -> Result<Self, ReportError> {
        let file = File::create(path).map_err(|source| ReportError::create(path, source))?;
        let source = File::open(path).map_err(|source| ReportError::create(path, source))?;
        Ok(Self {
            path: path.to_owned(),
            out: BufWriter::with_capacity(BUFFER_BYTES, file),
            written: 0,
            flushed: 0,
            source: BufReader::with_capacity(BUFFER_BYTES, source),
            at: 0,
            waiting: BinaryHeap::new(),
        })
    }

    pub(super) fn keep(&mut self, turn: OutputPosition, text: &[u8]) -> Result<(), ReportError> {
        self.out.write_all(text).map_err(|source| ReportError::write(&self.path, source))?;
        let entry =
            WaitingText { number: turn.number, index: turn.index, length: text.len() as u32, offset: self.written };
        self.waiting.push(Reverse(entry));
        self.written += text.len() as u64;
        Ok(())
    }

    pub(super) fn first(&self) -> Option<OutputPosition> {
        self.waiting.peek().map(|Reverse(entry)| OutputPosition { number: entry.number, index: entry.index })
    }

    /// Reads the text that [`Early::first`] names into `text`; it waits no longer.
    pub(super) fn take_first(&mut self, text: &mut Vec<u8>) -> Result<(), ReportError> {
        text.clear();
        let Some(Reverse(entry)) = self.waiting.pop() else { return Ok(()) };
        self.read(entry, text).map_err(|source| ReportError::write(&self.path, source))
    }

    fn read(&mut self, entry: WaitingText, text: &mut Vec<u8>) -> io::Result<()> {
        let end = entry.offset + u64::from(entry.length);
        if end > self.flushed {
            self.out.flush()?;
            self.flushed = self.written;
        }
        // They came nearly in order, so that most steps stay within the buffer.
        self.source.seek_relative(entry.offset as i64 - self.at as i64)?;
        self.at = entry.offset;
        text.resize(entry.length as usize, 0);
        self.source.read_exact(text)?;
        self.at = end;
        Ok(())
    }

    /// What it held stands elsewhere now; if it stays, nothing is wrong but the room it takes.
    pub(super) fn remove(self) {
        let _ = fs::remove_file(&self.path);
    }
}
