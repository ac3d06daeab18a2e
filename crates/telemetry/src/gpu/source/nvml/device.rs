//! The readings of one GPU.

use std::sync::Arc;

use aiperf_clock::Mono;
use nvml_wrapper::enum_wrappers::device::{Clock, PerformancePolicy, TemperatureSensor};
use nvml_wrapper::enums::device::SampleValue;
use nvml_wrapper::enums::gpm::GpmMetricId;
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::gpm::{GpmSample, gpm_metrics_get};
use nvml_wrapper::structs::device::FieldId as NvmlFieldId;
use nvml_wrapper::sys_exports::field_id::NVML_FI_DEV_POWER_INSTANT;
use nvml_wrapper::{Device, Nvml};

use crate::gpu::field::{FieldId, Platform};
use crate::gpu::reading::{GpuIdentity, GpuReading};

/// The JPEG engines that the library knows.
const JPEG_ENGINES: [GpmMetricId; 8] = [
    GpmMetricId::Nvjpg0Util,
    GpmMetricId::Nvjpg1Util,
    GpmMetricId::Nvjpg2Util,
    GpmMetricId::Nvjpg3Util,
    GpmMetricId::Nvjpg4Util,
    GpmMetricId::Nvjpg5Util,
    GpmMetricId::Nvjpg6Util,
    GpmMetricId::Nvjpg7Util,
];

#[derive(Debug)]
pub(super) struct NvmlDevice {
    nvml: &'static Nvml,
    pub(super) device: Device<'static>,
    pub(super) gpu: Arc<GpuIdentity>,
    /// The code of the last error, if errors can be watched: 0 for none.
    pub(super) last_xid: Option<u64>,
    /// Fields that this GPU does not have: they are not asked for again.
    missing: Vec<FieldId>,
    /// The driver has no instant power, only a mean of a second.
    has_instant_power: bool,
    performance: Performance,
}

/// How the use of the multiprocessors is found.
#[derive(Debug)]
enum Performance {
    /// From hardware counters between two samples (Hopper and newer).
    Counters(Option<GpmSample<'static>>),
    /// From what processes used since a time, in microseconds.
    Processes(u64),
}

impl NvmlDevice {
    pub(super) fn new(nvml: &'static Nvml, device: Device<'static>, index: u32) -> Self {
        let mut gpu = GpuIdentity::new(
            Platform::Nvidia,
            index,
            device.uuid().unwrap_or_default(),
            device.name().unwrap_or_else(|_| "NVIDIA GPU".to_owned()),
        );
        gpu.pci_bus_id = device.pci_info().ok().map(|pci| pci.bus_id);
        gpu.device = Some(format!("nvidia{index}"));
        gpu.hostname = Some("localhost".to_owned());
        let performance = match device.gpm_support() {
            Ok(true) => Performance::Counters(None),
            Ok(false) | Err(_) => Performance::Processes(0),
        };
        Self {
            nvml,
            device,
            gpu: Arc::new(gpu),
            last_xid: None,
            missing: Vec::new(),
            has_instant_power: true,
            performance,
        }
    }

    pub(super) fn read(&mut self) -> GpuReading {
        let mut values = Vec::with_capacity(16);
        // The energy counter is read first and takes milliseconds: the time of the reading is that of the middle of this call.
        let before = Mono::now();
        let energy = self.ask(FieldId::ENERGY, |device| device.total_energy_consumption().map(|mj| mj as f64 * 1e-9));
        let after = Mono::now();
        let at = Mono::from_nanos(before.as_nanos().midpoint(after.as_nanos()));
        let mut put = |field, value: Option<f64>| {
            values.extend(value.filter(|value| value.is_finite()).map(|value| (field, value)));
        };
        put(FieldId::POWER, self.power());
        put(FieldId::ENERGY, energy);
        let utilization = self.device.utilization_rates().ok();
        put(FieldId::GPU_UTILIZATION, utilization.as_ref().map(|rates| f64::from(rates.gpu)));
        put(FieldId::MEMORY_UTILIZATION, utilization.as_ref().map(|rates| f64::from(rates.memory)));
        put(
            FieldId::MEMORY_USED,
            self.ask(FieldId::MEMORY_USED, |device| Ok(device.memory_info()?.used as f64 * 1e-9)),
        );
        put(
            FieldId::TEMPERATURE,
            self.ask(FieldId::TEMPERATURE, |device| device.temperature(TemperatureSensor::Gpu).map(f64::from)),
        );
        let (multiprocessors, jpeg) = self.performance();
        put(FieldId::SM_UTILIZATION, multiprocessors);
        put(
            FieldId::DECODER_UTILIZATION,
            self.ask(FieldId::DECODER_UTILIZATION, |d| Ok(f64::from(d.decoder_utilization()?.utilization))),
        );
        put(
            FieldId::ENCODER_UTILIZATION,
            self.ask(FieldId::ENCODER_UTILIZATION, |d| Ok(f64::from(d.encoder_utilization()?.utilization))),
        );
        put(FieldId::JPEG_UTILIZATION, jpeg);
        put(FieldId::XID_ERRORS, self.last_xid.map(|code| code as f64));
        put(
            FieldId::POWER_VIOLATION,
            self.ask(FieldId::POWER_VIOLATION, |device| {
                Ok(device.violation_status(PerformancePolicy::Power)?.violation_time as f64 * 1e-3)
            }),
        );
        put(FieldId::SM_CLOCK, self.ask(FieldId::SM_CLOCK, |device| device.clock_info(Clock::SM).map(f64::from)));
        put(
            FieldId::MEMORY_CLOCK,
            self.ask(FieldId::MEMORY_CLOCK, |device| device.clock_info(Clock::Memory).map(f64::from)),
        );
        put(
            FieldId::THROTTLE_REASONS,
            self.ask(FieldId::THROTTLE_REASONS, |device| Ok(device.current_throttle_reasons()?.bits() as f64)),
        );
        GpuReading { gpu: Arc::clone(&self.gpu), at, values }
    }

    /// A value, unless this GPU does not have the field.
    fn ask(
        &mut self,
        field: FieldId,
        question: impl FnOnce(&Device<'static>) -> Result<f64, NvmlError>,
    ) -> Option<f64> {
        if self.missing.contains(&field) {
            return None;
        }
        match question(&self.device) {
            Ok(value) => Some(value),
            Err(NvmlError::NotSupported | NvmlError::FailedToLoadSymbol(_)) => {
                self.missing.push(field);
                None
            }
            Err(_) => None,
        }
    }

    /// Instant power if the driver has it, as its mean of a second lags behind the load; in watts.
    fn power(&mut self) -> Option<f64> {
        if self.has_instant_power {
            match self.instant_power() {
                Some(milliwatts) => return Some(milliwatts * 1e-3),
                None => self.has_instant_power = false,
            }
        }
        self.ask(FieldId::POWER, |device| device.power_usage().map(|milliwatts| f64::from(milliwatts) * 1e-3))
    }

    fn instant_power(&self) -> Option<f64> {
        let answers = self.device.field_values_for(&[NvmlFieldId(NVML_FI_DEV_POWER_INSTANT)]).ok()?;
        match answers.into_iter().next()?.ok()?.value.ok()? {
            SampleValue::U32(milliwatts) => Some(f64::from(milliwatts)),
            SampleValue::U64(milliwatts) => Some(milliwatts as f64),
            SampleValue::I64(milliwatts) => Some(milliwatts as f64),
            SampleValue::F64(milliwatts) => Some(milliwatts),
        }
    }

    /// Use of the multiprocessors and of the JPEG engines since the last reading, in percent.
    fn performance(&mut self) -> (Option<f64>, Option<f64>) {
        match &mut self.performance {
            Performance::Counters(before) => {
                let Ok(sample) = self.device.gpm_sample() else { return (None, None) };
                let found = before.as_ref().map_or((None, None), |before| between(self.nvml, before, &sample));
                *before = Some(sample);
                found
            }
            Performance::Processes(since) => {
                let Ok(samples) = self.device.process_utilization_stats(*since) else { return (None, None) };
                *since = samples.iter().map(|sample| sample.timestamp).max().unwrap_or(*since);
                let used: u32 = samples.iter().map(|sample| sample.sm_util).sum();
                (Some(f64::from(used.min(100))), None)
            }
        }
    }
}

fn between(nvml: &'static Nvml, before: &GpmSample<'static>, after: &GpmSample<'static>) -> (Option<f64>, Option<f64>) {
    let mut wanted = vec![GpmMetricId::SmUtil];
    wanted.extend(JPEG_ENGINES);
    let Ok(answers) = gpm_metrics_get(nvml, before, after, &wanted) else { return (None, None) };
    let mut values = answers.into_iter().map(|answer| answer.ok().map(|metric| metric.value));
    let multiprocessors = values.next().flatten();
    let jpeg: Vec<f64> = values.flatten().filter(|value| value.is_finite()).collect();
    let mean = (!jpeg.is_empty()).then(|| jpeg.iter().sum::<f64>() / jpeg.len() as f64);
    (multiprocessors, mean)
}
