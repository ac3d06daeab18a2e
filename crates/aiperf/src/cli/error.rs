//! Why a command line was not understood, in one sentence each.

use aiperf_config_file::ConfigFileError;
use aiperf_options::ConfigError;
use thiserror::Error;

#[derive(Debug, Error)]
pub(crate) enum CliError {
    #[error(
        "aiperf {0} starts one of the processes that AIPerf is made of; aiperf is one process and has none of them. For several \
         machines use `aiperf kube`, or see docs/cluster.md"
    )]
    InternalCommand(String),
    #[error("aiperf has no command {0}; GenAI-Perf's is `aiperf genai-perf {0}`")]
    CommandOfGenaiPerf(String),
    #[error(
        "aiperf analyze needs one of its commands, swim-lane or turn-messages; GenAI-Perf's command of this name is `aiperf genai-perf analyze`"
    )]
    AnalyzeOfGenaiPerf,
    #[error(
        "aiperf config needs one of its commands, such as init, validate or expand; GenAI-Perf's command of this name is `aiperf genai-perf config`"
    )]
    ConfigOfGenaiPerf,
    #[error("{level} has no command {name:?}; {advice}")]
    UnknownCommand { level: String, name: String, advice: String },
    #[error("{level} needs a command; its commands are {commands}")]
    NoCommand { level: String, commands: String },
    #[error("{flag} is not an option of {level}; {advice}")]
    UnknownOption { flag: String, level: String, advice: String },
    #[error("{flag} is an option of GenAI-Perf{advice}")]
    OptionOfGenaiPerf { flag: String, advice: String },
    #[error("unexpected argument {word:?}; {advice}")]
    StrayWord { word: String, advice: String },
    #[error("unexpected argument {value:?}; {flag} takes no value after a blank: write {flag} or {flag}=true")]
    FlagValue { flag: String, value: String },
    #[error("{0} needs a value")]
    MissingValue(String),
    #[error("{0} was given more than once")]
    Repeated(String),
    #[error("{0:?} is not valid UTF-8")]
    NotText(String),
    #[error(
        "aiperf profile needs to know what to measure: give a model and the URL of its server, for example `aiperf profile \
         --model my-model --url http://localhost:8000 --streaming`, or try `aiperf profile --url sim: --streaming`"
    )]
    NothingToProfile,
    #[error("no model given, and {url} cannot be asked for its models: {reason}; name one with --model")]
    ModelsUnknown { url: String, reason: String },
    #[error("no model given, and {url} lists none under /v1/models; name one with --model")]
    NoModelListed { url: String },
    #[error("no model given, and {url} lists several: {models}; choose one with --model")]
    SeveralModels { url: String, models: String },
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    ConfigFile(#[from] ConfigFileError),
    #[error("{0}")]
    Completion(String),
    #[error("{option} has no effect with --quick, which sends one message; leave it out")]
    OptionWithQuick { option: &'static str },
    #[error("--quick needs a message, such as --quick 'Hello'; leave it out for a conversation")]
    EmptyMessage,
    #[error("aiperf chat needs a model: give its name with --model NAME, or try --url sim:")]
    NoModel,
    #[error("aiperf compare needs two folders or more, the baseline first: aiperf compare A B")]
    TooFewFolders,
    #[error("aiperf gate needs a baseline and one folder to judge: aiperf gate --baseline A B")]
    NoGate,
    #[error("{option}: {problem}")]
    OptionValue { option: String, problem: String },
    #[error("{option}: {problem}")]
    TraceOption { option: &'static str, problem: String },
    #[error("{0}")]
    Other(String),
}
