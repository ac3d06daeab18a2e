//! What is sent: generated conversations or a file.

use std::fs;
use std::sync::Arc;

use super::{load, turn};
use crate::catalogue::OptionId;
use crate::dataset::DEFAULT_ENTRIES;
use crate::{
    ConfigError, DatasetConfig, DatasetSource, EndpointConfig, Environment, FileFormat, FileSource, Length,
    ModelSelection, PrefixPrompts, RawOptions, Sampling, SyntheticSource, SystemPrompt,
};

const DEFAULT_INPUT_TOKENS: f64 = 550.0;

/// Options that describe generated conversations and mean nothing for a file.
const SYNTHETIC_ONLY: [OptionId; 14] = [
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

pub(super) fn resolve(
    raw: &RawOptions,
    environment: &Environment,
    endpoint: &EndpointConfig,
    models: Vec<Arc<str>>,
    model_selection: ModelSelection,
    warnings: &mut Vec<String>,
) -> Result<DatasetConfig, ConfigError> {
    let source = if raw.is_given(OptionId::InputFile) {
        DatasetSource::File(file(raw, environment)?)
    } else {
        DatasetSource::Synthetic(synthetic(raw, endpoint, warnings)?)
    };
    let sampling = match raw.choice(OptionId::DatasetSamplingStrategy)? {
        Some("random") => Sampling::Random,
        Some("shuffle") => Sampling::Shuffle,
        _ => Sampling::Sequential,
    };
    let output_tokens = output_tokens(raw)?;
    if output_tokens.is_some() && !endpoint.kind.facts().produces_tokens {
        warnings.push(format!(
            "{} has no effect: the {} endpoint generates no text",
            raw.spelling(OptionId::PromptOutputTokensMean),
            endpoint.kind.facts().name
        ));
    }
    let system_prompt = system_prompt(raw, environment, endpoint)?;
    let has_system_role = endpoint.kind.facts().has_system_role;
    Ok(DatasetConfig { source, sampling, models, model_selection, output_tokens, system_prompt, has_system_role })
}

fn file(raw: &RawOptions, environment: &Environment) -> Result<FileSource, ConfigError> {
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

fn synthetic(
    raw: &RawOptions,
    endpoint: &EndpointConfig,
    warnings: &mut Vec<String>,
) -> Result<SyntheticSource, ConfigError> {
    if raw.is_given(OptionId::CustomDatasetType) {
        return Err(raw.needs(OptionId::CustomDatasetType, OptionId::InputFile, "it says how that file is laid out"));
    }
    if raw.is_given(OptionId::InterTurnDelayCapSeconds) {
        let why = "it shortens recorded pauses; those of generated conversations are as you describe them";
        return Err(raw.needs(OptionId::InterTurnDelayCapSeconds, OptionId::InputFile, why));
    }
    if let Some(other @ ("coding" | "random")) = raw.choice(OptionId::PromptCorpus)? {
        return Err(ConfigError::ValueNotYet {
            flag: raw.spelling(OptionId::PromptCorpus),
            value: other.to_owned(),
            instead: "sonnet (generated prose) is the one corpus so far".to_owned(),
        });
    }
    let mean = raw.int::<u32>(OptionId::PromptInputTokensMean)?.map_or(DEFAULT_INPUT_TOKENS, f64::from);
    if mean == 0.0 {
        return Err(raw.bad(OptionId::PromptInputTokensMean, "0", "a request without text would have nothing in it"));
    }
    let stddev = raw.float(OptionId::PromptInputTokensStddev)?.unwrap_or(0.0);
    let user_context_tokens = raw.int(OptionId::UserContextPromptLength)?;
    if user_context_tokens.is_some() && !endpoint.kind.facts().has_system_role {
        return Err(no_messages(raw, OptionId::UserContextPromptLength));
    }
    let turns = turn::count(raw)?;
    Ok(SyntheticSource {
        entries: entries(raw)?,
        input_tokens: Length { mean, stddev },
        batch_size: raw.int(OptionId::PromptBatchSize)?.unwrap_or(1),
        prefix: prefix(raw)?,
        user_context_tokens,
        turns,
        turn_delay: turn::delay(raw, turns, warnings)?,
    })
}

/// One conversation for each that will be needed, as far as that is known.
fn entries(raw: &RawOptions) -> Result<usize, ConfigError> {
    for id in [OptionId::NumDatasetEntries, OptionId::ConversationNum, OptionId::RequestCount] {
        if let Some(entries) = raw.int(id)? {
            return Ok(entries);
        }
    }
    Ok(DEFAULT_ENTRIES)
}

fn prefix(raw: &RawOptions) -> Result<Option<PrefixPrompts>, ConfigError> {
    let (size_id, length_id) = (OptionId::PromptPrefixPoolSize, OptionId::PromptPrefixLength);
    let size = raw.int(size_id)?;
    let length = raw.int(length_id)?;
    let given = [size_id, length_id].into_iter().find(|id| raw.is_given(*id));
    let shared = [OptionId::SharedSystemPromptLength, OptionId::UserContextPromptLength];
    if let (Some(pool), Some(shared)) = (given, shared.into_iter().find(|id| raw.is_given(*id))) {
        let why =
            "a conversation begins either with a prefix of the pool or with generated system and context messages";
        return Err(raw.conflict(pool, shared, why));
    }
    match (size, length) {
        (Some(pool_size), Some(tokens)) => Ok(Some(PrefixPrompts { pool_size, tokens })),
        (None, None) => Ok(None),
        (Some(_), None) => Err(raw.needs(size_id, length_id, "it says how long a prefix is")),
        (None, Some(_)) => Err(raw.needs(length_id, size_id, "it says how many prefixes there are")),
    }
}

fn output_tokens(raw: &RawOptions) -> Result<Option<Length>, ConfigError> {
    let mean = raw.int::<u32>(OptionId::PromptOutputTokensMean)?;
    let stddev = raw.float(OptionId::PromptOutputTokensStddev)?;
    if stddev.is_some() && mean.is_none() {
        let why = "a spread needs a mean";
        return Err(raw.needs(OptionId::PromptOutputTokensStddev, OptionId::PromptOutputTokensMean, why));
    }
    Ok(mean.map(|mean| Length { mean: f64::from(mean), stddev: stddev.unwrap_or(0.0) }))
}

fn system_prompt(
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

fn no_messages(raw: &RawOptions, id: OptionId) -> ConfigError {
    raw.needs_text(id, "--endpoint-type chat", "other endpoints have no message to put it in")
}
