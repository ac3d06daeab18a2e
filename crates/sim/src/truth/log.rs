//! Keeps the truth: the latest records in memory, and all of them in a file when one is named.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use aiperf_clock::WallAnchor;

use crate::error::SimError;
use crate::truth::{TruthLine, TruthRecord};

/// Records on their way to the file. A disk that falls this far behind holds up the server rather than lose the truth.
const QUEUE: usize = 65_536;

#[derive(Debug)]
pub(crate) struct TruthLog {
    anchor: WallAnchor,
    keep: usize,
    kept: Mutex<KeptRecords>,
}

#[derive(Debug, Default)]
struct KeptRecords {
    records: VecDeque<Arc<TruthRecord>>,
    dropped: u64,
    file: Option<FileWriter>,
}

#[derive(Debug)]
struct FileWriter {
    path: PathBuf,
    queue: SyncSender<Arc<TruthRecord>>,
    thread: JoinHandle<std::io::Result<()>>,
}

impl TruthLog {
    pub(crate) fn open(path: Option<PathBuf>, keep: usize, anchor: WallAnchor) -> Result<Self, SimError> {
        let file = path.map(|path| start_writer(path, anchor)).transpose()?;
        Ok(Self { anchor, keep, kept: Mutex::new(KeptRecords { file, ..KeptRecords::default() }) })
    }

    fn lock(&self) -> MutexGuard<'_, KeptRecords> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn push(&self, record: TruthRecord) {
        let record = Arc::new(record);
        let mut kept = self.lock();
        if let Some(file) = &kept.file {
            // Fails only when the writer has ended on an error, which `close` reports.
            let _ = file.queue.send(Arc::clone(&record));
        }
        kept.records.push_back(record);
        while kept.records.len() > self.keep {
            kept.records.pop_front();
            kept.dropped += 1;
        }
    }

    /// The kept records in order of arrival, and how many older ones were dropped.
    pub(crate) fn snapshot(&self) -> (Vec<Arc<TruthRecord>>, u64) {
        let kept = self.lock();
        let mut records: Vec<_> = kept.records.iter().cloned().collect();
        let dropped = kept.dropped;
        drop(kept);
        records.sort_by_key(|record| record.index);
        (records, dropped)
    }

    pub(crate) fn clear(&self) {
        let mut kept = self.lock();
        kept.records.clear();
        kept.dropped = 0;
    }

    /// The kept records as JSON lines, in order of arrival.
    pub(crate) fn lines(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for record in &self.snapshot().0 {
            // A record has no map with odd keys and a vector takes every write, so this cannot fail.
            let _ = serde_json::to_writer(&mut out, &TruthLine { record, anchor: self.anchor });
            out.push(b'\n');
        }
        out
    }

    /// Waits until the file holds everything. Later records stay in memory only.
    pub(crate) fn close(&self) -> Result<(), SimError> {
        let Some(FileWriter { path, queue, thread }) = self.lock().file.take() else { return Ok(()) };
        drop(queue);
        match thread.join() {
            Ok(Ok(())) => Ok(()),
            Ok(Err(source)) => Err(SimError::TruthFile { path, source }),
            Err(_) => Err(SimError::Panicked("truth writer".to_owned())),
        }
    }
}

fn start_writer(path: PathBuf, anchor: WallAnchor) -> Result<FileWriter, SimError> {
    let file = match File::create(&path) {
        Ok(file) => file,
        Err(source) => return Err(SimError::TruthFile { path, source }),
    };
    let (queue, records) = sync_channel(QUEUE);
    let thread = std::thread::Builder::new()
        .name("sim-truth".to_owned())
        .spawn(move || write_all(file, &records, anchor))
        .map_err(|source| SimError::Start { what: "truth writer", source })?;
    Ok(FileWriter { path, queue, thread })
}

/// Writes what comes, and hands it to the system whenever there is nothing more to write at once.
fn write_all(file: File, records: &Receiver<Arc<TruthRecord>>, anchor: WallAnchor) -> std::io::Result<()> {
    let mut out = BufWriter::new(file);
    while let Ok(first) = records.recv() {
        let mut next = Some(first);
        while let Some(record) = next {
            serde_json::to_writer(&mut out, &TruthLine { record: &record, anchor })?;
            out.write_all(b"\n")?;
            next = records.try_recv().ok();
        }
        out.flush()?;
    }
    out.flush()
}
