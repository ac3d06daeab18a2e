//! What is sent: generated conversations, a file or a public data set.

pub(crate) mod cache_bust;
pub(crate) mod conversation;
mod file;
mod length;
pub(crate) mod media;
pub(crate) mod prompt_length;
mod public;
pub(crate) mod rankings;
pub(crate) mod rows;
pub(crate) mod synthetic;
pub(crate) mod system_prompt;
pub(crate) mod trace;

use std::sync::Arc;

use aiperf_config::{
    DatasetConfig, DatasetSource, EndpointConfig, Environment, ModelSelection, Sampling, SyntheticSource, Tuning,
};
use aiperf_protocol::{BodyForm, BodySource, EndpointKind, Medium};

use crate::catalogue::OptionId;
use crate::groups::accuracy;
use crate::{ConfigError, RawOptions};

pub(super) fn resolve(
    raw: &RawOptions,
    environment: &Environment,
    endpoint: &EndpointConfig,
    tuning: &Tuning,
    (models, model_selection): (Vec<Arc<str>>, ModelSelection),
    warnings: &mut Vec<String>,
) -> Result<DatasetConfig, ConfigError> {
    let sampling = match raw.choice(OptionId::DatasetSamplingStrategy)? {
        Some("random") => Sampling::Random,
        Some("shuffle") => Sampling::Shuffle,
        _ => Sampling::Sequential,
    };
    let questions = accuracy::source(raw, environment, endpoint, tuning, sampling, warnings)?;
    let public = public::resolve(raw, environment, sampling)?;
    let mut source = if let Some(questions) = questions {
        DatasetSource::Accuracy(questions)
    } else if let Some(public) = public {
        DatasetSource::Public(public)
    } else if raw.is_given(OptionId::InputFile) {
        synthetic::refuse_with(raw, OptionId::InputFile)?;
        let mut file = file::resolve(raw, environment, &endpoint.extra_inputs)?;
        file.any_payload = endpoint.kind.facts().form == BodyForm::Protobuf;
        DatasetSource::File(file)
    } else {
        file::refuse_without_file(raw)?;
        DatasetSource::Synthetic(synthetic::resolve(raw, environment, endpoint, warnings)?)
    };
    let output_tokens = prompt_length::output(raw)?;
    if output_tokens.is_some()
        && let Some(reason) = endpoint.no_limit()
    {
        warnings.push(format!("{} has no effect: {reason}", raw.spelling(OptionId::PromptOutputTokensMean)));
    }
    let system_prompt = system_prompt::resolve(raw, environment, endpoint)?;
    let user_context_tokens = match source {
        DatasetSource::Synthetic(_) => None,
        DatasetSource::File(_) | DatasetSource::Public(_) | DatasetSource::Accuracy(_) => user_context(raw, endpoint)?,
    };
    if let DatasetSource::Synthetic(synthetic) = &mut source {
        let bust = cache_bust::resolve(raw, endpoint)?;
        synthetic.marked_first_turn = cache_bust::is_in_first_turn(bust, &system_prompt);
    }
    let has_system_role = endpoint.kind.facts().has_system_role;
    Ok(DatasetConfig {
        source,
        sampling,
        models,
        model_selection,
        output_tokens,
        system_prompt,
        user_context_tokens,
        has_system_role,
    })
}

/// Refuses other data, and descriptions of it, next to the questions of a benchmark.
pub(super) fn refuse_next_to_questions(raw: &RawOptions) -> Result<(), ConfigError> {
    let id = OptionId::AccuracyBenchmark;
    let sources = [OptionId::InputFile, OptionId::PublicDataset, OptionId::HfWekaDataset];
    if let Some(other) = sources.into_iter().find(|other| raw.is_given(*other)) {
        return Err(raw.conflict(other, id, "the benchmark brings its own data set"));
    }
    file::refuse_without_file(raw)?;
    synthetic::refuse_with(raw, id)?;
    let described = file::SYNTHETIC_ONLY.into_iter().chain(media::BATCH_SIZES).find(|other| raw.is_given(*other));
    match described.or_else(|| media::given_shape(raw)) {
        Some(other) => {
            Err(raw.conflict(other, id, "it describes generated conversations, and the benchmark has its own"))
        }
        None => Ok(()),
    }
}

/// Tokens of the text that each conversation begins with, where there is a message to put it in.
fn user_context(raw: &RawOptions, endpoint: &EndpointConfig) -> Result<Option<usize>, ConfigError> {
    let id = OptionId::UserContextPromptLength;
    let tokens = raw.int(id)?;
    if tokens.is_some() && !endpoint.kind.facts().has_system_role {
        return Err(no_messages(raw, id));
    }
    Ok(tokens.filter(|tokens| *tokens > 0))
}

/// Refuses generated texts alone where they make no request.
pub(super) fn check_kind(raw: &RawOptions, kind: EndpointKind, source: &DatasetSource) -> Result<(), ConfigError> {
    let DatasetSource::Synthetic(SyntheticSource { media, .. }) = source else { return Ok(()) };
    let has_images = media.as_ref().is_some_and(|media| media.images.is_some());
    let has_audio = media.as_ref().is_some_and(|media| media.audio.is_some());
    let facts = kind.facts();
    let (needs, why) = match (facts.body, facts.needs) {
        (BodySource::Dataset, _) => (
            "--input-file with --custom-dataset-type raw_payload or inputs_json",
            "the raw endpoint sends ready-made request bodies, which generated data does not have",
        ),
        (_, Some(Medium::Image)) if !has_images => (
            "--image-width-mean and --image-height-mean, or --input-file with images",
            "each request to it contains an image",
        ),
        (_, Some(Medium::Audio)) if !has_audio => {
            ("--audio-length-mean, or --input-file with audio", "each request to it contains an audio clip")
        }
        _ => return Ok(()),
    };
    let flag = format!("{} {}", raw.spelling(OptionId::EndpointType), facts.name);
    Err(ConfigError::Needs { flag, needs: needs.to_owned(), why: why.to_owned() })
}

fn no_messages(raw: &RawOptions, id: OptionId) -> ConfigError {
    raw.needs_text(id, "--endpoint-type chat", "other endpoints have no message to put it in")
}

/// Options that describe generated conversations.
#[cfg(test)]
pub(super) fn synthetic_only() -> impl Iterator<Item = OptionId> {
    file::SYNTHETIC_ONLY.into_iter()
}
