//! What GPUs made of their power: metrics from the energy that telemetry saw and from the run's own numbers.

use crate::Metric;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GpuVendor {
    Nvidia,
    Amd,
}

/// What telemetry saw of one vendor's GPUs in the window of a phase.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GpuEnergy {
    pub vendor: GpuVendor,
    /// Sum over GPUs of their mean power.
    pub watts: Option<f64>,
    /// Sum over GPUs of what their energy counters gained.
    pub joules: Option<f64>,
}

/// The numbers of a phase that energy is divided by.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PhaseWork {
    pub(crate) seconds: f64,
    pub(crate) requests: f64,
    pub(crate) mean_latency_seconds: Option<f64>,
    pub(crate) requests_per_second: Option<f64>,
    pub(crate) output_tokens_per_second: Option<f64>,
    pub(crate) goodput: Option<f64>,
    pub(crate) input_tokens: Option<f64>,
    pub(crate) output_tokens: Option<f64>,
    pub(crate) concurrency: Option<u64>,
}

/// The vendor whose GPUs a metric is about; `None` for all other metrics.
fn vendor(metric: Metric) -> Option<GpuVendor> {
    let tag = metric.tag();
    if tag.starts_with("nvidia_") { Some(GpuVendor::Nvidia) } else { tag.starts_with("amd_").then_some(GpuVendor::Amd) }
}

/// A metric of GPU energy; `None` for all others, and if something is missing.
pub(crate) fn value(metric: Metric, readings: &[GpuEnergy], work: &PhaseWork) -> Option<f64> {
    let vendor = vendor(metric)?;
    let reading = readings.iter().find(|reading| reading.vendor == vendor)?;
    let energy = reading.joules.or_else(|| Some(reading.watts? * work.seconds));
    let power = reading.joules.and_then(|joules| ratio(joules, work.seconds)).or(reading.watts);
    let per_request = || ratio(energy?, work.requests);
    let all_tokens = || Some(work.input_tokens.unwrap_or(0.0) + work.output_tokens.unwrap_or(0.0));
    match metric {
        Metric::NvidiaTotalGpuPower | Metric::AmdTotalGpuPower => reading.watts,
        Metric::NvidiaTotalGpuEnergy | Metric::AmdTotalGpuEnergy => energy,
        Metric::NvidiaAverageGpuPower | Metric::AmdAverageGpuPower => power,
        Metric::NvidiaEnergyPerRequest | Metric::AmdEnergyPerRequest => per_request(),
        Metric::NvidiaEnergyDelayProduct | Metric::AmdEnergyDelayProduct => {
            Some(per_request()? * work.mean_latency_seconds?)
        }
        Metric::NvidiaPerformancePerWatt | Metric::AmdPerformancePerWatt => ratio(work.requests_per_second?, power?),
        Metric::NvidiaOutputTpsPerWatt | Metric::AmdOutputTpsPerWatt => ratio(work.output_tokens_per_second?, power?),
        Metric::NvidiaGoodputPerWatt | Metric::AmdGoodputPerWatt => ratio(work.goodput?, power?),
        Metric::NvidiaEnergyPerTotalToken | Metric::AmdEnergyPerTotalToken => ratio(energy? * 1e3, all_tokens()?),
        Metric::NvidiaEnergyPerOutputToken | Metric::AmdEnergyPerOutputToken => {
            ratio(energy? * 1e3, work.output_tokens?)
        }
        Metric::NvidiaOutputTokensPerJoule | Metric::AmdOutputTokensPerJoule => ratio(work.output_tokens?, energy?),
        Metric::NvidiaEnergyPerUser | Metric::AmdEnergyPerUser => ratio(energy?, work.concurrency? as f64),
        _ => None,
    }
}

fn ratio(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}
