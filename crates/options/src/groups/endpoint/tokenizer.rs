//! Tokenizer: what counts tokens.

use std::sync::Arc;

use aiperf_config::{Target, defaults, is_placeholder};
use aiperf_protocol::EndpointKind;

use crate::catalogue::{OptionId, OptionSpec, ValueKind};
use crate::{ConfigError, RawOptions};

pub(crate) const TOKENIZER: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::Tokenizer,
        &["tokenizer"],
        ValueKind::Text,
        "Tokenizer that counts tokens and makes prompts. A Hugging Face id, a folder, a tokenizer.json, \
         or `builtin` (o200k, needs no network).",
    )
    .default("the model's own; `builtin` with `--url sim:`")
    .supported(),
    OptionSpec::new(
        OptionId::TokenizerRevision,
        &["tokenizer-revision"],
        ValueKind::Text,
        "Branch, tag or commit of the Hugging Face tokenizer. It has no effect on a folder, a file or \
         `builtin`.",
    )
    .default("main")
    .supported(),
    OptionSpec::new(
        OptionId::TokenizerTrustRemoteCode,
        &["tokenizer-trust-remote-code"],
        ValueKind::Flag,
        "Allow a tokenizer repository to run its own code.",
    )
    .ignored("code of a tokenizer repository is never run, and a tokenizer.json needs none"),
    OptionSpec::new(
        OptionId::ApplyChatTemplate,
        &["apply-chat-template"],
        ValueKind::Flag,
        "Count the tokens that the tokenizer's chat template adds, and make generated prompts shorter by \
         them.",
    )
    .supported(),
];

pub(super) fn apply_chat_template(
    raw: &RawOptions,
    kind: EndpointKind,
    tokenizer: Option<&str>,
) -> Result<bool, ConfigError> {
    let id = OptionId::ApplyChatTemplate;
    if !raw.flag(id)? {
        return Ok(false);
    }
    if kind != EndpointKind::Chat {
        let why = "other endpoints have no chat messages";
        return Err(raw.needs_text(id, "--endpoint-type chat", why));
    }
    if tokenizer == Some(defaults::TOKENIZER) {
        let needs = format!("{} with the folder or Hugging Face id of the model", OptionId::Tokenizer.flag());
        return Err(raw.needs_text(id, &needs, "the builtin tokenizer has no chat template"));
    }
    Ok(true)
}

pub(super) fn resolve(
    raw: &RawOptions,
    targets: &[Target],
    models: &[Arc<str>],
    warnings: &mut Vec<String>,
) -> Result<Option<String>, ConfigError> {
    let id = OptionId::Tokenizer;
    let name = match raw.text(id) {
        Some(name) if name.trim().is_empty() => {
            return Err(raw.bad(id, name, "give a Hugging Face id, a folder, a tokenizer.json, or builtin"));
        }
        Some(name) => Some(name.to_owned()),
        None if targets.iter().all(|target| matches!(target, Target::Sim(_))) => Some(defaults::TOKENIZER.to_owned()),
        None => {
            for model in models.iter().filter(|model| is_placeholder(model)) {
                warnings.push(format!(
                    "{model} is a placeholder name, so its tokens are counted with the builtin tokenizer; give --tokenizer to \
                     choose another"
                ));
            }
            models.iter().all(|model| is_placeholder(model)).then(|| defaults::TOKENIZER.to_owned())
        }
    };
    Ok(name)
}
