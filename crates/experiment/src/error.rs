//! What can keep a run from starting, or from coming to its end.

use aiperf_dataset::DatasetError;
use aiperf_endpoint::{BuildError, HeaderError, UrlError};
use aiperf_engine::EngineError;
use aiperf_metrics::SloError;
use aiperf_report::ReportError;
use aiperf_sim::{OptionError, SimError};
use aiperf_tokenizer::TokenizerError;
use aiperf_transport::TlsError;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum RunError {
    #[error("--url sim: {0}")]
    SimOptions(#[from] OptionError),
    #[error("the simulator cannot start: {0}")]
    Sim(#[from] SimError),
    #[error(transparent)]
    Url(#[from] UrlError),
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
    #[error("--strict {name}: there is no validity note of that code; the codes are {known}")]
    UnknownValidityCode { name: String, known: String },
    #[error(transparent)]
    Report(#[from] ReportError),
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(
        "Timed out after {waited:.1} s: {url} is not ready to serve {model}; {reason}. Start the server, or raise --wait-for-model-timeout"
    )]
    NotReady { url: String, model: String, waited: f64, reason: String },
    #[error(
        "the schedule of {data} lasts {span}, far longer than a run can take. Timestamps are milliseconds: check their unit. Or \
         send a part with --fixed-schedule-end-offset, --request-count or --benchmark-duration, or send it without its times with \
         --no-fixed-schedule"
    )]
    EndlessSchedule { data: String, span: String },
    #[error("--scenario {name} replays recorded sessions of agents (weka_trace, tracelab), and {data} holds none")]
    NoAgents { name: &'static str, data: String },
    #[error(
        "--concurrency {lanes} needs as many recorded sessions, and there are {sessions}: lower it, or let lanes share sessions by --allow-dataset-wrap"
    )]
    TooFewRecordings { lanes: usize, sessions: usize },
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
        "model {model} at {url} is decoupled: it answers a request with any number of messages, over gRPC; {advice}"
    )]
    Decoupled { url: String, model: String, advice: &'static str },
    #[error("--streaming does not go with --grpc-method {method}: the method answers with one message")]
    OneMessage { method: String },
    #[error("{hook}: {url} {reason}")]
    Hook { hook: &'static str, url: String, reason: String },
    #[error("--until-ci {target}: {reason}")]
    UntilCi { target: String, reason: String },
    #[error("--convergence-metric {metric}: {reason}")]
    Convergence { metric: String, reason: String },
    /// The machine has not enough of something that every connection takes.
    #[error("{0}")]
    NoRoom(String),
    #[error("a record thread cannot start: {0}")]
    RecordThread(std::io::Error),
    #[error("the thread that makes contents cannot start: {0}")]
    MakerThread(std::io::Error),
    #[error("a record thread panicked; the records file holds what was written until then")]
    RecordThreadGone,
}
