//! Input Sequence Length (ISL): how long prompts are.

use aiperf_config::Parameter;

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::PromptInputTokensMean,
        &["prompt-input-tokens-mean", "synthetic-input-tokens-mean", "isl"],
        ValueKind::Int,
        "Mean length of generated prompts, or a distribution such as `lognormal:mean=100,median=60`.",
    )
    .called("isl")
    .sweepable(Parameter::InputTokensMean)
    .at_least(0.0)
    .unit("tokens")
    .default("550")
    .supported(),
    OptionSpec::new(
        OptionId::PromptInputTokensStddev,
        &["prompt-input-tokens-stddev", "synthetic-input-tokens-stddev", "isl-stddev"],
        ValueKind::Float,
        "Standard deviation of the length of generated prompts (normal distribution).",
    )
    .called("isl-stddev")
    .sweepable(Parameter::InputTokensStddev)
    .at_least(0.0)
    .unit("tokens")
    .default("0")
    .supported(),
    OptionSpec::new(
        OptionId::PromptInputTokensBlockSize,
        &["prompt-input-tokens-block-size", "synthetic-input-tokens-block-size", "isl-block-size"],
        ValueKind::Int,
        "Number of tokens that one hash id of a trace stands for.",
    )
    .called("isl-block-size")
    .at_least(1.0)
    .unit("tokens")
    .default("512; 16 for bailian_trace")
    .supported(),
    OptionSpec::new(
        OptionId::SeqDist,
        &["seq-dist", "sequence-distribution"],
        ValueKind::Text,
        "Mix of input and output lengths with percentages, such as `128,64:25;512,128:75`.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::RandomRangeRatio,
        &["random-range-ratio"],
        ValueKind::Text,
        "Draw lengths uniformly from a window of this relative width around --isl and --osl.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::RandomCorpusStyle,
        &["random-corpus-style"],
        ValueKind::Choice(&["vllm", "sglang"]),
        "Tool whose formula --random-range-ratio and `--prompt-corpus random` follow.",
    )
    .default("vllm")
    .supported(),
];
