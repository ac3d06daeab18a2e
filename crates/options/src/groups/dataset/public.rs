//! A public data set by its name.

use aiperf_config::PUBLIC_SETS;
use aiperf_config::{Environment, FileFormat, FormatOption, PublicOrigin, PublicSet, PublicSource, Recipe, Sampling};

use super::file::SYNTHETIC_ONLY;
use super::{media, synthetic, trace};
use crate::catalogue::OptionId;
use crate::groups::load;
use crate::{ConfigError, RawOptions};

/// The set that was asked for, if one was.
pub(super) fn resolve(
    raw: &RawOptions,
    environment: &Environment,
    sampling: Sampling,
) -> Result<Option<PublicSource>, ConfigError> {
    let id = OptionId::PublicDataset;
    let repository = repository(raw)?;
    let filters = filters(raw)?;
    let subset = raw.text(OptionId::HfSubset);
    let declared = raw.text(id).and_then(|name| environment.extensions.public_set(name));
    let name = if declared.is_some() { None } else { raw.choice(id)?.or(repository.as_ref().map(|_| "weka_hf")) };
    let Some(set) = declared.or_else(|| PUBLIC_SETS.iter().find(|set| Some(set.name) == name)) else {
        for other in [OptionId::HfSubset, OptionId::DatasetFilter] {
            if raw.is_given(other) {
                return Err(raw.needs(other, id, "it selects rows of a public data set"));
            }
        }
        return Ok(None);
    };
    refuse_other_sources(raw, set, repository.is_some())?;
    refuse_without_effect(raw, set)?;
    let entries = entries(raw, set, sampling)?;
    if set.recipe == Recipe::AgentSpans && entries.is_none() {
        let needs = format!("{} or {}", OptionId::NumDatasetEntries.flag(), OptionId::RequestCount.flag());
        let why = format!("only as many sessions of {} are read as the run needs", set.name);
        return Err(raw.needs_text(id, &needs, &why));
    }
    let cap = raw.seconds(OptionId::InterTurnDelayCapSeconds)?;
    Ok(Some(PublicSource {
        set,
        repository,
        subset: subset.map(str::to_owned),
        filters,
        entries,
        fixed_schedule: raw.flag(OptionId::FixedSchedule)?,
        delay_cap_ms: cap.map(|cap| cap.as_secs_f64() * 1e3),
        trace: trace::resolve(raw, environment)?,
    }))
}

fn repository(raw: &RawOptions) -> Result<Option<String>, ConfigError> {
    let id = OptionId::HfWekaDataset;
    match raw.text(id) {
        Some(text) if text.trim().is_empty() => Err(raw.bad(id, text, "give a repository such as OWNER/NAME")),
        text => Ok(text.map(str::to_owned)),
    }
}

fn filters(raw: &RawOptions) -> Result<Vec<(String, String)>, ConfigError> {
    let id = OptionId::DatasetFilter;
    let mut filters: Vec<(String, String)> = Vec::new();
    for token in raw.tokens(id) {
        let (key, value) = match token.split_once('=') {
            Some((key, value)) if !key.trim().is_empty() => (key.trim(), value.trim()),
            _ => return Err(raw.bad(id, token, "must be column=value, such as language=en")),
        };
        if filters.iter().any(|(other, _)| other == key) {
            return Err(raw.bad(id, token, &format!("{key} is given twice; a row has one value for it")));
        }
        filters.push((key.to_owned(), value.to_owned()));
    }
    Ok(filters)
}

/// Exactly one data set.
fn refuse_other_sources(raw: &RawOptions, set: &PublicSet, has_repository: bool) -> Result<(), ConfigError> {
    let asked = if raw.is_given(OptionId::PublicDataset) { OptionId::PublicDataset } else { OptionId::HfWekaDataset };
    match (&set.origin, has_repository) {
        (PublicOrigin::Named, false) => {
            return Err(raw.needs_text(
                OptionId::PublicDataset,
                &OptionId::HfWekaDataset.flag(),
                &format!("{} is a Weka trace in a repository that you choose", set.name),
            ));
        }
        (PublicOrigin::Named, true) | (_, false) => {}
        (_, true) => {
            let why = format!("{} has its own repository; leave one of them out", set.name);
            return Err(raw.conflict(OptionId::HfWekaDataset, OptionId::PublicDataset, &why));
        }
    }
    if raw.is_given(OptionId::InputFile) {
        return Err(raw.conflict(
            OptionId::InputFile,
            asked,
            "requests come either from your file or from the data set",
        ));
    }
    if raw.is_given(OptionId::CustomDatasetType) {
        return Err(raw.conflict(OptionId::CustomDatasetType, asked, "the format of a public data set is known"));
    }
    let foreign = |id: &OptionId| *id != OptionId::NumDatasetEntries && raw.is_given(*id);
    let of_files = [OptionId::SkipBadRows, OptionId::UuidAndStrip].into_iter().find(|id| raw.is_given(*id));
    if let Some(other) = of_files {
        return Err(raw.conflict(other, asked, "it applies to --input-file"));
    }
    let is_heeded = |option: &FormatOption| set.recipe == Recipe::Weka && (option.heeded_by)(FileFormat::WekaTrace);
    if let Some(option) = trace::conditional(raw)?.into_iter().find(|option| !is_heeded(option)) {
        let why = format!("{} has no data that it could change", set.name);
        return Err(ConfigError::Conflict { first: option.flag, second: raw.spelling(asked), why });
    }
    synthetic::refuse_with(raw, asked)?;
    let described = SYNTHETIC_ONLY.into_iter().chain(media::BATCH_SIZES).find(foreign);
    if let Some(other) = described.or_else(|| media::given_shape(raw)) {
        let why = "it describes generated conversations, and the data set has its own";
        return Err(raw.conflict(other, asked, why));
    }
    Ok(())
}

fn refuse_without_effect(raw: &RawOptions, set: &PublicSet) -> Result<(), ConfigError> {
    let id = OptionId::PublicDataset;
    if raw.is_given(OptionId::HfSubset) && matches!(set.origin, PublicOrigin::File { .. } | PublicOrigin::Url(_)) {
        let why = format!("{} is a single file without subsets", set.name);
        return Err(raw.conflict(OptionId::HfSubset, id, &why));
    }
    if raw.is_given(OptionId::InterTurnDelayCapSeconds) && !set.recipe.has_times() && set.recipe != Recipe::Weka {
        let why = format!("{} has no recorded pauses to shorten", set.name);
        return Err(raw.conflict(OptionId::InterTurnDelayCapSeconds, id, &why));
    }
    let selection = OptionId::ModelSelectionStrategy;
    if set.recipe == Recipe::Weka && raw.choice(selection)? == Some("random") {
        let why = "the recorded models are replaced by yours in order of appearance";
        return Err(raw.conflict(selection, id, why));
    }
    for offset in [OptionId::FixedScheduleStartOffset, OptionId::FixedScheduleEndOffset] {
        if raw.is_given(offset) {
            let why = "only --input-file supports a part of a recording";
            return Err(raw.conflict(offset, id, why));
        }
    }
    Ok(())
}

/// How many conversations can be needed at most. Drawn in order, no more than that many are ever sent; a set that is
/// streamed ends there whatever the order.
fn entries(raw: &RawOptions, set: &PublicSet, sampling: Sampling) -> Result<Option<usize>, ConfigError> {
    if let Some(entries) = raw.int(OptionId::NumDatasetEntries)? {
        return Ok(Some(entries));
    }
    if !set.streamed && sampling != Sampling::Sequential {
        return Ok(None);
    }
    let has_duration = raw.is_given(OptionId::BenchmarkDuration)
        || raw.is_given(OptionId::MeasurementInterval)
        || raw.flag(OptionId::FixedSchedule)?;
    let profiling = match (raw.int::<usize>(OptionId::RequestCount)?, raw.int(OptionId::ConversationNum)?) {
        (Some(requests), Some(sessions)) => Some(requests.min(sessions)),
        (None, None) if has_duration => None,
        (None, None) => load::usual_requests(raw)?.map(|requests| usize::try_from(requests).unwrap_or(usize::MAX)),
        (requests, sessions) => requests.or(sessions),
    };
    let warmup = match (raw.int::<usize>(OptionId::WarmupRequestCount)?, raw.int(OptionId::NumWarmupSessions)?) {
        (None, None) if raw.is_given(OptionId::WarmupDuration) => None,
        (requests, sessions) => Some(requests.or(sessions).unwrap_or(0)),
    };
    Ok(profiling.zip(warmup).map(|(profiling, warmup)| profiling.saturating_add(warmup)))
}
