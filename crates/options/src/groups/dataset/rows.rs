//! Input: what is sent along, and files to send from.

use aiperf_config::{FILE_FORMAT_NAMES, PUBLIC_NAMES};

use crate::catalogue::{OptionId, OptionSpec, Tokens, ValueKind};

pub(crate) const INPUT: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::ExtraInputs,
        &["extra-inputs"],
        ValueKind::KeyValues,
        "Field to add to every request body, as `name:value`. Use a JSON object for nested values.",
    )
    .several(Tokens::Any)
    .supported(),
    OptionSpec::new(
        OptionId::Header,
        &["header"],
        ValueKind::KeyValues,
        "Header to send with every request, as `Name: value`. A JSON object gives several.",
    )
    .short("H")
    .several(Tokens::Any)
    .supported(),
    OptionSpec::new(
        OptionId::InputFile,
        &["input-file"],
        ValueKind::Path,
        "File with the requests to send, instead of generated ones. Some formats take a folder; gzip and \
         zstd files are unpacked.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::PublicDataset,
        &["public-dataset"],
        ValueKind::Choice(&PUBLIC_NAMES),
        "Public data set to download from the Hugging Face hub and send.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::HfSubset,
        &["hf-subset"],
        ValueKind::Text,
        "Subset of the public data set, instead of its default subset.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::HfWekaDataset,
        &["hf-weka-dataset"],
        ValueKind::Text,
        "Hugging Face repository with a Weka trace to replay. Implies --public-dataset weka_hf.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::DatasetFilter,
        &["dataset-filter"],
        ValueKind::Text,
        "Use only rows of the public data set with this value in a column, as `column=value` (`language=en`).",
    )
    .several(Tokens::Any)
    .without_commas()
    .supported(),
    OptionSpec::new(
        OptionId::CustomDatasetType,
        &["custom-dataset-type"],
        ValueKind::Choice(&FILE_FORMAT_NAMES),
        "Format of the input file. By default it is detected from the content.",
    )
    .default("detected")
    .supported(),
    OptionSpec::new(
        OptionId::SkipBadRows,
        &["skip-bad-rows"],
        ValueKind::Flag,
        "Skip unusable rows of the input file and report how many and why, instead of stopping at the \
         first.",
    )
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::IgnoreTraceDelays,
        &["ignore-trace-delays"],
        ValueKind::Flag,
        "Ignore the recorded times and pauses of a trace: send each turn as soon as the previous one is \
         answered.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::UseThinkTimeOnly,
        &["use-think-time-only"],
        ValueKind::Flag,
        "For Weka traces, pause only for the recorded think time of the client, not for the whole gap \
         between requests.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::MaxContextLength,
        &["max-context-length"],
        ValueKind::Int,
        "Skip Weka traces that need a longer context than this.",
    )
    .at_least(1.0)
    .unit("tokens")
    .supported(),
    OptionSpec::new(
        OptionId::DatasetSamplingStrategy,
        &["dataset-sampling-strategy"],
        ValueKind::Choice(&["random", "sequential", "shuffle"]),
        "Order in which conversations are used: in file order (`sequential`), at random (`random`), or \
         in a new random order on each pass (`shuffle`).",
    )
    .default("sequential")
    .supported(),
    OptionSpec::new(
        OptionId::AllowDatasetWrap,
        &["allow-dataset-wrap"],
        ValueKind::Flag,
        "Let several lanes of an agentic replay share a trace if there are fewer traces than lanes.",
    )
    .negative("no-allow-dataset-wrap", "Fail if an agentic replay has fewer traces than lanes.")
    .supported(),
    OptionSpec::new(
        OptionId::RandomSeed,
        &["random-seed"],
        ValueKind::Int,
        "Seed of everything random: the same seed gives the same requests in the same order.",
    )
    .at_least(0.0)
    .default("a new one for each run")
    .supported(),
    OptionSpec::new(
        OptionId::DatasetRandomSeed,
        &["dataset-random-seed"],
        ValueKind::Int,
        "Seed of the data and of the order in which it is sent, so that runs with other arrival times or other trials send the same \
         requests.",
    )
    .at_least(0.0)
    .default("--random-seed")
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::TraceSessionSampleRatio,
        &["trace-session-sample-ratio"],
        ValueKind::Float,
        "Use only this share of a trace's sessions.",
    )
    .above(0.0)
    .at_most(1.0)
    .default("1")
    .supported(),
    OptionSpec::new(
        OptionId::Config,
        &["config"],
        ValueKind::Path,
        "YAML file with settings; options on the command line override it. `aiperf config init` prints files to begin with.",
    )
    .short("f")
    .supported(),
];
