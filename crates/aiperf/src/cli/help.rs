//! What the help pages say beyond single options: the options that people use most, and lines to copy.

use aiperf_options::catalogue::OptionId;

use crate::build::VERSION;

/// The short page of `aiperf profile -h`, heading by heading.
pub(super) const BRIEF: [(&str, &[OptionId]); 4] = [
    (
        "Server",
        &[
            OptionId::Url,
            OptionId::ModelNames,
            OptionId::EndpointType,
            OptionId::Streaming,
            OptionId::ApiKey,
            OptionId::Header,
            OptionId::RequestTimeoutSeconds,
            OptionId::Tokenizer,
        ],
    ),
    (
        "Load",
        &[
            OptionId::Concurrency,
            OptionId::RequestRate,
            OptionId::ArrivalPattern,
            OptionId::RequestCount,
            OptionId::BenchmarkDuration,
            OptionId::WarmupRequestCount,
            OptionId::FixedSchedule,
        ],
    ),
    (
        "Requests",
        &[
            OptionId::PromptInputTokensMean,
            OptionId::PromptOutputTokensMean,
            OptionId::InputFile,
            OptionId::CustomDatasetType,
            OptionId::PublicDataset,
            OptionId::ConversationNum,
            OptionId::ConversationTurnMean,
            OptionId::ExtraInputs,
            OptionId::RandomSeed,
        ],
    ),
    (
        "Results",
        &[
            OptionId::OutputArtifactDir,
            OptionId::ExportLevel,
            OptionId::Goodput,
            OptionId::NumProfileRuns,
            OptionId::Strict,
            OptionId::UiType,
            OptionId::Verbose,
        ],
    ),
];

/// At the end of both pages of `aiperf profile`.
pub(super) const PROFILE_EXAMPLES: &str = "\
Examples:
  Try it without a server (built-in simulator):
    aiperf profile --url sim: --streaming --concurrency 4 --request-count 50

  100 requests, 10 at a time:
    aiperf profile --model my-model --url http://localhost:8000 --streaming \\
      --concurrency 10 --request-count 100 --isl 1000 --osl 200

  5 requests per second for a minute, with SLO limits:
    aiperf profile --model my-model --url http://localhost:8000 --streaming \\
      --request-rate 5 --benchmark-duration 60 \\
      --goodput \"time_to_first_token:200 inter_token_latency:20\"

  A sweep, three runs of each concurrency:
    aiperf profile --model my-model --url http://localhost:8000 --streaming \\
      --concurrency 1,4,16 --request-count 200 --num-profile-runs 3";

/// The short page of `aiperf capacity -h`, heading by heading.
pub(super) const CAPACITY_BRIEF: [(&str, &[OptionId]); 4] = [
    (
        "Search",
        &[
            OptionId::Slo,
            OptionId::CapacityOf,
            OptionId::Precision,
            OptionId::MaxRequests,
            OptionId::MaxDuration,
            OptionId::Resume,
            OptionId::ArrivalPattern,
        ],
    ),
    ("Server", BRIEF[0].1),
    (
        "Requests",
        &[
            OptionId::PromptInputTokensMean,
            OptionId::PromptOutputTokensMean,
            OptionId::InputFile,
            OptionId::PublicDataset,
            OptionId::ExtraInputs,
            OptionId::WarmupRequestCount,
            OptionId::RandomSeed,
        ],
    ),
    (
        "Results",
        &[OptionId::OutputArtifactDir, OptionId::ExportLevel, OptionId::Html, OptionId::UiType, OptionId::Verbose],
    ),
];

/// At the end of both pages of `aiperf capacity`.
pub(super) const CAPACITY_EXAMPLES: &str = "\
Examples:
  The highest request rate at which 99 % of the first tokens come within 500 ms, known to 5 %, in an hour at most:
    aiperf capacity --model my-model --url http://localhost:8000 --streaming \\
      --slo time_to_first_token:500 --precision 5% --max-duration 3600 --isl 1000 --osl 200

  The most users at which 95 % of the requests take at most 10 s:
    aiperf capacity --model my-model --url http://localhost:8000 \\
      --of users --slo request_latency:p95:10000

  Continue a search that was interrupted or killed:
    aiperf capacity --resume artifacts/FOLDER";

pub(super) const CAPACITY_MORE: &str = "`aiperf capacity --help` describes all options and their values.";

pub(super) const MORE: &str = "`aiperf profile --help` describes all options and their values.";

/// The page of `aiperf` without arguments.
pub(super) fn next_steps() -> String {
    format!(
        "\
aiperf {VERSION}: benchmark generative-AI inference servers

  aiperf profile --url sim: --streaming --request-count 50     try it without a server
  aiperf init                                                  get a command for your server and your goal
  aiperf profile --url localhost:8000 --streaming \\
      --concurrency 16 --request-count 200                     benchmark the model of a server
  aiperf capacity -h                                           find the highest load within your SLOs
  aiperf doctor                                                check this machine before you trust a number
  aiperf profile -h                                            the most used options of a benchmark
  aiperf --help                                                all commands
"
    )
}

/// At the end of the page of the program.
pub(super) const PROGRAM_EXAMPLES: &str = "\
Examples:
  aiperf profile --url sim: --streaming --request-count 50   try it without a server
  aiperf profile -h                                          the most used options
  aiperf help profile                                        all options
  aiperf compare RUN_A RUN_B                                 compare two runs
  aiperf plot RUN                                            draw charts of a run";
