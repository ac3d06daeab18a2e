//! The energy of all GPUs of a platform.

use std::collections::BTreeMap;

use aiperf_clock::{Mono, Nanos};

use crate::energy::power::exact_enough;
use crate::energy::{EnergyEstimate, EnergyMethod, NoEnergy, PowerRange, from_counter, from_power, idle_power};
use crate::gpu::cadence::changes_of;
use crate::gpu::collected::{CollectedSource, Scope};
use crate::gpu::field::{FieldTable, Platform, power_and_energy};
use crate::series::Window;

/// Joules in a megajoule, the unit of energy counters in files.
const MEGAJOULE: f64 = 1e6;
/// A counter that is off by this share of the integrated power, beyond both errors, counts something else.
const DISTRUST: f64 = 0.1;

/// What the GPUs of one platform drew in a window, all together.
#[derive(Debug, Clone, PartialEq)]
pub struct PlatformEnergy {
    pub platform: Platform,
    /// GPUs that were counted, each once; 0 if a server reports only the energy of all its GPUs.
    pub gpus: usize,
    /// Sum of the mean powers, if all of them are known well enough.
    pub watts: Option<f64>,
    pub energy: Result<EnergyEstimate, NoEnergy>,
    /// Sum of the mean powers before the first request.
    pub idle_watts: Option<f64>,
    /// By how much integrated power differs from the counters, as a share of these; `None` unless every GPU has both.
    pub power_against_counter: Option<f64>,
    /// Some GPUs have no energy counter.
    pub lacks_counter: bool,
    /// The counters of some GPUs contradict their power and were not used.
    pub has_wrong_counter: bool,
}

/// One GPU, as one source sees it.
#[derive(Debug, Clone, Copy)]
struct OneGpu {
    counter: Result<EnergyEstimate, NoEnergy>,
    power: Result<EnergyEstimate, NoEnergy>,
    mean_watts: Option<f64>,
    idle_watts: Option<f64>,
    has_counter: bool,
}

impl OneGpu {
    /// The counter, as it misses nothing between two readings; power if the counter is not known well enough or contradicts it.
    fn energy(&self) -> Result<EnergyEstimate, NoEnergy> {
        match (self.counter, self.power) {
            (Ok(counter), Ok(power)) if differ(counter, power) => Ok(power),
            (Ok(counter), _) => Ok(counter),
            (Err(NoEnergy::NotReported), power) => power,
            (Err(why), power) => power.map_err(|_| why),
        }
    }

    fn error(&self) -> f64 {
        self.energy().map_or(f64::INFINITY, |estimate| estimate.relative_error())
    }
}

/// Whether a counter cannot be that of the power that the gauge shows.
fn differ(counter: EnergyEstimate, power: EnergyEstimate) -> bool {
    (counter.joules - power.joules).abs() > counter.error + power.error + DISTRUST * power.joules
}

/// The totals of each platform that a source reports. A GPU that several sources report is counted once, by the source that
/// knows its energy best. What a server reports of all its GPUs together counts only if no source reports its GPUs one by one.
pub fn total(
    sources: &[CollectedSource],
    fields: &FieldTable,
    window: Window,
    first_request: Mono,
) -> Vec<PlatformEnergy> {
    let mut all: Vec<PlatformEnergy> = Vec::new();
    for platform in [Platform::Nvidia, Platform::Amd] {
        let single = chosen(sources, fields, window, first_request, platform, Scope::EachGpu);
        let gpus = if single.is_empty() {
            chosen(sources, fields, window, first_request, platform, Scope::WholeServer)
        } else {
            single.clone()
        };
        if !gpus.is_empty() {
            all.push(summed(platform, single.len(), &gpus));
        }
    }
    all
}

fn chosen(
    sources: &[CollectedSource],
    fields: &FieldTable,
    window: Window,
    first_request: Mono,
    platform: Platform,
    scope: Scope,
) -> Vec<OneGpu> {
    let mut best: BTreeMap<String, OneGpu> = BTreeMap::new();
    for source in sources.iter().filter(|source| source.scope == scope) {
        for (index, series) in source.series.gpus.iter().enumerate().filter(|(_, one)| one.gpu.platform == platform) {
            let gpu = &series.gpu;
            let unnamed = gpu.uuid.is_empty();
            let name = if unnamed { format!("{} {}", source.url, gpu.index) } else { gpu.uuid.clone() };
            let one = measure(source, index, fields, window, first_request);
            let keep = best.get(&name).is_none_or(|known| one.error() < known.error());
            if keep {
                best.insert(name, one);
            }
        }
    }
    best.into_values().collect()
}

fn measure(source: &CollectedSource, index: usize, fields: &FieldTable, window: Window, first_request: Mono) -> OneGpu {
    let series = &source.series.gpus[index];
    let (power, energy) = power_and_energy(series.gpu.platform);
    let (gauge, counter) = (series.field(power), series.field(energy));
    let interval = |field| changes_of(source.renewal, &source.series, fields, index, field).interval_or_bound();
    let seen = PowerRange::of(gauge.points().map(|(_, watts)| watts));
    let joules = counter.points().map(|(at, megajoules)| (at, megajoules * MEGAJOULE));
    let by_counter = from_counter(joules, window, seen);
    let news = changes_of(source.renewal, &source.series, fields, index, power).times;
    let integral = from_power(gauge.points().filter(|(at, _)| news.binary_search(at).is_ok()), window);
    let by_power =
        integral.and_then(|integral| exact_enough(integral.estimate, interval(power), window).map(|_| integral));
    OneGpu {
        counter: by_counter.and_then(|estimate| exact_enough(estimate, interval(energy), window)),
        power: by_power.map(|integral| integral.estimate),
        mean_watts: by_power.ok().map(|integral| integral.mean_watts),
        idle_watts: idle_power(gauge.points(), first_request),
        has_counter: !counter.is_empty(),
    }
}

fn summed(platform: Platform, count: usize, gpus: &[OneGpu]) -> PlatformEnergy {
    let add = |values: &dyn Fn(&OneGpu) -> Option<f64>| gpus.iter().map(values).sum::<Option<f64>>();
    let both = gpus.iter().map(|gpu| Some((gpu.counter.ok()?.joules, gpu.power.ok()?.joules)));
    let both: Option<(f64, f64)> = both
        .collect::<Option<Vec<_>>>()
        .map(|pairs| pairs.iter().fold((0.0, 0.0), |sum, pair| (sum.0 + pair.0, sum.1 + pair.1)));
    PlatformEnergy {
        platform,
        gpus: count,
        watts: add(&|gpu| gpu.mean_watts),
        energy: gpus
            .iter()
            .map(OneGpu::energy)
            .try_fold(None, |sum, one| one.map(|one| Some(added(sum, one))))
            .and_then(|sum: Option<EnergyEstimate>| sum.ok_or(NoEnergy::NotReported)),
        idle_watts: add(&|gpu| gpu.idle_watts),
        power_against_counter: both.filter(|(counter, _)| *counter > 0.0).map(|(counter, power)| power / counter - 1.0),
        lacks_counter: gpus.iter().any(|gpu| !gpu.has_counter),
        has_wrong_counter: gpus
            .iter()
            .any(|gpu| gpu.counter.is_ok_and(|counter| gpu.power.is_ok_and(|power| differ(counter, power)))),
    }
}

/// The errors of GPUs that are read together add up: they are late together.
fn added(sum: Option<EnergyEstimate>, one: EnergyEstimate) -> EnergyEstimate {
    let Some(sum) = sum else { return one };
    EnergyEstimate {
        joules: sum.joules + one.joules,
        error: sum.error + one.error,
        method: if sum.method == one.method { one.method } else { EnergyMethod::Mixed },
    }
}

/// The slowest interval between new values of power or energy, of any GPU of a source.
pub(crate) fn slowest_interval(source: &CollectedSource, fields: &FieldTable) -> Option<Nanos> {
    let gpus = source.series.gpus.iter().enumerate();
    gpus.filter_map(|(index, series)| {
        let (power, energy) = power_and_energy(series.gpu.platform);
        let field = if series.field(energy).is_empty() { power } else { energy };
        (!series.field(field).is_empty())
            .then(|| changes_of(source.renewal, &source.series, fields, index, field).interval_or_bound())
    })
    .max()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::gpu::cadence::Renewal;
    use crate::gpu::field::FieldId;
    use crate::gpu::reading::{GpuIdentity, GpuReading};
    use crate::gpu::series::SourceSeries;

    const MS: u64 = 1_000_000;

    /// Two GPUs of 100 W and 200 W idle, three times as much from 2 s on, read every 50 ms for 14 s.
    fn source(url: &str, renewal_ms: u64, with_counter: bool) -> CollectedSource {
        let fields = FieldTable::default();
        let mut series = SourceSeries::default();
        for ms in (0..14_000).step_by(50) {
            for (index, idle) in [(0, 100.0), (1, 200.0)] {
                let gpu = Arc::new(GpuIdentity::new(Platform::Nvidia, index, format!("GPU-{index}"), "H200"));
                let renewed = (ms / renewal_ms * renewal_ms) as f64 / 1e3;
                let busy = if renewed >= 2.0 { idle * 3.0 } else { idle };
                let joules = idle * renewed + idle * 2.0 * (renewed - 2.0).max(0.0);
                // The gauge is never quite still.
                let noise = ((ms / renewal_ms) % 3) as f64 * 0.01;
                let mut values = vec![(FieldId::POWER, busy + noise)];
                if with_counter {
                    values.push((FieldId::ENERGY, joules / MEGAJOULE));
                }
                series.push(&GpuReading { gpu, at: Mono::from_nanos(ms * MS), values }, &fields);
            }
        }
        CollectedSource {
            url: url.to_owned(),
            renewal: Renewal::ByField,
            scope: Scope::EachGpu,
            series,
            ..CollectedSource::default()
        }
    }

    fn of(sources: &[CollectedSource]) -> PlatformEnergy {
        let window = Window::new(Mono::from_nanos(2_000 * MS), Mono::from_nanos(12_000 * MS));
        let all = total(sources, &FieldTable::default(), window, Mono::from_nanos(2_000 * MS));
        assert_eq!(all.len(), 1);
        all[0].clone()
    }

    #[test]
    fn gpus_are_summed_over_exactly_the_window() {
        let found = of(&[source("a", 100, true)]);
        let energy = found.energy.unwrap();
        assert!((energy.joules - 9_000.0).abs() <= energy.error && energy.relative_error() < 0.02, "{energy:?}");
        assert!((found.watts.unwrap() - 900.0).abs() < 5.0, "{found:?}");
        assert!((found.idle_watts.unwrap() - 300.0).abs() < 1.0, "{found:?}");
        assert_eq!((found.gpus, found.lacks_counter), (2, false));
        assert!(found.power_against_counter.unwrap().abs() < 0.02);
    }

    #[test]
    fn a_gpu_that_two_sources_report_is_counted_once() {
        let found = of(&[source("a", 100, true), source("b", 1_000, true)]);
        assert_eq!(found.gpus, 2);
        assert!((found.energy.unwrap().joules - 9_000.0).abs() < 200.0, "{found:?}");
    }

    #[test]
    fn without_a_counter_power_is_integrated() {
        let found = of(&[source("a", 100, false)]);
        let energy = found.energy.unwrap();
        assert_eq!((energy.method, found.lacks_counter), (EnergyMethod::IntegratedPower, true));
        assert!((energy.joules - 9_000.0).abs() <= energy.error.max(90.0), "{energy:?}");
    }

    #[test]
    fn a_slow_source_has_no_energy_and_says_why() {
        let found = of(&[source("a", 6_000, true)]);
        let why = found.energy.unwrap_err();
        assert!(matches!(why, NoEnergy::TooUncertain { .. } | NoEnergy::TooFewValues), "{why}");
    }
}
