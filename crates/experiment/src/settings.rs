//! What the parts of a run need to know of its configuration.

use aiperf_clock::Nanos;
use aiperf_config::{Config, HttpVersion, IpVersion, Pace, PhaseConfig, PhaseKind};
use aiperf_endpoint::{AffinityHeaders, BodyOptions, EndpointSettings, HeaderOptions, HeaderPlan, KserveSettings};
use aiperf_metrics::{MetricContext, Thresholds};
use aiperf_socket::{SourceAddresses, Stamping};
use aiperf_transport::{ClientSettings, TlsSettings, Verification};

use crate::discovery::Discovered;
use crate::error::RunError;
use crate::target::Targets;

/// Connections of a worker where nothing asks for more, as in the reference, and what the reference allows at most.
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
    context.open_loop = !matches!(phase.pace, Pace::Concurrency(_));
    context.fixed_schedule = matches!(phase.pace, Pace::FixedSchedule { .. });
    context.show_internal = tuning.show_internal_metrics;
    context.show_experimental = tuning.show_experimental_metrics;
    // A warmup has no objectives, and it may lack the metrics that those of the profiling phase are set on.
    let objectives = config.output.goodput.iter().filter(|_| phase.kind == PhaseKind::Profiling);
    for (tag, limit) in objectives {
        let slo = context.slo(tag, *limit)?;
        context.slos.push(slo);
    }
    Ok(context)
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

pub(crate) fn endpoint_settings(config: &Config, found: Discovered) -> EndpointSettings {
    let endpoint = &config.endpoint;
    EndpointSettings {
        template: endpoint.template.clone(),
        response_field: endpoint.response_field.clone(),
        download_video: endpoint.download_video,
        poll_interval: Nanos::from(config.tuning.video_poll_interval),
        wire: endpoint.wire,
        kserve: KserveSettings { backend: endpoint.backend, streaming: endpoint.streaming, models: found.models },
        method: found.method,
    }
}

pub(crate) fn header_plan(config: &Config, version: &str) -> Result<HeaderPlan, RunError> {
    let endpoint = &config.endpoint;
    let copies = config.tuning.session_copies;
    Ok(HeaderPlan::new(&HeaderOptions {
        kind: endpoint.kind,
        version,
        user: &endpoint.headers,
        api_key: endpoint.api_key.as_ref().map(|key| key.0.as_str()),
        streaming: endpoint.streaming,
        session_header: endpoint.session_header.as_deref(),
        affinity: AffinityHeaders {
            session_affinity: copies.session_affinity,
            session_id: copies.session_id,
            smg_routing_key: copies.smg_routing_key,
            dynamo_session_id: copies.dynamo_session_id,
        },
        wire: endpoint.wire,
    })?)
}

/// Connections that a worker may hold. A limit of the load must not be undercut by one that nobody asked for, even if all
/// of it came to one worker.
fn connection_limit(config: &Config) -> usize {
    let concurrency =
        config.warmup.iter().chain([&config.profiling]).filter_map(|phase| phase.pace.session_limit()).max();
    config
        .tuning
        .connection_limit
        .unwrap_or_else(|| concurrency.unwrap_or(0).clamp(USUAL_CONNECTIONS, MOST_CONNECTIONS))
}

pub(crate) fn client_settings(config: &Config, targets: &Targets) -> Result<ClientSettings, RunError> {
    let tuning = &config.tuning;
    let verification = if tuning.ssl_verify { Verification::Full } else { Verification::Off };
    let http_version = match config.endpoint.http_version {
        HttpVersion::Http1 => aiperf_transport::HttpVersion::Http1,
        HttpVersion::Http2 => aiperf_transport::HttpVersion::Http2,
    };
    Ok(ClientSettings {
        tls: if targets.need_tls() { Some(TlsSettings::new(verification, http_version)?) } else { None },
        http_version,
        sources: SourceAddresses::new(config.endpoint.source_addresses.clone()),
        ip_version: match tuning.ip_version {
            IpVersion::V4 => aiperf_transport::IpVersion::V4,
            IpVersion::V6 => aiperf_transport::IpVersion::V6,
            IpVersion::Auto => aiperf_transport::IpVersion::Any,
        },
        connection_limit: connection_limit(config),
        keepalive: tuning.keepalive_timeout.into(),
        stamping: Stamping::start(),
    })
}
