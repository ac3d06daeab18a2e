//! The typed configuration of a run ([`Config`]), and how result files show it. Engine, data and media code read these
//! types only; the options that they come from, with their help texts and rules, are in `aiperf-options`. So a changed help
//! text rebuilds that crate and the program, nothing else.
#![forbid(unsafe_code)]

mod accuracy;
mod api;
mod capacity;
mod cluster;
mod dataset;
pub mod defaults;
mod endpoint;
mod environment;
mod experiment;
mod extension;
mod gpu_telemetry;
mod input_config;
mod mlflow;
mod node_share;
mod otel;
mod output;
mod phase;
mod phase_split;
mod phases;
mod post_process;
mod run;
mod search;
mod section;
mod server_metrics;
mod sla;
mod tuning;
mod until_ci;
mod user_file;
mod wandb;

pub use accuracy::{AccuracyConfig, GraderChoice};
pub use api::{ApiConfig, ApiLinger};
pub use capacity::{CapacityOf, CapacitySearch, CapacitySlo};
pub use cluster::{ClusterConfig, CoordinatorLossPolicy, NodeLossPolicy};
pub use dataset::{
    AccuracyData, AccuracySource, AgentDetection, AgentReplay, BadRows, BatchSizes, CacheBust, Corpus, DatasetConfig,
    DatasetSource, FileFormat, FileSource, FormatFacts, FormatOption, InlineRows, Length, LengthPair, MarkerPlace,
    MarkerSide, ModelSelection, PoolDraws, PrefixPrompts, PromptLengths, RandomStyle, RangeRatio, Rankings, Replay,
    Sampling, SessionColumn, SpeedBench, SyntheticSource, SystemPrompt, TimeWindow, TraceCorpus, TraceOptions,
    TraceSynthesis, TurnDelay, Weighted, with_subject,
};
pub use dataset::{
    AudioFormat, AudioSpec, BitDepth, Channels, ClipLength, ImageFormat, ImageSource, ImageSpec, MediaSource,
    PictureOrder, PixelSize, SoundCodec, SoundTrack, VideoContainer, VideoPicture, VideoSpec, whole,
};
pub use dataset::{Chat, FILE_FORMAT_NAMES, PUBLIC_NAMES, PUBLIC_SETS, PublicOrigin, PublicSet, PublicSource, Recipe};
pub use endpoint::placeholder::is_placeholder;
pub use endpoint::{
    DescriptorSource, EndpointConfig, GrpcMethod, Readiness, ReadinessMode, ResetKvCache, ServerProfiler, SimTarget,
    Target,
};
pub use environment::{Environment, ExpressionChecks, FilePeek, ListModels, Peek};
pub use experiment::{
    Cell, CellVariation, Convergence, ConvergenceMode, ConvergenceStat, Experiment, PROFILING_PHASE_FIELDS, Parameter,
    Seeds, Sweep, SweepOrder, SweptValue, Trials, short_path, swept_parameters,
};
pub use extension::{
    DataLoaders, Extensions, GraderSource, LoadedRows, OptionSet, PluginGrader, PluginProcess, ProcessCommand,
    same_name,
};
pub use gpu_telemetry::{GpuCollection, GpuCost, GpuTelemetry, GpuTelemetrySource};
pub use mlflow::{MLFLOW_EXPERIMENT, MlflowConfig, MlflowLogin, MlflowTracking};
pub use node_share::NodeShare;
pub use otel::{OtelConfig, OtelSending, OtelStreams};
pub use output::{AutoPlots, ConsoleOutput, ExportLevel, LogLevel, OutputConfig, Strict, UiKind};
pub use phase::{
    AdaptiveScale, AgenticReplay, Arrival, Cancellation, ControlVariable, GracePeriod, LoadLevel, Pace, PhaseConfig,
    PhaseKind, Ramp, RampShape, RateCurve, RatePoint, ScheduleZero, StepPolicy, StopConditions, Windows,
};
pub use phase_split::{PhaseSplit, SentShare, divide_counts, divide_limits};
pub use phases::Phases;
pub use post_process::{MetricStat, PostProcess, PostProcessHandler};
pub use run::{Config, NetworkLatency, RttProbing, SCENARIO, Scenario};
pub use search::{
    Acquisition, ConstraintMode, ConstraintOp, OutcomeConstraint, PlannedSearch, PlannerKind, Pooling, ProbeWarmup,
    Sampler, SearchDimension, SearchObjective, SearchPoints, SearchSpec, SearchTuning, SlaPrecision, SlaTier,
    Terminator,
};
pub use server_metrics::{Scraping, ServerMetricsConfig, ServerMetricsFormat};
pub use sla::{SlaFilter, SlaOp};
pub use tuning::Tuning;
pub use until_ci::{CiMargin, CiStat, CiTarget};
pub use user_file::{UserFile, UserFileFormat};
pub use wandb::WandbConfig;
