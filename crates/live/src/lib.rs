//! The live model of a run, which all views read: the terminal dashboard, the web page, the exporters. Record threads push finished
//! requests, one thread aggregates them, and views read immutable snapshots. Nothing here makes a worker or a record thread wait,
//! and nothing runs while no view is attached.
#![forbid(unsafe_code)]

mod aggregate;
mod event;
#[cfg(any(test, feature = "example"))]
mod example;
mod facts;
mod feed;
mod history;
mod run;
mod snapshot;
mod thread;
mod verdict;

pub use aggregate::{ERROR_OF_PERCENTILES, LogHistogram, WINDOW};
pub use event::{LiveEvent, LiveEventKind};
#[cfg(any(test, feature = "example"))]
pub use example::Scene;
pub use facts::{PhasePlan, RunFacts, RunPlan, SloLimit};
pub use feed::{ConsumerReport, FinishedRequest, GaugeReading, RequestConsumer, RunGauges};
pub use history::{History, HistoryPoint};
pub use run::{LiveRun, RunActivity, View};
pub use snapshot::{
    CapacityProgress, CellProgress, CellState, ClientHealth, DistinctError, GoodputState, GpuState, Headline,
    HistogramBin, LatencyHistogram, LogLine, MetricRow, NodeHealth, NodeState, Percentiles, PhaseProgress, PhaseStatus,
    RecordsProgress, RunEnd, RunFile, RunState, ServerHeadline, Snapshot, Spread, Stage, StageName, StageState,
    SummaryRow, SweepProgress, TriedLoad,
};
pub use verdict::{Verdict, VerdictCode};
