//! What GPU telemetry comes to when a run is over.

use std::sync::Arc;

use aiperf_clock::{Mono, Nanos};

use crate::energy::{PlatformEnergy, slowest_interval, total};
use crate::gpu::collected::CollectedSource;
use crate::gpu::field::{FieldId, FieldTable};
use crate::gpu::reading::GpuIdentity;
use crate::gpu::series::GpuSeries;
use crate::gpu::statistics::{GpuMetric, metrics};
use crate::series::Window;

/// All sources of a run, in the window of its profiling phase.
#[derive(Debug, Clone, PartialEq)]
pub struct GpuTelemetrySummary {
    pub sources: Vec<GpuSourceSummary>,
    pub energy: Vec<PlatformEnergy>,
    /// Sentences for the user: errors of GPUs, refused figures, GPUs that did nothing.
    pub notes: Vec<String>,
}

/// One source.
#[derive(Debug, Clone, PartialEq)]
pub struct GpuSourceSummary {
    pub url: String,
    pub display_name: String,
    pub gpus: Vec<GpuSummary>,
    /// The time between two new values, as far as it was seen.
    pub update_interval: Option<Nanos>,
    pub reads: u64,
    pub failures: u64,
    pub last_failure: Option<String>,
}

/// One GPU of a source.
#[derive(Debug, Clone, PartialEq)]
pub struct GpuSummary {
    pub gpu: Arc<GpuIdentity>,
    pub metrics: Vec<GpuMetric>,
}

impl GpuSummary {
    /// The mean of a field.
    fn mean(&self, key: &str) -> Option<f64> {
        self.metrics.iter().find(|metric| metric.key == key)?.stats.avg
    }
}

impl GpuTelemetrySummary {
    /// `first_request`: when the first phase began, until which GPUs were idle.
    pub fn of(collected: &[CollectedSource], fields: &FieldTable, window: Window, first_request: Mono) -> Self {
        let sources: Vec<GpuSourceSummary> =
            collected.iter().map(|source| GpuSourceSummary::of(source, fields, window)).collect();
        let energy = total(collected, fields, window, first_request);
        let mut notes: Vec<String> = energy.iter().filter_map(refused).collect();
        notes.extend(energy.iter().filter(|platform| platform.lacks_counter).map(no_counter));
        notes.extend(energy.iter().filter(|platform| platform.has_wrong_counter).map(wrong_counter));
        notes.extend(sources.iter().flat_map(|source| &source.gpus).filter_map(failed));
        notes.extend(collected.iter().filter(|source| source.series.is_thinned()).map(thinned));
        notes.extend(idle_gpus(&sources));
        Self { sources, energy, notes }
    }

    /// GPUs that sources reported one by one, each once.
    pub fn gpu_count(&self) -> usize {
        self.energy.iter().map(|platform| platform.gpus).sum()
    }
}

impl GpuSourceSummary {
    fn of(source: &CollectedSource, fields: &FieldTable, window: Window) -> Self {
        let gpu =
            |series: &GpuSeries| GpuSummary { gpu: Arc::clone(&series.gpu), metrics: metrics(series, fields, window) };
        Self {
            url: source.url.clone(),
            display_name: source.display_name(),
            gpus: source.series.gpus.iter().map(gpu).collect(),
            update_interval: slowest_interval(source, fields),
            reads: source.reads,
            failures: source.failures,
            last_failure: source.last_failure.clone(),
        }
    }
}

fn platform_name(platform: &PlatformEnergy) -> String {
    platform.platform.name().to_uppercase()
}

fn refused(platform: &PlatformEnergy) -> Option<String> {
    let why = platform.energy.as_ref().err()?;
    Some(format!("No energy figure for {} GPUs: {why}.", platform_name(platform)))
}

fn no_counter(platform: &PlatformEnergy) -> String {
    let method =
        if platform.energy.is_ok() { "their energy is integrated from power" } else { "no energy is reported" };
    format!("Some {} GPUs have no energy counter: {method}.", platform_name(platform))
}

fn wrong_counter(platform: &PlatformEnergy) -> String {
    format!(
        "The energy counters of some {} GPUs contradict their power by more than 10 %: power is used.",
        platform_name(platform)
    )
}

fn failed(summary: &GpuSummary) -> Option<String> {
    let key = FieldTable::default().get(FieldId::XID_ERRORS).key.clone();
    let metric = summary.metrics.iter().find(|metric| metric.key == key)?;
    let code = metric.last_code.filter(|_| metric.stats.avg > Some(0.0))?;
    let gpu = &summary.gpu;
    Some(format!(
        "GPU {} ({}) reported error XID {code} during the run. Check the kernel log (dmesg).",
        gpu.index, gpu.model
    ))
}

fn thinned(source: &CollectedSource) -> String {
    format!(
        "The run was so long that readings of {} were thinned out: energy is not affected, percentiles have less detail.",
        source.display_name()
    )
}

/// GPUs that did no work next to some that did: their power is in the totals.
fn idle_gpus(sources: &[GpuSourceSummary]) -> Option<String> {
    let used = |gpu: &&GpuSummary| gpu.mean("nvidia_gpu_utilization").or_else(|| gpu.mean("amd_gfx_activity"));
    let gpus = || sources.iter().flat_map(|source| &source.gpus);
    let idle: Vec<u32> = gpus().filter(|gpu| used(gpu) == Some(0.0)).map(|gpu| gpu.gpu.index).collect();
    let busy = gpus().any(|gpu| used(&gpu) > Some(0.0));
    if idle.is_empty() || !busy {
        return None;
    }
    let mut list: Vec<String> = idle.iter().map(u32::to_string).collect();
    list.dedup();
    let (noun, verb, them) = if list.len() == 1 { ("GPU", "was", "it") } else { ("GPUs", "were", "them") };
    Some(format!(
        "{noun} {} {verb} idle during the run (0 % utilization); energy and cost include {them}.",
        list.join(", ")
    ))
}
