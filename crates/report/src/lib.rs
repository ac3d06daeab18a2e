//! Every file that a run leaves behind, and the tables it prints. Nothing here computes a metric: it is handed
//! summaries and records, and gives them the shape that scripts and people expect.
#![forbid(unsafe_code)]

mod accuracy;
mod adaptive_scale;
mod capacity;
pub mod console;
mod error;
mod folder;
mod gpu;
mod records;
mod selftest;
mod server_metrics;
mod summary;
mod trials;
mod validity;

pub use accuracy::{AccuracyLine, AccuracyReport, AccuracyWriter};
pub use adaptive_scale::{
    ADAPTIVE_SCALE_SCHEMA, AdaptiveCandidate, AdaptiveEvent, AdaptiveEvents, AdaptivePhase, AdaptiveSummary,
    ControlValues, adaptive_time, write_adaptive_manifest, write_adaptive_summary,
};
pub use capacity::{
    CapacityDecision, CapacityFile, CapacityGoal, CapacityHistory, CapacityInterval, CapacitySloLimit, CapacityWarning,
    HistoryError, HistoryStep, StepResult,
};
pub use error::ReportError;
pub use folder::{
    ArtifactPaths, ClearedFiles, EarlierFiles, FolderLock, FolderLockError, LOGS, PHASES, PLOT_LOG, PLOTS, PREVIOUS,
    RunNote, write_durably,
};
pub use gpu::{
    EnergyFigure, GpuDescription, GpuFigures, GpuLine, GpuLineWriter, GpuRow, GpuSourceFigures, GpuTelemetryFigures,
};
pub use records::{
    Chunks, Headers, InputSession, InputsFile, LineHandle, LineTotals, OutputText, OutputsFile, RawExchange,
    RawResponse, RawWriter, Record, RecordMetadata, RecordTable, RecordWriter, Redirect, RoundTrip, RoundTripWriter,
    SpecDecodeRecord, TraceData,
};
pub use selftest::{
    AskedLoad, Certificate, Citation, ClientCpu, ErrorLimits, ErrorStatistic, ErrorStats, Grade, JoinCounts, Machine,
    SelfTestProblem, SelfTestReport, TimedError,
};
pub use server_metrics::{EngineFigures, EngineSummary, ServerMetricsExport, ServerMetricsLines, ServerMetricsSummary};
pub use summary::{
    AskedPercentiles, DelayFigures, ExtraFiles, LocalZone, PhaseReport, ProgramBuild, RunReport, StampCounts,
    SummaryFiles, Timestamps, WrittenFile, accounting_json, summary_document, write_html_report, write_summary_files,
    write_timeslices,
};
pub use trials::names as aggregate_names;
pub use trials::{
    Aggregate, AggregateMetric, AggregatePaths, BestCell, Collated, CollatedMetric, FailedRun, ParetoAxes, RunConfig,
    RunMean, RunPlace, RunSpread, Settled, SlaBreach, SlaLimit, SweepCell, SweepMetric, SweepReport, Variation,
    write_aggregate, write_collated, write_post_process, write_sweep,
};
pub use validity::ValidityManual;
