//! Tokenizer: who counts tokens.

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(OptionId::Tokenizer, &["tokenizer"], ValueKind::Text, "Tokenizer that counts and makes tokens: a Hugging Face id, a local folder or tokenizer.json, or `builtin` (o200k, needs no network).").default("the model's own; `builtin` with `--url sim:`").supported(),
    OptionSpec::new(OptionId::TokenizerRevision, &["tokenizer-revision"], ValueKind::Text, "Branch, tag or commit of a Hugging Face tokenizer; has no effect on a folder, a file or `builtin`.").default("main").supported(),
    OptionSpec::new(OptionId::TokenizerTrustRemoteCode, &["tokenizer-trust-remote-code"], ValueKind::Flag, "Let a tokenizer repository run its own code.").refused("the tokenizers of this program never run code from a repository; leave the option out, or give the folder of a tokenizer.json to --tokenizer"),
    OptionSpec::new(OptionId::ApplyChatTemplate, &["apply-chat-template"], ValueKind::Flag, "Count the tokens that the tokenizer's chat template adds, and make prompts that much shorter.").supported(),
];
