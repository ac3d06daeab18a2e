//! Prompt: what prompts are made of.

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::PromptBatchSize,
        &["prompt-batch-size", "batch-size-text", "batch-size"],
        ValueKind::Int,
        "Number of texts per request.",
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
        "What prompts are made of: generated prose (`sonnet`), generated program code (`coding`), or tokens in the order of the vocabulary (`random`).",
    )
    .default("sonnet")
    .supported(),
    OptionSpec::new(
        OptionId::PromptCorpusFile,
        &["prompt-corpus-file"],
        ValueKind::Path,
        "UTF-8 text file to take prompts from, instead of generated text.",
    )
    .ours()
    .supported(),
];
