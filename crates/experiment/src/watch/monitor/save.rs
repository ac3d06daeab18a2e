//! Writes finished records to disk when the process ends before the run does (second Ctrl-C).

use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use aiperf_clock::Mono;
use aiperf_engine::WorkerGauge;
use aiperf_report::LineHandle;

use super::Monitor;

/// Time between two checks of how far the record threads are.
const CHECK_INTERVAL: Duration = Duration::from_millis(5);

/// How many finished requests have their record on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Saved {
    All {
        records: u64,
    },
    Part {
        records: u64,
        unwritten: u64,
    },
    /// The disk did not take them in time.
    Stuck,
    /// The run has no records file.
    NotKept,
    /// The run had not begun to send.
    NothingBegun,
}

/// The open record files of a run, and the number of requests that have finished.
#[derive(Debug, Clone)]
pub(crate) struct RecordFiles {
    pub(crate) gauge: Arc<WorkerGauge>,
    pub(crate) records: Option<LineHandle>,
    pub(crate) raw: Option<LineHandle>,
}

impl RecordFiles {
    /// Waits up to `drain` for the record threads, then flushes the files.
    fn save(&self, monitor: &Monitor, drain: Duration) -> Saved {
        let began = Mono::now();
        while monitor.recorded() < self.gauge.finished() && Mono::now().since(began).as_secs_f64() < drain.as_secs_f64()
        {
            thread::sleep(CHECK_INTERVAL);
        }
        if let Some(raw) = &self.raw {
            raw.flush();
        }
        let Some(records) = &self.records else { return Saved::NotKept };
        let finished = self.gauge.finished();
        match records.flush() {
            records if records >= finished => Saved::All { records },
            records => Saved::Part { records, unwritten: finished - records },
        }
    }
}

impl Monitor {
    /// Writes the records of finished requests, as many as can be written within `limit`.
    pub fn save_records(self: &Arc<Self>, limit: Duration) -> Saved {
        let Some(record_files) = self.record_files() else { return Saved::NothingBegun };
        let (done, saved) = mpsc::channel();
        let monitor = Arc::clone(self);
        // A disk that hangs must not keep the process from ending.
        let writer = thread::Builder::new().name("aiperf-save".to_owned()).spawn(move || {
            let _ = done.send(record_files.save(&monitor, limit.mul_f64(0.8)));
        });
        match writer {
            Ok(_) => saved.recv_timeout(limit).unwrap_or(Saved::Stuck),
            Err(_) => Saved::Stuck,
        }
    }
}

#[cfg(test)]
mod tests {
    use aiperf_report::RawWriter;

    use super::*;

    #[test]
    fn finished_requests_that_are_not_on_disk_are_counted() {
        let dir = tempfile::tempdir().unwrap();
        let file = RawWriter::create(&dir.path().join("lines.jsonl")).unwrap();
        let (monitor, gauge) = (Arc::new(Monitor::default()), Arc::new(WorkerGauge::default()));
        let limit = Duration::from_millis(200);
        assert_eq!(monitor.save_records(limit), Saved::NothingBegun);
        monitor.keep(RecordFiles { gauge: Arc::clone(&gauge), records: None, raw: Some(file.handle()) });
        // Far longer than it takes: nothing is behind.
        assert_eq!(monitor.save_records(Duration::from_secs(60)), Saved::NotKept);
        monitor.keep(RecordFiles { gauge: Arc::clone(&gauge), records: Some(file.handle()), raw: None });
        assert_eq!(monitor.save_records(Duration::from_secs(60)), Saved::All { records: 0 });
        (0..3).for_each(|_| gauge.note_finished());
        let behind = RecordFiles { gauge, records: Some(file.handle()), raw: None };
        assert_eq!(behind.save(&monitor, limit), Saved::Part { records: 0, unwritten: 3 });
    }
}
