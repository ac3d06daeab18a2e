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
    flag(&["--backend"], One, rule(FlagRule::Backend, "`--backend`, of `kserve` only")),
    flag(&["--endpoint"], One, rule(FlagRule::Endpoint, "`--endpoint`, with a slash in front")),
    flag(&["--endpoint-type"], One, rule(FlagRule::EndpointType, "`--endpoint-type`; `kserve` when it is left out")),
    flag(&["--server-metrics-url", "--server-metrics-urls"], OneOrMore, Same("--gpu-telemetry")),
    flag(&["--streaming"], Nothing, rule(FlagRule::Streaming, "`--streaming`; always with `kserve`")),
    flag(
        &["--url", "-u"],
        One,
        rule(FlagRule::Url, "`--url`; `grpc://localhost:8001` when it is left out with `kserve` and `dynamic_grpc`"),
    ),
    flag(&["--grpc-method"], One, Same("--grpc-method")),
    flag(
        &["--batch-size-text", "--batch-size", "-b"],
        One,
        rule(
            FlagRule::BatchSize,
            "`--batch-size`; passages of a query for generated `rankings`: `--rankings-passages-mean`",
        ),
    ),
    flag(&["--batch-size-image"], One, Same("--batch-size-image")),
    flag(&["--batch-size-audio"], One, Same("--batch-size-audio")),
    flag(&["--extra-inputs"], Repeated, rule(FlagRule::ExtraInputs, "`--extra-inputs`; a name alone is sent as null")),
    flag(&["--header", "-H"], Repeated, Same("--header")),
    flag(
        &["--goodput", "-g"],
        OneOrMore,
        rule(
            FlagRule::Goodput,
            "`--goodput`, all in one word with blanks; `time_to_first_token` there is `time_to_first_output_token` here",
        ),
    ),
    flag(&["--input-file"], One, rule(FlagRule::InputFile, "`--input-file` and `--custom-dataset-type`, by its form")),
    flag(&["--num-dataset-entries", "--num-prompts"], One, Same("--num-dataset-entries")),
    flag(&["--num-prefix-prompts"], One, rule(FlagRule::Prefixes, "`--num-prefix-prompts`; 0 is left out")),
    flag(
        &["--prefix-prompt-length"],
        One,
        rule(FlagRule::PrefixLength, "`--prefix-prompt-length`; 100 where there are prefixes without a length"),
    ),
    flag(
        &["--synthetic-input-tokens-mean", "--isl"],
        One,
        rule(FlagRule::InputLength, "`--isl`; for generated `rankings` the lengths of query and passages"),
    ),
    flag(
        &["--synthetic-input-tokens-stddev"],
        One,
        rule(FlagRule::InputSpread, "`--isl-stddev`; for generated `rankings` those of query and passages"),
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
            "`--extra-inputs min_length:N`, with `--backend vllm` `min_tokens:N`; of `kserve` only",
        ),
    ),
    flag(&["--random-seed"], One, rule(FlagRule::Seed, "`--random-seed`; 0 when it is left out")),
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
        rule(FlagRule::ImageFormat, "`--image-format`; `png` when images are made and it is left out"),
    ),
    flag(&["--concurrency"], One, rule(FlagRule::Concurrency, "`--concurrency`")),
    flag(&["--request-rate"], One, rule(FlagRule::RequestRate, "`--request-rate R --arrival-pattern constant`")),
    flag(&["--fixed-schedule"], One, rule(FlagRule::FixedSchedule, "`--fixed-schedule`")),
    flag(
        &["--request-count", "--num-requests"],
        One,
        rule(
            FlagRule::RequestCount,
            "`--request-count`; the larger of 10 and twice the concurrency when it is left out",
        ),
    ),
    flag(
        &["--measurement-interval", "-p"],
        One,
        rule(
            FlagRule::Interval,
            "`--measurement-interval`: windows of 1.2 times that long, as it measures, until three agree",
        ),
    ),
    flag(
        &["--stability-percentage", "-s"],
        One,
        rule(
            FlagRule::Stability,
            "`--stability-percentage`, 999 when it is left out; with a count of requests there is one window, and only 999 \
             or more is taken",
        ),
    ),
    flag(&["--num-sessions"], One, rule(FlagRule::Sessions, "`--num-sessions`; 0 is left out")),
    flag(&["--session-concurrency"], One, rule(FlagRule::SessionConcurrency, "`--concurrency`")),
    flag(&["--session-turns-mean"], One, Same("--session-turns-mean")),
    flag(&["--session-turns-stddev"], One, Same("--session-turns-stddev")),
    flag(&["--session-turn-delay-mean"], One, Same("--session-turn-delay-mean")),
    flag(&["--session-turn-delay-stddev"], One, Same("--session-turn-delay-stddev")),
    flag(&["--session-delay-ratio"], One, Same("--session-delay-ratio")),
    flag(&["--artifact-dir"], One, rule(FlagRule::Folder, "`--artifact-dir`, with the folder of the run below it")),
    flag(
        &["--profile-export-file"],
        One,
        rule(FlagRule::ExportFile, "`--profile-export-prefix`, without the end of the name"),
    ),
    flag(&["--generate-plots"], Nothing, Same("--auto-plot")),
    flag(
        &["--enable-checkpointing"],
        Nothing,
        rule(FlagRule::Checkpointing, "done here: a run that `checkpoint.json` has is not made again"),
    ),
    flag(
        &["--checkpoint-dir", "--checkpoint-directory"],
        One,
        rule(FlagRule::CheckpointDir, "where `checkpoint.json` is; `./checkpoint` when it is left out"),
    ),
    flag(&["--tokenizer"], One, Same("--tokenizer")),
    flag(&["--tokenizer-revision"], One, Same("--tokenizer-revision")),
    flag(&["--tokenizer-trust-remote-code"], Nothing, Same("--tokenizer-trust-remote-code")),
    flag(&["--verbose", "-v"], Nothing, Same("--verbose")),
];

const SWEEP: &str = "takes one value here; `genai-perf analyze` makes a run for each of several values";
const OWN_INPUT: &str = "describes inputs past GenAI-Perf: give the data with --input-file in front of `--`";
const SHARED_MEMORY: &str =
    "hands inputs over by memory shared with the server: leave it out, requests go over the network";
const SEQUENCES: &str =
    "makes Triton's sequences: for conversations give --num-sessions and --session-turns-mean in front of `--`";
const METRICS: &str = "collects Triton's own metrics, which this program does not: leave it out";
const TRACING: &str = "sets up Triton's tracing: leave it out, and set it at the server";
const ASYNC: &str = "is how requests are always sent here: leave it out";
const SEARCH: &str =
    "searches for a load, which this program does not do: give one load with --concurrency or --request-rate";
const CHOSEN: &str = "is chosen by --endpoint-type and the scheme of --url in front of `--`: leave it out";

/// What may stand behind `--`: options of the measuring program.
pub(crate) const PERF_ANALYZER: &[GenaiPerfFlag] = &[
    flag(&["--max-threads"], One, Same("--workers-max")),
    flag(&["--concurrency-range"], One, rule(FlagRule::Concurrency, "`--concurrency`; a range is refused")),
    flag(&["--request-rate-range"], One, rule(FlagRule::RequestRate, "as `--request-rate`; a range is refused")),
    flag(
        &["--request-distribution"],
        One,
        rule(FlagRule::Distribution, "`--arrival-pattern`: `constant` or `poisson`"),
    ),
    flag(&["--request-count"], One, rule(FlagRule::RequestCount, "`--request-count`")),
    flag(&["--warmup-request-count"], One, UnlessZero("--warmup-request-count")),
    flag(&["--measurement-interval", "-p"], One, rule(FlagRule::Interval, "as in front of `--`")),
    flag(&["--stability-percentage", "-s"], One, rule(FlagRule::Stability, "as in front of `--`")),
    flag(
        &["--max-trials", "-r"],
        One,
        rule(FlagRule::MaxTrials, "`--max-trials`: most windows of `--measurement-interval`; 10 when it is left out"),
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
    flag(
        &["--ssl-grpc-use-ssl"],
        Nothing,
        Refused("is said by the URL: give --url grpcs://HOST:PORT in front of `--`"),
    ),
    flag(
        &["--ssl-https-verify-host"],
        One,
        Refused(
            "checks the name in the certificate alone: leave it out, or check nothing with --ssl-https-verify-peer 0",
        ),
    ),
    flag(&["--async", "-a", "--sync"], Nothing, Refused(ASYNC)),
    flag(&["--binary-search"], Nothing, Refused(SEARCH)),
    flag(&["--latency-threshold", "-l"], One, Refused(SEARCH)),
    flag(
        &["--periodic-concurrency-range", "--request-period"],
        One,
        Refused("changes the load while it runs: `aiperf profile --concurrency-ramp-duration` does so"),
    ),
    flag(
        &["--request-intervals"],
        One,
        Refused(
            "gives times of requests: put them as `timestamp` into --input-file payload:FILE, with --fixed-schedule True",
        ),
    ),
    flag(
        &["--percentile"],
        One,
        Refused(
            "compares windows by a percentile of latency: leave it out, the average is compared and all percentiles are \
                 reported",
        ),
    ),
    flag(
        &["--measurement-mode", "--measurement-request-count"],
        One,
        Refused("chooses the kind of window: give --request-count or --measurement-interval in front of `--`"),
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
        Refused("names a model of Triton by more than its name: leave it out, the server chooses the version"),
    ),
    flag(
        &["--enable-mpi"],
        Nothing,
        Refused("joins several clients: leave it out, one process of this program uses all cores"),
    ),
    flag(
        &["-m", "--profile-export-file", "-f", "--verbose-csv"],
        One,
        Refused("is set by GenAI-Perf itself: give --model, --profile-export-file or --artifact-dir in front of `--`"),
    ),
    flag(&["--fixed-schedule"], Nothing, Refused("needs a value here: give --fixed-schedule True in front of `--`")),
];

/// A list of values where one is meant.
pub(crate) const ONE_VALUE: &str = SWEEP;
