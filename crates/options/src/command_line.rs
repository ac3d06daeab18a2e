//! The command that repeats a run, fit to be pasted into a shell, with secrets taken out.

use std::borrow::Cow;
use std::collections::BTreeMap;

use aiperf_redact::is_secret_header;
use aiperf_redact::{self as redact, REDACTED};
use serde_json::Map;

use crate::catalogue::{OptionId, ValueKind};
use crate::grammar::{header, key_value, number, url};
use crate::groups::searches_capacity;
use crate::raw::Given;
use crate::{RawOptions, VARIABLES};

/// `variables`: the environment, of which what changes a run is part of the command.
pub(crate) fn repeat(raw: &RawOptions, variables: &BTreeMap<String, String>) -> String {
    let shown = VARIABLES.iter().filter(|known| !known.is_private());
    let set = shown.filter_map(|known| variables.get_key_value(known.name));
    let mut words: Vec<String> = set.map(|(name, value)| format!("{name}={}", shell_word(value))).collect();
    let is_capacity = searches_capacity(raw);
    words.extend(["aiperf".to_owned(), if is_capacity { "capacity" } else { "profile" }.to_owned()]);
    for given in raw.typed().iter().filter(|given| !is_capacity || given.id != OptionId::SearchRecipe) {
        words.extend(repeat_option(given));
    }
    words.join(" ")
}

/// The options by name with their values, secrets redacted.
pub(crate) fn stored(raw: &RawOptions) -> Vec<(String, Vec<String>)> {
    let store = |given: &Given| {
        let values = given.values.iter().flat_map(|value| without_secrets(given.id, value)).collect();
        (given.id.spec().name().to_owned(), values)
    };
    raw.given().iter().map(store).collect()
}

fn repeat_option(given: &Given) -> Vec<String> {
    let name = &given.spelling;
    if given.id.spec().value == ValueKind::Flag {
        let on = given.values.first().is_none_or(|text| number::truth(text) == Some(true));
        return vec![if on { name.clone() } else { format!("{name}=false") }];
    }
    let values: Vec<String> = given.values.iter().flat_map(|value| without_secrets(given.id, value)).collect();
    if values.is_empty() {
        return vec![name.clone()];
    }
    values
        .iter()
        .flat_map(|value| {
            // A value with a dash in front would be taken for an option, unless it is tied to its own.
            if value.starts_with('-') && number::float(value).is_none() {
                vec![format!("{name}={}", shell_word(value))]
            } else {
                vec![name.clone(), shell_word(value).into_owned()]
            }
        })
        .collect()
}

/// A value without its secrets; headers become one value each.
pub(crate) fn without_secrets(id: OptionId, value: &str) -> Vec<String> {
    match id {
        OptionId::ApiKey | OptionId::ApiToken => vec![REDACTED.to_owned()],
        OptionId::Url => vec![url::split(value).into_iter().map(redact::shown_url).collect::<Vec<_>>().join(",")],
        OptionId::CustomEndpoint
        | OptionId::ResetKvCachePath
        | OptionId::ServerProfilerStartPath
        | OptionId::ServerProfilerStopPath
        | OptionId::OtelUrl
        | OptionId::MlflowTrackingUri => vec![redact::shown_url(value)],
        OptionId::Header => headers_without_secrets(value),
        OptionId::ExtraInputs => vec![shown_extra_inputs(value)],
        _ => vec![value.to_owned()],
    }
}

fn headers_without_secrets(token: &str) -> Vec<String> {
    let mut headers = Vec::new();
    match header::read_into(&mut headers, token) {
        Ok(()) if headers.iter().any(|(name, _)| is_secret_header(name)) => headers
            .iter()
            .map(|(name, value)| format!("{name}: {}", if is_secret_header(name) { REDACTED } else { value }))
            .collect(),
        Ok(()) => vec![token.to_owned()],
        Err(_) => vec![REDACTED.to_owned()],
    }
}

/// A value of `--extra-inputs` as it was typed, fit to be shown; as a JSON object if something had to be taken out.
pub fn shown_extra_inputs(token: &str) -> String {
    let mut read = Map::new();
    match key_value::read_into(&mut read, token) {
        Ok(()) if redact::SecretFields::of(&read).is_empty() => token.to_owned(),
        Ok(()) => redact::shown_fields(&read).to_string(),
        Err(_) => REDACTED.to_owned(),
    }
}

/// A word as a shell needs it: unchanged if no character is special, else in single quotes.
pub fn shell_word(word: &str) -> Cow<'_, str> {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_./:=,@%+".contains(&b);
    if !word.is_empty() && word.bytes().all(plain) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(format!("'{}'", word.replace('\'', r"'\''")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(options: &[(OptionId, &str, &[&str])]) -> String {
        let mut raw = RawOptions::default();
        for (id, spelling, values) in options {
            raw.push(*id, *spelling, values.iter().map(|v| (*v).to_owned()).collect());
        }
        repeat(&raw, &BTreeMap::new())
    }

    #[test]
    fn variables_that_change_a_run_are_part_of_the_command() {
        let variables = [("AIPERF_HTTP_IP_VERSION", "auto"), ("HOME", "/home/me"), ("AIPERF_UNKNOWN", "1")];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let line = repeat(&RawOptions::default(), &BTreeMap::from(variables));
        assert_eq!(line, "AIPERF_HTTP_IP_VERSION=auto aiperf profile");
    }

    #[test]
    fn options_come_back_as_typed_and_quoted_where_a_shell_needs_it() {
        assert_eq!(
            line(&[
                (OptionId::ModelNames, "-m", &["a/b"]),
                (OptionId::Streaming, "--streaming", &["true"]),
                (OptionId::NoGpuTelemetry, "--no-gpu-telemetry", &["no"]),
                (OptionId::SystemPrompt, "--system-prompt", &["it's me"]),
                (OptionId::ExtraInputs, "--extra-inputs", &["a:1", "b:2"]),
                (OptionId::UiType, "--ui", &["none"]),
            ]),
            r"aiperf profile -m a/b --streaming --no-gpu-telemetry=false --system-prompt 'it'\''s me' --extra-inputs a:1 --extra-inputs b:2 --ui none"
        );
    }

    #[test]
    fn secrets_are_left_out() {
        let line = line(&[
            (OptionId::ApiKey, "--api-key", &["sk-123"]),
            (OptionId::Header, "-H", &["Authorization: Bearer abc,X-A: 1", r#"{"X-Token": "abc"}"#, "Accept: a, b"]),
            (OptionId::Url, "-u", &["http://me:pw@host,http://you:pw@host", "host:8000/v1?api-key=pw"]),
            (OptionId::CustomEndpoint, "--endpoint", &["/chat?key=pw"]),
            (OptionId::ResetKvCachePath, "--reset-kv-cache-path", &["/reset?token=pw"]),
        ]);
        assert!(!line.contains("sk-123") && !line.contains("abc") && !line.contains("pw"), "{line}");
        assert!(line.contains("-H 'X-A: 1'") && line.contains("-H 'Accept: a, b'"), "{line}");
        assert!(line.contains("-u 'http://<redacted>@host,http://<redacted>@host'"), "{line}");
    }

    #[test]
    fn typed_pairs_stay_as_they_are_unless_one_is_a_secret() {
        assert_eq!(shown_extra_inputs("max_tokens:5,top_k:2"), "max_tokens:5,top_k:2");
        assert_eq!(shown_extra_inputs("api_key:12345,top_k:2"), r#"{"api_key":"<redacted>","top_k":2}"#);
        assert_eq!(shown_extra_inputs(r#"{"access_token": "x"}"#), r#"{"access_token":"<redacted>"}"#);
        assert_eq!(shown_extra_inputs(r#"{"access_token": "x""#), REDACTED);
    }
}
