//! Input Sequence Length (ISL): how long prompts are.

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::PromptInputTokensMean,
        &["prompt-input-tokens-mean", "synthetic-input-tokens-mean", "isl"],
        ValueKind::Int,
        "Mean length of a generated prompt, or its distribution, such as `lognormal:mean=100,median=60`.",
    )
    .called("isl")
    .sweepable()
    .at_least(0.0)
    .unit("tokens")
    .default("550")
    .supported(),
    OptionSpec::new(
        OptionId::PromptInputTokensStddev,
        &["prompt-input-tokens-stddev", "synthetic-input-tokens-stddev", "isl-stddev"],
        ValueKind::Float,
        "Spread of that length (normal).",
    )
    .called("isl-stddev")
    .sweepable()
    .at_least(0.0)
    .unit("tokens")
    .default("0")
    .supported(),
    OptionSpec::new(
        OptionId::PromptInputTokensBlockSize,
        &["prompt-input-tokens-block-size", "synthetic-input-tokens-block-size", "isl-block-size"],
        ValueKind::Int,
        "Tokens that one hash id of a trace stands for.",
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
        "Mix of input and output lengths with their shares, such as `128,64:25;512,128:75`.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::RandomRangeRatio,
        &["random-range-ratio"],
        ValueKind::Text,
        "Draw lengths evenly from a window of this relative width around the means.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::RandomCorpusStyle,
        &["random-corpus-style"],
        ValueKind::Choice(&["vllm", "sglang"]),
        "Tool whose formula for that window, and whose choice of random tokens, is followed.",
    )
    .default("vllm")
    .supported(),
];
