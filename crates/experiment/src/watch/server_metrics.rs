//! Scrapes the metrics pages of the servers while a run lasts, on the `server-metrics` thread.

use std::sync::Arc;
use std::time::Duration;

use aiperf_address::{HttpVersion, RequestTarget, Scheme};
use aiperf_clock::WallAnchor;
use aiperf_config::{Config, PhaseConfig, ServerMetricsConfig, ServerMetricsFormat};
use aiperf_engine::PhaseHook;
use aiperf_redact::shown_url;
use aiperf_report::{ArtifactPaths, ServerMetricsLines};
use aiperf_telemetry::prometheus::PageLimits;
use aiperf_telemetry::scrape::{FirstPage, PageSource, PhaseSignal, ScrapeSettings, ScrapeThread};
use aiperf_telemetry::server::{EndpointHistory, EndpointPlan, LiveServerMetrics, PageAddress, PageRecorder};
use aiperf_transport::{BodyLimit, ClientSettings};

use crate::error::RunError;
use crate::prepare::settings;
use crate::prepare::target::Targets;

const THREAD: &str = "server-metrics";
/// Where servers have their page.
const PAGE: &str = "/metrics";
/// Where TensorRT-LLM has it, whose `/metrics` is JSON, and where NIM has it, which has no `/metrics`.
const OTHER_PAGES: [&str; 2] = ["/prometheus/metrics", "/v1/metrics"];
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
    /// In the order of the sources.
    pages: Vec<WatchedPage>,
    lines: Option<ServerMetricsLines>,
}

/// What is known about a page before it was fetched.
struct WatchedPage {
    /// Its first address.
    url: String,
    is_named: bool,
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
        let planned = sources(config, metrics, targets);
        if planned.is_empty() {
            return if metrics.required { Err(RunError::NoMetricsPage) } else { Ok(None) };
        }
        let pages = planned.iter().map(|(_, plan)| WatchedPage { url: plan.url.clone(), is_named: plan.is_named });
        let pages = pages.collect();
        let sources = planned
            .into_iter()
            .map(|(source, plan)| {
                let recorder = lines.clone().map(|lines| Box::new(lines) as Box<dyn PageRecorder>);
                (source, EndpointHistory::new(plan, PageLimits::default(), recorder, Arc::clone(live)))
            })
            .collect();
        let settings = ScrapeSettings {
            thread: THREAD,
            client: client.clone(),
            interval: metrics.scraping.interval,
            timeout: metrics.scraping.timeout,
            body_limit: BodyLimit(LARGEST_PAGE),
        };
        let thread =
            ScrapeThread::start(settings, sources).map_err(|cause| RunError::Thread { name: THREAD, cause })?;
        Ok(Some(Self { thread, config: metrics.clone(), pages, lines }))
    }

    /// Waits for the first pages, so that counters are known before the first request. Fails if a page is required and cannot be read.
    pub(crate) fn wait_for_first_pages(&mut self) -> Result<(), RunError> {
        if self.config.required {
            let limit = self.config.scraping.reachability_timeout;
            let required = self.required_pages();
            self.thread.wait_for_first_pages(limit, |index| required[index]);
            let missing = self.thread.first_pages().iter().zip(&self.pages).zip(required);
            for ((first, page), _) in missing.filter(|(_, is_required)| *is_required) {
                let reason = match first {
                    FirstPage::Read => continue,
                    FirstPage::Failed { reason } => reason.clone(),
                    FirstPage::Awaited => format!("no page within {} s", limit.as_secs_f64()),
                };
                let url = page.url.clone();
                return Err(if page.is_named {
                    RunError::NamedMetricsMissing { url, reason }
                } else {
                    RunError::ServerMetricsMissing { url, reason }
                });
            }
        }
        self.thread.wait_for_first_pages(PATIENCE, |_| true);
        Ok(())
    }

    /// Pages that must be there: those that the user named. If none was named, the page of each server. A server whose page is on
    /// another port, as Triton's is, has no page of its own.
    fn required_pages(&self) -> Vec<bool> {
        let names_any = self.pages.iter().any(|page| page.is_named);
        self.pages.iter().map(|page| page.is_named || !names_any).collect()
    }

    /// How many first pages were read, and how many there are, once they have been waited for.
    pub(crate) fn first_pages_read(&self) -> (usize, usize) {
        let pages = self.thread.first_pages();
        (pages.iter().filter(|page| **page == FirstPage::Read).count(), pages.len())
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
        let plan = EndpointPlan { url: page_url(&page), is_named, fallbacks: Vec::new() };
        sources.push((PageSource { target: page, headers, http_version }, plan));
    }
    // A page that is a source of its own is not a second one of another source: what it counts would count twice.
    let known: Vec<RequestTarget> = sources.iter().map(|(source, _)| source.target.clone()).collect();
    for (source, plan) in &mut sources {
        plan.fallbacks = other_pages(&source.target);
        plan.fallbacks.retain(|other| !known.contains(&other.target));
    }
    sources
}

/// Where else the server of a page at `/metrics` may have it.
fn other_pages(page: &RequestTarget) -> Vec<PageAddress> {
    let path = page.path();
    let Some(base) = path.strip_suffix(PAGE).filter(|_| !OTHER_PAGES.iter().any(|other| path.ends_with(other))) else {
        return Vec::new();
    };
    let targets = OTHER_PAGES.iter().filter_map(|other| page.resolve(&format!("{base}{other}")).ok());
    targets.map(|target| PageAddress { url: page_url(&target), target }).collect()
}

/// The address of a page as files and messages name it.
fn page_url(page: &RequestTarget) -> String {
    match page.origin.scheme {
        Scheme::Unix => page.to_string(),
        _ => shown_url(&page.to_string()),
    }
}

struct ScrapeHook {
    signal: PhaseSignal,
    /// A phase has begun before.
    has_begun: bool,
    lines: Option<ServerMetricsLines>,
}

impl PhaseHook for ScrapeHook {
    fn before(&mut self, phase: &PhaseConfig) -> Result<(), String> {
        // The first pages of the run show the state before its first phase.
        if std::mem::replace(&mut self.has_begun, true) {
            self.signal.phase_follows(BETWEEN_PHASES);
        } else {
            self.signal.phase_begins();
        }
        if let Some(lines) = &self.lines {
            lines.begin_phase(&phase.name, phase.kind, phase.is_measured());
        }
        Ok(())
    }

    fn after(&mut self, _phase: &PhaseConfig) {
        self.signal.phase_ended();
    }

    /// Requests are in flight, so nothing is waited for.
    fn between(&mut self, _ended: &PhaseConfig, begins: &PhaseConfig) -> Result<(), String> {
        if let Some(lines) = &self.lines {
            lines.begin_phase(&begins.name, begins.kind, begins.is_measured());
        }
        Ok(())
    }
}

/// Several hooks, called in order.
pub(crate) struct PhaseHooks(pub(crate) Vec<Box<dyn PhaseHook>>);

impl PhaseHook for PhaseHooks {
    fn before(&mut self, phase: &PhaseConfig) -> Result<(), String> {
        self.0.iter_mut().try_for_each(|hook| hook.before(phase))
    }

    fn release(&mut self, phase: &PhaseConfig) -> Result<(), String> {
        self.0.iter_mut().try_for_each(|hook| hook.release(phase))
    }

    fn after(&mut self, phase: &PhaseConfig) {
        self.0.iter_mut().for_each(|hook| hook.after(phase));
    }

    fn between(&mut self, ended: &PhaseConfig, begins: &PhaseConfig) -> Result<(), String> {
        self.0.iter_mut().try_for_each(|hook| hook.between(ended, begins))
    }
}
