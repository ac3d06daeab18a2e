//! Scrapes the metrics pages of the servers while a run lasts, on the `server-metrics` thread.

use std::sync::Arc;
use std::time::Duration;

use aiperf_address::{HttpVersion, RequestTarget, Scheme};
use aiperf_clock::WallAnchor;
use aiperf_config::{Config, PhaseKind, ServerMetricsConfig, ServerMetricsFormat};
use aiperf_engine::PhaseHook;
use aiperf_redact::shown_url;
use aiperf_report::{ArtifactPaths, ServerMetricsLines};
use aiperf_telemetry::prometheus::PageLimits;
use aiperf_telemetry::scrape::{PageSource, PhaseSignal, ScrapeSettings, ScrapeThread};
use aiperf_telemetry::server::{EndpointHistory, EndpointPlan, LiveServerMetrics, PageRecorder};
use aiperf_transport::{BodyLimit, ClientSettings};

use crate::error::RunError;
use crate::prepare::settings;
use crate::prepare::target::Targets;

const THREAD: &str = "server-metrics";
/// Where servers have their page, and where TensorRT-LLM has it.
const PAGE: &str = "/metrics";
const TRT_LLM_PAGE: &str = "/prometheus/metrics";
/// How long a run waits for the first pages if it can do without them.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long the profiling phase waits for pages that show the state after the warmup.
const BETWEEN_PHASES: Duration = Duration::from_secs(1);
/// Bytes of the largest page that is read; those of inference servers have a few hundred kilobytes.
const LARGEST_PAGE: usize = 16 << 20;

/// Scrapes until [`ServerMetricsWatch::finish`].
pub(crate) struct ServerMetricsWatch {
    thread: ScrapeThread<EndpointHistory>,
    config: ServerMetricsConfig,
    lines: Option<ServerMetricsLines>,
}

/// What was scraped.
pub(crate) struct ScrapedMetrics {
    pub(crate) endpoints: Vec<EndpointHistory>,
    pub(crate) formats: Vec<ServerMetricsFormat>,
    /// The file that was written while the run lasted.
    pub(crate) lines: Option<ServerMetricsLines>,
}

impl ServerMetricsWatch {
    /// Starts the thread, which fetches the first pages at once. `None` if no metrics are wanted, or no server can have a page.
    pub(crate) fn start(
        config: &Config,
        targets: &Targets,
        client: &ClientSettings,
        anchor: WallAnchor,
        paths: &ArtifactPaths,
        live: &Arc<LiveServerMetrics>,
    ) -> Result<Option<Self>, RunError> {
        let Some(metrics) = &config.server_metrics else { return Ok(None) };
        let lines = metrics
            .formats
            .contains(&ServerMetricsFormat::JsonLines)
            .then(|| ServerMetricsLines::new(paths.server_metrics("jsonl"), anchor));
        let sources: Vec<_> = sources(config, metrics, targets)
            .into_iter()
            .map(|(source, plan)| {
                let recorder = lines.clone().map(|lines| Box::new(lines) as Box<dyn PageRecorder>);
                (source, EndpointHistory::new(plan, PageLimits::default(), recorder, Arc::clone(live)))
            })
            .collect();
        if sources.is_empty() {
            return Ok(None);
        }
        let settings = ScrapeSettings {
            thread: THREAD,
            client: client.clone(),
            interval: metrics.scraping.interval,
            timeout: metrics.scraping.timeout,
            body_limit: BodyLimit(LARGEST_PAGE),
        };
        let thread =
            ScrapeThread::start(settings, sources).map_err(|cause| RunError::Thread { name: THREAD, cause })?;
        Ok(Some(Self { thread, config: metrics.clone(), lines }))
    }

    /// Waits for the first pages, so that counters are known before the first request. Fails if a page is required and cannot be read.
    pub(crate) fn wait_for_first_pages(&mut self) -> Result<(), RunError> {
        let required = self.config.required;
        let limit = if required { self.config.scraping.reachability_timeout } else { PATIENCE };
        self.thread.wait_for_first_pages(limit);
        match self.thread.first_failure().filter(|_| required) {
            Some((url, reason)) => Err(RunError::NoServerMetrics { url, reason }),
            None => Ok(()),
        }
    }

    /// Whether the first page of every server is there, once they have been waited for.
    pub(crate) fn all_answer(&self) -> bool {
        self.thread.first_failure().is_none()
    }

    /// Tells the thread when phases begin and end.
    pub(crate) fn hook(&self) -> Box<dyn PhaseHook> {
        Box::new(ScrapeHook { signal: self.thread.signal(), has_begun: false, lines: self.lines.clone() })
    }

    /// The last phase has ended. Pages are scraped until the counters of the servers stand still, unless the user does not want to wait.
    pub(crate) fn run_is_over(&self, interrupted: bool) {
        if interrupted { self.thread.abandon() } else { self.thread.run_is_over(self.config.scraping.flush) }
    }

    /// Waits for the last pages.
    pub(crate) fn finish(self) -> ScrapedMetrics {
        let endpoints = self.thread.finish();
        for endpoint in endpoints.iter().filter(|endpoint| !endpoint.has_pages()) {
            let reason = endpoint.last_error().unwrap_or("it did not answer in time");
            let text = format!("No server metrics from {}: {reason}", endpoint.url());
            if endpoint.is_named() { log::warn!("{text}") } else { log::info!("{text}") }
        }
        ScrapedMetrics { endpoints, formats: self.config.formats, lines: self.lines }
    }
}

/// The page of each server, then the pages that the user named, each once.
fn sources(config: &Config, metrics: &ServerMetricsConfig, targets: &Targets) -> Vec<(PageSource, EndpointPlan)> {
    let mut pages: Vec<(RequestTarget, bool)> = Vec::new();
    for target in &targets.requests {
        let is_grpc = config.endpoint.wire.is_grpc();
        if let Ok(page) = target.resolve(PAGE)
            && !is_grpc
        {
            pages.push((page, false));
        }
    }
    pages.extend(metrics.urls.iter().map(|address| (address.request_target(PAGE), true)));
    let mut sources: Vec<(PageSource, EndpointPlan)> = Vec::new();
    for (page, is_named) in pages {
        if let Some((_, known)) = sources.iter_mut().find(|(known, _)| known.target == page) {
            known.is_named |= is_named;
            continue;
        }
        // Keys of the requests are for their servers only.
        let is_own = targets.requests.iter().any(|target| target.origin == page.origin);
        let headers = if is_own { settings::own_headers(&config.endpoint) } else { Vec::new() };
        let http_version = if is_own { config.endpoint.http_version } else { HttpVersion::Http1 };
        let url = |page: &RequestTarget| match page.origin.scheme {
            Scheme::Unix => page.to_string(),
            _ => shown_url(&page.to_string()),
        };
        let fallback = page.path().strip_suffix(PAGE).map(|base| format!("{base}{TRT_LLM_PAGE}"));
        let fallback = fallback.and_then(|path| page.resolve(&path).ok());
        let fallback_url = fallback.as_ref().map(url).unwrap_or_default();
        let plan = EndpointPlan { url: url(&page), is_named, fallback, fallback_url };
        sources.push((PageSource { target: page, headers, http_version }, plan));
    }
    sources
}

struct ScrapeHook {
    signal: PhaseSignal,
    /// A phase has begun before.
    has_begun: bool,
    lines: Option<ServerMetricsLines>,
}

impl PhaseHook for ScrapeHook {
    fn before(&mut self, phase: PhaseKind) -> Result<(), String> {
        // The first pages of the run show the state before its first phase.
        if std::mem::replace(&mut self.has_begun, true) {
            self.signal.phase_follows(BETWEEN_PHASES);
        } else {
            self.signal.phase_begins();
        }
        if let Some(lines) = &self.lines {
            lines.begin_phase(phase);
        }
        Ok(())
    }

    fn after(&mut self, _phase: PhaseKind) {
        self.signal.phase_ended();
    }
}

/// Several hooks, called in order.
pub(crate) struct PhaseHooks(pub(crate) Vec<Box<dyn PhaseHook>>);

impl PhaseHook for PhaseHooks {
    fn before(&mut self, phase: PhaseKind) -> Result<(), String> {
        self.0.iter_mut().try_for_each(|hook| hook.before(phase))
    }

    fn after(&mut self, phase: PhaseKind) {
        self.0.iter_mut().for_each(|hook| hook.after(phase));
    }
}
