//! The user's own file.

use std::path::PathBuf;
use std::sync::Arc;

use aiperf_config::defaults;
use aiperf_config::{
    BadRows, BatchSizes, Environment, FileFormat, FileSource, FormatOption, InlineRows, PoolDraws, with_subject,
};
use aiperf_protocol::{BodySource, EndpointKind};
use serde_json::{Map, Value};

use super::{media, trace};
use crate::catalogue::OptionId;
use crate::groups::load;
use crate::{ConfigError, RawOptions};

/// Options that describe generated conversations and do not apply to a file, in addition to those of texts and media.
pub(super) const SYNTHETIC_ONLY: [OptionId; 9] = [
    OptionId::PromptInputTokensMean,
    OptionId::PromptInputTokensStddev,
    OptionId::PromptPrefixPoolSize,
    OptionId::PromptPrefixLength,
    OptionId::ConversationTurnMean,
    OptionId::ConversationTurnStddev,
    OptionId::ConversationTurnDelayMean,
    OptionId::ConversationTurnDelayStddev,
    OptionId::ConversationTurnDelayRatio,
];
/// Options that put something into a request body.
const BODY_OPTIONS: [OptionId; 8] = [
    OptionId::PromptOutputTokensMean,
    OptionId::PromptOutputTokensStddev,
    OptionId::ExtraInputs,
    OptionId::SystemPrompt,
    OptionId::SystemPromptFile,
    OptionId::SharedSystemPromptLength,
    OptionId::UserContextPromptLength,
    OptionId::UseLegacyMaxTokens,
];
/// Options that say how a file is read.
const FILE_ONLY: [(OptionId, &str); 4] = [
    (OptionId::CustomDatasetType, "it names the format of that file"),
    (OptionId::SkipBadRows, "it applies to the rows of that file"),
    (OptionId::UuidAndStrip, "that file gives the image ids"),
    (
        OptionId::InterTurnDelayCapSeconds,
        "it shortens recorded pauses; those of generated conversations are as you describe them",
    ),
];

/// Refuses what needs a file, when there is none.
pub(super) fn refuse_without_file(raw: &RawOptions) -> Result<(), ConfigError> {
    match FILE_ONLY.into_iter().find(|(id, _)| raw.is_given(*id)) {
        Some((id, why)) => Err(raw.needs(id, OptionId::InputFile, why)),
        None => match trace::given(raw) {
            Some(id) => Err(raw.needs(id, OptionId::InputFile, "it changes a trace, which comes from a file")),
            None => Ok(()),
        },
    }
}

pub(super) fn resolve(
    raw: &RawOptions,
    environment: &Environment,
    extra_inputs: &Map<String, Value>,
) -> Result<FileSource, ConfigError> {
    let id = OptionId::InputFile;
    let text = raw.text(id).unwrap_or_default();
    let inline = inline_rows(raw)?;
    let path = if inline.is_some() { PathBuf::from(INLINE_NAME) } else { environment.current_dir.join(text) };
    if inline.is_none() && (text.is_empty() || !path.exists()) {
        return Err(ConfigError::Unreadable {
            flag: raw.spelling(id),
            path: text.to_owned(),
            reason: "no such file or folder".to_owned(),
        });
    }
    let synthetic = SYNTHETIC_ONLY.into_iter().find(|other| raw.is_given(*other));
    if let Some(other) = synthetic.or_else(|| media::given_shape(raw)) {
        let why = "it describes generated conversations, and the file has its own";
        return Err(raw.conflict(other, id, why));
    }
    let cap = raw.seconds(OptionId::InterTurnDelayCapSeconds)?;
    let mut source = FileSource {
        path,
        inline,
        format: format(raw)?,
        window: load::window(raw)?,
        delay_cap_ms: cap.map(|cap| cap.as_secs_f64() * 1e3),
        bad_rows: if raw.flag(OptionId::SkipBadRows)? { BadRows::Skip } else { BadRows::Refuse },
        entries: raw.int(OptionId::NumDatasetEntries)?,
        draws: PoolDraws { entries: entries(raw)?, batch: batch_sizes(raw)? },
        any_payload: false,
        strip_known_images: raw.flag(OptionId::UuidAndStrip)?,
        trace: trace::resolve(raw, environment)?,
        conditional: conditional(raw, extra_inputs)?,
    };
    source.conditional.extend(trace::colliding_inputs(raw, extra_inputs));
    check_format(raw, &source)?;
    Ok(source)
}

/// What messages call rows that are not in a file.
const INLINE_NAME: &str = "the inline records";

/// The rows of `inline:` with a JSON list of them, or with an object of such lists for pools.
fn inline_rows(raw: &RawOptions) -> Result<Option<InlineRows>, ConfigError> {
    let id = OptionId::InputFile;
    let Some(text) = raw.text(id).and_then(|text| text.strip_prefix("inline:")) else { return Ok(None) };
    let bad = |problem: &str| raw.bad(id, &format!("inline:{}", text.chars().take(40).collect::<String>()), problem);
    let lines =
        |rows: &[Value]| -> Arc<str> { rows.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n").into() };
    match serde_json::from_str(text) {
        Ok(Value::Array(rows)) if !rows.is_empty() => Ok(Some(InlineRows::Rows(lines(&rows)))),
        Ok(Value::Object(pools)) if !pools.is_empty() => {
            let pool = |(name, rows): (String, Value)| match rows {
                Value::Array(rows) if !rows.is_empty() => Ok((name, lines(&rows))),
                _ => Err(bad("each pool is a list with at least one row")),
            };
            Ok(Some(InlineRows::Pools(pools.into_iter().map(pool).collect::<Result<_, _>>()?)))
        }
        Ok(_) => Err(bad("write a JSON list with at least one row")),
        Err(error) => Err(bad(&format!("this is not JSON ({error}); write a JSON list of rows"))),
    }
}

fn format(raw: &RawOptions) -> Result<Option<FileFormat>, ConfigError> {
    Ok(raw.choice(OptionId::CustomDatasetType)?.and_then(FileFormat::named))
}

/// What a format that the user names must agree with.
fn check_format(raw: &RawOptions, source: &FileSource) -> Result<(), ConfigError> {
    let Some(format) = source.format else { return Ok(()) };
    let shown = format!("{} {}", raw.spelling(OptionId::CustomDatasetType), format.name());
    if let Some(option) = source.unheeded(format) {
        let why = with_subject(option.why, &option.flag);
        return Err(ConfigError::Conflict { first: option.flag.clone(), second: shown, why });
    }
    if !source.path.is_dir() {
        return Ok(());
    }
    let why = if !format.facts().takes_folders {
        "a format of one file; name the file"
    } else if let Some(batch) = media::BATCH_SIZES.into_iter().find(|id| raw.is_given(*id)) {
        let why = "a folder holds a pool for each of its files, and one row of each goes into a request; give one \
         file";
        return Err(raw.conflict(batch, OptionId::InputFile, why));
    } else {
        return Ok(());
    };
    let first = format!("{} {}", raw.spelling(OptionId::InputFile), raw.text(OptionId::InputFile).unwrap_or_default());
    Err(ConfigError::Conflict { first, second: shown, why: why.to_owned() })
}

/// The options given that depend on the format, which may be known only when the file is read.
fn conditional(raw: &RawOptions, extra_inputs: &Map<String, Value>) -> Result<Vec<FormatOption>, ConfigError> {
    type Rule = (fn(FileFormat) -> bool, &'static str);
    let pool: Rule = (
        |format| format == FileFormat::RandomPool,
        "it is for data that is drawn from a pool (--custom-dataset-type random_pool); other files are \
         sent as they are",
    );
    let body: Rule = (
        |format| !format.facts().is_verbatim,
        "request bodies of this format are sent unchanged; change them in the file",
    );
    let strip: Rule = (|format| format == FileFormat::SingleTurn, "only rows of a single_turn file name images by ids");
    // Where answers to ready-made bodies stand is told among the extra inputs, and changes no body.
    let takes_ready_made = |source| matches!(source, BodySource::Dataset | BodySource::TemplateOrDataset);
    let kind = raw.text(OptionId::EndpointType).and_then(EndpointKind::from_name);
    let of_answers_only = extra_inputs.is_empty() && kind.is_some_and(|kind| takes_ready_made(kind.facts().body));
    let mut given = trace::conditional(raw)?;
    for (id, (heeded_by, why)) in
        media::BATCH_SIZES.into_iter().map(|id| (id, pool)).chain(BODY_OPTIONS.map(|id| (id, body)))
    {
        if raw.is_given(id) && !(id == OptionId::ExtraInputs && of_answers_only) {
            given.push(FormatOption { flag: raw.spelling(id), heeded_by, why });
        }
    }
    if raw.choice(OptionId::ModelSelectionStrategy)? == Some("random") {
        given.push(FormatOption {
            flag: format!("{} random", raw.spelling(OptionId::ModelSelectionStrategy)),
            heeded_by: |format| !format.facts().is_agentic && !format.facts().is_verbatim,
            why: "each request of this format names the model that it asks for; those of recorded sessions are replaced by yours \
                  in order of appearance",
        });
    }
    if raw.flag(OptionId::UuidAndStrip)? {
        given.push(FormatOption { flag: raw.spelling(OptionId::UuidAndStrip), heeded_by: strip.0, why: strip.1 });
    }
    Ok(given)
}

/// Conversations to draw: one for each that will be needed, as far as that is known.
fn entries(raw: &RawOptions) -> Result<usize, ConfigError> {
    for id in [OptionId::NumDatasetEntries, OptionId::ConversationNum, OptionId::RequestCount] {
        if let Some(entries) = raw.int(id)? {
            return Ok(entries);
        }
    }
    Ok(defaults::ENTRIES)
}

fn batch_sizes(raw: &RawOptions) -> Result<BatchSizes, ConfigError> {
    let size = |id: OptionId| raw.int(id).map(|size| size.unwrap_or(1));
    Ok(BatchSizes {
        texts: size(OptionId::PromptBatchSize)?,
        images: size(OptionId::ImageBatchSize)?,
        audios: size(OptionId::AudioBatchSize)?,
        videos: size(OptionId::VideoBatchSize)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::ValueKind;

    #[test]
    fn every_name_of_a_built_format_is_one_that_the_option_takes() {
        let ValueKind::Choice(members) = OptionId::CustomDatasetType.spec().value else { panic!("not a choice") };
        let built = members.iter().filter(|member| FileFormat::named(member).is_some()).count();
        assert_eq!(built, FileFormat::all().count());
        for member in members {
            assert_eq!(FileFormat::named(member).map_or(*member, FileFormat::name), *member);
        }
    }
}
