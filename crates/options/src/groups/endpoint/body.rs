//! What request bodies contain in addition to the turn: extra inputs and the payload template; and the rules that depend
//! on the endpoint type.

use std::fs;

use aiperf_config::Environment;
use aiperf_protocol::{BodySource, EndpointKind, TemplateText};
use serde_json::{Map, Value};

use crate::catalogue::OptionId;
use crate::grammar::key_value::{self, TEMPLATE};
use crate::{ConfigError, RawOptions};

/// An extra input that is not sent but says how answers are read.
const RESPONSE_FIELD: &str = "response_field";
/// The response field that stands for looking it up by shape.
const BY_SHAPE: &str = "text";

/// What the extra inputs come to.
pub(super) struct BodyOptions {
    pub(super) extra_inputs: Map<String, Value>,
    pub(super) template: Option<TemplateText>,
    pub(super) response_field: Option<String>,
}

pub(super) fn resolve(
    raw: &RawOptions,
    environment: &Environment,
    kind: EndpointKind,
) -> Result<BodyOptions, ConfigError> {
    let mut extra_inputs = extra_inputs(raw)?;
    let (mut template, mut response_field) = (None, None);
    let source = kind.facts().body;
    if source.has_response_field() {
        response_field =
            extra_inputs.remove(RESPONSE_FIELD).map(|value| field(raw, environment, &value)).transpose()?.flatten();
    }
    if source == BodySource::Template {
        let Some(value) = extra_inputs.remove(TEMPLATE) else {
            return Err(raw.needs_text(
                OptionId::EndpointType,
                "--extra-inputs payload_template:<nv-embedqa, a file or a template>",
                "bodies are made of a template",
            ));
        };
        template = Some(read_template(raw, environment, &value)?);
    }
    if source == BodySource::TemplateOrDataset {
        template = extra_inputs.remove(TEMPLATE).map(|value| read_template(raw, environment, &value)).transpose()?;
        check_messages(raw, template.is_some())?;
    }
    if let (BodySource::Dataset, Some(name)) = (source, extra_inputs.keys().next()) {
        return Err(raw.bad(
            OptionId::ExtraInputs,
            name,
            "the raw endpoint sends the bodies of the data set as they are; only response_field:<JMESPath> \
         goes with it",
        ));
    }
    Ok(BodyOptions { extra_inputs, template, response_field })
}

/// Messages come from a template or ready-made from a file, and not from both.
fn check_messages(raw: &RawOptions, has_template: bool) -> Result<(), ConfigError> {
    let ready_made = matches!(raw.choice(OptionId::CustomDatasetType)?, Some("raw_payload" | "inputs_json"));
    if has_template && ready_made {
        let why = "the rows of such a file already are messages; leave the payload_template out";
        return Err(raw.conflict(OptionId::CustomDatasetType, OptionId::ExtraInputs, why));
    }
    if !has_template && !ready_made {
        let needs = "--extra-inputs payload_template:<a file or a template>, or --input-file with --custom-dataset-type \
                     raw_payload";
        return Err(raw.needs_text(
            OptionId::EndpointType,
            needs,
            "messages are made of a template or come ready-made",
        ));
    }
    Ok(())
}

fn extra_inputs(raw: &RawOptions) -> Result<Map<String, Value>, ConfigError> {
    let mut inputs = Map::new();
    for token in raw.tokens(OptionId::ExtraInputs) {
        key_value::read_into(&mut inputs, token).map_err(|reason| raw.bad(OptionId::ExtraInputs, token, &reason))?;
    }
    Ok(inputs)
}

/// A `JMESPath` expression; `None` where content is to be found by shape.
fn field(raw: &RawOptions, environment: &Environment, value: &Value) -> Result<Option<String>, ConfigError> {
    let bad = |text: &str, reason: &str| {
        raw.bad(
            OptionId::ExtraInputs,
            &format!("{RESPONSE_FIELD}:{text}"),
            &format!("not a JMESPath expression: {reason}"),
        )
    };
    match value {
        Value::String(text) if text == BY_SHAPE => Ok(None),
        Value::String(text) => {
            if let Some(checks) = environment.expressions {
                (checks.response_field)(text).map_err(|reason| bad(text, &reason))?;
            }
            Ok(Some(text.clone()))
        }
        other => Err(raw.bad(OptionId::ExtraInputs, &other.to_string(), "response_field is a JMESPath expression")),
    }
}

/// A preset by its name, a file by its path, else the template itself.
fn read_template(raw: &RawOptions, environment: &Environment, value: &Value) -> Result<TemplateText, ConfigError> {
    let id = OptionId::ExtraInputs;
    let bad = |shown: &str, reason: &str| raw.bad(id, &format!("{TEMPLATE}:{shown}"), reason);
    let Value::String(text) = value else {
        return Err(bad(&value.to_string(), "must be a text"));
    };
    let checked = |source: String| match environment.expressions {
        None => Ok(TemplateText { source, may_write_limit: true }),
        Some(checks) => (checks.payload_template)(&source)
            .map(|may_write_limit| TemplateText { source, may_write_limit })
            .map_err(|reason| bad(text, &reason)),
    };
    if let Some(preset) = TemplateText::preset(text) {
        return checked(preset.to_owned());
    }
    let path = environment.current_dir.join(text);
    // A long template is not a file name, and asking about it may fail; then it is a template.
    let is_file = fs::symlink_metadata(&path).is_ok_and(|found| found.is_file());
    let source = if is_file {
        fs::read_to_string(&path).map_err(|error| ConfigError::Unreadable {
            flag: raw.spelling(id),
            path: text.clone(),
            reason: error.to_string(),
        })?
    } else if text.contains('{') {
        text.clone()
    } else {
        return Err(bad(text, "not a preset (nv-embedqa), a file or a template"));
    };
    checked(source)
}
