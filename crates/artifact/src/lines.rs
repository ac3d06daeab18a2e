//! The lines of a file, without a copy of each.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

use crate::ArtifactError;

/// Bytes that are read at once; the room grows if a line is longer.
const BLOCK_BYTES: usize = 1 << 18;

/// Calls `visit` with the number of each line that is not blank, the line, and whether it has an end; until it says no.
pub(crate) fn each_line(path: &Path, visit: impl FnMut(usize, &[u8], bool) -> bool) -> Result<(), ArtifactError> {
    each_line_in(path, 0..u64::MAX, visit).map(drop)
}

/// The same for the lines that begin in a part of the file, numbered from its first one. Returns how many there are.
pub(crate) fn each_line_in(
    path: &Path,
    part: Range<u64>,
    mut visit: impl FnMut(usize, &[u8], bool) -> bool,
) -> Result<usize, ArtifactError> {
    let mut blocks = Blocks::open(path, part.start.saturating_sub(1))?;
    if part.start > 0 {
        // The line that the byte before the part belongs to begins before the part.
        blocks.next_line()?;
    }
    let mut number = 0;
    while blocks.at < part.end {
        let Some((line, whole)) = blocks.next_line()? else { break };
        number += 1;
        let text = line.trim_ascii();
        if !text.is_empty() && !visit(number, text, whole) {
            break;
        }
    }
    Ok(number)
}

/// A file that is read block by block.
struct Blocks<'a> {
    path: &'a Path,
    file: File,
    room: Vec<u8>,
    /// What is read and not yet given away.
    filled: Range<usize>,
    /// Where in the file the next line begins.
    at: u64,
    is_ended: bool,
}

impl<'a> Blocks<'a> {
    fn open(path: &'a Path, at: u64) -> Result<Self, ArtifactError> {
        let mut file = File::open(path).map_err(ArtifactError::read(path))?;
        file.seek(SeekFrom::Start(at)).map_err(ArtifactError::read(path))?;
        Ok(Self { path, file, room: vec![0; BLOCK_BYTES], filled: 0..0, at, is_ended: false })
    }

    /// The next line without its end, and whether it has one.
    fn next_line(&mut self) -> Result<Option<(&[u8], bool)>, ArtifactError> {
        let mut looked = 0;
        loop {
            let unread = &self.room[self.filled.clone()];
            if let Some(end) = memchr::memchr(b'\n', &unread[looked..]) {
                let length = looked + end;
                return Ok(Some((self.take(length, 1), true)));
            }
            looked = unread.len();
            if self.is_ended {
                return Ok((looked > 0).then(|| (self.take(looked, 0), false)));
            }
            self.fill()?;
        }
    }

    fn take(&mut self, length: usize, end: usize) -> &[u8] {
        let line = self.filled.start..self.filled.start + length;
        self.filled.start = line.end + end;
        self.at += (length + end) as u64;
        &self.room[line]
    }

    fn fill(&mut self) -> Result<(), ArtifactError> {
        self.room.copy_within(self.filled.clone(), 0);
        self.filled = 0..self.filled.len();
        if self.filled.end == self.room.len() {
            self.room.resize(self.room.len() * 2, 0);
        }
        loop {
            match self.file.read(&mut self.room[self.filled.end..]) {
                Ok(read) => {
                    self.filled.end += read;
                    self.is_ended = read == 0;
                    return Ok(());
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(ArtifactError::read(self.path)(error)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_may_be_longer_than_a_block() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lines");
        let lengths = [3, 3 * BLOCK_BYTES, 0, BLOCK_BYTES - 1, 7];
        let text: Vec<String> = lengths.iter().map(|length| "x".repeat(*length)).collect();
        std::fs::write(&path, text.join("\n")).unwrap();
        let mut seen = Vec::new();
        each_line(&path, |number, line, whole| {
            seen.push((number, line.len(), whole));
            true
        })
        .unwrap();
        let expected = [(1, 3, true), (2, 3 * BLOCK_BYTES, true), (4, BLOCK_BYTES - 1, true), (5, 7, false)];
        assert_eq!(seen, expected);
    }

    #[test]
    fn parts_of_a_file_have_all_lines_once_wherever_it_is_cut() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lines");
        let text = "one\n\nthree\nfour\nfive";
        std::fs::write(&path, text).unwrap();
        for cut in 0..=text.len() as u64 {
            let (mut seen, mut lines) = (Vec::new(), 0);
            for part in [0..cut, cut..text.len() as u64] {
                lines += each_line_in(&path, part, |_, line, _| {
                    seen.push(String::from_utf8(line.to_vec()).unwrap());
                    true
                })
                .unwrap();
            }
            assert_eq!((seen.join(" ").as_str(), lines), ("one three four five", 5), "cut at {cut}");
        }
    }
}
