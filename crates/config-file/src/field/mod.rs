//! The fields of a configuration file. A field stands for one option of the command line, so that the same rules apply to both;
//! the tables here say which, and in which form the value is written. The reader, the writer and the JSON schema use them.

mod capacity;
mod dataset;
mod endpoint;
mod exporters;
mod multi_run;
mod output;
mod phase;
mod runtime;
mod telemetry;

use aiperf_options::catalogue::OptionId;

pub(crate) use capacity::CAPACITY;
pub(crate) use dataset::{FILE_DATASET, PUBLIC_DATASET, SYNTHETIC_DATASET};
pub(crate) use multi_run::MULTI_RUN;
pub(crate) use phase::{PHASE, WARMUP_OPTIONS};

/// One key of a section.
#[derive(Debug)]
pub(crate) struct Field {
    /// In `snake_case`.
    pub(crate) name: &'static str,
    /// Another name of the same field.
    pub(crate) alias: Option<&'static str>,
    pub(crate) form: Form,
}

/// In which form a field is written and what it stands for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Form {
    /// A number, a text or a word of a fixed set.
    Scalar(OptionId),
    /// True or false.
    Flag(OptionId),
    /// True or false; false stands for the option, which switches something off.
    NegatedFlag(OptionId),
    /// A list of scalars, or one of them.
    List(OptionId),
    /// Names with values, at any depth; the option takes them as a JSON object.
    Map(OptionId),
    /// Names with texts; each pair is a value `name=value` of the option.
    Pairs(OptionId),
    /// Names with numbers; each pair is a value `name:value` of the option.
    Thresholds(OptionId),
    /// A number, or a distribution: the mean or the whole, and the standard deviation.
    Distribution(OptionId, OptionId),
    /// Seconds, or a text such as `5m`.
    Duration(OptionId),
    /// Keys of their own.
    Section(&'static [Field]),
    /// Has a form of its own.
    Own(OwnForm),
    /// Refused with this reason.
    Refused(&'static str),
    /// Accepted with a warning that gives this reason: nothing that a run reports depends on it.
    WithoutEffect(&'static str),
}

/// Fields whose value has a form of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OwnForm {
    /// A name, a list of names, or `{strategy, items}`.
    Models,
    /// Seconds; 0 waits without a limit.
    Timeout,
    /// `{body, responseField}`.
    Template,
    ServerCall(ServerCall),
    /// `[json]` or true.
    Summary,
    /// `[jsonl]` or false.
    Records,
    /// True or false.
    Raw,
    /// A URL, true, false, or the fields of `GPU_TELEMETRY`.
    GpuTelemetry,
    GpuCollector,
    GpuView,
    /// A URL, true, false, or the fields of `SERVER_METRICS`.
    ServerMetrics,
    Discovery,
    /// True, false, or the fields of `NETWORK_LATENCY`.
    NetworkLatency,
    /// True or false: whether this word is in `--stream`.
    Stream(&'static str),
    /// `[{path, format, content}]`.
    UserFiles,
    /// The format of a file of rows; `auto` looks into the file.
    FileFormat,
    /// True, false, or a list of codes of validity notes.
    Strict,
    /// Rows of a data set.
    InlineRecords,
    /// The seed of the data, which is that of the run.
    DatasetSeed,
    /// `[{isl, osl, islStddev, oslStddev, probability}]`.
    SequenceDistribution,
    PhaseType,
    /// Requests per second, or users' turns per second.
    Rate,
    /// `{path}`, `{points}` or the points themselves.
    RateSeries,
    /// Seconds, a text such as `20s`, or `{duration, strategy}`.
    Ramp(OptionId),
}

/// A call to the server around a run that is switched on by `true` or by its settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServerCall {
    ResetKvCache,
    Profiler,
}

impl ServerCall {
    /// The option that switches it on, and its settings.
    pub(crate) const fn fields(self) -> (OptionId, &'static [Field]) {
        match self {
            Self::ResetKvCache => (OptionId::ResetKvCache, endpoint::RESET_KV_CACHE),
            Self::Profiler => (OptionId::ServerProfiler, endpoint::SERVER_PROFILER),
        }
    }
}

impl Field {
    pub(crate) const fn new(name: &'static str, form: Form) -> Self {
        Self { name, alias: None, form }
    }

    pub(crate) const fn alias(mut self, alias: &'static str) -> Self {
        self.alias = Some(alias);
        self
    }

    pub(crate) fn is_called(&self, name: &str) -> bool {
        self.name == name || self.alias == Some(name)
    }
}

/// Sections of `benchmark`, apart from models, data sets and phases.
pub(crate) const BENCHMARK: &[Field] = &[
    Field::new("models", Form::Own(OwnForm::Models)).alias("model"),
    Field::new("endpoint", Form::Section(endpoint::ENDPOINT)),
    Field::new("artifacts", Form::Section(output::ARTIFACTS)),
    Field::new("slos", Form::Thresholds(OptionId::Goodput)),
    Field::new("tokenizer", Form::Section(endpoint::TOKENIZER)),
    Field::new("gpu_telemetry", Form::Own(OwnForm::GpuTelemetry)),
    Field::new("server_metrics", Form::Own(OwnForm::ServerMetrics)),
    Field::new("network_latency", Form::Own(OwnForm::NetworkLatency)),
    Field::new("otel", Form::Section(exporters::OTEL)),
    Field::new("mlflow", Form::Section(exporters::MLFLOW)),
    Field::new("wandb", Form::Section(exporters::WANDB)),
    Field::new("runtime", Form::Section(runtime::RUNTIME)),
    Field::new("logging", Form::Section(runtime::LOGGING)),
    Field::new("metrics", Form::Section(&[])),
    Field::new("accuracy", Form::Section(runtime::ACCURACY)),
    Field::new("scenario", Form::Scalar(OptionId::Scenario)),
    Field::new("unsafe_override", Form::Flag(OptionId::UnsafeOverride)),
];
pub(crate) use telemetry::{GPU_TELEMETRY, NETWORK_LATENCY, SERVER_METRICS};
