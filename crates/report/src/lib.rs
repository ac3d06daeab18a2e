//! Every file that a run leaves behind, and the tables it prints. Nothing here computes a metric: it is handed
//! summaries and records, and gives them the shape that scripts and people expect.
#![forbid(unsafe_code)]

mod claim;
mod confidence;
pub mod console;
mod csv;
mod error;
mod files;
mod genai_perf;
mod health;
mod inputs;
mod json;
mod layout;
mod lines;
mod local_time;
mod metadata;
mod network_latency;
mod outputs;
mod part_file;
mod paths;
mod percentiles;
mod phases;
mod raw;
mod record;
mod record_table;
mod run;
mod run_note;
mod selftest;
mod spec_decode;
mod steady;
mod timeslices;
mod timestamps;
mod trace;
mod trials;
mod validity;
mod wording;

pub use claim::{ClaimError, Cleared, Earlier, FolderClaim, PREVIOUS};
pub use error::ReportError;
pub use files::{ExtraFiles, SummaryFiles, WrittenFile, write_summary_files};
pub use inputs::{InputSession, InputsFile};
pub use lines::{LineHandle, LineTotals};
pub use local_time::LocalZone;
pub use metadata::{Phase, RecordMetadata, Redirect};
pub use network_latency::{RoundTrip, RoundTripWriter};
pub use outputs::{OutputText, OutputsFile};
pub use paths::ArtifactPaths;
pub use percentiles::AskedPercentiles;
pub use raw::{RawExchange, RawResponse, RawWriter};
pub use record::{Record, RecordWriter};
pub use record_table::RecordTable;
pub use run::{PhaseReport, RunReport, RunStatus};
pub use run_note::RunNote;
pub use selftest::{
    AskedLoad, Certificate, Citation, ClientCpu, ErrorLimits, ErrorStats, Grade, JoinCounts, Machine, Problem,
    SelfTestReport, Statistic, TimedError,
};
pub use spec_decode::SpecDecodeRecord;
pub use timeslices::write_timeslices;
pub use timestamps::{DelayFigures, StampCounts, Timestamps};
pub use trace::{Chunks, Headers, TraceData};
pub use trials::{
    Aggregate, AggregateMetric, AggregatePaths, BestCell, Collated, CollatedMetric, FailedRun, RunConfig, RunMean,
    RunPlace, Settled, Spread, SweepCell, SweepMetric, SweepReport, Variation, write_aggregate, write_collated,
    write_sweep,
};
pub use wording::Wording;
