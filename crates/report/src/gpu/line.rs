//! `gpu_telemetry_export.jsonl`: one line for each GPU and reading.

use std::path::Path;

use aiperf_clock::EpochNanos;
use serde::Serialize;
use serde::ser::SerializeMap;

use crate::ReportError;
use crate::gpu::GpuDescription;
use crate::records::{LineTotals, lines::LineFile, metadata::epoch};

/// One reading of one GPU.
#[derive(Debug, Clone, Serialize)]
pub struct GpuLine<'a> {
    #[serde(flatten)]
    pub gpu: &'a GpuDescription,
    #[serde(serialize_with = "epoch", rename = "timestamp_ns")]
    pub at: EpochNanos,
    #[serde(rename = "telemetry_source_url")]
    pub source: &'a str,
    /// Keys of fields and their values.
    #[serde(rename = "telemetry_data", serialize_with = "values")]
    pub values: &'a [(&'a str, f64)],
}

fn values<S: serde::Serializer>(values: &[(&str, f64)], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(values.len()))?;
    for (key, value) in values {
        map.serialize_entry(key, value)?;
    }
    map.end()
}

#[derive(Debug)]
pub struct GpuLineWriter {
    lines: LineFile,
}

impl GpuLineWriter {
    pub fn create(path: &Path) -> Result<Self, ReportError> {
        Ok(Self { lines: LineFile::create(path)? })
    }

    /// Fails once at most, when the disk first refuses; later losses are counted.
    pub fn write(&self, reading: &GpuLine<'_>) -> Result<(), ReportError> {
        self.lines.append_json(reading)
    }

    pub fn finish(self) -> LineTotals {
        self.lines.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first line of the reference's sample, with what every reading has.
    #[test]
    fn a_line_has_the_fields_of_the_reference_in_its_order() {
        let gpu = GpuDescription {
            index: 0,
            uuid: "GPU-00000000-aaaa-bbbb-cccc-000000000000".to_owned(),
            model: "NVIDIA H200".to_owned(),
            pci_bus_id: Some("00000000:01:00.0".to_owned()),
            device: Some("nvidia0".to_owned()),
            hostname: Some("mockhost".to_owned()),
            namespace: None,
            pod: None,
            platform: "nvidia",
        };
        let line = GpuLine {
            gpu: &gpu,
            at: EpochNanos(1_794_704_615_874_702_350),
            source: "http://127.0.0.1:38418/metrics",
            values: &[("nvidia_power_usage", 330.0), ("nvidia_energy_consumption", 1.171_784_674_489_498_2)],
        };
        assert_eq!(
            serde_json::to_string(&line).unwrap(),
            "{\"gpu_index\":0,\"gpu_uuid\":\"GPU-00000000-aaaa-bbbb-cccc-000000000000\",\"gpu_model_name\":\"NVIDIA H200\",\
             \"pci_bus_id\":\"00000000:01:00.0\",\"device\":\"nvidia0\",\"hostname\":\"mockhost\",\"platform\":\"nvidia\",\
             \"timestamp_ns\":1794704615874702350,\"telemetry_source_url\":\"http://127.0.0.1:38418/metrics\",\
             \"telemetry_data\":{\"nvidia_power_usage\":330.0,\"nvidia_energy_consumption\":1.1717846744894982}}"
        );
    }
}
