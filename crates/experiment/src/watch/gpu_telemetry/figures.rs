//! Readings and results of telemetry in the words of the report.

use std::path::Path;

use aiperf_clock::{EpochNanos, WallAnchor};
use aiperf_live::GpuState;
use aiperf_report::{
    EnergyFigure, GpuDescription, GpuFigures, GpuLine, GpuLineWriter, GpuSourceFigures, GpuTelemetryFigures,
};
use aiperf_telemetry::energy::{EnergyMethod, PlatformEnergy};
use aiperf_telemetry::gpu::field::{FieldId, FieldTable};
use aiperf_telemetry::gpu::reading::{GpuIdentity, GpuReading};
use aiperf_telemetry::gpu::statistics::GpuMetric;
use aiperf_telemetry::gpu::summary::{GpuSourceSummary, GpuTelemetrySummary};

use super::LineFile;

impl LineFile {
    /// Writes one reading; the first one creates the file.
    pub(super) fn write(
        &mut self,
        path: &Path,
        url: &str,
        reading: &GpuReading,
        fields: &FieldTable,
        anchor: WallAnchor,
    ) {
        if self.has_failed {
            return;
        }
        if self.writer.is_none() {
            match GpuLineWriter::create(path) {
                Ok(writer) => self.writer = Some(writer),
                Err(error) => {
                    self.has_failed = true;
                    log::error!("{error}; the run continues");
                    return;
                }
            }
        }
        let values: Vec<(&str, f64)> =
            reading.values.iter().map(|(field, value)| (&*fields.get(*field).key, *value)).collect();
        let gpu = description(&reading.gpu);
        let line = GpuLine { gpu: &gpu, at: anchor.epoch(reading.at), source: url, values: &values };
        if let Some(Err(error)) = self.writer.as_ref().map(|writer| writer.write(&line)) {
            log::error!("{error}; the run continues");
        }
    }
}

fn description(gpu: &GpuIdentity) -> GpuDescription {
    GpuDescription {
        index: gpu.index,
        uuid: gpu.uuid.clone(),
        model: gpu.model.clone(),
        pci_bus_id: gpu.pci_bus_id.clone(),
        device: gpu.device.clone(),
        hostname: gpu.hostname.clone(),
        namespace: gpu.namespace.clone(),
        pod: gpu.pod.clone(),
        platform: gpu.platform.name(),
    }
}

/// Power and use of one GPU, for the progress line.
pub(super) fn live(reading: &GpuReading) -> (u32, Option<f64>, Option<f64>) {
    let first = |fields: [FieldId; 2]| fields.into_iter().find_map(|field| reading.value(field));
    let watts = first([FieldId::POWER, FieldId::AMD_POWER]);
    let percent = first([FieldId::GPU_UTILIZATION, FieldId::AMD_GFX_ACTIVITY]);
    (reading.gpu.index, watts, percent)
}

/// One GPU, for views.
pub(super) fn gpu_state(source: &str, reading: &GpuReading) -> GpuState {
    let first = |fields: [FieldId; 2]| fields.into_iter().find_map(|field| reading.value(field));
    let (index, power_watts, utilization_percent) = live(reading);
    GpuState {
        index,
        model: reading.gpu.model.clone(),
        source: source.to_owned(),
        uuid: reading.gpu.uuid.clone(),
        power_watts,
        utilization_percent,
        memory_used_gb: first([FieldId::MEMORY_USED, FieldId::AMD_MEMORY_USED]),
        temperature_celsius: first([FieldId::TEMPERATURE, FieldId::AMD_TEMPERATURE]),
    }
}

pub(super) fn figures(summary: &GpuTelemetrySummary, start: EpochNanos, end: EpochNanos) -> GpuTelemetryFigures {
    GpuTelemetryFigures {
        sources: summary.sources.iter().map(source).collect(),
        energy: summary.energy.iter().map(energy).collect(),
        start,
        end,
    }
}

fn source(source: &GpuSourceSummary) -> GpuSourceFigures {
    let metric = |metric: &GpuMetric| {
        let GpuMetric { key, title, unit, stats, last_code } = metric.clone();
        (key, title, unit, stats, last_code)
    };
    let gpus = source.gpus.iter();
    GpuSourceFigures {
        url: source.url.clone(),
        display_name: source.display_name.clone(),
        gpus: gpus
            .map(|gpu| GpuFigures { gpu: description(&gpu.gpu), metrics: gpu.metrics.iter().map(metric).collect() })
            .collect(),
        update_interval: source.update_interval,
        reads: source.reads,
        failures: source.failures,
        last_failure: source.last_failure.clone(),
    }
}

fn energy(platform: &PlatformEnergy) -> EnergyFigure {
    EnergyFigure {
        platform: platform.platform.name(),
        gpus: platform.gpus,
        energy: match platform.energy {
            Ok(estimate) => Ok((estimate.joules, estimate.relative_error(), estimate.method.name())),
            Err(why) => Err(why.to_string()),
        },
        idle_watts: platform.idle_watts,
        power_against_counter: platform.power_against_counter,
    }
}

/// How the figures came about, in sentences.
pub(super) fn remarks(summary: &GpuTelemetrySummary) -> Vec<String> {
    let mut remarks = Vec::new();
    for source in summary.sources.iter().filter(|source| source.reads > 0) {
        if let Some(interval) = source.update_interval {
            remarks.push(format!(
                "GPU telemetry of {}: {} readings, new values every {:.2} s.",
                source.display_name,
                source.reads,
                interval.as_secs_f64()
            ));
        }
        if source.failures > 0 {
            let last = source.last_failure.as_deref().unwrap_or_default();
            remarks.push(format!("{} of the readings of {} failed: {last}.", source.failures, source.display_name));
        }
    }
    for platform in &summary.energy {
        let Ok(estimate) = platform.energy else { continue };
        let method = match estimate.method {
            EnergyMethod::Counter => "from the energy counter",
            EnergyMethod::IntegratedPower => "integrated from power",
            EnergyMethod::Mixed => "from energy counters and integrated from power",
        };
        let error = estimate.relative_error() * 100.0;
        remarks.push(format!("GPU energy is {method}; its error is at most {error:.1} %."));
    }
    remarks.extend(summary.notes.iter().cloned());
    remarks
}
