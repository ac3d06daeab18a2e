//! Prompt: what prompts are made of.

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::PromptBatchSize,
        &["prompt-batch-size", "batch-size-text", "batch-size"],
        ValueKind::Int,
        "Texts in one request.",
    )
    .called("batch-size")
    .short("b")
    .at_least(1.0)
    .default("1")
    .supported(),
    OptionSpec::new(
        OptionId::PromptCorpus,
        &["prompt-corpus"],
        ValueKind::Choice(&["sonnet", "coding", "random"]),
        "Kind of text that prompts are made of; `sonnet` is prose that this program generates itself.",
    )
    .default("sonnet")
    .supported(),
];
