//! Rankings: queries and passages.

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::RankingsPassagesMean,
        &["rankings-passages-mean"],
        ValueKind::Int,
        "Mean number of passages per query.",
    )
    .at_least(1.0)
    .default("10")
    .supported(),
    OptionSpec::new(
        OptionId::RankingsPassagesStddev,
        &["rankings-passages-stddev"],
        ValueKind::Int,
        "Standard deviation of the number of passages per query.",
    )
    .at_least(0.0)
    .default("0")
    .supported(),
    OptionSpec::new(
        OptionId::RankingsPassagesPromptTokenMean,
        &["rankings-passages-prompt-token-mean"],
        ValueKind::Int,
        "Mean length of a passage.",
    )
    .at_least(1.0)
    .unit("tokens")
    .default("128")
    .supported(),
    OptionSpec::new(
        OptionId::RankingsPassagesPromptTokenStddev,
        &["rankings-passages-prompt-token-stddev"],
        ValueKind::Int,
        "Standard deviation of the length of a passage.",
    )
    .at_least(0.0)
    .unit("tokens")
    .default("0")
    .supported(),
    OptionSpec::new(
        OptionId::RankingsQueryPromptTokenMean,
        &["rankings-query-prompt-token-mean"],
        ValueKind::Int,
        "Mean length of a query.",
    )
    .at_least(1.0)
    .unit("tokens")
    .default("32")
    .supported(),
    OptionSpec::new(
        OptionId::RankingsQueryPromptTokenStddev,
        &["rankings-query-prompt-token-stddev"],
        ValueKind::Int,
        "Standard deviation of the length of a query.",
    )
    .at_least(0.0)
    .unit("tokens")
    .default("0")
    .supported(),
];
