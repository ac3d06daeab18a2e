//! Prefix Prompt: system messages, context and shared prefixes.

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::SystemPrompt,
        &["system-prompt"],
        ValueKind::Text,
        "System message that every conversation begins with, in addition to --isl.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::SystemPromptFile,
        &["system-prompt-file"],
        ValueKind::Path,
        "The same, read from a UTF-8 file.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::PromptPrefixPoolSize,
        &["prompt-prefix-pool-size", "prefix-prompt-pool-size", "num-prefix-prompts"],
        ValueKind::Int,
        "Number of different prefixes; each conversation's first turn begins with one of them.",
    )
    .called("num-prefix-prompts")
    .at_least(1.0)
    .supported(),
    OptionSpec::new(
        OptionId::PromptPrefixLength,
        &["prompt-prefix-length", "prefix-prompt-length"],
        ValueKind::Int,
        "Length of each prefix, in addition to --isl.",
    )
    .called("prefix-prompt-length")
    .at_least(1.0)
    .unit("tokens")
    .supported(),
    OptionSpec::new(
        OptionId::SharedSystemPromptLength,
        &["shared-system-prompt-length"],
        ValueKind::Int,
        "Length of one generated system message that all conversations share, generated ones (in addition to --isl) and those of a file.",
    )
    .at_least(1.0)
    .unit("tokens")
    .supported(),
    OptionSpec::new(
        OptionId::UserContextPromptLength,
        &["user-context-prompt-length"],
        ValueKind::Int,
        "Length of a generated context message that each conversation has for itself, generated ones (in addition to --isl) and those of a file.",
    )
    .at_least(1.0)
    .unit("tokens")
    .supported(),
];
