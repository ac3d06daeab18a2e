//! Where requests go and how they are shaped.

mod body;
mod grpc;
mod hooks;
pub(super) mod model;
mod proxy;
mod readiness;
pub(crate) mod rows;
mod rules;
mod tls;
pub(crate) mod tokenizer;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use aiperf_address::{Address, ConnectionReuse, HttpVersion, Scheme, Secret};
use aiperf_config::{EndpointConfig, Environment, GracePeriod, Target, Tuning, defaults};
use aiperf_protocol::{EndpointKind, Wire};
use aiperf_redact::{self as redact, REDACTED};

use crate::catalogue::OptionId;
use crate::grammar::{header, url};
use crate::groups::extension;
use crate::{ConfigError, RawOptions};

pub(super) fn targets(raw: &RawOptions, environment: &Environment) -> Result<Vec<Target>, ConfigError> {
    let id = OptionId::Url;
    raw.choice(OptionId::UrlStrategy)?;
    kind(raw, environment)?;
    let scheme = grpc::usual_scheme(raw)?;
    if !raw.is_given(id) {
        let port = if scheme == Scheme::Grpc { 8001 } else { 8000 };
        return Ok(vec![Target::Url(Address::of_server(scheme, "localhost", port))]);
    }
    let mut targets = Vec::new();
    for token in raw.tokens(id) {
        for text in url::split(token) {
            targets.push(url::read(text, scheme).map_err(|reason| raw.bad(id, &redact::shown_url(text), &reason))?);
        }
    }
    if targets.is_empty() {
        return Err(raw.bad(id, "", "give the address of a server, such as http://localhost:8000, or sim:"));
    }
    Ok(targets)
}

pub(super) fn resolve(
    raw: &RawOptions,
    environment: &Environment,
    tuning: &Tuning,
    targets: Vec<Target>,
    models: &[Arc<str>],
    warnings: &mut Vec<String>,
) -> Result<EndpointConfig, ConfigError> {
    let kind = kind(raw, environment)?;
    let wire = grpc::wire(raw, kind, &targets)?;
    let asked_to_stream = raw.flag(OptionId::Streaming)?;
    let streaming = asked_to_stream && kind.facts().streams;
    if asked_to_stream && !streaming {
        warnings.push(format!(
            "--streaming is switched off: the {} endpoint answers in one piece and cannot stream",
            kind.facts().name
        ));
    }
    let server_token_count = raw.flag(OptionId::UseServerTokenCount)?;
    let per_chunk_usage = raw.flag(OptionId::PerChunkUsage)?;
    if per_chunk_usage {
        check_per_chunk_usage(raw, kind, streaming, server_token_count)?;
    }
    let body = body::resolve(raw, environment, kind)?;
    rules::check(raw, kind, models, &body.extra_inputs, server_token_count, wire)?;
    warnings.extend(rules::unsent(kind, &body.extra_inputs));
    let tokenizer = if kind.facts().tokenizes_input || kind.facts().produces_tokens {
        tokenizer::resolve(raw, &targets, models, warnings)?
    } else {
        Some(defaults::TOKENIZER.to_owned())
    };
    let http_version = http_version(raw, &targets, wire)?;
    let proxies = proxy::resolve(environment, tuning, &targets, http_version)?;
    let tls = tls::resolve(raw, environment, tuning, &targets, &proxies, warnings)?;
    Ok(EndpointConfig {
        kind,
        custom_path: custom_path(raw)?,
        streaming,
        request_timeout: request_timeout(raw)?,
        api_key: api_key(raw)?,
        headers: extension::headers(headers(raw)?, kind),
        session_header: session_header(raw)?,
        connection_reuse: connection_reuse(raw, tuning)?,
        http_version,
        wire,
        backend: grpc::backend(raw, kind)?,
        method: grpc::method(raw, environment, kind)?,
        tls,
        resend: !raw.flag(OptionId::NoResend)?,
        preconnect: raw.flag(OptionId::Preconnect)?,
        proxies,
        reset_kv_cache: hooks::reset_kv_cache(raw)?,
        server_profiler: hooks::server_profiler(raw)?,
        source_addresses: source_addresses(raw)?,
        readiness: readiness::resolve(raw, kind)?,
        extra_inputs: body.extra_inputs,
        template: body.template,
        response_field: body.response_field,
        download_video: raw.flag(OptionId::DownloadVideoContent)?,
        legacy_max_tokens: raw.flag(OptionId::UseLegacyMaxTokens)?,
        server_token_count,
        per_chunk_usage,
        apply_chat_template: tokenizer::apply_chat_template(raw, kind, tokenizer.as_deref())?,
        tokenizer,
        tokenizer_revision: raw.text(OptionId::TokenizerRevision).unwrap_or("main").to_owned(),
        tokenizer_trust_remote_code: false,
        targets,
    })
}

fn kind(raw: &RawOptions, environment: &Environment) -> Result<EndpointKind, ConfigError> {
    grpc::refuse_engine(raw)?;
    extension::endpoint(raw, environment)
}

fn check_per_chunk_usage(
    raw: &RawOptions,
    kind: EndpointKind,
    streaming: bool,
    server_token_count: bool,
) -> Result<(), ConfigError> {
    let id = OptionId::PerChunkUsage;
    if !kind.facts().reports_usage_per_chunk {
        return Err(raw.needs_text(id, "--endpoint-type chat", "other endpoints do not report usage per chunk"));
    }
    if !server_token_count {
        return Err(raw.needs(id, OptionId::UseServerTokenCount, "it refines the counts that the server reports"));
    }
    if !streaming {
        return Err(raw.needs(id, OptionId::Streaming, "without it there are no chunks"));
    }
    Ok(())
}

fn custom_path(raw: &RawOptions) -> Result<Option<String>, ConfigError> {
    let Some(path) = raw.text(OptionId::CustomEndpoint) else { return Ok(None) };
    if !path.is_empty() && !path.starts_with('/') {
        return Err(raw.bad(
            OptionId::CustomEndpoint,
            &redact::shown_url(path),
            "a path begins with `/`, such as /v1/chat/completions",
        ));
    }
    if path.chars().any(|c| c.is_whitespace() || c.is_control()) {
        let expected = "must be a path without blanks or control characters";
        return Err(raw.bad(OptionId::CustomEndpoint, &redact::shown_url(path), expected));
    }
    Ok(Some(path.to_owned()))
}

fn request_timeout(raw: &RawOptions) -> Result<Option<Duration>, ConfigError> {
    Ok(match raw.wait(OptionId::RequestTimeoutSeconds)? {
        None => Some(defaults::REQUEST_TIMEOUT),
        Some(GracePeriod::Limited(limit)) => Some(limit),
        Some(GracePeriod::Unlimited) => None,
    })
}

fn connection_reuse(raw: &RawOptions, tuning: &Tuning) -> Result<ConnectionReuse, ConfigError> {
    let id = OptionId::ConnectionReuseStrategy;
    let chosen = raw.choice(id)?;
    if tuning.force_close && chosen.is_none_or(|chosen| chosen == "never") {
        return Ok(ConnectionReuse::Never);
    }
    if tuning.force_close {
        return Err(ConfigError::Conflict {
            first: raw.spelling(id),
            second: "AIPERF_HTTP_FORCE_CLOSE".to_owned(),
            why: "it closes each connection after its request, so none can be reused".to_owned(),
        });
    }
    Ok(match chosen {
        Some("never") => ConnectionReuse::Never,
        Some("sticky-user-sessions") => ConnectionReuse::StickyUserSessions,
        _ => ConnectionReuse::Pooled,
    })
}

fn http_version(raw: &RawOptions, targets: &[Target], wire: Wire) -> Result<HttpVersion, ConfigError> {
    let id = OptionId::HttpVersion;
    let asked = raw.choice(id)?;
    if wire.is_grpc() {
        return match asked {
            Some("1.1") => Err(raw.bad(id, "1.1", "gRPC uses HTTP/2; leave the option out")),
            _ => Ok(HttpVersion::Http2),
        };
    }
    if asked != Some("2") {
        return Ok(HttpVersion::Http1);
    }
    if targets.iter().any(|target| matches!(target, Target::Sim(_))) {
        return Err(raw.bad(id, "2", "the simulator supports HTTP/1.1 only"));
    }
    Ok(HttpVersion::Http2)
}

fn source_addresses(raw: &RawOptions) -> Result<Vec<IpAddr>, ConfigError> {
    let id = OptionId::SourceAddress;
    let read = |text: &str| text.parse().map_err(|_| raw.bad(id, text, "must be an IP address of this machine"));
    raw.list(id).into_iter().map(read).collect()
}

/// The key itself never appears in an error.
fn api_key(raw: &RawOptions) -> Result<Option<Secret>, ConfigError> {
    let Some(key) = raw.text(OptionId::ApiKey) else { return Ok(None) };
    if key.trim().is_empty() || key.chars().any(char::is_control) {
        return Err(raw.bad(OptionId::ApiKey, REDACTED, "must be one line of text that is not empty"));
    }
    Ok(Some(Secret(key.to_owned())))
}

fn headers(raw: &RawOptions) -> Result<Vec<(String, String)>, ConfigError> {
    let mut headers = Vec::new();
    for token in raw.tokens(OptionId::Header) {
        header::read_into(&mut headers, token).map_err(|reason| {
            let shown = if redact::is_secret_header(token) { REDACTED } else { token };
            raw.bad(OptionId::Header, shown, &reason)
        })?;
    }
    Ok(headers)
}

fn session_header(raw: &RawOptions) -> Result<Option<String>, ConfigError> {
    let Some(name) = raw.text(OptionId::SessionHeader) else { return Ok(None) };
    if !header::is_name(name) {
        return Err(raw.bad(OptionId::SessionHeader, name, "must be the name of a header, such as X-Session"));
    }
    Ok(Some(name.to_owned()))
}
