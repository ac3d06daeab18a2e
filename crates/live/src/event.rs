//! What happened in a run, in order: a bounded log that late joiners can read from its beginning.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::Serialize;

use crate::snapshot::{CellProgress, DistinctError, LogLine, PhaseProgress, RunEnd, Stage};
use crate::verdict::Verdict;

/// Events that are kept. Log lines make up most of them.
const KEPT: usize = 2_000;

#[derive(Debug, Clone, Serialize)]
pub struct LiveEvent {
    /// Starts at 1 and grows by one.
    pub seq: u64,
    /// Wall-clock time in nanoseconds since the epoch.
    pub at_ns: i64,
    #[serde(flatten)]
    pub kind: LiveEventKind,
}

#[derive(Debug, Clone, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum LiveEventKind {
    /// A line of start-up changed its state.
    Stage {
        stage: Stage,
    },
    /// The run has an id and knows its phases.
    RunStart {
        benchmark_id: String,
        phases: Vec<PhaseProgress>,
    },
    PhaseStart {
        phase: PhaseProgress,
    },
    PhaseSendingComplete {
        phase: PhaseProgress,
    },
    PhaseComplete {
        phase: PhaseProgress,
    },
    /// An error was seen for the first time.
    Error {
        error: DistinctError,
    },
    /// A verdict came up.
    Verdict {
        verdict: Verdict,
    },
    /// A run of a sweep is over.
    CellDone {
        cell: CellProgress,
    },
    Log {
        line: LogLine,
    },
    RecordsComplete {
        records: u64,
    },
    RunEnd {
        result: RunEnd,
    },
}

/// The last events.
#[derive(Debug, Default)]
pub(crate) struct EventLog {
    events: VecDeque<Arc<LiveEvent>>,
    last: u64,
}

impl EventLog {
    pub(crate) fn push(&mut self, at_ns: i64, kind: LiveEventKind) {
        self.last += 1;
        if self.events.len() == KEPT {
            self.events.pop_front();
        }
        self.events.push_back(Arc::new(LiveEvent { seq: self.last, at_ns, kind }));
    }

    pub(crate) fn last(&self) -> u64 {
        self.last
    }

    pub(crate) fn after(&self, seq: u64) -> Vec<Arc<LiveEvent>> {
        let start = self.events.partition_point(|event| event.seq <= seq);
        self.events.range(start..).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_joiner_reads_what_it_missed_and_old_events_make_room() {
        let mut log = EventLog::default();
        for records in 0..KEPT as u64 + 10 {
            log.push(0, LiveEventKind::RecordsComplete { records });
        }
        assert_eq!(log.after(0).len(), KEPT);
        assert_eq!(log.after(0)[0].seq, 11);
        let last = log.after(log.last() - 2);
        assert_eq!(last.iter().map(|event| event.seq).collect::<Vec<_>>(), [KEPT as u64 + 9, KEPT as u64 + 10]);
        let json = serde_json::to_value(&*last[0]).unwrap();
        assert_eq!((json["event"].as_str(), json["seq"].as_u64()), (Some("records_complete"), Some(KEPT as u64 + 9)));
    }
}
