//! One table of all metrics, and all that turns observations into numbers: the values of one record, columns over a
//! run, statistics, and what is derived from them.
#![forbid(unsafe_code)]

mod accounting;
mod catalogue;
mod client_load;
mod column;
mod columns;
mod confidence;
mod context;
mod definition;
mod energy;
mod fact;
mod failures;
mod formula;
mod genai_perf;
mod health;
mod late_reads;
mod levels;
mod metric;
mod network;
mod observation;
mod overflow;
mod record;
mod side_by_side;
mod slices;
mod statistics;
mod steady;
mod step;
mod suggestion;
mod summary;
mod sweep;
mod throughput;
mod timeline;
mod totals;
mod unit;
mod validity;

pub use accounting::PhaseAccounting;
pub use aiperf_protocol::SpecDecode;
pub use aiperf_stats::steady::Unsteady;
pub use aiperf_stats::{Interval, Level, floor as sample_floor};
pub use catalogue::Metric;
pub use client_load::{ClientLoad, LoadAxis};
pub use columns::{Columns, Undecodable};
pub use confidence::{Confidence, Surety};
pub use context::{MetricContext, Sending, Slo, SloError, Thresholds};
pub use definition::{ConsoleGroup, Definition, Flags, Kind};
pub use energy::{GpuEnergy, GpuVendor};
pub use failures::FailureGroup;
pub use genai_perf::genai_perf_results;
pub use health::{
    ClientHealth, ClientLimit, DescriptorUse, HealthMaxima, HealthSample, LimitKind, MachineTime, ThreadLoad,
    ThreadRole,
};
pub use late_reads::LateReads;
pub use network::NetworkRtt;
pub use observation::{
    Cancellation, Cause, Failure, HttpTiming, MediaFacts, Observation, PrefixBlocks, Shortage, TokenCounts,
};
pub use overflow::OverflowSigns;
pub use record::RecordValues;
pub use slices::{Slice, Slices};
pub use statistics::{Percentile, Stats};
pub use steady::{SteadyState, SteadyWindow};
pub use summary::{MetricResult, PhaseWindow, SloResult, Summary};
pub use unit::Unit;
pub use validity::{
    AskedConcurrency, Digest, Evidence, Explanation, GapCause, LostRecords, MaxTokensField, Severity, Unreached,
    ValidityCode, ValidityNote,
};
