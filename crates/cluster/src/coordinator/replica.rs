//! The folder of a node, as it arrives: pieces of files are appended in order. A piece that came before is left out, so that a
//! message that is delivered twice changes nothing.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Component, Path, PathBuf};

use crate::ClusterError;
use crate::clock_offset::ClockReading;
use crate::message::{Counters, NodeEnd};

#[derive(Debug)]
pub(super) struct Replica {
    folder: PathBuf,
    /// Length of each file so far.
    lengths: BTreeMap<String, u64>,
    open: BTreeMap<String, File>,
    /// Measurements of the node's clock, each once.
    pub(super) clock: Vec<ClockReading>,
    pub(super) end: Option<NodeEnd>,
    /// What the node had done when it sent its last message.
    pub(super) counters: Counters,
}

impl Replica {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            lengths: BTreeMap::new(),
            open: BTreeMap::new(),
            clock: Vec::new(),
            end: None,
            counters: Counters::default(),
        }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn note_clock(&mut self, reading: Option<ClockReading>) {
        self.clock.extend(reading.filter(|reading| self.clock.last() != Some(reading)));
    }

    /// Appends a piece of a file; returns the bytes that are new.
    pub(super) fn append<'a>(&mut self, file: &str, offset: u64, bytes: &'a [u8]) -> Result<&'a [u8], ClusterError> {
        check_inside(file)?;
        let expected = self.lengths.get(file).copied().unwrap_or(0);
        // A repeated message begins before the end of the file; what it has beyond the end is new.
        let known = expected.saturating_sub(offset);
        if known >= bytes.len() as u64 {
            return Ok(&[]);
        }
        if offset > expected {
            let node = self.folder.display().to_string();
            return Err(ClusterError::Gap { node, file: file.to_owned(), expected, got: offset });
        }
        let path = self.folder.join(file);
        if !self.open.contains_key(file) {
            let parent = path.parent().unwrap_or(&self.folder);
            fs::create_dir_all(parent).map_err(ClusterError::file(parent))?;
            // The stream is read from its beginning: what an earlier coordinator wrote comes again.
            let opened = OpenOptions::new().create(true).write(true).truncate(expected == 0).open(&path);
            self.open.insert(file.to_owned(), opened.map_err(ClusterError::file(&path))?);
        }
        let Some(open) = self.open.get_mut(file) else { return Ok(&[]) };
        let new = &bytes[known as usize..];
        open.write_all(new).map_err(ClusterError::file(&path))?;
        self.lengths.insert(file.to_owned(), offset + bytes.len() as u64);
        Ok(new)
    }

    /// The node has ended: nothing more is written.
    pub(super) fn close(&mut self, end: NodeEnd) -> Result<(), ClusterError> {
        self.open.clear();
        for file in &end.removed {
            check_inside(file)?;
            let path = self.folder.join(file);
            match fs::remove_file(&path) {
                Err(cause) if cause.kind() != ErrorKind::NotFound => return Err(ClusterError::File { path, cause }),
                _ => {}
            }
        }
        self.end = Some(end);
        Ok(())
    }
}

fn check_inside(file: &str) -> Result<(), ClusterError> {
    if Path::new(file).components().all(|part| matches!(part, Component::Normal(_))) {
        return Ok(());
    }
    let reason = format!("{file} is not a path within a folder");
    Err(ClusterError::Message { place: "the stream of the run".to_owned(), reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_that_comes_twice_is_written_once_and_a_gap_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let mut replica = Replica::new(dir.path().join("node-0"));
        replica.append("a.jsonl", 0, b"one\n").unwrap();
        replica.append("a.jsonl", 0, b"one\n").unwrap();
        replica.append("logs/b", 0, b"log").unwrap();
        replica.append("a.jsonl", 4, b"two\n").unwrap();
        replica.append("a.jsonl", 0, b"one\ntwo\nthree\n").unwrap();
        assert!(replica.append("a.jsonl", 99, b"x").is_err());
        assert!(replica.append("../a", 0, b"x").is_err());
        let read = |name: &str| fs::read_to_string(dir.path().join("node-0").join(name)).unwrap();
        assert_eq!((read("a.jsonl"), read("logs/b")), ("one\ntwo\nthree\n".to_owned(), "log".to_owned()));
        let end =
            NodeEnd { removed: vec!["logs/b".into(), "never came".into()], ..NodeEnd::new(None, Counters::default()) };
        replica.close(end).unwrap();
        assert!(!dir.path().join("node-0/logs/b").exists() && dir.path().join("node-0/a.jsonl").exists());
    }
}
