//! Converts the configuration into the settings of each part of a run.

use std::net::IpAddr;

use aiperf_address::{Origin, Proxies, TlsOptions, Verification};
use aiperf_clock::Nanos;
use aiperf_config::{Config, EndpointConfig, NetworkLatency, Pace, PhaseConfig, PhaseKind};
use aiperf_endpoint::{
    BodyOptions, EndpointSettings, HeaderOptions, HeaderPlan, KserveSettings, PayloadTemplate, ResponseField,
};
use aiperf_metrics::{AskedConcurrency, Level, MetricContext, NetworkRtt, Sending, Thresholds};
use aiperf_protocol::EndpointKind;
use aiperf_socket::{SourceAddresses, Stamping};
use aiperf_transport::{ClientSettings, Resend, TlsSettings};

use crate::error::RunError;
use crate::prepare::discovery::Discovered;
use crate::prepare::target::Targets;

/// Default and largest number of connections of a worker, as in the reference.
const USUAL_CONNECTIONS: usize = 2_500;
const MOST_CONNECTIONS: usize = 65_000;

/// Which metrics a phase has.
pub(crate) fn metric_context(config: &Config, phase: &PhaseConfig) -> Result<MetricContext, RunError> {
    let tuning = &config.tuning;
    let mut context = MetricContext::new(config.endpoint.kind, config.endpoint.streaming);
    context.server_token_count = config.endpoint.server_token_count;
    context.per_chunk_usage = config.endpoint.per_chunk_usage;
    context.thresholds = Thresholds {
        usage_diff_pct: tuning.usage_diff_percent,
        osl_mismatch_pct: tuning.osl_mismatch_percent,
        osl_mismatch_max_tokens: tuning.osl_mismatch_max_tokens as f64,
    };
    context.open_loop = !phase.pace.is_closed_loop();
    context.sending = match &phase.stop {
        _ if context.open_loop || matches!(phase.pace, Pace::Controlled(_)) => Sending::Scheduled,
        stop if stop.requests.is_none() && stop.sessions.is_none() && stop.duration.is_some() => Sending::UntilTime,
        _ => Sending::UntilCount,
    };
    context.fixed_schedule = matches!(phase.pace, Pace::FixedSchedule { .. });
    context.concurrency = phase.pace.session_limit().map(|limit| limit as u64);
    context.asked_concurrency = asked_concurrency(phase);
    context.asked_rate = asked_rate(&phase.pace).map(|rate| rate / phase.split.share.count() as f64);
    if let Some(NetworkLatency::Given(rtt)) = config.network_latency {
        context.network_rtt = Some(NetworkRtt::given(Nanos::from(rtt)));
    }
    context.confidence = Level::new(config.confidence_level).ok();
    context.show_internal = tuning.show_internal_metrics;
    context.show_experimental = tuning.show_experimental_metrics;
    // A warmup has no objectives, and it may lack the metrics that those of the profiling phase are set on.
    let objectives = config.output.goodput.iter().filter(|_| phase.kind == PhaseKind::Profiling);
    for (tag, limit) in objectives {
        let option = if config.capacity.is_some() { "--slo" } else { "--goodput" };
        let slo = context.slo(tag, *limit).map_err(|error| error.of_option(option))?;
        context.slos.push(slo);
    }
    Ok(context)
}

/// A prefill limit below it keeps a closed loop from its concurrency, and its user knows.
fn asked_concurrency(phase: &PhaseConfig) -> Option<AskedConcurrency> {
    let Pace::Concurrency(limit) = phase.pace else { return None };
    let asked = AskedConcurrency { limit: limit as u64, is_ramped: phase.concurrency_ramp.is_some() };
    phase.prefill_limit.is_none_or(|prefill| prefill >= limit).then_some(asked)
}

/// A rate that changes has no single figure.
fn asked_rate(pace: &Pace) -> Option<f64> {
    match pace {
        Pace::Rate { rate, .. } => match rate.points.as_slice() {
            [only] if rate.ramp.is_none() => Some(only.per_second),
            _ => None,
        },
        Pace::UserCentric { per_second, .. } => Some(*per_second),
        Pace::Concurrency(_) | Pace::FixedSchedule { .. } | Pace::AgenticReplay(_) | Pace::Controlled(_) => None,
    }
}

pub(crate) fn body_options(config: &Config) -> BodyOptions {
    let endpoint = &config.endpoint;
    BodyOptions {
        streaming: endpoint.streaming,
        legacy_max_tokens: endpoint.legacy_max_tokens,
        extra_inputs: endpoint.extra_inputs.clone(),
        per_chunk_usage: endpoint.per_chunk_usage,
        force_content_parts: config.tuning.force_content_parts,
        server_token_count: endpoint.server_token_count,
    }
}

pub(crate) fn endpoint_settings(config: &Config, found: Discovered) -> Result<EndpointSettings, RunError> {
    let endpoint = &config.endpoint;
    let template = endpoint.template.as_ref().map(|template| PayloadTemplate::parse(&template.source));
    let response_field = endpoint.response_field.as_deref().map(ResponseField::parse);
    Ok(EndpointSettings {
        template: template.transpose().map_err(RunError::Template)?,
        response_field: response_field.transpose().map_err(RunError::ResponseField)?,
        download_video: endpoint.download_video,
        poll_interval: Nanos::from(config.tuning.video_poll_interval),
        wire: endpoint.wire,
        kserve: KserveSettings { backend: endpoint.backend, streaming: endpoint.streaming, models: found.models },
        method: found.method,
    })
}

pub(crate) fn header_plan(config: &Config, version: &str) -> Result<HeaderPlan, RunError> {
    let endpoint = &config.endpoint;
    Ok(HeaderPlan::new(&HeaderOptions {
        kind: endpoint.kind,
        version,
        user: &endpoint.headers,
        api_key: endpoint.api_key.as_ref().map(|key| key.0.as_str()),
        streaming: endpoint.streaming,
        session_header: endpoint.session_header.as_deref(),
        affinity: config.tuning.affinity,
        wire: endpoint.wire,
        traces: config.otel.as_ref().is_some_and(|otel| otel.streams.traces),
    })?)
}

/// Connections that a worker may hold. A limit of the load must not be undercut by one that nobody asked for, even if all
/// of it came to one worker.
fn connection_limit(config: &Config) -> usize {
    let concurrency = config.phases.iter().filter_map(|phase| phase.pace.session_limit()).max();
    config
        .tuning
        .connection_limit
        .unwrap_or_else(|| concurrency.unwrap_or(0).clamp(USUAL_CONNECTIONS, MOST_CONNECTIONS))
}

fn tls_options(config: &Config) -> TlsOptions {
    let mut options = config.endpoint.tls.clone();
    if !config.tuning.ssl_verify {
        options.verification = Verification::Off;
    }
    options
}

/// The proxies of the run. Those of the environment are not used unless asked for, because they would be measured too; where
/// one is set that would be on the way, the user is told.
fn proxies(config: &Config, targets: &Targets) -> Proxies {
    let mut proxies = config.endpoint.proxies.clone();
    // A simulator of this run is inside it.
    proxies.bypass.extend(targets.simulated().map(|origin| format!("{}:{}", origin.host, origin.port)));
    if config.tuning.trust_env {
        return proxies;
    }
    let on_the_way =
        targets.requests.iter().find(|target| !is_near(&target.origin) && proxies.of(&target.origin).is_some());
    if let Some(target) = on_the_way {
        let variable = proxies.of(&target.origin).map_or("", |proxy| &proxy.variable);
        log::warn!(
            "{} is reached directly: the proxy of {variable} is used only with AIPERF_HTTP_TRUST_ENV=true",
            target.origin
        );
    }
    Proxies::default()
}

fn is_near(origin: &Origin) -> bool {
    origin.host == "localhost" || origin.host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// The headers of requests outside the benchmark: the user's own, and the API key.
pub(crate) fn own_headers(endpoint: &EndpointConfig) -> Vec<(String, String)> {
    let mut headers = endpoint.headers.clone();
    let anthropic = endpoint.kind == EndpointKind::Messages;
    match &endpoint.api_key {
        Some(key) if anthropic => headers.push(("x-api-key".into(), key.0.clone())),
        Some(key) => {
            headers.retain(|(name, _)| !name.eq_ignore_ascii_case("authorization"));
            headers.push(("Authorization".into(), format!("Bearer {}", key.0)));
        }
        None => {}
    }
    if anthropic && !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("anthropic-version")) {
        headers.push(("anthropic-version".into(), "2023-06-01".into()));
    }
    headers
}

pub(crate) fn client_settings(config: &Config, targets: &Targets) -> Result<ClientSettings, RunError> {
    let tuning = &config.tuning;
    let http_version = config.endpoint.http_version;
    let proxies = proxies(config, targets);
    let secure_proxy = proxies.all().any(|proxy| proxy.origin.scheme.is_secure());
    let tls = if targets.need_tls() || secure_proxy {
        TlsSettings::new(tls_options(config), http_version)?
    } else {
        TlsSettings::deferred(tls_options(config), http_version)
    };
    Ok(ClientSettings {
        tls: Some(tls),
        proxies,
        dns_cache: tuning.dns_cache.into(),
        socket: tuning.socket,
        http_version,
        sources: SourceAddresses::new(config.endpoint.source_addresses.clone()),
        ip_version: tuning.ip_version,
        connection_limit: connection_limit(config),
        body_limit: aiperf_transport::BodyLimit(tuning.body_limit),
        keepalive: tuning.keepalive_timeout.into(),
        stamping: Stamping::start(),
        resend: if config.endpoint.resend { Resend::default() } else { Resend::Never },
    })
}
