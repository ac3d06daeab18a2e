//! The message in front of every conversation.

use std::fs;
use std::sync::Arc;

use aiperf_config::{EndpointConfig, Environment, SystemPrompt};

use super::no_messages;
use crate::catalogue::{OptionId, OptionSpec, ValueKind};
use crate::{ConfigError, RawOptions};

/// Prefix Prompt: system messages, context and shared prefixes.
pub(crate) const PREFIX_PROMPT: &[OptionSpec] = &[
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
        "Length of one generated system message that all conversations share, in addition to --isl or to \
         the texts of a file.",
    )
    .at_least(1.0)
    .unit("tokens")
    .supported(),
    OptionSpec::new(
        OptionId::UserContextPromptLength,
        &["user-context-prompt-length"],
        ValueKind::Int,
        "Length of a generated context message, a different one for each conversation, in addition to \
         --isl or to the texts of a file.",
    )
    .at_least(1.0)
    .unit("tokens")
    .supported(),
];

pub(super) fn resolve(
    raw: &RawOptions,
    environment: &Environment,
    endpoint: &EndpointConfig,
) -> Result<SystemPrompt, ConfigError> {
    let (text_id, file_id) = (OptionId::SystemPrompt, OptionId::SystemPromptFile);
    let shared_id = OptionId::SharedSystemPromptLength;
    let shared: Option<usize> = raw.int(shared_id)?;
    let verbatim = [text_id, file_id].into_iter().find(|id| raw.is_given(*id));
    if raw.is_given(text_id) && raw.is_given(file_id) {
        return Err(raw.conflict(text_id, file_id, "both set the system message; give one of them"));
    }
    if let Some(id) = verbatim {
        for other in [shared_id, OptionId::PromptPrefixPoolSize, OptionId::PromptPrefixLength] {
            if raw.is_given(other) {
                let why = "a conversation begins either with your own system message or with a generated one";
                return Err(raw.conflict(id, other, why));
            }
        }
    }
    if let Some(id) = verbatim.or(shared.map(|_| shared_id))
        && !endpoint.kind.facts().has_system_role
    {
        return Err(no_messages(raw, id));
    }
    let text = match verbatim {
        None => return Ok(shared.map_or(SystemPrompt::None, SystemPrompt::Synthetic)),
        Some(OptionId::SystemPromptFile) => read_prompt(raw, environment)?,
        Some(_) => raw.text(text_id).unwrap_or_default().to_owned(),
    };
    if text.trim().is_empty() {
        let id = verbatim.unwrap_or(text_id);
        return Err(raw.bad(id, raw.text(id).unwrap_or_default(), "the system message is empty"));
    }
    Ok(SystemPrompt::Verbatim(Arc::from(text)))
}

fn read_prompt(raw: &RawOptions, environment: &Environment) -> Result<String, ConfigError> {
    let id = OptionId::SystemPromptFile;
    let path = raw.text(id).unwrap_or_default();
    fs::read_to_string(environment.current_dir.join(path)).map_err(|error| ConfigError::Unreadable {
        flag: raw.spelling(id),
        path: path.to_owned(),
        reason: error.to_string(),
    })
}
