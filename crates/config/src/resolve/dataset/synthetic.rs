//! Generated conversations.

use super::{media, no_messages};
use crate::catalogue::OptionId;
use crate::dataset::DEFAULT_ENTRIES;
use crate::resolve::turn;
use crate::{ConfigError, EndpointConfig, Environment, Length, PrefixPrompts, RawOptions, SyntheticSource};

const DEFAULT_INPUT_TOKENS: f64 = 550.0;

pub(super) fn resolve(
    raw: &RawOptions,
    environment: &Environment,
    endpoint: &EndpointConfig,
    warnings: &mut Vec<String>,
) -> Result<SyntheticSource, ConfigError> {
    if let Some(other @ ("coding" | "random")) = raw.choice(OptionId::PromptCorpus)? {
        return Err(ConfigError::ValueNotYet {
            flag: raw.spelling(OptionId::PromptCorpus),
            value: other.to_owned(),
            instead: "sonnet (generated prose) is the one corpus so far".to_owned(),
        });
    }
    let mean = raw.int::<u32>(OptionId::PromptInputTokensMean)?.map_or(DEFAULT_INPUT_TOKENS, f64::from);
    let media = media::resolve(raw, environment, endpoint)?;
    if mean == 0.0 && media.is_none() {
        let expected = "a request without text and without media would have nothing in it";
        return Err(raw.bad(OptionId::PromptInputTokensMean, "0", expected));
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
        media: media.map(Box::new),
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
