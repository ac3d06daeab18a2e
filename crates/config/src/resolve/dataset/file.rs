//! The user's own file.

use crate::catalogue::OptionId;
use crate::resolve::load;
use crate::{ConfigError, Environment, FileFormat, FileSource, RawOptions};

/// Options that describe generated conversations and mean nothing for a file.
pub(super) const SYNTHETIC_ONLY: [OptionId; 14] = [
    OptionId::PromptInputTokensMean,
    OptionId::PromptInputTokensStddev,
    OptionId::PromptPrefixPoolSize,
    OptionId::PromptPrefixLength,
    OptionId::SharedSystemPromptLength,
    OptionId::UserContextPromptLength,
    OptionId::PromptCorpus,
    OptionId::PromptBatchSize,
    OptionId::NumDatasetEntries,
    OptionId::ConversationTurnMean,
    OptionId::ConversationTurnStddev,
    OptionId::ConversationTurnDelayMean,
    OptionId::ConversationTurnDelayStddev,
    OptionId::ConversationTurnDelayRatio,
];

pub(super) fn resolve(raw: &RawOptions, environment: &Environment) -> Result<FileSource, ConfigError> {
    let id = OptionId::InputFile;
    let text = raw.text(id).unwrap_or_default();
    let path = environment.current_dir.join(text);
    if text.is_empty() || !path.exists() {
        return Err(ConfigError::Unreadable {
            flag: raw.spelling(id),
            path: text.to_owned(),
            reason: "there is no such file".to_owned(),
        });
    }
    if let Some(other) = SYNTHETIC_ONLY.into_iter().find(|other| raw.is_given(*other)) {
        let why = "it describes generated conversations, and the file brings its own";
        return Err(raw.conflict(other, id, why));
    }
    let cap = raw.seconds(OptionId::InterTurnDelayCapSeconds)?;
    Ok(FileSource {
        path,
        format: format(raw)?,
        window: load::window(raw)?,
        delay_cap_ms: cap.map(|cap| cap.as_secs_f64() * 1e3),
    })
}

fn format(raw: &RawOptions) -> Result<Option<FileFormat>, ConfigError> {
    let id = OptionId::CustomDatasetType;
    let Some(name) = raw.choice(id)? else { return Ok(None) };
    let built = FileFormat::ALL.into_iter().find(|format| format.name() == name);
    built.map(Some).ok_or_else(|| ConfigError::ValueNotYet {
        flag: raw.spelling(id),
        value: name.to_owned(),
        instead: format!("the formats read so far are {}", FileFormat::ALL.map(FileFormat::name).join(", ")),
    })
}
