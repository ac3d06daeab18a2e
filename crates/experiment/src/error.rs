//! Errors that keep a run from starting or from finishing.

use std::io;
use std::path::PathBuf;

use aiperf_dataset::DatasetError;
use aiperf_endpoint::{BuildError, HeaderError};
use aiperf_engine::EngineError;
use aiperf_metrics::SloError;
use aiperf_report::{HistoryError, ReportError};
use aiperf_sim::{OptionError, SimError};
use aiperf_tokenizer::TokenizerError;
use aiperf_transport::TlsError;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum RunError {
    #[error("--gpu-telemetry {}: {reason}", .path.display())]
    GpuFields { path: PathBuf, reason: String },
    #[error("--url sim: {0}")]
    SimOptions(#[from] OptionError),
    #[error("the simulator cannot start: {0}")]
    Sim(#[from] SimError),
    #[error("--url {0:?} contains a user name or password; send them with --header 'Authorization:Basic ...' instead")]
    UrlCredentials(String),
    #[error(transparent)]
    Header(#[from] HeaderError),
    #[error(transparent)]
    Tls(#[from] TlsError),
    #[error(transparent)]
    Tokenizer(#[from] TokenizerError),
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    #[error(transparent)]
    Body(#[from] BuildError),
    #[error("--extra-inputs payload_template: {0}")]
    Template(String),
    #[error("--extra-inputs response_field: not a JMESPath expression: {0}")]
    ResponseField(String),
    #[error(transparent)]
    Slo(#[from] SloError),
    #[error("{field}: {reason}")]
    Sweep { field: &'static str, reason: String },
    #[error("--strict {name}: unknown validity code; the codes are {known}")]
    UnknownValidityCode { name: String, known: String },
    #[error(transparent)]
    Report(#[from] ReportError),
    #[error("the history of the search: {0}")]
    CapacityHistory(#[from] HistoryError),
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(
        "Timed out after {waited:.1} s: {url} is not ready to serve {model}: {reason}. Start the server, or raise --wait-for-model-timeout"
    )]
    NotReady { url: String, model: String, waited: f64, reason: String },
    #[error(
        "the schedule of {data} lasts {span}, far longer than a run can take. Timestamps are in milliseconds: check their unit. Or \
         send a part of it (--fixed-schedule-end-offset, --request-count, --benchmark-duration), or ignore its timestamps \
         (--no-fixed-schedule)"
    )]
    EndlessSchedule { data: String, span: String },
    #[error("--scenario {name} replays recorded agent sessions (weka_trace, tracelab), but {data} has none")]
    NoAgents { name: &'static str, data: String },
    #[error(
        "--concurrency {lanes} needs at least {lanes} recorded sessions, but there are {sessions}: lower it, or let lanes share sessions with --allow-dataset-wrap"
    )]
    TooFewRecordings { lanes: usize, sessions: usize },
    #[error(
        "--node-count {nodes}: the schedule has {sessions} sessions, fewer than nodes; use at most {sessions} nodes"
    )]
    TooFewSessions { nodes: u64, sessions: usize },
    #[error("--grpc-method {method}: {reason}")]
    Method { method: String, reason: String },
    #[error("{flag} {path}: {reason}")]
    Descriptors { flag: &'static str, path: String, reason: String },
    #[error(
        "{url} does not offer reflection ({reason}); describe --grpc-method {method} with --grpc-proto or --grpc-descriptor-set"
    )]
    NoReflection { url: String, method: String, reason: String },
    #[error("{url} does not describe model {model}: {reason}")]
    NoMetadata { url: String, model: String, reason: String },
    #[error(
        "model {model} at {url} is decoupled: it answers a request with any number of messages, which needs gRPC streaming; {advice}"
    )]
    Decoupled { url: String, model: String, advice: &'static str },
    #[error("--streaming cannot be used with --grpc-method {method}: the method answers with one message")]
    OneMessage { method: String },
    #[error("{hook}: {url} {reason}")]
    Hook { hook: &'static str, url: String, reason: String },
    #[error(
        "--server-metrics-required: {url} cannot be read: {reason}. Check the address given to --server-metrics, or leave out \
         --server-metrics-required"
    )]
    NamedMetricsMissing { url: String, reason: String },
    #[error(
        "--server-metrics-required: {url} cannot be read: {reason}. If the server has its metrics page elsewhere (Triton: port \
         8002), name the page with --server-metrics; if it has none, leave out --server-metrics-required"
    )]
    ServerMetricsMissing { url: String, reason: String },
    #[error(
        "--server-metrics-required: a gRPC server has no metrics page on its port. Name the page with --server-metrics, for \
         example --server-metrics host:8002"
    )]
    NoMetricsPage,
    #[error("the grader of the plugin pack cannot be used: {0}")]
    PluginGrader(String),
    #[error("--accuracy-allow-code-execution: {0}")]
    NoCodeExecution(String),
    #[error("--until-ci {target}: {reason}")]
    UntilCi { target: String, reason: String },
    /// A limit of adaptive scale that no window can be compared with.
    #[error("--adaptive-scale-sla {limit}: {reason}")]
    AdaptiveLimit { limit: String, reason: String },
    #[error("--convergence-metric {metric}: {reason}")]
    Convergence { metric: String, reason: String },
    /// The machine has too few file descriptors or ports for the connections.
    #[error("{0}")]
    NoRoom(String),
    #[error("cannot start thread {name}: {cause}")]
    Thread { name: &'static str, cause: io::Error },
    #[error("cannot start an asynchronous runtime: {0}")]
    Runtime(io::Error),
    #[error("a record thread panicked; the records file holds the records written before that")]
    RecordThreadGone,
}
