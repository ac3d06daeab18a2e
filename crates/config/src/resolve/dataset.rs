//! What is sent: generated conversations, a file or a public data set.

mod file;
mod public;
mod synthetic;
mod system_prompt;

use std::sync::Arc;

use crate::catalogue::OptionId;
use crate::{
    ConfigError, DatasetConfig, DatasetSource, EndpointConfig, Environment, Length, ModelSelection, RawOptions,
    Sampling,
};

pub(super) fn resolve(
    raw: &RawOptions,
    environment: &Environment,
    endpoint: &EndpointConfig,
    models: Vec<Arc<str>>,
    model_selection: ModelSelection,
    warnings: &mut Vec<String>,
) -> Result<DatasetConfig, ConfigError> {
    let sampling = match raw.choice(OptionId::DatasetSamplingStrategy)? {
        Some("random") => Sampling::Random,
        Some("shuffle") => Sampling::Shuffle,
        _ => Sampling::Sequential,
    };
    let public = public::resolve(raw, sampling)?;
    let source = if let Some(public) = public {
        DatasetSource::Public(public)
    } else if raw.is_given(OptionId::InputFile) {
        DatasetSource::File(file::resolve(raw, environment)?)
    } else {
        DatasetSource::Synthetic(synthetic::resolve(raw, endpoint, warnings)?)
    };
    let output_tokens = output_tokens(raw)?;
    if output_tokens.is_some() && !endpoint.kind.facts().produces_tokens {
        warnings.push(format!(
            "{} has no effect: the {} endpoint generates no text",
            raw.spelling(OptionId::PromptOutputTokensMean),
            endpoint.kind.facts().name
        ));
    }
    let system_prompt = system_prompt::resolve(raw, environment, endpoint)?;
    let has_system_role = endpoint.kind.facts().has_system_role;
    Ok(DatasetConfig { source, sampling, models, model_selection, output_tokens, system_prompt, has_system_role })
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

fn no_messages(raw: &RawOptions, id: OptionId) -> ConfigError {
    raw.needs_text(id, "--endpoint-type chat", "other endpoints have no message to put it in")
}

/// Options that describe generated conversations.
#[cfg(test)]
pub(super) fn synthetic_only() -> impl Iterator<Item = OptionId> {
    file::SYNTHETIC_ONLY.into_iter()
}
