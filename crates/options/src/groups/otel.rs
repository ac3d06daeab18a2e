//! Which measurements go to an OpenTelemetry collector.

use aiperf_address::{Address, Scheme, Secret, UrlText, percent_decoded};
use aiperf_config::{Environment, OtelConfig, OtelStreams};

use crate::catalogue::OptionId;
use crate::{ConfigError, RawOptions};

/// Where collectors take metrics.
const METRICS_PATH: &str = "/v1/metrics";
/// The variable of the OpenTelemetry specification for headers, such as those of a login.
const HEADERS: &str = "OTEL_EXPORTER_OTLP_HEADERS";

pub(super) fn resolve(raw: &RawOptions, environment: &Environment) -> Result<Option<OtelConfig>, ConfigError> {
    let Some(text) = raw.text(OptionId::OtelUrl) else {
        let others = [OptionId::Stream, OptionId::OtelResourceAttributes, OptionId::GenAiProvider];
        return match others.into_iter().find(|other| raw.is_given(*other)) {
            Some(other) => {
                Err(raw.needs(other, OptionId::OtelUrl, "it says what is sent to an OpenTelemetry collector"))
            }
            None => Ok(None),
        };
    };
    let metrics_url = metrics_url(text).map_err(|expected| raw.bad(OptionId::OtelUrl, text, &expected))?;
    Ok(Some(OtelConfig {
        metrics_url,
        streams: streams(raw)?,
        resource_attributes: resource_attributes(raw)?,
        provider: provider(raw)?,
        headers: headers(environment)?,
    }))
}

/// The address with the path that collectors take metrics under.
fn metrics_url(text: &str) -> Result<Address, String> {
    let typed = Address::parse(text.trim(), Scheme::Http).map_err(|error| error.to_string())?;
    if !matches!(typed.scheme(), Scheme::Http | Scheme::Https) {
        return Err("metrics are sent over OTLP/HTTP; use http:// or https://, usually port 4318".to_owned());
    }
    let UrlText { scheme_prefix, user_prefix, host_and_port, path, query_and_fragment } =
        UrlText::split(typed.as_str());
    let path = path.trim_end_matches('/');
    let path = path.strip_suffix(METRICS_PATH).unwrap_or(path);
    let whole = [scheme_prefix, user_prefix, host_and_port, path, METRICS_PATH, query_and_fragment].concat();
    Address::parse(&whole, Scheme::Http).map_err(|error| error.to_string())
}

fn streams(raw: &RawOptions) -> Result<OtelStreams, ConfigError> {
    let id = OptionId::Stream;
    let words: Vec<String> = raw.list(id).into_iter().map(str::to_ascii_lowercase).collect();
    if words.is_empty() {
        return Ok(OtelStreams::DEFAULT);
    }
    let mut streams = OtelStreams::NONE;
    for word in &words {
        match word.as_str() {
            "metrics" => streams.metrics = true,
            "timing" => streams.timing = true,
            "traces" => streams.traces = true,
            "default" => (streams.metrics, streams.timing) = (true, true),
            "none" if words.len() == 1 => {}
            "none" => return Err(raw.bad(id, word, "stands alone; leave out the other words, or leave out none")),
            _ => {
                return Err(raw.bad(
                    id,
                    word,
                    "choose from metrics, timing, traces, default (metrics and timing) and none",
                ));
            }
        }
    }
    Ok(streams)
}

fn resource_attributes(raw: &RawOptions) -> Result<Vec<(String, String)>, ConfigError> {
    let id = OptionId::OtelResourceAttributes;
    let mut attributes: Vec<(String, String)> = Vec::new();
    for text in raw.list(id) {
        let pair = text.split_once('=').map(|(name, value)| (name.trim(), value.trim()));
        let Some((name, value)) = pair.filter(|(name, _)| !name.is_empty()) else {
            return Err(raw.bad(id, text, "write name=value, such as deployment.environment=lab"));
        };
        attributes.retain(|(known, _)| known != name);
        attributes.push((name.to_owned(), value.to_owned()));
    }
    Ok(attributes)
}

fn provider(raw: &RawOptions) -> Result<Option<String>, ConfigError> {
    let id = OptionId::GenAiProvider;
    match raw.text(id).map(str::trim) {
        Some("") => Err(raw.bad(id, "", "give a name, such as openai")),
        given => Ok(given.map(ToOwned::to_owned)),
    }
}

/// `name=value` pairs with commas between them; values are percent-encoded.
fn headers(environment: &Environment) -> Result<Vec<(String, Secret)>, ConfigError> {
    let Some(text) = environment.variables.get(HEADERS) else { return Ok(Vec::new()) };
    let bad = || ConfigError::BadVariable {
        name: HEADERS.to_owned(),
        value: aiperf_redact::REDACTED.to_owned(),
        expected: "write name=value pairs with commas between them".to_owned(),
    };
    let pairs = text.split(',').map(str::trim).filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').ok_or_else(bad)?;
            let (name, value) = (name.trim(), percent_decoded(value.trim()));
            let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
            let is_sound = !name.is_empty() && name.bytes().all(is_token) && !value.chars().any(char::is_control);
            is_sound.then(|| (name.to_owned(), Secret(value))).ok_or_else(bad)
        })
        .collect()
}
