//! What GPUs made of their power: metrics from the energy that telemetry saw and from the run's own numbers.

use aiperf_stats::Interval;

use crate::summary::Confidence;
use crate::{Metric, MetricContext, PhaseWindow};

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
    /// What all GPUs drew in the window; `None` if that is not known well enough.
    pub joules: Option<f64>,
    /// The largest error of `joules`, as a share of it.
    pub relative_error: f64,
    /// Sum over GPUs of their mean power before the first request.
    pub idle_watts: Option<f64>,
}

impl GpuEnergy {
    pub fn unknown(vendor: GpuVendor) -> Self {
        Self { vendor, watts: None, joules: None, relative_error: 0.0, idle_watts: None }
    }
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

fn reading_of(metric: Metric, readings: &[GpuEnergy]) -> Option<&GpuEnergy> {
    let vendor = vendor(metric)?;
    readings.iter().find(|reading| reading.vendor == vendor)
}

/// A metric of GPU energy; `None` for all others, and if something is missing.
pub(crate) fn value(metric: Metric, readings: &[GpuEnergy], work: &PhaseWork) -> Option<f64> {
    let reading = reading_of(metric, readings)?;
    let energy = reading.joules;
    let power = energy.and_then(|joules| ratio(joules, work.seconds));
    let per_request = || ratio(energy?, work.requests);
    let all_tokens = || Some(work.input_tokens.unwrap_or(0.0) + work.output_tokens.unwrap_or(0.0));
    match metric {
        Metric::NvidiaTotalGpuPower | Metric::AmdTotalGpuPower => reading.watts,
        Metric::NvidiaIdleGpuPower | Metric::AmdIdleGpuPower => reading.idle_watts,
        Metric::NvidiaTotalGpuEnergy | Metric::AmdTotalGpuEnergy => energy,
        Metric::NvidiaGpuEnergyAboveIdle | Metric::AmdGpuEnergyAboveIdle => {
            Some(energy? - reading.idle_watts? * work.seconds)
        }
        Metric::NvidiaAverageGpuPower | Metric::AmdAverageGpuPower => power.or(reading.watts),
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

/// How an efficiency follows from a rate and from power.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Efficiency {
    /// Rate divided by power.
    WorkPerEnergy,
    /// Power divided by rate, in this many parts of a joule.
    EnergyPerWork(f64),
}

fn efficiency(metric: Metric) -> Option<(Metric, Efficiency)> {
    use Efficiency::{EnergyPerWork, WorkPerEnergy};
    Some(match metric {
        Metric::NvidiaOutputTokensPerJoule
        | Metric::AmdOutputTokensPerJoule
        | Metric::NvidiaOutputTpsPerWatt
        | Metric::AmdOutputTpsPerWatt => (Metric::OutputTokenThroughput, WorkPerEnergy),
        Metric::NvidiaPerformancePerWatt | Metric::AmdPerformancePerWatt => (Metric::RequestThroughput, WorkPerEnergy),
        Metric::NvidiaGoodputPerWatt | Metric::AmdGoodputPerWatt => (Metric::Goodput, WorkPerEnergy),
        Metric::NvidiaEnergyPerOutputToken | Metric::AmdEnergyPerOutputToken => {
            (Metric::OutputTokenThroughput, EnergyPerWork(1e3))
        }
        Metric::NvidiaEnergyPerTotalToken | Metric::AmdEnergyPerTotalToken => {
            (Metric::TotalTokenThroughput, EnergyPerWork(1e3))
        }
        Metric::NvidiaEnergyPerRequest | Metric::AmdEnergyPerRequest => (Metric::RequestThroughput, EnergyPerWork(1.0)),
        _ => return None,
    })
}

/// The interval of an efficiency: that of its rate, widened by the error of the energy. Rate and power vary together, so that the
/// interval is rather too wide than too narrow.
pub(crate) fn confidence(
    metric: Metric,
    context: &MetricContext,
    window: &PhaseWindow,
    rates: &[(Metric, Confidence)],
) -> Option<Confidence> {
    let (rate, efficiency) = efficiency(metric)?;
    let reading = reading_of(metric, &context.gpu_energy)?;
    let power = ratio(reading.joules?, window.length().as_secs_f64()).filter(|power| *power > 0.0)?;
    let known = rates.iter().find(|(known, _)| *known == rate).map(|(_, confidence)| confidence)?;
    let (low, high) = (power * (1.0 - reading.relative_error), power * (1.0 + reading.relative_error));
    let convert = |rate: Interval| match efficiency {
        Efficiency::WorkPerEnergy => Interval { low: rate.low / high, high: rate.high / low },
        Efficiency::EnergyPerWork(parts) => Interval { low: low / rate.high * parts, high: high / rate.low * parts },
    };
    // A rate that may be zero says nothing about the energy of a piece of work.
    let is_usable = known.avg.interval().is_none_or(|interval| interval.low > 0.0) && low > 0.0;
    is_usable.then(|| known.derived(convert))
}

fn ratio(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}

#[cfg(test)]
mod tests {
    use aiperf_clock::Mono;
    use aiperf_protocol::EndpointKind;
    use aiperf_stats::{Estimate, Support};

    use super::*;
    use crate::Level;

    #[test]
    fn without_an_energy_figure_only_power_is_reported() {
        let readings =
            [GpuEnergy { watts: Some(300.0), idle_watts: Some(80.0), ..GpuEnergy::unknown(GpuVendor::Nvidia) }];
        let work = PhaseWork { seconds: 10.0, requests: 5.0, output_tokens: Some(100.0), ..PhaseWork::default() };
        let of = |metric| value(metric, &readings, &work);
        assert_eq!(of(Metric::NvidiaTotalGpuPower), Some(300.0));
        assert_eq!(of(Metric::NvidiaIdleGpuPower), Some(80.0));
        assert_eq!(of(Metric::NvidiaAverageGpuPower), Some(300.0));
        for refused in [
            Metric::NvidiaTotalGpuEnergy,
            Metric::NvidiaGpuEnergyAboveIdle,
            Metric::NvidiaEnergyPerRequest,
            Metric::NvidiaOutputTokensPerJoule,
            Metric::NvidiaEnergyPerOutputToken,
        ] {
            assert_eq!(of(refused), None, "{}", refused.tag());
        }
        assert_eq!(of(Metric::AmdTotalGpuPower), None);
    }

    #[test]
    fn tokens_per_joule_have_the_interval_of_throughput_and_of_the_error_of_energy() {
        let reading =
            GpuEnergy { joules: Some(1_000.0), relative_error: 0.02, ..GpuEnergy::unknown(GpuVendor::Nvidia) };
        let context = MetricContext { gpu_energy: vec![reading], ..MetricContext::new(EndpointKind::Chat, true) };
        let window = PhaseWindow::new(Mono::from_nanos(0), Mono::from_nanos(10_000_000_000));
        let estimate = Estimate {
            value: 50.0,
            interval: Some(Interval { low: 45.0, high: 55.0 }),
            support: Support::Enough,
            effective_samples: 40.0,
        };
        let rates = [(Metric::OutputTokenThroughput, Confidence::single(&estimate, Level::P95))];
        let per_joule = confidence(Metric::NvidiaOutputTokensPerJoule, &context, &window, &rates).unwrap();
        let interval = per_joule.avg.interval().unwrap();
        assert!(
            (interval.low - 0.45 / 1.02).abs() < 1e-9 && (interval.high - 0.55 / 0.98).abs() < 1e-9,
            "{interval:?}"
        );
        let per_token = confidence(Metric::NvidiaEnergyPerOutputToken, &context, &window, &rates).unwrap();
        let interval = per_token.avg.interval().unwrap();
        assert!((interval.low - 98.0 / 55.0 * 1e3).abs() < 1e-6 && (interval.high - 102.0 / 45.0 * 1e3).abs() < 1e-6);
    }
}
