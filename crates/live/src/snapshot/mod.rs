//! What views show: one immutable picture of the run, made five times a second while somebody looks.

mod capacity;
mod client;
mod ending;
mod headline;
mod node;
mod phase;
mod stage;
mod sweep;

pub use capacity::{CapacityProgress, TriedLoad};
pub use client::{ClientHealth, DistinctError, GpuState, LogLine, ServerHeadline};
pub use ending::{RunEnd, RunFile, SummaryRow};
pub use headline::{GoodputState, Headline, HistogramBin, LatencyHistogram, MetricRow, Percentiles, Spread};
pub use node::{NodeHealth, NodeState};
pub use phase::{PhaseProgress, PhaseStatus, RecordsProgress};
pub use stage::{Stage, StageName, StageState};
pub use sweep::{CellProgress, CellState, SweepProgress};

use serde::Serialize;

use crate::verdict::Verdict;

/// The run at one time. Times are in milliseconds and rates per second unless a name says otherwise.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Snapshot {
    /// Grows by one with every snapshot.
    pub seq: u64,
    /// Wall-clock time in nanoseconds since the epoch.
    pub at_ns: i64,
    /// The run's own id; empty until the run has one.
    pub benchmark_id: String,
    pub state: RunState,
    /// The five lines of start-up.
    pub stages: Vec<Stage>,
    pub phases: Vec<PhaseProgress>,
    pub records: RecordsProgress,
    pub headline: Headline,
    /// Every record metric that has a value in the current phase. Percentiles are exact to 1 %.
    pub metrics: Vec<MetricRow>,
    pub latency_histogram: LatencyHistogram,
    pub client: ClientHealth,
    /// The last distinct errors, the most recent first.
    pub errors: Vec<DistinctError>,
    pub server: Vec<ServerHeadline>,
    pub gpus: Vec<GpuState>,
    /// The nodes that send the run, if there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<NodeHealth>,
    pub verdicts: Vec<Verdict>,
    /// The last lines of the log, oldest first.
    pub log: Vec<LogLine>,
    /// Progress that the run itself reports, for example how far `--until-ci` is.
    pub note: Option<String>,
    /// Present after the end.
    pub result: Option<RunEnd>,
    pub sweep: Option<SweepProgress>,
    /// Present while a search for a capacity goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity: Option<CapacityProgress>,
    /// Finished requests that the live view had no room for. Files and the report have them all.
    pub dropped_samples: u64,
}

impl Snapshot {
    /// The phase that runs now, or ran last.
    pub fn current_phase(&self) -> Option<&PhaseProgress> {
        self.phases.iter().rev().find(|phase| phase.state != PhaseStatus::Waiting)
    }
}

/// What the run is doing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    #[default]
    Preparing,
    Warmup,
    Profiling,
    /// Everything was sent; the last responses may still come in.
    Grace,
    /// All responses are in; their records are being made.
    Processing,
    Exporting,
    Complete,
    Failed,
    Cancelled,
}

impl RunState {
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Complete | Self::Failed | Self::Cancelled)
    }

    /// As people read it.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Preparing => "Preparing",
            Self::Warmup => "Warmup",
            Self::Profiling => "Profiling",
            Self::Grace => "Grace period",
            Self::Processing => "Processing records",
            Self::Exporting => "Writing files",
            Self::Complete => "Complete",
            Self::Failed => "Failed",
            Self::Cancelled => "Cancelled",
        }
    }
}
