//! Every option of `genai-perf profile`, those behind `--` included, and what it becomes. Help, the page on moving over and the translation read it from here.

/// One option of GenAI-Perf, or of its measuring program.
#[derive(Debug)]
pub(crate) struct GenaiPerfFlag {
    /// With their dashes, the usual one first.
    pub(crate) names: &'static [&'static str],
    pub(crate) takes: Takes,
    pub(crate) becomes: Becomes,
}

/// Where a later occurrence replaces an earlier one, and where it adds to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    Nothing,
    One,
    /// One each time; they add up.
    Repeated,
    OneOrMore,
    Any,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Becomes {
    /// An option of `aiperf profile` that means the same.
    Same(&'static str),
    /// The same, and 0 stands for leaving it out.
    UnlessZero(&'static str),
    /// All values as one, with this between them.
    Joined(&'static str, &'static str),
    /// What it becomes depends on other options; the text says how, for readers.
    FlagRule(FlagRule, &'static str),
    /// Why it cannot be, and what to do instead.
    Refused(&'static str),
}

impl Becomes {
    /// The one option of ours that it is.
    pub(crate) const fn name(self) -> Option<&'static str> {
        match self {
            Self::Same(name) | Self::UnlessZero(name) | Self::Joined(name, _) => Some(name),
            Self::FlagRule(..) | Self::Refused(_) => None,
        }
    }
}

/// Options that are read together with others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FlagRule {
    Backend,
    BatchSize,
    CheckpointDir,
    Checkpointing,
    ConfigFile,
    Concurrency,
    Deterministic,
    Endpoint,
    EndpointType,
    ExportFile,
    ExtraInputs,
    Goodput,
    FixedSchedule,
    Folder,
    ImageFormat,
    InputDirectory,
    InputFile,
    InputLength,
    InputSpread,
    Interval,
    MaxTrials,
    Model,
    OutputLength,
    Override,
    PrefixLength,
    Prefixes,
    RequestCount,
    RequestRate,
    Distribution,
    Seed,
    SessionConcurrency,
    Sessions,
    Stability,
    Streaming,
    SweepList,
    SweepRange,
    SweepType,
    TemplateFile,
    Url,
    Verbose,
    VerifyPeer,
}

pub(crate) const fn flag(names: &'static [&'static str], takes: Takes, becomes: Becomes) -> GenaiPerfFlag {
    GenaiPerfFlag { names, takes, becomes }
}

use Becomes::{Joined, Refused, Same, UnlessZero};
use Takes::{Any, Nothing, One, OneOrMore, Repeated};

pub(crate) const fn rule(rule: FlagRule, words: &'static str) -> Becomes {
    Becomes::FlagRule(rule, words)
}

/// In the order of GenAI-Perf's own help.
pub(crate) const PROFILE: &[GenaiPerfFlag] = &[
    flag(&["--model", "-m"], OneOrMore, rule(FlagRule::Model, "`--model a,b`")),
    flag(&["--model-selection-strategy"], One, Same("--model-selection-strategy")),
    flag(&["--backend"], One, rule(FlagRule::Backend, "`--backend`, only with `kserve`")),
    flag(&["--endpoint"], One, rule(FlagRule::Endpoint, "`--endpoint`, with a slash in front")),
    flag(&["--endpoint-type"], One, rule(FlagRule::EndpointType, "`--endpoint-type`; default `kserve`")),
    flag(&["--server-metrics-url", "--server-metrics-urls"], OneOrMore, Same("--gpu-telemetry")),
    flag(&["--streaming"], Nothing, rule(FlagRule::Streaming, "`--streaming`; always with `kserve`")),
    flag(
        &["--url", "-u"],
        One,
        rule(FlagRule::Url, "`--url`; default with `kserve` and `dynamic_grpc`: `grpc://localhost:8001`"),
    ),
    flag(&["--grpc-method"], One, Same("--grpc-method")),
    flag(
        &["--batch-size-text", "--batch-size", "-b"],
        One,
        rule(FlagRule::BatchSize, "`--batch-size`; for generated `rankings`: `--rankings-passages-mean`"),
    ),
    flag(&["--batch-size-image"], One, Same("--batch-size-image")),
    flag(&["--batch-size-audio"], One, Same("--batch-size-audio")),
    flag(
        &["--extra-inputs"],
        Repeated,
        rule(FlagRule::ExtraInputs, "`--extra-inputs`; a name without a value is sent as null"),
    ),
    flag(&["--header", "-H"], Repeated, Same("--header")),
    flag(
        &["--goodput", "-g"],
        OneOrMore,
        rule(
            FlagRule::Goodput,
            "`--goodput`, all pairs in one argument; its `time_to_first_token` is our `time_to_first_output_token`",
        ),
    ),
    flag(&["--input-file"], One, rule(FlagRule::InputFile, "`--input-file` and the matching `--custom-dataset-type`")),
    flag(&["--num-dataset-entries", "--num-prompts"], One, Same("--num-dataset-entries")),
    flag(&["--num-prefix-prompts"], One, rule(FlagRule::Prefixes, "`--num-prefix-prompts`; 0 is left out")),
    flag(
        &["--prefix-prompt-length"],
        One,
        rule(FlagRule::PrefixLength, "`--prefix-prompt-length`; default 100 if there are prefixes"),
    ),
    flag(
        &["--synthetic-input-tokens-mean", "--isl"],
        One,
        rule(FlagRule::InputLength, "`--isl`; for generated `rankings`: the lengths of query and passages"),
    ),
    flag(
        &["--synthetic-input-tokens-stddev"],
        One,
        rule(
            FlagRule::InputSpread,
            "`--isl-stddev`; for generated `rankings`: the standard deviations of query and passages",
        ),
    ),
    flag(
        &["--output-tokens-mean", "--osl"],
        One,
        rule(FlagRule::OutputLength, "`--osl`; with `chat` also `--use-legacy-max-tokens`"),
    ),
    flag(&["--output-tokens-stddev"], One, Same("--osl-stddev")),
    flag(
        &["--output-tokens-mean-deterministic"],
        Nothing,
        rule(
            FlagRule::Deterministic,
            "`--extra-inputs min_length:N`, or `min_tokens:N` with `--backend vllm`; only with `kserve`",
        ),
    ),
    flag(&["--random-seed"], One, rule(FlagRule::Seed, "`--random-seed`; default 0")),
    flag(&["--warmup-request-count", "--num-warmup-requests"], One, UnlessZero("--warmup-request-count")),
    flag(&["--audio-length-mean"], One, UnlessZero("--audio-length-mean")),
    flag(&["--audio-length-stddev"], One, UnlessZero("--audio-length-stddev")),
    flag(&["--audio-format"], One, Same("--audio-format")),
    flag(&["--audio-depths"], Any, Joined("--audio-depths", ",")),
    flag(&["--audio-sample-rates"], Any, Joined("--audio-sample-rates", ",")),
    flag(&["--audio-num-channels"], One, Same("--audio-num-channels")),
    flag(&["--image-width-mean"], One, UnlessZero("--image-width-mean")),
    flag(&["--image-width-stddev"], One, UnlessZero("--image-width-stddev")),
    flag(&["--image-height-mean"], One, UnlessZero("--image-height-mean")),
    flag(&["--image-height-stddev"], One, UnlessZero("--image-height-stddev")),
    flag(
        &["--image-format"],
        One,
        rule(FlagRule::ImageFormat, "`--image-format`; default `png` if images are generated"),
    ),
    flag(&["--concurrency"], One, rule(FlagRule::Concurrency, "`--concurrency`")),
    flag(&["--request-rate"], One, rule(FlagRule::RequestRate, "`--request-rate R --arrival-pattern constant`")),
    flag(&["--fixed-schedule"], One, rule(FlagRule::FixedSchedule, "`--fixed-schedule`")),
    flag(
        &["--request-count", "--num-requests"],
        One,
        rule(FlagRule::RequestCount, "`--request-count`; default: the larger of 10 and twice the concurrency"),
    ),
    flag(
        &["--measurement-interval", "-p"],
        One,
        rule(
            FlagRule::Interval,
            "`--measurement-interval`: windows of 1.2 times this length, as perf_analyzer measures, until three agree",
        ),
    ),
    flag(
        &["--stability-percentage", "-s"],
        One,
        rule(
            FlagRule::Stability,
            "`--stability-percentage`; default 999. With a request count there is one window, and only 999 or more is \
             accepted",
        ),
    ),
    flag(&["--num-sessions"], One, rule(FlagRule::Sessions, "`--num-sessions`; 0 is left out")),
    flag(&["--session-concurrency"], One, rule(FlagRule::SessionConcurrency, "`--concurrency`")),
    flag(&["--session-turns-mean"], One, Same("--session-turns-mean")),
    flag(&["--session-turns-stddev"], One, Same("--session-turns-stddev")),
    flag(&["--session-turn-delay-mean"], One, Same("--session-turn-delay-mean")),
    flag(&["--session-turn-delay-stddev"], One, Same("--session-turn-delay-stddev")),
    flag(&["--session-delay-ratio"], One, Same("--session-delay-ratio")),
    flag(&["--artifact-dir"], One, rule(FlagRule::Folder, "`--artifact-dir`, with the folder of the run inside it")),
    flag(
        &["--profile-export-file"],
        One,
        rule(FlagRule::ExportFile, "`--profile-export-prefix`, without the extension"),
    ),
    flag(&["--generate-plots"], Nothing, Same("--auto-plot")),
    flag(
        &["--enable-checkpointing"],
        Nothing,
        rule(FlagRule::Checkpointing, "a run that is in `checkpoint.json` is not repeated"),
    ),
    flag(
        &["--checkpoint-dir", "--checkpoint-directory"],
        One,
        rule(FlagRule::CheckpointDir, "folder of `checkpoint.json`; default `./checkpoint`"),
    ),
    flag(&["--tokenizer"], One, Same("--tokenizer")),
    flag(&["--tokenizer-revision"], One, Same("--tokenizer-revision")),
    flag(&["--tokenizer-trust-remote-code"], Nothing, Same("--tokenizer-trust-remote-code")),
    flag(&["--verbose", "-v"], Nothing, Same("--verbose")),
];

const SWEEP: &str = "takes one value; `genai-perf analyze` makes one run per value";
const OWN_INPUT: &str = "bypasses GenAI-Perf's inputs: give the data with --input-file before `--`";
const SHARED_MEMORY: &str = "passes inputs through shared memory: leave it out; requests go over the network";
const SEQUENCES: &str =
    "creates Triton sequences: for conversations give --num-sessions and --session-turns-mean before `--`";
const METRICS: &str = "collects Triton's own metrics, which aiperf does not: leave it out";
const TRACING: &str = "configures Triton's tracing: leave it out and configure it on the server";
const ASYNC: &str = "has no effect, requests are always sent asynchronously: leave it out";
const SEARCH: &str = "searches for a load, which aiperf does not: give one load with --concurrency or --request-rate";
const CHOSEN: &str = "follows from --endpoint-type and the scheme of --url before `--`: leave it out";

/// What may stand behind `--`: options of the measuring program.
pub(crate) const PERF_ANALYZER: &[GenaiPerfFlag] = &[
    flag(&["--max-threads"], One, Same("--workers-max")),
    flag(&["--concurrency-range"], One, rule(FlagRule::Concurrency, "`--concurrency`; a range is rejected")),
    flag(&["--request-rate-range"], One, rule(FlagRule::RequestRate, "as `--request-rate`; a range is rejected")),
    flag(
        &["--request-distribution"],
        One,
        rule(FlagRule::Distribution, "`--arrival-pattern`: `constant` or `poisson`"),
    ),
    flag(&["--request-count"], One, rule(FlagRule::RequestCount, "`--request-count`")),
    flag(&["--warmup-request-count"], One, UnlessZero("--warmup-request-count")),
    flag(&["--measurement-interval", "-p"], One, rule(FlagRule::Interval, "as before `--`")),
    flag(&["--stability-percentage", "-s"], One, rule(FlagRule::Stability, "as before `--`")),
    flag(
        &["--max-trials", "-r"],
        One,
        rule(FlagRule::MaxTrials, "`--max-trials`: maximum number of windows of `--measurement-interval`; default 10"),
    ),
    flag(&["--session-concurrency"], One, rule(FlagRule::SessionConcurrency, "`--concurrency`")),
    flag(&["--streaming"], Nothing, rule(FlagRule::Streaming, "`--streaming`")),
    flag(&["--random-seed"], One, rule(FlagRule::Seed, "`--random-seed`")),
    flag(&["--endpoint"], One, rule(FlagRule::Endpoint, "`--endpoint`, with a slash in front")),
    flag(&["--grpc-method"], One, Same("--grpc-method")),
    flag(&["-u"], One, rule(FlagRule::Url, "`--url`")),
    flag(&["-H"], Repeated, Same("--header")),
    flag(&["-b"], One, rule(FlagRule::BatchSize, "`--batch-size`")),
    flag(&["--ssl-grpc-root-certifications-file", "--ssl-https-ca-certificates-file"], One, Same("--ca-cert")),
    flag(&["--ssl-grpc-certificate-chain-file", "--ssl-https-client-certificate-file"], One, Same("--client-cert")),
    flag(&["--ssl-grpc-private-key-file", "--ssl-https-private-key-file"], One, Same("--client-key")),
    flag(&["--ssl-https-verify-peer"], One, rule(FlagRule::VerifyPeer, "0 becomes `--insecure`")),
    flag(&["--verbose", "-v"], Nothing, Same("--verbose")),
    flag(&["--ssl-grpc-use-ssl"], Nothing, Refused("follows from the URL: give --url grpcs://HOST:PORT before `--`")),
    flag(
        &["--ssl-https-verify-host"],
        One,
        Refused(
            "checks only the name in the certificate: leave it out, or turn all checks off with --ssl-https-verify-peer 0",
        ),
    ),
    flag(&["--async", "-a", "--sync"], Nothing, Refused(ASYNC)),
    flag(&["--binary-search"], Nothing, Refused(SEARCH)),
    flag(&["--latency-threshold", "-l"], One, Refused(SEARCH)),
    flag(
        &["--periodic-concurrency-range", "--request-period"],
        One,
        Refused("changes the load during the run: use `aiperf profile --concurrency-ramp-duration`"),
    ),
    flag(
        &["--request-intervals"],
        One,
        Refused(
            "gives the times of requests: put them as `timestamp` into --input-file payload:FILE and add --fixed-schedule True",
        ),
    ),
    flag(
        &["--percentile"],
        One,
        Refused(
            "compares windows by a latency percentile: leave it out; the average is compared and all percentiles are \
                 reported",
        ),
    ),
    flag(
        &["--measurement-mode", "--measurement-request-count"],
        One,
        Refused("chooses the kind of window: give --request-count or --measurement-interval before `--`"),
    ),
    flag(&["--input-data", "--string-data", "--string-length", "--shape"], One, Refused(OWN_INPUT)),
    flag(&["--zero-input", "-z"], Nothing, Refused(OWN_INPUT)),
    flag(&["--shared-memory", "--output-shared-memory-size"], One, Refused(SHARED_MEMORY)),
    flag(
        &["--sequence-length", "--num-of-sequences", "--sequence-id-range", "--start-sequence-id"],
        One,
        Refused(SEQUENCES),
    ),
    flag(&["--serial-sequences"], Nothing, Refused(SEQUENCES)),
    flag(&["--collect-metrics"], Nothing, Refused(METRICS)),
    flag(&["--metrics-url", "--metrics-interval"], One, Refused(METRICS)),
    flag(&["--trace-level", "--trace-rate", "--trace-count", "--log-frequency"], One, Refused(TRACING)),
    flag(&["--service-kind", "-i", "--model-signature-name", "--grpc-compression-algorithm"], One, Refused(CHOSEN)),
    flag(
        &["--model-version", "-x", "--bls-composing-models", "--model-repository", "--triton-server-directory"],
        One,
        Refused("selects a Triton model by more than its name: leave it out; the server chooses the version"),
    ),
    flag(
        &["--enable-mpi"],
        Nothing,
        Refused("combines several clients: leave it out; one aiperf process uses all cores"),
    ),
    flag(
        &["-m", "--profile-export-file", "-f", "--verbose-csv"],
        One,
        Refused("is set by GenAI-Perf itself: give --model, --profile-export-file or --artifact-dir before `--`"),
    ),
    flag(&["--fixed-schedule"], Nothing, Refused("needs a value: give --fixed-schedule True before `--`")),
];

/// A list of values where one is meant.
pub(crate) const ONE_VALUE: &str = SWEEP;
