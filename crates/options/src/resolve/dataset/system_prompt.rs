//! The message in front of every conversation.

use std::fs;
use std::sync::Arc;

use aiperf_config::{EndpointConfig, Environment, SystemPrompt};

use super::no_messages;
use crate::catalogue::OptionId;
use crate::{ConfigError, RawOptions};

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
        return Err(raw.conflict(text_id, file_id, "there is one system message; give it one way"));
    }
    if let Some(id) = verbatim {
        for other in [shared_id, OptionId::PromptPrefixPoolSize, OptionId::PromptPrefixLength] {
            if raw.is_given(other) {
                let why = "a conversation begins either with your own system message or with a generated text";
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
        return Err(raw.bad(id, raw.text(id).unwrap_or_default(), "the system message is blank"));
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
