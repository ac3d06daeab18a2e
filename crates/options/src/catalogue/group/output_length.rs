//! Output Sequence Length (OSL): how long answers shall be.

use aiperf_config::Parameter;

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::PromptOutputTokensMean,
        &["prompt-output-tokens-mean", "output-tokens-mean", "osl"],
        ValueKind::Int,
        "Mean output length to ask for, or a distribution. With an input file it applies to rows without a length.",
    )
    .called("osl")
    .sweepable(Parameter::OutputTokensMean)
    .at_least(0.0)
    .unit("tokens")
    .default("none: the server decides")
    .supported(),
    OptionSpec::new(
        OptionId::PromptOutputTokensStddev,
        &["prompt-output-tokens-stddev", "output-tokens-stddev", "osl-stddev"],
        ValueKind::Float,
        "Standard deviation of the output length to ask for (normal distribution).",
    )
    .called("osl-stddev")
    .sweepable(Parameter::OutputTokensStddev)
    .at_least(0.0)
    .unit("tokens")
    .default("0")
    .supported(),
];
