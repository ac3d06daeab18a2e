//! A file of lines that several threads write to. Only whole lines reach the disk, at the latest half a second after
//! they were handed in, so that a killed process leaves a readable file.

use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde::Serialize;

use crate::ReportError;
use crate::records::record::put_json;

const BUFFER_BYTES: usize = 64 * 1024;
const FLUSH_EVERY: Duration = Duration::from_millis(500);

/// How many lines reached the file.
#[derive(Debug, Default)]
pub struct LineTotals {
    pub written: u64,
    pub lost: u64,
    /// The first failure, if no write has reported it before.
    pub problem: Option<ReportError>,
}

#[derive(Debug)]
pub(crate) struct LineFile {
    shared: Arc<SharedLines>,
    flusher: Option<JoinHandle<()>>,
}

/// Another hold on the file, which lasts as long as it is needed.
#[derive(Debug, Clone)]
pub struct LineHandle {
    shared: Arc<SharedLines>,
}

impl LineHandle {
    /// Writes what was handed in; gives the number of lines that are on disk.
    pub fn flush(&self) -> u64 {
        let mut state = self.shared.lock();
        state.flush();
        state.on_disk
    }
}

#[derive(Debug)]
struct SharedLines {
    state: Mutex<LineBuffer>,
    closing: Condvar,
}

#[derive(Debug)]
struct LineBuffer {
    path: PathBuf,
    file: File,
    buffer: Vec<u8>,
    buffered_lines: u64,
    /// Lines on disk, also after the totals were handed out.
    on_disk: u64,
    /// Bytes on disk, all of them whole lines.
    whole: u64,
    totals: LineTotals,
    failed_before: bool,
    closed: bool,
}

impl LineFile {
    pub(crate) fn create(path: &Path) -> Result<Self, ReportError> {
        if let Some(dir) = path.parent() {
            fs::create_dir_all(dir).map_err(|source| ReportError::create(dir, source))?;
        }
        let file = File::create(path).map_err(|source| ReportError::create(path, source))?;
        let state = LineBuffer {
            path: path.to_owned(),
            file,
            buffer: Vec::with_capacity(BUFFER_BYTES * 2),
            buffered_lines: 0,
            on_disk: 0,
            whole: 0,
            totals: LineTotals::default(),
            failed_before: false,
            closed: false,
        };
        let shared = Arc::new(SharedLines { state: Mutex::new(state), closing: Condvar::new() });
        let for_thread = Arc::clone(&shared);
        let flusher = thread::Builder::new()
            .name("aiperf-flush".to_owned())
            .spawn(move || for_thread.flush_until_closed())
            .map_err(|source| ReportError::create(path, source))?;
        Ok(Self { shared, flusher: Some(flusher) })
    }

    /// Takes one value as a line of JSON; fails as [`LineFile::append`] does.
    pub(crate) fn append_json(&self, value: &impl Serialize) -> Result<(), ReportError> {
        let mut line = Vec::new();
        put_json(&mut line, value);
        line.push(b'\n');
        self.append(&line)
    }

    /// Takes one line, which must end in a newline and have no other. Fails once, on the first write that failed; lines
    /// lost after that are counted.
    pub(crate) fn append(&self, line: &[u8]) -> Result<(), ReportError> {
        let mut state = self.shared.lock();
        state.buffer.extend_from_slice(line);
        state.buffered_lines += 1;
        if state.buffer.len() >= BUFFER_BYTES {
            state.flush();
        }
        state.totals.problem.take().map_or(Ok(()), Err)
    }

    /// For whoever must bring the lines to disk without waiting for the run.
    pub(crate) fn handle(&self) -> LineHandle {
        LineHandle { shared: Arc::clone(&self.shared) }
    }

    pub(crate) fn finish(mut self) -> LineTotals {
        self.close();
        std::mem::take(&mut self.shared.lock().totals)
    }

    fn close(&mut self) {
        {
            let mut state = self.shared.lock();
            state.flush();
            state.closed = true;
        }
        self.shared.closing.notify_all();
        if let Some(flusher) = self.flusher.take() {
            // The flusher only ends early if it panicked, and then everything is flushed above all the same.
            let _ = flusher.join();
        }
    }
}

impl Drop for LineFile {
    fn drop(&mut self) {
        self.close();
    }
}

impl SharedLines {
    fn lock(&self) -> MutexGuard<'_, LineBuffer> {
        // A thread that panicked while it held the lock cannot leave half a line behind: lines are copied in whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn flush_until_closed(&self) {
        let mut state = self.lock();
        while !state.closed {
            state = self.closing.wait_timeout(state, FLUSH_EVERY).unwrap_or_else(PoisonError::into_inner).0;
            state.flush();
        }
    }
}

impl LineBuffer {
    fn flush(&mut self) {
        if self.buffer.is_empty() {
            return;
        }
        match self.file.write_all(&self.buffer) {
            Ok(()) => {
                self.whole += self.buffer.len() as u64;
                self.totals.written += self.buffered_lines;
                self.on_disk += self.buffered_lines;
            }
            Err(source) => self.give_up_buffer(source),
        }
        self.buffer.clear();
        // One long line must not take memory for the rest of the run.
        self.buffer.shrink_to(2 * BUFFER_BYTES);
        self.buffered_lines = 0;
    }

    fn give_up_buffer(&mut self, source: std::io::Error) {
        self.totals.lost += self.buffered_lines;
        if !self.failed_before {
            self.failed_before = true;
            self.totals.problem = Some(ReportError::write(&self.path, source));
        }
        // Part of a line may be on disk: cut it off, so that what is written later starts on a line of its own. Where
        // that fails too (a pipe, a device) there is nothing more to be done for this file.
        let _ = self.file.set_len(self.whole);
        let _ = self.file.seek(SeekFrom::Start(self.whole));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_many_threads_stay_whole() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("deep/lines.jsonl");
        let lines = LineFile::create(&path).unwrap();
        thread::scope(|scope| {
            for thread in 0..4 {
                let lines = &lines;
                scope.spawn(move || {
                    for index in 0..500 {
                        lines.append(format!("{thread}:{index}:{}\n", "x".repeat(index)).as_bytes()).unwrap();
                    }
                });
            }
        });
        assert_eq!(lines.finish().written, 2_000);
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 2_000);
        for line in text.lines() {
            let mut parts = line.split(':').skip(1);
            let length: usize = parts.next().unwrap().parse().unwrap();
            assert_eq!(parts.next().unwrap().len(), length);
        }
    }

    #[test]
    fn lines_reach_the_disk_without_a_further_write() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lines.jsonl");
        let lines = LineFile::create(&path).unwrap();
        lines.append(b"{}\n").unwrap();
        for _ in 0..1_000 {
            if fs::read(&path).unwrap() == b"{}\n" {
                return;
            }
            thread::sleep(Duration::from_millis(20));
        }
        panic!("nothing was flushed in 20 seconds");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_is_reported_once_and_counted() {
        let lines = LineFile::create(Path::new("/dev/full")).unwrap();
        let line = [b"x".repeat(BUFFER_BYTES), b"\n".to_vec()].concat();
        let reports = (0..3).filter(|_| lines.append(&line).is_err()).count();
        assert_eq!(reports, 1);
        let totals = lines.finish();
        assert_eq!((totals.written, totals.lost), (0, 3));
        assert!(totals.problem.is_none());
    }
}
