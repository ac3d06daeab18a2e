//! The typed configuration of a run: what was typed (the option catalogue and raw values), and what it means
//! ([`Config`]). Every rule about options that go or do not go together lives here.
#![forbid(unsafe_code)]

pub mod catalogue;
mod command_line;
mod dataset;
mod endpoint;
mod environment;
mod error;
mod experiment;
mod grammar;
mod grpc;
mod input_config;
mod network_latency;
mod output;
mod phase;
mod raw;
pub mod redact;
mod resolve;
mod run;
mod scenario;
mod secure;
mod server_hook;
pub mod suggestion;
mod tuning;
mod until_ci;

pub use dataset::{
    AgentDetection, AgentReplay, BadRows, BatchSizes, CacheBust, Corpus, DatasetConfig, DatasetSource, FileFormat,
    FileSource, FormatFacts, FormatOption, Length, LengthPair, MarkerPlace, MarkerSide, ModelSelection, PoolDraws,
    PrefixPrompts, PromptLengths, RandomStyle, RangeRatio, Rankings, Replay, Sampling, SessionColumn, SpeedBench,
    SyntheticSource, SystemPrompt, TimeWindow, TraceCorpus, TraceOptions, TraceSynthesis, TurnDelay, Weighted,
};
pub use dataset::{
    AudioFormat, AudioSpec, BitDepth, Channels, ClipLength, ImageFormat, ImageSource, ImageSpec, MediaSource,
    PictureOrder, PixelSize, SoundCodec, SoundTrack, VideoContainer, VideoPicture, VideoSpec, whole,
};
pub use dataset::{Chat, Origin, PUBLIC_SETS, PublicSet, PublicSource, Recipe};
pub use endpoint::{ConnectionReuse, EndpointConfig, HttpVersion, Readiness, ReadinessMode, Secret, SimTarget, Target};
pub use environment::{Environment, ExpressionChecks, FilePeek, Peek};
pub use error::{ConfigError, with_subject};
pub use experiment::{
    Cell, Convergence, ConvergenceMode, ConvergenceStat, Experiment, Parameter, Seeds, Sweep, SweepOrder, SweptValue,
    Trials,
};
pub use grammar::goodput::read as read_goodput;
pub use grpc::{DescriptorSource, GrpcMethod};
pub use network_latency::{NetworkLatency, RttProbing};
pub use output::{ExportLevel, LogLevel, OutputConfig, Strict, UiKind};
pub use phase::{
    AgenticReplay, Arrival, Cancellation, GracePeriod, Pace, PhaseConfig, PhaseKind, Ramp, RampShape, RateCurve,
    RatePoint, ScheduleZero, StopConditions, Windows,
};
pub use raw::{Given, RawOptions};
pub use run::Config;
pub use scenario::{SCENARIO, Scenario};
pub use secure::{ProxyConfig, ProxyServer, TlsConfig};
pub use server_hook::{ResetKvCache, ServerProfiler};
pub use tuning::{
    IpVersion, SessionCopies, SocketTuning, Tuning, UnreadVariable, VARIABLES, Variable, WITHOUT_EFFECT, WithoutEffect,
    unread_variables,
};
pub use until_ci::{CiMargin, CiStat, CiTarget};
