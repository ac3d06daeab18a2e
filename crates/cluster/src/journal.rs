//! What a node has sent, in a file that is mapped into its memory: a count is one addition, and the kernel has it even if the process is
//! killed at the next instruction. Each phase has counters of its own that only grow, so that no instant finds them half changed.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use memmap2::MmapRaw;
use serde::{Deserialize, Serialize};

use crate::ClusterError;
use crate::message::{Counters, KilledNode, PhaseSent, decode, encode};

/// The counters.
const COUNTERS: &str = "journal";
/// What they are about. It is written last and removed first: without it there is no journal.
const NOTE: &str = "journal.json";

/// Counters of different threads do not share a line of the processor's cache.
const LINE: usize = 8;
/// Place of the number of bytes of records that the stream has.
const SHIPPED: usize = 0;
/// Place of the time of the last heartbeat, in nanoseconds since 1970.
const LAST_BEAT: usize = 1;

/// Place of the number of requests of a phase that have begun.
const fn begun(phase: usize) -> usize {
    LINE * (1 + 2 * phase)
}

/// Place of the number of requests of a phase that have left, or have ended without leaving.
const fn settled(phase: usize) -> usize {
    LINE * (2 + 2 * phase)
}

/// Which process a journal is of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalNote {
    pub run: String,
    /// The id of the process in its pool.
    pub node: String,
    /// The number of the node in the run.
    pub index: u64,
    /// The NATS server.
    pub url: String,
    /// How long to wait for it.
    pub patience_s: u64,
    /// The folder of results, and the file of records.
    pub folder: PathBuf,
    pub records: PathBuf,
    pub phases: Vec<JournalPhase>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalPhase {
    pub name: String,
    /// Requests that the phase will send, if that is known.
    pub expected: Option<u64>,
}

/// The journal of this process.
#[derive(Debug)]
pub struct Journal {
    map: MmapRaw,
    phases: Vec<JournalPhase>,
    place: PathBuf,
    /// Whoever has the lock is the only one who writes the journal or reports it.
    _lock: File,
}

impl Journal {
    /// Begins a journal in this folder.
    pub fn create(place: &Path, note: &JournalNote) -> Result<Self, ClusterError> {
        let path = place.join(COUNTERS);
        let failed = |cause| ClusterError::File { path: path.clone(), cause };
        let mut file =
            OpenOptions::new().create(true).truncate(true).read(true).write(true).open(&path).map_err(failed)?;
        // Written and not only made long: a page without room on the disk would end the process when it is first touched.
        file.write_all(&vec![0; size_of::<u64>() * begun(note.phases.len().max(1))]).map_err(failed)?;
        // Some file systems have no locks. There, a second report of a node that is dead changes nothing.
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(failed(ErrorKind::WouldBlock.into()));
        }
        let map = MmapRaw::map_raw(&file).map_err(failed)?;
        let part = place.join("journal.part");
        fs::write(&part, encode(note)).map_err(ClusterError::file(&part))?;
        let whole = place.join(NOTE);
        fs::rename(&part, &whole).map_err(ClusterError::file(&whole))?;
        Ok(Self { map, phases: note.phases.clone(), place: place.to_owned(), _lock: file })
    }

    /// Counts a request that is going to be sent; returns how many of its phase came before.
    pub fn begin(&self, phase: usize) -> u64 {
        self.word(begun(self.known(phase))).fetch_add(1, Ordering::Relaxed)
    }

    /// Counts a request that has left, or that has ended without leaving.
    pub fn settle(&self, phase: usize) {
        self.word(settled(self.known(phase))).fetch_add(1, Ordering::Relaxed);
    }

    /// Requests of each phase that have begun.
    pub fn sent(&self) -> Vec<PhaseSent> {
        let sent = |(index, phase): (usize, &JournalPhase)| PhaseSent {
            phase: phase.name.clone(),
            sent: self.word(begun(index)).load(Ordering::Relaxed),
        };
        self.phases.iter().enumerate().map(sent).collect()
    }

    pub(crate) fn note_shipped(&self, bytes: u64) {
        self.word(SHIPPED).store(bytes, Ordering::Relaxed);
    }

    pub(crate) fn note_beat(&self, at_ns: u64) {
        self.word(LAST_BEAT).store(at_ns, Ordering::Relaxed);
    }

    /// Ends the journal: the node has said itself how it ended.
    pub fn close(&self) {
        remove(&self.place);
    }

    /// The plan of a run does not grow; a phase beyond it would count with the last one.
    fn known(&self, phase: usize) -> usize {
        phase.min(self.phases.len().saturating_sub(1))
    }

    fn word(&self, place: usize) -> &AtomicU64 {
        let words = self.map.len() / size_of::<u64>();
        assert!(place < words, "the journal has {words} words");
        // SAFETY: the mapping begins at a page, is alive as long as `self`, and has this word; it was zeroed, and any bits are an integer.
        // Whoever else maps the file uses atomic operations, too, and nobody shortens it while the lock is held.
        #[allow(unsafe_code)]
        #[expect(clippy::cast_ptr_alignment, reason = "the mapping begins at a page")]
        unsafe {
            AtomicU64::from_ptr(self.map.as_mut_ptr().cast::<u64>().add(place))
        }
    }
}

/// The journal of a process that has ended.
#[derive(Debug)]
pub(crate) struct FoundJournal {
    pub(crate) note: JournalNote,
    /// Bytes of records that the stream has.
    pub(crate) shipped: u64,
    pub(crate) killed: KilledNode,
    place: PathBuf,
    _lock: File,
}

impl FoundJournal {
    /// Reads the journal in this folder. `None`: there is none, or its process is alive, unless this `waits` for its end.
    pub(crate) fn read(place: &Path, waits: bool, reason: &str) -> Result<Option<Self>, ClusterError> {
        let path = place.join(COUNTERS);
        let lock = match File::open(&path) {
            Ok(file) => file,
            Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(None),
            Err(cause) => return Err(ClusterError::File { path, cause }),
        };
        if waits {
            let _ = lock.lock();
        } else if let Err(TryLockError::WouldBlock) = lock.try_lock() {
            return Ok(None);
        }
        let note = match fs::read(place.join(NOTE)) {
            Ok(note) => note,
            Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(None),
            Err(cause) => return Err(ClusterError::File { path: place.join(NOTE), cause }),
        };
        let note: JournalNote = decode(NOTE, &note)?;
        let mut bytes = Vec::new();
        // Through the file that has the lock: some systems let nobody else read it.
        (&lock).read_to_end(&mut bytes).map_err(ClusterError::file(&path))?;
        let (words, _) = bytes.as_chunks::<{ size_of::<u64>() }>();
        let word = |place: usize| words.get(place).map_or(0, |word| u64::from_ne_bytes(*word));
        let killed = killed(&note.phases, word, reason);
        Ok(Some(Self { note, shipped: word(SHIPPED), killed, place: place.to_owned(), _lock: lock }))
    }

    /// It has been reported.
    pub(crate) fn close(&self) {
        remove(&self.place);
    }
}

fn remove(place: &Path) {
    for name in [NOTE, COUNTERS] {
        let _ = fs::remove_file(place.join(name));
    }
}

fn killed(phases: &[JournalPhase], word: impl Fn(usize) -> u64, reason: &str) -> KilledNode {
    // A phase that has begun and sent nothing differs in nothing from one that has not begun.
    let last = (0..phases.len()).rev().find(|phase| word(begun(*phase)) > 0);
    let sent = |index: usize| word(begun(index));
    let mut counters = Counters { at_ns: word(LAST_BEAT), ..Counters::default() };
    if let Some(last) = last {
        let JournalPhase { name, expected } = &phases[last];
        counters.phase.clone_from(name);
        counters.sent = sent(last);
        counters.expected = *expected;
        counters.phases_left = (phases.len() - last - 1) as u64;
        counters.before =
            (0..last).map(|index| PhaseSent { phase: phases[index].name.clone(), sent: sent(index) }).collect();
    }
    let unsent = (0..phases.len()).map(|index| sent(index).saturating_sub(word(settled(index)))).sum();
    KilledNode { reason: reason.to_owned(), counters, unsent }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(place: &Path) -> JournalNote {
        let phase = |name: &str, expected| JournalPhase { name: name.to_owned(), expected };
        JournalNote {
            run: "r".into(),
            node: "a".into(),
            index: 3,
            url: "nats://h".into(),
            patience_s: 1,
            folder: place.join("node-3"),
            records: place.join("node-3/records"),
            phases: vec![phase("warmup", Some(2)), phase("profiling", Some(9)), phase("again", None)],
        }
    }

    #[test]
    fn what_was_counted_is_there_when_the_process_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::create(dir.path(), &note(dir.path())).unwrap();
        assert_eq!([journal.begin(0), journal.begin(0), journal.begin(1)], [0, 1, 0]);
        (0..2).for_each(|_| journal.settle(0));
        journal.note_shipped(77);
        journal.note_beat(5);
        // Its process is alive.
        assert!(FoundJournal::read(dir.path(), false, "").unwrap().is_none());
        drop(journal);
        let found = FoundJournal::read(dir.path(), false, "killed").unwrap().unwrap();
        assert_eq!((found.note.clone(), found.shipped), (note(dir.path()), 77));
        let counters = Counters {
            phase: "profiling".into(),
            sent: 1,
            expected: Some(9),
            before: vec![PhaseSent { phase: "warmup".into(), sent: 2 }],
            phases_left: 1,
            at_ns: 5,
            ..Counters::default()
        };
        assert_eq!(found.killed, KilledNode { reason: "killed".into(), counters, unsent: 1 });
        found.close();
        drop(found);
        assert!(FoundJournal::read(dir.path(), true, "").unwrap().is_none());
    }

    #[test]
    fn threads_count_each_request_once() {
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::create(dir.path(), &note(dir.path())).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..1000 {
                        journal.begin(2);
                    }
                });
            }
        });
        assert_eq!(journal.sent()[2], PhaseSent { phase: "again".into(), sent: 4000 });
    }
}
