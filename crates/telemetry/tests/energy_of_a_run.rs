//! From readings to the energy of a phase, on a clock of the test's own: how fast this machine is does not matter.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the failure")]

use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use aiperf_clock::Mono;
use aiperf_protocol::PhaseKind;
use aiperf_telemetry::energy::{EnergyMethod, PlatformEnergy};
use aiperf_telemetry::gpu::cadence::Renewal;
use aiperf_telemetry::gpu::collected::Scope;
use aiperf_telemetry::gpu::collector::{CollectorHooks, CollectorSettings, FoundSource, GpuCollector, LastReading};
use aiperf_telemetry::gpu::field::{FieldId, FieldTable, Platform};
use aiperf_telemetry::gpu::reading::{GpuIdentity, GpuReading};
use aiperf_telemetry::gpu::source::{GpuSource, SourceError};
use aiperf_telemetry::gpu::summary::GpuTelemetrySummary;
use aiperf_telemetry::series::Window;

const MS: u64 = 1_000_000;
/// The load lasts from 2 s to 12 s; readings end at 15 s.
const LOAD: (u64, u64) = (2_000, 12_000);
const END: u64 = 15_000;

/// GPUs that draw `idle` watts each, and `busy` while the load lasts. Each reading is `step` ms after the one before, and values are
/// renewed every `renewal` ms.
#[derive(Debug)]
struct VirtualGpus {
    gpus: u32,
    scope: Scope,
    idle: f64,
    busy: f64,
    step: u64,
    renewal: u64,
    now: u64,
}

impl VirtualGpus {
    fn joules(&self, ms: u64) -> f64 {
        let busy = ms.clamp(LOAD.0, LOAD.1) - LOAD.0;
        (self.idle * ms as f64 + (self.busy - self.idle) * busy as f64) / 1e3
    }

    /// What all of them drew while the load lasted.
    fn truth(&self) -> f64 {
        f64::from(self.gpus) * (self.joules(LOAD.1) - self.joules(LOAD.0))
    }
}

impl GpuSource for VirtualGpus {
    fn url(&self) -> &'static str {
        "virtual://gpus"
    }

    fn renewal(&self) -> Renewal {
        Renewal::WholePage
    }

    fn scope(&self) -> Scope {
        self.scope
    }

    fn read(&mut self) -> Result<Vec<GpuReading>, SourceError> {
        let at = Mono::from_nanos(self.now * MS);
        let renewed = self.now / self.renewal * self.renewal;
        self.now += self.step;
        let is_busy = (LOAD.0..LOAD.1).contains(&renewed);
        let reading = |index: u32| {
            let mut values = Vec::new();
            if self.scope == Scope::EachGpu {
                values.push((FieldId::POWER, if is_busy { self.busy } else { self.idle }));
            }
            values.push((FieldId::ENERGY, self.joules(renewed) / 1e6));
            let gpu = GpuIdentity::new(Platform::Nvidia, index, format!("GPU-{index}"), "H200");
            GpuReading { gpu: Arc::new(gpu), at, values }
        };
        Ok((0..self.gpus).map(reading).collect())
    }
}

/// Collects until the source's own clock has passed the end.
fn collected(source: VirtualGpus) -> PlatformEnergy {
    let fields = Arc::new(FieldTable::default());
    let (ended, end) = channel();
    let (ended, source) = (Mutex::new(ended), Mutex::new(Some(source)));
    let hooks = CollectorHooks {
        open: Box::new(move || {
            let source = source.lock().unwrap().take().unwrap();
            vec![FoundSource { url: source.url().to_owned(), opened: Ok(Box::new(source)) }]
        }),
        phase: Box::new(|| Some(PhaseKind::Profiling)),
        sink: Box::new(move |_, reading| {
            if reading.at >= Mono::from_nanos(END * MS) {
                let _ = ended.lock().unwrap().send(());
            }
        }),
    };
    let settings = CollectorSettings {
        interval: Duration::from_micros(100),
        grace: Duration::ZERO,
        shutdown: Duration::from_secs(600),
    };
    let collector = GpuCollector::start(settings, Arc::clone(&fields), hooks).unwrap();
    end.recv().unwrap();
    let sources = collector.finish(LastReading::Wait).unwrap();
    let at = |ms: u64| Mono::from_nanos(ms * MS);
    let window = Window::new(at(LOAD.0), at(LOAD.1));
    let summary = GpuTelemetrySummary::of(&sources, &fields, window, at(LOAD.0));
    assert_eq!(summary.energy.len(), 1);
    summary.energy[0].clone()
}

fn gpus(scope: Scope, renewal: u64) -> VirtualGpus {
    let gpus = if scope == Scope::EachGpu { 2 } else { 1 };
    VirtualGpus { gpus, scope, idle: 80.0, busy: 700.0, step: 50, renewal, now: 0 }
}

#[test]
fn the_energy_of_a_phase_is_that_of_its_gpus_within_the_stated_error() {
    for renewal in [50, 100, 250] {
        let source = gpus(Scope::EachGpu, renewal);
        let truth = source.truth();
        let found = collected(source);
        let energy = found.energy.unwrap();
        assert!((energy.joules - truth).abs() <= energy.error + 1e-6, "{energy:?}, {truth} J in truth");
        assert!(energy.relative_error() <= 0.05, "{energy:?}");
        assert_eq!((energy.method, found.gpus), (EnergyMethod::Counter, 2));
        assert!((found.idle_watts.unwrap() - 160.0).abs() < 1e-6, "{found:?}");
    }
}

#[test]
fn the_energy_of_a_whole_server_has_no_gpus() {
    let source = gpus(Scope::WholeServer, 50);
    let truth = source.truth();
    let found = collected(source);
    let energy = found.energy.unwrap();
    assert!((energy.joules - truth).abs() <= energy.error + 1e-6 && energy.relative_error() <= 0.05, "{energy:?}");
    assert_eq!((energy.method, found.gpus), (EnergyMethod::Counter, 0));
}

#[test]
fn values_that_are_renewed_too_seldom_give_no_energy() {
    let found = collected(gpus(Scope::EachGpu, 6_000));
    assert!(found.energy.is_err(), "{found:?}");
}
