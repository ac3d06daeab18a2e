//! One table of all metrics, and all that turns observations into numbers: the values of one record, columns over a
//! run, statistics, and what is derived from them.
#![forbid(unsafe_code)]

mod catalogue;
mod health;
mod over_time;
mod record;
mod summary;
mod validity;

pub use aiperf_protocol::{FailureKind, RequestOutcome, SpecDecode};
pub use aiperf_stats::steady::Unsteady;
pub use aiperf_stats::{Interval, Level, floor as sample_floor};
pub use catalogue::{
    ConsoleGroup, Definition, Flags, Metric, MetricContext, MetricKind, Sending, Slo, SloError, Thresholds, Unit,
};
pub use health::{
    ClientHealth, ClientLimit, ClientLoad, DescriptorUse, HealthMaxima, HealthSample, LateReads, LimitKind, LoadAxis,
    MachineTime, RecordBacklog, ThreadLoad, ThreadRole,
};
pub use over_time::{Slice, Slices, SteadyState, SteadyWindow};
pub use record::{
    Cause, Columns, Failure, FailureGroup, HttpTiming, MediaFacts, Observation, OverflowSigns, PrefixBlocks,
    RecordValues, Shortage, TokenCounts, Undecodable,
};
pub use summary::{
    Confidence, GpuEnergy, GpuVendor, IntervalSupport, MetricResult, NetworkRtt, Percentile, PhaseAccounting,
    PhaseWindow, SloResult, Stats, Summary, genai_perf_results,
};
pub use validity::{
    AskedConcurrency, Digest, Evidence, GapCause, LostRecords, MaxTokensField, ServerClaims, Severity, Unreached,
    ValidityCode, ValidityNote, thresholds as validity_thresholds,
};
