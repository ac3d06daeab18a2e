//! Options that go with some endpoint types only.

use std::sync::Arc;

use aiperf_protocol::{BodyForm, EndpointKind, Wire};
use serde_json::{Map, Value};

use crate::catalogue::OptionId;
use crate::{ConfigError, RawOptions};

/// Options about text, for types that send none.
const OF_TEXT: [OptionId; 15] = [
    OptionId::PromptInputTokensMean,
    OptionId::PromptInputTokensStddev,
    OptionId::PromptInputTokensBlockSize,
    OptionId::SeqDist,
    OptionId::PromptBatchSize,
    OptionId::PromptCorpus,
    OptionId::PromptPrefixPoolSize,
    OptionId::PromptPrefixLength,
    OptionId::SharedSystemPromptLength,
    OptionId::UserContextPromptLength,
    OptionId::SystemPrompt,
    OptionId::SystemPromptFile,
    OptionId::Tokenizer,
    OptionId::TokenizerRevision,
    OptionId::TokenizerTrustRemoteCode,
];

pub(super) fn check(
    raw: &RawOptions,
    kind: EndpointKind,
    models: &[Arc<str>],
    extra_inputs: &Map<String, Value>,
    server_token_count: bool,
    wire: Wire,
) -> Result<(), ConfigError> {
    let facts = kind.facts();
    if !facts.tokenizes_input
        && let Some(id) = OF_TEXT.into_iter().find(|id| raw.is_given(*id))
    {
        return Err(raw.conflict(id, OptionId::EndpointType, &no_text(id, facts.name)));
    }
    let stores = extra_inputs.get("store") == Some(&Value::Bool(true));
    if kind == EndpointKind::Responses && stores && !server_token_count {
        return Err(ConfigError::Needs {
            flag: format!("{} store:true", raw.spelling(OptionId::ExtraInputs)),
            needs: OptionId::UseServerTokenCount.flag(),
            why: "turns that the server remembers are not sent again, so the client cannot count their tokens"
                .to_owned(),
        });
    }
    check_flavour(raw, kind, extra_inputs)?;
    if raw.flag(OptionId::UseLegacyMaxTokens)? && !facts.has_legacy_limit {
        let why = "other endpoints have one name for the output limit";
        return Err(raw.needs_text(OptionId::UseLegacyMaxTokens, "--endpoint-type chat", why));
    }
    if raw.flag(OptionId::UuidAndStrip)? && !facts.takes_image_ids {
        let why = "other endpoints have no image ids";
        return Err(raw.needs_text(OptionId::UuidAndStrip, "--endpoint-type chat", why));
    }
    if raw.flag(OptionId::DownloadVideoContent)? && !facts.produces_video {
        let why = "other endpoints do not generate videos";
        return Err(raw.needs_text(OptionId::DownloadVideoContent, "--endpoint-type video_generation", why));
    }
    if facts.produces_video && raw.is_given(OptionId::RequestCancellationRate) {
        let why = "a video is a job on the server, which a cancelled request does not stop";
        return Err(raw.conflict(OptionId::RequestCancellationRate, OptionId::EndpointType, why));
    }
    if facts.has_model_in_path() && !wire.is_grpc() && models.len() > 1 {
        let why = format!("the {} endpoint has the model in its path; give one model", facts.name);
        return Err(raw.conflict(OptionId::ModelNames, OptionId::EndpointType, &why));
    }
    check_form(raw, kind)
}

/// Why an option about text does not go with a type that sends none. Scripts look for the names of the two groups.
fn no_text(id: OptionId, endpoint: &str) -> String {
    let options = match id {
        OptionId::Tokenizer | OptionId::TokenizerRevision | OptionId::TokenizerTrustRemoteCode => {
            "Tokenizer options are"
        }
        OptionId::PromptPrefixPoolSize
        | OptionId::PromptPrefixLength
        | OptionId::SharedSystemPromptLength
        | OptionId::UserContextPromptLength => "Prefix prompt options are",
        _ => "options about text are",
    };
    format!("{options} not available for the {endpoint} endpoint, which sends no text and counts no tokens")
}

/// Extra inputs that are not sent.
pub(super) fn unsent(kind: EndpointKind, extra_inputs: &Map<String, Value>) -> Option<String> {
    let is_unsent = |name: &&String| kind.facts().fields_of_turn.contains(&name.as_str());
    let names: Vec<&str> = extra_inputs.keys().filter(is_unsent).map(String::as_str).collect();
    let endpoint = kind.facts().name;
    (!names.is_empty()).then(|| {
        format!(
            "--extra-inputs {} has no effect: the {endpoint} endpoint takes {} from the data set alone",
            names.join(", "),
            kind.facts().fields_of_turn.join(", "),
        )
    })
}

/// GenAI-Perf's word for the bodies of TEI; others would be dropped.
fn check_flavour(raw: &RawOptions, kind: EndpointKind, extra_inputs: &Map<String, Value>) -> Result<(), ConfigError> {
    let flavour = extra_inputs.get("rankings").filter(|value| **value != "tei");
    let (EndpointKind::Rankings, Some(flavour)) = (kind, flavour) else { return Ok(()) };
    let given = flavour.as_str().map_or_else(|| flavour.to_string(), str::to_owned);
    let why = "must be tei (request bodies of TEI); leave it out for request bodies of NIM";
    Err(raw.bad(OptionId::ExtraInputs, &format!("rankings:{given}"), why))
}

/// Each type has one encoding, and naming another changes nothing.
fn check_form(raw: &RawOptions, kind: EndpointKind) -> Result<(), ConfigError> {
    let asked = match raw.choice(OptionId::RequestContentType)? {
        None => return Ok(()),
        Some("multipart/form-data" | "multipart-form-data") => BodyForm::Multipart,
        Some(_) => BodyForm::Json,
    };
    let facts = kind.facts();
    if asked == facts.form {
        return Ok(());
    }
    let expected = format!("the {} endpoint takes {}", facts.name, facts.form.media_type());
    Err(raw.bad(OptionId::RequestContentType, asked.media_type(), &expected))
}
