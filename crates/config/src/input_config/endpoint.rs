//! Where requests go.

use aiperf_endpoint::{BodyForm, ResponseField};
use serde_json::{Value, json};

use super::section::Section;
use crate::endpoint::{DEFAULT_PROBE_INTERVAL, DEFAULT_REQUEST_TIMEOUT};
use crate::redact::{self, REDACTED};
use crate::{ConnectionReuse, EndpointConfig, HttpVersion, ReadinessMode, Target};

pub(super) fn section(endpoint: &EndpointConfig) -> Value {
    let urls: Vec<String> = endpoint.targets.iter().map(Target::display).collect();
    let mut section = Section::default();
    section.put("urls", urls);
    section.put("type", endpoint.kind.facts().name);
    section.put_some("path", endpoint.custom_path.as_deref());
    let form = endpoint.kind.facts().form;
    section.put_some("request_content_type", (form == BodyForm::Multipart).then(|| form.media_type()));
    section.put_some("api_key", endpoint.api_key.as_ref().map(|_| REDACTED));
    match endpoint.request_timeout {
        None => section.put("timeout", "inf"),
        Some(DEFAULT_REQUEST_TIMEOUT) => {}
        Some(timeout) => section.put("timeout", timeout.as_secs_f64()),
    }
    section.put_if("streaming", endpoint.streaming);
    section.put_if("use_legacy_max_tokens", endpoint.legacy_max_tokens);
    section.put_if("use_server_token_count", endpoint.server_token_count);
    section.put_if("per_chunk_usage", endpoint.per_chunk_usage);
    if !endpoint.headers.is_empty() {
        let shown = |(name, value): &(String, String)| {
            let value = if redact::is_secret_header(name) { REDACTED } else { value };
            (name.clone(), json!(value))
        };
        section.put("headers", Value::Object(endpoint.headers.iter().map(shown).collect()));
    }
    if !endpoint.extra_inputs.is_empty() {
        section.put("extra", Value::Object(endpoint.extra_inputs.clone()));
    }
    if let Some(template) = &endpoint.template {
        let field = endpoint.response_field.as_ref().map_or("text", ResponseField::as_str);
        section.put("template", json!({"body": template.source(), "response_field": field}));
    } else {
        section.put_some("response_field", endpoint.response_field.as_ref().map(ResponseField::as_str));
    }
    section.put_if("download_video_content", endpoint.download_video);
    section.put_some(
        "connection_reuse",
        match endpoint.connection_reuse {
            ConnectionReuse::Pooled => None,
            ConnectionReuse::Never => Some("never"),
            ConnectionReuse::StickyUserSessions => Some("sticky-user-sessions"),
        },
    );
    section.put_some("http_version", (endpoint.http_version == HttpVersion::Http2).then_some("2"));
    if !endpoint.source_addresses.is_empty() {
        let addresses: Vec<String> = endpoint.source_addresses.iter().map(ToString::to_string).collect();
        section.put("source_addresses", addresses);
    }
    if let Some(readiness) = endpoint.readiness {
        section.put("wait_for_model_timeout", readiness.timeout.as_secs_f64());
        if readiness.interval != DEFAULT_PROBE_INTERVAL {
            section.put("wait_for_model_interval", readiness.interval.as_secs_f64());
        }
        if readiness.mode != ReadinessMode::default() {
            section.put("wait_for_model_mode", readiness.mode.name());
        }
    }
    section.put_some("session_header", endpoint.session_header.as_deref());
    section.finish()
}
