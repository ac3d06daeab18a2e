//! Which measurements go to an OpenTelemetry collector while a run lasts, and how.

use std::time::Duration;

use aiperf_address::{Address, Secret};
use aiperf_redact::shown_url;
use serde_json::{Map, Value, json};

use crate::section::Section;

/// Measurements are sent to a collector over OTLP/HTTP.
#[derive(Debug, Clone, PartialEq)]
pub struct OtelConfig {
    /// Where metrics are posted; its path ends in `/v1/metrics`.
    pub metrics_url: Address,
    pub streams: OtelStreams,
    /// `--otel-resource-attributes`, in the order given.
    pub resource_attributes: Vec<(String, String)>,
    /// `--gen-ai-provider`.
    pub provider: Option<String>,
    /// Headers of `OTEL_EXPORTER_OTLP_HEADERS`, sent with every post.
    pub headers: Vec<(String, Secret)>,
}

/// What is sent to the collector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OtelStreams {
    /// The metrics of each request as histograms, with those of servers and GPUs.
    pub metrics: bool,
    /// Counters of requests and sessions of each phase.
    pub timing: bool,
    /// A span for each request.
    pub traces: bool,
}

impl OtelStreams {
    pub const NONE: Self = Self { metrics: false, timing: false, traces: false };
    pub const DEFAULT: Self = Self { metrics: true, timing: true, traces: false };

    pub const fn is_none(self) -> bool {
        !self.metrics && !self.timing && !self.traces
    }
}

/// `AIPERF_OTEL_*`: when and how much is posted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OtelSending {
    /// Pause between two posts.
    pub flush_interval: Duration,
    /// Most requests that are taken over at a time, and most spans in one post.
    pub batch: usize,
    /// Most finished requests, and most spans, that wait to be sent; beyond it the oldest are dropped and counted.
    pub buffer: usize,
    /// Time limit of one post, and of all posts at the end of the run together.
    pub timeout: Duration,
}

impl Default for OtelSending {
    fn default() -> Self {
        Self { flush_interval: Duration::from_secs(2), batch: 500, buffer: 10_000, timeout: Duration::from_secs(10) }
    }
}

/// The section of the configuration that files show.
pub(crate) fn section(otel: Option<&OtelConfig>) -> Value {
    let Some(otel) = otel else { return json!({}) };
    let mut section = Section::default();
    section.put("metrics_url", shown_url(otel.metrics_url.as_str()));
    section.put("stream_metrics_enabled", otel.streams.metrics);
    section.put("stream_timing_enabled", otel.streams.timing);
    section.put_if("stream_traces_enabled", otel.streams.traces);
    if !otel.resource_attributes.is_empty() {
        let attributes = otel.resource_attributes.iter().map(|(name, value)| (name.clone(), json!(value)));
        section.put("custom_resource_attributes", attributes.collect::<Map<_, _>>());
    }
    section.put_some("gen_ai_provider", otel.provider.as_deref());
    section.finish()
}
