//! Where the state of GPUs comes from, how often it is read, and what a GPU costs.

use std::path::PathBuf;
use std::time::Duration;

use aiperf_address::{Address, Scheme};
use serde_json::{Value, json};

use crate::section::Section;

/// GPU telemetry of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct GpuTelemetry {
    pub source: GpuTelemetrySource,
    /// A CSV file of further DCGM fields.
    pub extra_fields: Option<PathBuf>,
    /// The user asked for it, so that a missing source is worth a warning.
    pub asked_for: bool,
    /// `dashboard`: the progress line shows power and use of the GPUs.
    pub live: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum GpuTelemetrySource {
    /// Nobody asked: the usual pages and libraries of this machine, if the server runs on it.
    Automatic,
    /// Pages of DCGM exporters, or `/energy_metrics` of TensorRT-LLM.
    Pages(Vec<Address>),
    /// NVIDIA's library on this machine.
    Nvml,
    /// AMD's library on this machine.
    AmdSmi,
}

impl GpuTelemetry {
    pub fn automatic() -> Self {
        Self { source: GpuTelemetrySource::Automatic, extra_fields: None, asked_for: false, live: false }
    }

    /// The `gpu_telemetry` section of `input_config`.
    pub(crate) fn section(&self) -> Value {
        let (collector, urls): (&str, &[Address]) = match &self.source {
            GpuTelemetrySource::Automatic if !self.asked_for => return json!({"enabled": true}),
            GpuTelemetrySource::Automatic => ("dcgm", &[]),
            GpuTelemetrySource::Pages(urls) => ("dcgm", urls),
            GpuTelemetrySource::Nvml => ("pynvml", &[]),
            GpuTelemetrySource::AmdSmi => ("amdsmi", &[]),
        };
        let mut section = Section::default();
        section.put("enabled", true);
        section.put("urls", urls.iter().map(|url| aiperf_redact::shown_url(url.as_str())).collect::<Vec<_>>());
        section.put_some("metrics_file", self.extra_fields.as_ref().map(|path| path.display().to_string()));
        section.put("collector", collector);
        section.put("mode", if self.live { "realtime_dashboard" } else { "summary" });
        section.finish()
    }
}

/// `AIPERF_GPU_*`: when sources are read.
#[derive(Debug, Clone, PartialEq)]
pub struct GpuCollection {
    /// Pause between two readings.
    pub interval: Duration,
    /// Pages that are looked for if nobody asks for others.
    pub default_endpoints: Vec<Address>,
    /// Time limit for the first answer of a page.
    pub reachability_timeout: Duration,
    /// How long to wait after the run for the value that closes the window of energy.
    pub final_grace: Duration,
    /// How long the end of the run waits for a source that does not answer.
    pub shutdown: Duration,
}

impl Default for GpuCollection {
    fn default() -> Self {
        let page = |port| {
            let mut address = Address::of_server(Scheme::Http, "localhost", port);
            if let Ok(page) = Address::parse(&format!("{}/metrics", address.as_str()), Scheme::Http) {
                address = page;
            }
            address
        };
        Self {
            interval: Duration::from_millis(333),
            default_endpoints: vec![page(9400), page(9401)],
            reachability_timeout: Duration::from_secs(10),
            final_grace: Duration::from_millis(666),
            shutdown: Duration::from_secs(5),
        }
    }
}

impl GpuCollection {
    /// Whether the user named the pages to look for.
    pub fn names_endpoints(&self) -> bool {
        self.default_endpoints != Self::default().default_endpoints
    }
}

/// What the GPUs of the server cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GpuCost {
    pub per_gpu_hour: f64,
    /// `None`: as many as telemetry sees.
    pub gpus: Option<u32>,
}
