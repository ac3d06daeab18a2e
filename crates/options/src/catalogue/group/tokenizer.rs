//! Tokenizer: who counts tokens.

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(OptionId::Tokenizer, &["tokenizer"], ValueKind::Text, "Tokenizer that counts tokens and makes prompts. A Hugging Face id, a folder, a tokenizer.json, or `builtin` (o200k, needs no network).").default("the model's own; `builtin` with `--url sim:`").supported(),
    OptionSpec::new(OptionId::TokenizerRevision, &["tokenizer-revision"], ValueKind::Text, "Branch, tag or commit of the Hugging Face tokenizer. It has no effect on a folder, a file or `builtin`.").default("main").supported(),
    OptionSpec::new(OptionId::TokenizerTrustRemoteCode, &["tokenizer-trust-remote-code"], ValueKind::Flag, "Allow a tokenizer repository to run its own code.").ignored("code of a tokenizer repository is never run, and a tokenizer.json needs none"),
    OptionSpec::new(OptionId::ApplyChatTemplate, &["apply-chat-template"], ValueKind::Flag, "Count the tokens that the tokenizer's chat template adds, and make generated prompts shorter by them.").supported(),
];
