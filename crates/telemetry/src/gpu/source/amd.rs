//! The GPUs of this machine through AMD's management library.

use std::sync::Arc;

use aiperf_amd_smi::AmdGpu;
use aiperf_clock::Mono;

use crate::gpu::cadence::Renewal;
use crate::gpu::field::{FieldId, Platform};
use crate::gpu::reading::{GpuIdentity, GpuReading};
use crate::gpu::source::{GpuSource, SourceError};

/// As files name it.
pub const URL: &str = "amdsmi://localhost";

/// All GPUs that the library lists.
#[derive(Debug)]
pub struct AmdSource {
    gpus: Vec<(AmdGpu, Arc<GpuIdentity>)>,
}

impl AmdSource {
    /// Loads the library and lists its GPUs.
    pub fn open() -> Result<Self, SourceError> {
        let gpus = aiperf_amd_smi::gpus().map_err(|error| SourceError::new(error.to_string()))?;
        let named = gpus.into_iter().enumerate().map(|(index, gpu)| {
            let mut identity = GpuIdentity::new(Platform::Amd, index as u32, gpu.uuid.as_str(), gpu.name.as_str());
            identity.pci_bus_id.clone_from(&gpu.pci_bus_id);
            identity.device = Some(format!("amdgpu{index}"));
            identity.hostname = Some("localhost".to_owned());
            (gpu, Arc::new(identity))
        });
        Ok(Self { gpus: named.collect() })
    }
}

impl GpuSource for AmdSource {
    fn url(&self) -> &str {
        URL
    }

    fn renewal(&self) -> Renewal {
        Renewal::ByField
    }

    fn read(&mut self) -> Result<Vec<GpuReading>, SourceError> {
        let readings: Vec<GpuReading> = self.gpus.iter().map(|(gpu, identity)| reading(gpu, identity)).collect();
        if readings.iter().all(|reading| reading.values.is_empty()) {
            return Err(SourceError::new("no GPU answers"));
        }
        Ok(readings)
    }
}

fn reading(gpu: &AmdGpu, identity: &Arc<GpuIdentity>) -> GpuReading {
    let before = Mono::now();
    let energy = gpu.energy();
    let at = Mono::from_nanos(before.as_nanos().midpoint(Mono::now().as_nanos()));
    let metrics = gpu.metrics().unwrap_or_default();
    let short = |value: Option<u16>| value.map(f64::from);
    let values = [
        (FieldId::AMD_POWER, gpu.power()),
        (FieldId::AMD_ENERGY, energy.map(|joules| joules * 1e-6)),
        (FieldId::AMD_GFX_ACTIVITY, short(metrics.gfx_activity_percent)),
        (FieldId::AMD_UMC_ACTIVITY, short(metrics.umc_activity_percent)),
        (FieldId::AMD_MM_ACTIVITY, short(metrics.mm_activity_percent)),
        (FieldId::AMD_MEMORY_USED, gpu.memory_used().map(|bytes| bytes as f64 * 1e-9)),
        (FieldId::AMD_TEMPERATURE, short(metrics.hotspot_celsius)),
        (FieldId::AMD_ECC_UNCORRECTABLE, gpu.uncorrectable_errors().map(|count| count as f64)),
        (FieldId::AMD_THROTTLE_STATUS, metrics.throttle_status.map(f64::from)),
        (FieldId::AMD_GFX_CLOCK, short(metrics.gfx_clock_mhz)),
        (FieldId::AMD_MEMORY_CLOCK, short(metrics.memory_clock_mhz)),
    ];
    let known = values.into_iter().filter_map(|(field, value)| Some((field, value.filter(|v| v.is_finite())?)));
    GpuReading { gpu: Arc::clone(identity), at, values: known.collect() }
}
