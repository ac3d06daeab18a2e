//! Where requests go.

use aiperf_address::{ClientCertificate, ConnectionReuse, HttpVersion, Verification};
use aiperf_protocol::{BodyForm, EndpointKind, Wire};
use aiperf_redact::{self as redact, REDACTED};
use serde_json::{Value, json};

use crate::defaults;
use crate::section::Section;
use crate::{DescriptorSource, EndpointConfig, ReadinessMode, Target};

pub(crate) fn section(endpoint: &EndpointConfig) -> Value {
    let urls: Vec<String> = endpoint.targets.iter().map(Target::display).collect();
    let mut section = Section::default();
    section.put("urls", urls);
    section.put("type", endpoint.kind.facts().name);
    section.put_some("path", endpoint.custom_path.as_deref().map(redact::shown_url));
    let form = endpoint.kind.facts().form;
    section.put_some("request_content_type", (form == BodyForm::Multipart).then(|| form.media_type()));
    section.put_some("api_key", endpoint.api_key.as_ref().map(|_| REDACTED));
    match endpoint.request_timeout {
        None => section.put("timeout", "inf"),
        Some(defaults::REQUEST_TIMEOUT) => {}
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
        section.put("extra", redact::shown_fields(&endpoint.extra_inputs));
    }
    if let Some(template) = &endpoint.template {
        let field = endpoint.response_field.as_deref().unwrap_or("text");
        section.put("template", json!({"body": template.source, "response_field": field}));
    } else {
        section.put_some("response_field", endpoint.response_field.as_deref());
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
    if let Wire::Grpc { message_limit, .. } = endpoint.wire {
        section.put("transport", "grpc");
        section.put("grpc_max_message_size", message_limit);
    }
    section.put_some("backend", (endpoint.kind == EndpointKind::Kserve).then(|| endpoint.backend.name()));
    if let Some(method) = &endpoint.method {
        section.put("grpc_method", method.name.to_string());
        match &method.source {
            DescriptorSource::Reflection => {}
            DescriptorSource::Protos { files, imports } => {
                section.put("grpc_proto", json!(files));
                section.put_some("grpc_import_path", (!imports.is_empty()).then(|| json!(imports)));
            }
            DescriptorSource::Set(path) => section.put("grpc_descriptor_set", json!(path)),
        }
    }
    let chosen = endpoint.http_version == HttpVersion::Http2 && !endpoint.wire.is_grpc();
    section.put_some("http_version", chosen.then_some("2"));
    if !endpoint.source_addresses.is_empty() {
        let addresses: Vec<String> = endpoint.source_addresses.iter().map(ToString::to_string).collect();
        section.put("source_addresses", addresses);
    }
    section.put_if("no_resend", !endpoint.resend);
    section.put_if("preconnect", endpoint.preconnect);
    section.put_if("insecure", endpoint.tls.verification == Verification::Off);
    section.put_some("ca_cert", endpoint.tls.roots.as_ref().map(|path| path.to_string_lossy()));
    if let Some(ClientCertificate { certificate, key }) = &endpoint.tls.client {
        section.put("client_cert", certificate.to_string_lossy());
        section.put_some("client_key", (key != certificate).then(|| key.to_string_lossy()));
    }
    if let Some(reset) = &endpoint.reset_kv_cache {
        let (timeout, retry) = (reset.timeout.as_secs_f64(), reset.max_retry.as_secs_f64());
        section.put(
            "reset_kv_cache",
            json!({"timeout_seconds": timeout, "max_retry_seconds": retry, "path": redact::shown_url(&reset.path)}),
        );
    }
    if let Some(profiler) = &endpoint.server_profiler {
        let timeout = profiler.timeout.as_secs_f64();
        let paths = (redact::shown_url(&profiler.start_path), redact::shown_url(&profiler.stop_path));
        section
            .put("server_profiler", json!({"timeout_seconds": timeout, "start_path": paths.0, "stop_path": paths.1}));
    }
    if let Some(readiness) = endpoint.readiness {
        section.put("wait_for_model_timeout", readiness.timeout.as_secs_f64());
        if readiness.interval != defaults::PROBE_INTERVAL {
            section.put("wait_for_model_interval", readiness.interval.as_secs_f64());
        }
        if readiness.mode != ReadinessMode::default() {
            section.put("wait_for_model_mode", readiness.mode.name());
        }
    }
    section.put_some("session_header", endpoint.session_header.as_deref());
    section.finish()
}
