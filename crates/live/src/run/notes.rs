//! What came from the run and waits for the aggregation.

use std::sync::Arc;

use aiperf_clock::Mono;
use aiperf_metrics::HealthSample;

use crate::aggregate::RequestSample;
use crate::facts::RunPlan;
use crate::feed::RunGauges;
use crate::snapshot::{CellProgress, GpuState, LogLine, RunEnd, RunState, StageName, StageState};

/// Samples that may wait: more than any client finishes in the time between two snapshots.
const MOST_SAMPLES: usize = 100_000;
/// Gaps between chunks of all samples that may wait: 8 bytes each.
const MOST_GAPS: usize = 8 << 20;
/// Log lines, health samples and the like that may wait.
const MOST_NOTES: usize = 10_000;

/// Says what is being downloaded now: its name, the bytes so far, and all bytes if they are known.
pub(crate) type TransferText = Box<dyn Fn() -> Option<(String, u64, Option<u64>)> + Send>;

pub(crate) struct TransferSource(pub(crate) TransferText);

impl std::fmt::Debug for TransferSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TransferSource")
    }
}

#[derive(Debug)]
pub(crate) enum Note {
    Stage { at: Mono, name: StageName, state: StageState, text: String },
    Begin { plan: RunPlan, gauges: Arc<dyn RunGauges> },
    Health(HealthSample),
    Gpu(GpuState),
    Log(LogLine),
    State { at: Mono, state: RunState },
    Transfers(TransferSource),
    Cells(Vec<String>),
    CellBegins { at: Mono, index: usize },
    CellDone { index: usize, cell: CellProgress },
    End(RunEnd),
}

impl Note {
    /// Whether a view can do without it.
    fn is_passing(&self) -> bool {
        matches!(self, Self::Health(_) | Self::Gpu(_) | Self::Log(_))
    }
}

/// Bounded: what does not fit is dropped and counted.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    samples: Vec<RequestSample>,
    gaps: usize,
    notes: Vec<Note>,
    dropped: u64,
}

impl Inbox {
    pub(crate) fn push(&mut self, sample: RequestSample) {
        let gaps = sample.values.gaps().len();
        if self.samples.len() >= MOST_SAMPLES || self.gaps + gaps > MOST_GAPS {
            self.dropped += 1;
            return;
        }
        self.gaps += gaps;
        self.samples.push(sample);
    }

    pub(crate) fn note(&mut self, note: Note) {
        if self.notes.len() < MOST_NOTES || !note.is_passing() {
            self.notes.push(note);
        }
    }

    /// Everything that came since the last call, and how many samples were dropped in all.
    pub(crate) fn take(&mut self) -> (Vec<RequestSample>, Vec<Note>, u64) {
        self.gaps = 0;
        (std::mem::take(&mut self.samples), std::mem::take(&mut self.notes), self.dropped)
    }
}
