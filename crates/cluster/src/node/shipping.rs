//! Sends the files of a node's folder to the stream: the records while they are written, everything else at the end. The folder
//! itself is the buffer: what the bus has not acknowledged is on disk.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::ClusterError;
use crate::bus::Bus;
use crate::chunk::{ChunkContent, ChunkHead, LONGEST};
use crate::clock_offset::ClockReading;
use crate::message::{Counters, KilledNode, NodeEnd};
use crate::names::record_subject;

pub(super) const THREAD: &str = "node-ship";

/// Written before the first request, and removed when the summary is there.
const RUN_NOTE: &str = ".aiperf_run.json";

/// What every message of a node says of it.
#[derive(Debug, Clone)]
pub(crate) struct Sender {
    pub(crate) bus: Arc<dyn Bus>,
    pub(crate) run: String,
    pub(crate) node: String,
    pub(crate) index: u64,
}

/// What is known when a message is made.
#[derive(Debug, Clone, Default)]
pub(crate) struct Status {
    pub(crate) clock: Option<ClockReading>,
    pub(crate) counters: Counters,
}

#[derive(Debug)]
pub(crate) struct FolderShipper {
    sender: Sender,
    folder: PathBuf,
    /// Records of requests, which are sent while they are written.
    records: PathBuf,
    /// Bytes of each file that are in the stream.
    shipped: BTreeMap<PathBuf, u64>,
}

impl FolderShipper {
    pub(crate) fn new(sender: Sender, folder: PathBuf, records: PathBuf) -> Self {
        Self { sender, folder, records, shipped: BTreeMap::new() }
    }

    /// Goes on where another process ended: the stream has this many bytes of records.
    pub(super) fn go_on(&mut self, records: u64) {
        self.shipped.insert(self.records.clone(), records);
    }

    /// Bytes of records that the stream has.
    pub(super) fn shipped_records(&self) -> u64 {
        self.shipped.get(&self.records).copied().unwrap_or(0)
    }

    /// Bytes of records that are on this disk only.
    pub(crate) fn unshipped(&self) -> u64 {
        let written = fs::metadata(&self.records).map_or(0, |file| file.len());
        written.saturating_sub(self.shipped_records())
    }

    /// Sends the whole lines that were written since the last call, at most one message; returns whether there is more. The note
    /// that tells what the run is goes before them, so that the records of a node that is lost can be understood.
    pub(crate) fn ship_records(&mut self, status: &Status) -> Result<bool, ClusterError> {
        let (note, path) = (self.folder.join(RUN_NOTE), self.records.clone());
        if !self.shipped.contains_key(&note) {
            self.ship_piece(&note, status, false)?;
        }
        self.ship_piece(&path, status, true)
    }

    /// Sends what is left, and then that nothing follows.
    pub(crate) fn ship_rest(&mut self, status: &Status, mut end: NodeEnd) -> Result<(), ClusterError> {
        let mut files = Vec::new();
        list(&self.folder, &mut files)?;
        // Records first: they are what cannot be made again.
        files.sort_by_key(|path| (*path != self.records, path.clone()));
        for path in files {
            while self.ship_piece(&path, status, false)? {}
        }
        end.removed = self.shipped.keys().filter(|path| !path.exists()).map(|path| self.name(path)).collect();
        self.end(end, status)
    }

    /// Sends the next piece of a file; returns whether there is more.
    fn ship_piece(&mut self, path: &Path, status: &Status, whole_lines: bool) -> Result<bool, ClusterError> {
        let Ok(mut file) = File::open(path) else { return Ok(false) };
        let offset = self.shipped.get(path).copied().unwrap_or(0);
        let mut bytes = Vec::with_capacity(LONGEST);
        file.seek(SeekFrom::Start(offset)).map_err(ClusterError::file(path))?;
        file.take(LONGEST as u64).read_to_end(&mut bytes).map_err(ClusterError::file(path))?;
        let is_full = bytes.len() == LONGEST;
        if whole_lines && let Some(end) = bytes.iter().rposition(|byte| *byte == b'\n') {
            bytes.truncate(end + 1);
        } else if whole_lines && !is_full {
            return Ok(false);
        }
        if bytes.is_empty() {
            return Ok(false);
        }
        let length = bytes.len() as u64;
        self.send(ChunkContent::Piece { file: self.name(path), offset, length }, &bytes, status)?;
        self.shipped.insert(path.to_owned(), offset + length);
        Ok(is_full)
    }

    /// A file as messages call it.
    fn name(&self, path: &Path) -> String {
        path.strip_prefix(&self.folder).unwrap_or(path).to_string_lossy().into_owned()
    }

    /// Says of a process that was killed what it had sent.
    pub(super) fn tell_of_kill(&self, killed: KilledNode, status: &Status) -> Result<(), ClusterError> {
        self.send(ChunkContent::Killed(killed), &[], status)
    }

    /// Says that nothing follows.
    pub(super) fn end(&self, end: NodeEnd, status: &Status) -> Result<(), ClusterError> {
        self.send(ChunkContent::End(end), &[], status)
    }

    fn send(&self, content: ChunkContent, bytes: &[u8], status: &Status) -> Result<(), ClusterError> {
        let Sender { bus, run, node, index } = &self.sender;
        let head = ChunkHead {
            node: node.clone(),
            index: *index,
            content,
            clock: status.clock,
            counters: status.counters.clone(),
        };
        bus.append(&record_subject(run, *index), &head.message_id(run), head.message(bytes)?)
    }
}

/// All files below a folder, without those that are not whole.
fn list(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), ClusterError> {
    let entries = fs::read_dir(folder).map_err(ClusterError::file(folder))?;
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let is_part = path.extension().is_some_and(|end| ["part", "unsorted", "lock"].iter().any(|part| end == *part));
        if path.is_dir() {
            list(&path, files)?;
        } else if path.is_file() && !is_part {
            files.push(path);
        }
    }
    Ok(())
}
