//! Which sources a run looks for.

use std::sync::Arc;
use std::time::Duration;

use aiperf_address::{Address, Origin, Proxies};
use aiperf_config::{GpuCollection, GpuTelemetry, GpuTelemetrySource};
use aiperf_redact::shown_url;
use aiperf_telemetry::gpu::collector::FoundSource;
use aiperf_telemetry::gpu::field::FieldTable;
use aiperf_telemetry::gpu::source::amd::{self, AmdSource};
use aiperf_telemetry::gpu::source::dcgm::DcgmSource;
use aiperf_telemetry::gpu::source::nvml::{self, NvmlSource};
use aiperf_telemetry::gpu::source::trtllm::{self, TrtLlmSource};
use aiperf_telemetry::gpu::source::{GpuSource, SourceError};
use aiperf_transport::ClientSettings;

use super::local::is_local;
use crate::prepare::target::Targets;

/// How long a library may take to list its GPUs.
const LIBRARY_LIMIT: Duration = Duration::from_secs(20);

/// Looks for sources, on the thread that reads them.
///
/// Without `--gpu-telemetry`, the sources of this machine are looked for only if every server of the run is on it: the GPUs of a
/// machine that only sends requests are not those that answer them. What is not there is then not worth a word.
pub(super) struct SourceSearch {
    source: GpuTelemetrySource,
    defaults: Vec<Address>,
    /// The default pages are looked for even if servers are elsewhere: the user named them.
    names_defaults: bool,
    servers: Vec<Origin>,
    client: ClientSettings,
    fields: Arc<FieldTable>,
    timeout: Duration,
}

impl SourceSearch {
    pub(super) fn new(
        telemetry: &GpuTelemetry,
        collection: &GpuCollection,
        targets: &Targets,
        client: &ClientSettings,
        fields: Arc<FieldTable>,
    ) -> Self {
        let simulated: Vec<&Origin> = targets.simulated().collect();
        let servers = targets.requests.iter().map(|target| &target.origin);
        Self {
            source: telemetry.source.clone(),
            defaults: collection.default_endpoints.clone(),
            names_defaults: collection.names_endpoints(),
            // A simulator in this process uses no GPU.
            servers: if simulated.is_empty() { servers.cloned().collect() } else { Vec::new() },
            client: client.clone(),
            fields,
            timeout: collection.reachability_timeout,
        }
    }

    /// Nothing can be found.
    pub(super) fn is_empty(&self) -> bool {
        self.source == GpuTelemetrySource::Automatic && self.servers.is_empty() && !self.names_defaults
    }

    /// How long [`SourceSearch::open`] may take.
    pub(super) fn limit(&self) -> Duration {
        let pages = match &self.source {
            GpuTelemetrySource::Pages(pages) => pages.len(),
            _ => 0,
        };
        self.timeout * (pages + self.defaults.len()) as u32 + LIBRARY_LIMIT
    }

    pub(super) fn open(self) -> Vec<FoundSource> {
        let is_local = !self.servers.is_empty() && !self.has_remote_server();
        if matches!(self.source, GpuTelemetrySource::Nvml | GpuTelemetrySource::AmdSmi) && self.has_remote_server() {
            log::warn!(
                "The server does not run on this machine: GPU telemetry is that of the GPUs here. Give the URL of a DCGM exporter on \
                 the server's machine instead."
            );
        }
        let asked: &[Address] = match &self.source {
            GpuTelemetrySource::Nvml => return vec![library(nvml::URL, NvmlSource::open)],
            GpuTelemetrySource::AmdSmi => return vec![library(amd::URL, AmdSource::open)],
            GpuTelemetrySource::Pages(pages) => pages,
            GpuTelemetrySource::Automatic => &[],
        };
        let mut found: Vec<FoundSource> = asked.iter().map(|address| self.page(address, &self.client)).collect();
        if is_local || self.names_defaults {
            let others = self.defaults.iter().filter(|address| !asked.contains(address));
            // Nobody named these pages, so that nothing is asked of a proxy.
            let direct = ClientSettings { proxies: Proxies::default(), ..self.client.clone() };
            let client = if self.names_defaults { &self.client } else { &direct };
            found.extend(others.map(|address| self.page(address, client)).filter(|source| source.opened.is_ok()));
        }
        if found.is_empty() && asked.is_empty() && is_local {
            let libraries = [library(nvml::URL, NvmlSource::open), library(amd::URL, AmdSource::open)];
            found.extend(libraries.into_iter().filter(|source| source.opened.is_ok()));
        }
        found
    }

    fn has_remote_server(&self) -> bool {
        !self.servers.iter().all(is_local)
    }

    fn page(&self, address: &Address, client: &ClientSettings) -> FoundSource {
        let url = shown_url(address.as_str());
        let limit = self.timeout;
        let opened = if address.as_str().ends_with(trtllm::PATH) {
            TrtLlmSource::open(address, url.clone(), client, limit).map(boxed)
        } else {
            DcgmSource::open(address, url.clone(), client, Arc::clone(&self.fields), limit).map(boxed)
        };
        FoundSource { url, opened }
    }
}

fn library<S: GpuSource + 'static>(url: &str, open: impl FnOnce() -> Result<S, SourceError>) -> FoundSource {
    FoundSource { url: url.to_owned(), opened: open().map(boxed) }
}

fn boxed<S: GpuSource + 'static>(source: S) -> Box<dyn GpuSource> {
    Box::new(source)
}
