//! The MLflow run that a benchmark is stored in.

use aiperf_config::{Environment, MlflowConfig, MlflowTracking};
use serde_json::{Map, Value};

use crate::catalogue::OptionId;
use crate::{ConfigError, RawOptions};

pub(super) fn resolve(raw: &RawOptions, environment: &Environment) -> Result<Option<MlflowConfig>, ConfigError> {
    let uri = OptionId::MlflowTrackingUri;
    let Some(text) = raw.text(uri) else {
        let others = [
            OptionId::MlflowExperiment,
            OptionId::MlflowRunName,
            OptionId::MlflowTag,
            OptionId::MlflowParentRunId,
            OptionId::MlflowArtifactGlob,
        ];
        return match others.into_iter().find(|other| raw.is_given(*other)) {
            Some(other) => Err(raw.needs(other, uri, "it says how a run is stored in MLflow")),
            None => Ok(None),
        };
    };
    let tracking = MlflowTracking::parse(text.trim(), environment)
        .map_err(|expected| raw.bad(uri, &aiperf_redact::shown_url(text), &expected))?;
    let named = |id| match raw.text(id).map(str::trim) {
        Some("") => Err(raw.bad(id, "", "the text is empty; give one or leave out the option")),
        given => Ok(given.map(ToOwned::to_owned)),
    };
    let mut tags = Vec::new();
    for token in raw.tokens(OptionId::MlflowTag) {
        read_tags(&mut tags, token).map_err(|expected| raw.bad(OptionId::MlflowTag, token, &expected))?;
    }
    let artifact_globs: Vec<String> =
        raw.list(OptionId::MlflowArtifactGlob).into_iter().map(ToOwned::to_owned).collect();
    Ok(Some(MlflowConfig {
        tracking,
        experiment: named(OptionId::MlflowExperiment)?,
        run_name: named(OptionId::MlflowRunName)?,
        tags,
        parent_run_id: named(OptionId::MlflowParentRunId)?,
        artifact_globs,
    }))
}

/// `name:value` pairs with commas between them, or a JSON object. A tag is text: the value stays as it was typed.
pub fn read_tags(tags: &mut Vec<(String, String)>, token: &str) -> Result<(), String> {
    let mut add = |name: &str, value: String| {
        tags.retain(|(known, _)| known != name);
        tags.push((name.to_owned(), value));
    };
    if token.trim_start().starts_with('{') {
        let object: Map<String, Value> =
            serde_json::from_str(token).map_err(|error| format!("this is not a JSON object ({error})"))?;
        for (name, value) in object {
            let text = value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
            add(&name, text);
        }
        return Ok(());
    }
    for piece in token.split(',').filter(|piece| !piece.trim().is_empty()) {
        let pair = piece.split_once(':').map(|(name, value)| (name.trim(), value.trim()));
        let Some((name, value)) = pair.filter(|(name, _)| !name.is_empty()) else {
            return Err(format!(
                "{piece:?} is not a tag; write name:value, or a JSON object if the value has commas in it"
            ));
        };
        add(name, value.to_owned());
    }
    Ok(())
}
