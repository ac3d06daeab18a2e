//! Prefix Prompt: system messages, context and shared prefixes.

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::SystemPrompt,
        &["system-prompt"],
        ValueKind::Text,
        "System message at the start of every conversation, in addition to --isl.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::SystemPromptFile,
        &["system-prompt-file"],
        ValueKind::Path,
        "UTF-8 file with the system message for the start of every conversation, in addition to --isl.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::PromptPrefixPoolSize,
        &["prompt-prefix-pool-size", "prefix-prompt-pool-size", "num-prefix-prompts"],
        ValueKind::Int,
        "Number of different prompt prefixes. The first turn of each conversation begins with one of them.",
    )
    .called("num-prefix-prompts")
    .at_least(1.0)
    .supported(),
    OptionSpec::new(
        OptionId::PromptPrefixLength,
        &["prompt-prefix-length", "prefix-prompt-length"],
        ValueKind::Int,
        "Length of each prompt prefix, in addition to --isl.",
    )
    .called("prefix-prompt-length")
    .at_least(1.0)
    .unit("tokens")
    .supported(),
    OptionSpec::new(
        OptionId::SharedSystemPromptLength,
        &["shared-system-prompt-length"],
        ValueKind::Int,
        "Length of one generated system message that all conversations share, in addition to --isl or to the texts of a file.",
    )
    .at_least(1.0)
    .unit("tokens")
    .supported(),
    OptionSpec::new(
        OptionId::UserContextPromptLength,
        &["user-context-prompt-length"],
        ValueKind::Int,
        "Length of a generated context message, a different one for each conversation, in addition to --isl or to the texts of a file.",
    )
    .at_least(1.0)
    .unit("tokens")
    .supported(),
];
