//! Output Sequence Length (OSL): how long answers shall be.

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::PromptOutputTokensMean,
        &["prompt-output-tokens-mean", "output-tokens-mean", "osl"],
        ValueKind::Int,
        "Mean length of the answer to ask for, or its distribution. With a file: for rows that do not say.",
    )
    .called("osl")
    .sweepable()
    .at_least(0.0)
    .unit("tokens")
    .default("none: the server decides")
    .supported(),
    OptionSpec::new(
        OptionId::PromptOutputTokensStddev,
        &["prompt-output-tokens-stddev", "output-tokens-stddev", "osl-stddev"],
        ValueKind::Float,
        "Spread of that length (normal).",
    )
    .called("osl-stddev")
    .sweepable()
    .at_least(0.0)
    .unit("tokens")
    .default("0")
    .supported(),
];
