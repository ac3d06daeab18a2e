//! Generated conversations.

use aiperf_config::defaults;
use aiperf_config::{Corpus, EndpointConfig, Environment, PrefixPrompts, PromptLengths, SyntheticSource};

use super::{conversation, media, prompt_length, rankings};
use crate::catalogue::{OptionId, OptionSpec, ValueKind};
use crate::groups::load;
use crate::{ConfigError, RawOptions};

/// Prompt: what prompts are made of.
pub(crate) const PROMPT: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::PromptBatchSize,
        &["prompt-batch-size", "batch-size-text", "batch-size"],
        ValueKind::Int,
        "Number of texts per request.",
    )
    .called("batch-size")
    .short("b")
    .at_least(1.0)
    .default("1")
    .supported(),
    OptionSpec::new(
        OptionId::PromptCorpus,
        &["prompt-corpus"],
        ValueKind::Choice(&["sonnet", "coding", "random"]),
        "What prompts are made of: generated prose (`sonnet`), generated program code (`coding`), or \
         tokens in the order of the vocabulary (`random`).",
    )
    .default("sonnet")
    .supported(),
    OptionSpec::new(
        OptionId::PromptCorpusFile,
        &["prompt-corpus-file"],
        ValueKind::Path,
        "UTF-8 text file to take prompts from, instead of generated text.",
    )
    .ours()
    .supported(),
];

/// Options that describe generated texts and do not apply to data with its own texts, in addition to those of rankings.
const TEXT_ONLY: [OptionId; 4] =
    [OptionId::SeqDist, OptionId::RandomRangeRatio, OptionId::RandomCorpusStyle, OptionId::PromptCorpusFile];

/// Rejects them next to the option that names the data.
pub(super) fn refuse_with(raw: &RawOptions, data: OptionId) -> Result<(), ConfigError> {
    match TEXT_ONLY.into_iter().chain(rankings::OPTIONS).find(|id| raw.is_given(*id)) {
        Some(id) => Err(raw.conflict(id, data, "it describes generated conversations, and the data has its own")),
        None => Ok(()),
    }
}

pub(super) fn resolve(
    raw: &RawOptions,
    environment: &Environment,
    endpoint: &EndpointConfig,
    warnings: &mut Vec<String>,
) -> Result<SyntheticSource, ConfigError> {
    let rankings = rankings::resolve(raw, endpoint.kind)?;
    let mut media = media::resolve(raw, environment, endpoint)?;
    let lengths = prompt_length::input(raw, media.is_some())?;
    if let (Some(media), PromptLengths::Drawn(length)) = (&mut media, &lengths) {
        media.without_text = length.mean() == 0.0;
    }
    let user_context_tokens = super::user_context(raw, endpoint)?;
    let turns = conversation::count(raw)?;
    Ok(SyntheticSource {
        entries: entries(raw)?,
        lengths,
        corpus: corpus(raw, environment)?,
        batch_size: raw.int(OptionId::PromptBatchSize)?.unwrap_or(1),
        prefix: prefix(raw)?,
        user_context_tokens,
        turn_delay: conversation::delay(raw, &turns, warnings)?,
        turns,
        rankings,
        media: media.map(Box::new),
        marked_first_turn: false,
    })
}

fn corpus(raw: &RawOptions, environment: &Environment) -> Result<Corpus, ConfigError> {
    let (kind_id, file_id, style_id) =
        (OptionId::PromptCorpus, OptionId::PromptCorpusFile, OptionId::RandomCorpusStyle);
    let style = prompt_length::style(raw)?;
    let kind = raw.choice(kind_id)?;
    if raw.is_given(style_id) && kind != Some("random") && !raw.is_given(OptionId::RandomRangeRatio) {
        let needs = format!("{} or {} random", OptionId::RandomRangeRatio.flag(), kind_id.flag());
        return Err(raw.needs_text(style_id, &needs, "it chooses the tool that these options follow"));
    }
    if let Some(text) = raw.text(file_id) {
        if raw.is_given(kind_id) {
            return Err(raw.conflict(file_id, kind_id, "both choose the text of prompts; give one of them"));
        }
        let path = environment.current_dir.join(text);
        if text.is_empty() || !path.is_file() {
            let reason = "no such file".to_owned();
            return Err(ConfigError::Unreadable { flag: raw.spelling(file_id), path: text.to_owned(), reason });
        }
        return Ok(Corpus::File(path));
    }
    Ok(match kind {
        Some("coding") => Corpus::Code,
        Some("random") => Corpus::RandomTokens(style),
        _ => Corpus::Prose,
    })
}

/// One conversation for each that will be needed, as far as that is known.
fn entries(raw: &RawOptions) -> Result<usize, ConfigError> {
    for id in [OptionId::NumDatasetEntries, OptionId::ConversationNum, OptionId::RequestCount] {
        if let Some(entries) = raw.int(id)? {
            return Ok(entries);
        }
    }
    if raw.is_given(OptionId::BenchmarkDuration) || raw.is_given(OptionId::MeasurementInterval) {
        return Ok(defaults::ENTRIES);
    }
    // Where nothing says when to stop, no conversation is sent twice either.
    let requests = load::usual_requests(raw)?.and_then(|requests| usize::try_from(requests).ok());
    Ok(requests.unwrap_or(defaults::ENTRIES).max(defaults::ENTRIES))
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
        (Some(_), None) => Err(raw.needs(size_id, length_id, "each prefix needs a length")),
        (None, Some(_)) => Err(raw.needs(length_id, size_id, "a prefix length needs a number of prefixes")),
    }
}
