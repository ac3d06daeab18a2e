//! Texts put into a file by their numbers while they come, which they do nearly in that order. Those that come too early wait:
//! in memory, and on disk if they are too many.

use std::collections::BTreeMap;
use std::collections::btree_map::OccupiedEntry;
use std::path::{Path, PathBuf};

use super::early::Early;
use crate::ReportError;
use crate::folder::part_file::PartFile;

/// Texts of requests that overtook a slow one.
const MOST_HELD_BYTES: usize = 4 * 1024 * 1024;
/// Whoever brings a text does not stay until all that waited for it are written: others wait for the file.
const AT_ONCE: usize = 64;

const HEAD: &[u8] = b"{\n  \"schema_version\": \"1.0\",\n  \"data\": [";

/// What texts are sorted by: the number counts requests from 0, with none left out but at the end of a run that was broken off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct OutputPosition {
    pub(super) number: u64,
    pub(super) index: u32,
}

#[derive(Debug)]
pub(super) struct InOrder {
    out: PartFile,
    is_empty: bool,
    /// The number that is written next.
    next: u64,
    held: BTreeMap<OutputPosition, Vec<u8>>,
    held_bytes: usize,
    most_held: usize,
    early_path: PathBuf,
    early: Option<Early>,
    text: Vec<u8>,
}

impl InOrder {
    /// `early`: where texts that come early are kept, once there are too many.
    pub(super) fn create(path: &Path, early: PathBuf) -> Result<Self, ReportError> {
        Self::holding(path, early, MOST_HELD_BYTES)
    }

    fn holding(path: &Path, early_path: PathBuf, most_held: usize) -> Result<Self, ReportError> {
        let mut out = PartFile::create(path)?;
        out.put(HEAD)?;
        Ok(Self {
            out,
            is_empty: true,
            next: 0,
            held: BTreeMap::new(),
            held_bytes: 0,
            most_held,
            early_path,
            early: None,
            text: Vec::new(),
        })
    }

    pub(super) fn put(&mut self, turn: OutputPosition, text: &[u8]) -> Result<(), ReportError> {
        if turn.number == self.next {
            self.next += 1;
            self.write(text)?;
        } else if self.held_bytes + text.len() <= self.most_held && !self.held.contains_key(&turn) {
            self.held_bytes += text.len();
            self.held.insert(turn, text.to_vec());
        } else {
            let early = match &mut self.early {
                Some(early) => early,
                none => none.insert(Early::create(&self.early_path)?),
            };
            early.keep(turn, text)?;
        }
        for _ in 0..AT_ONCE {
            if self.first().is_none_or(|first| first.number != self.next) {
                break;
            }
            self.next += 1;
            self.write_first()?;
        }
        Ok(())
    }

    /// Writes what still waits, and gives the file its name. Where that fails, all that was said stays in the unfinished files.
    pub(super) fn finish(mut self) -> Result<(), ReportError> {
        while self.first().is_some() {
            self.write_first()?;
        }
        self.out.put(if self.is_empty { b"]\n}" } else { b"\n  ]\n}" })?;
        self.out.finish()?;
        if let Some(early) = self.early {
            early.remove();
        }
        Ok(())
    }

    /// The first of those that wait.
    fn first(&self) -> Option<OutputPosition> {
        let held = self.held.keys().next().copied();
        let early = self.early.as_ref().and_then(Early::first);
        held.into_iter().chain(early).min()
    }

    fn write_first(&mut self) -> Result<(), ReportError> {
        let first = self.first();
        let held = self.held.first_entry().filter(|held| Some(*held.key()) == first);
        if let Some(text) = held.map(OccupiedEntry::remove) {
            self.held_bytes -= text.len();
            return self.write(&text);
        }
        let mut text = std::mem::take(&mut self.text);
        if let Some(early) = &mut self.early {
            early.take_first(&mut text)?;
        }
        let written = self.write(&text);
        self.text = text;
        written
    }

    fn write(&mut self, text: &[u8]) -> Result<(), ReportError> {
        self.out.put(if self.is_empty { b"\n    " } else { b",\n    " })?;
        self.is_empty = false;
        self.out.put(text)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use super::*;

    fn turn(number: u64) -> OutputPosition {
        OutputPosition { number, index: 0 }
    }

    fn expected(numbers: impl Iterator<Item = u64>) -> String {
        let texts: Vec<String> = numbers.map(|number| format!("\n    \"{number}\"")).collect();
        format!("{}{}\n  ]\n}}", String::from_utf8_lossy(HEAD), texts.join(","))
    }

    /// What the file says when texts come in this order, and whether some had to wait on disk.
    fn written(numbers: &[u64], most_held: usize) -> (String, bool) {
        let dir = tempfile::tempdir().unwrap();
        let (path, early) = (dir.path().join("outputs.json"), dir.path().join("outputs.json.unsorted"));
        let mut file = InOrder::holding(&path, early.clone(), most_held).unwrap();
        for number in numbers {
            file.put(turn(*number), format!("\"{number}\"").as_bytes()).unwrap();
        }
        let waited = early.exists();
        file.finish().unwrap();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "nothing else is left");
        (fs::read_to_string(path).unwrap(), waited)
    }

    #[test]
    fn texts_that_come_in_order_are_written_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("outputs.json");
        let mut file = InOrder::holding(&path, dir.path().join("early"), 100).unwrap();
        for number in [1, 0, 3, 2] {
            file.put(turn(number), format!("\"{number}\"").as_bytes()).unwrap();
        }
        assert!(file.held.is_empty() && file.early.is_none() && file.held_bytes == 0);
        file.finish().unwrap();
        assert_eq!(fs::read_to_string(path).unwrap(), expected(0..4));
    }

    #[test]
    fn a_text_that_comes_last_holds_up_the_others_without_filling_the_memory() {
        let numbers: Vec<u64> = (1..5_000).chain([0]).collect();
        assert_eq!(written(&numbers, 64), (expected(0..5_000), true));
        let goes_on: Vec<u64> = (1..2_000).chain([0]).chain(2_000..9_000).collect();
        assert_eq!(written(&goes_on, 64), (expected(0..9_000), true));
    }

    #[test]
    fn numbers_that_never_come_are_passed_over() {
        assert_eq!(written(&[5, 1, 0, 7], 64).0, expected([0, 1, 5, 7].into_iter()));
        assert_eq!(written(&[9, 3], 0).0, expected([3, 9].into_iter()));
    }

    #[test]
    fn a_run_without_texts_has_an_empty_list() {
        let (text, _) = written(&[], 64);
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["data"], serde_json::json!([]));
    }

    #[test]
    fn every_text_is_in_its_place_in_whatever_order_they_come() {
        for count in [1, 2, 64, 65, 997] {
            for step in [1, 3, 7, 389, 996] {
                let numbers: Vec<u64> = (0..count).map(|place| place * step % count).collect();
                let each_once = numbers.iter().collect::<BTreeSet<_>>().len() as u64 == count;
                for most_held in [0, 20, 300, 10_000].into_iter().filter(|_| each_once) {
                    assert_eq!(written(&numbers, most_held).0, expected(0..count), "{count} by {step}, {most_held}");
                }
            }
        }
    }
}
