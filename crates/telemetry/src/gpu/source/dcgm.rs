//! The page of a DCGM exporter.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use aiperf_address::Address;
use aiperf_clock::Mono;
use aiperf_transport::ClientSettings;

use crate::gpu::cadence::Renewal;
use crate::gpu::field::{FieldId, FieldTable, Platform};
use crate::gpu::reading::{GpuIdentity, GpuReading};
use crate::gpu::source::page::SourcePage;
use crate::gpu::source::{GpuSource, SourceError};
use crate::prometheus::{Labels, PageFormat, PageLimits, PageReader, SampleRole};
use crate::scrape::FetchedPage;

/// One exporter.
#[derive(Debug)]
pub struct DcgmSource {
    url: String,
    page: SourcePage,
    readings: DcgmReader,
}

impl DcgmSource {
    /// Asks the exporter once, within `limit`. `url` is what files show.
    pub fn open(
        address: &Address,
        url: String,
        settings: &ClientSettings,
        fields: Arc<FieldTable>,
        limit: Duration,
    ) -> Result<Self, SourceError> {
        let (page, first) = SourcePage::open(address, settings, limit)?;
        let mut readings = DcgmReader::new(fields);
        if readings.read_page(&first)?.is_empty() {
            return Err(SourceError::new("the page has no DCGM fields of a GPU; is it that of a DCGM exporter?"));
        }
        readings.name_missing_fields(&url);
        Ok(Self { url, page, readings })
    }
}

impl GpuSource for DcgmSource {
    fn url(&self) -> &str {
        &self.url
    }

    fn renewal(&self) -> Renewal {
        Renewal::WholePage
    }

    fn read(&mut self) -> Result<Vec<GpuReading>, SourceError> {
        let page = self.page.fetch()?;
        self.readings.read_page(&page)
    }
}

/// Turns pages into readings. What a series is about is worked out once.
#[derive(Debug)]
struct DcgmReader {
    fields: Arc<FieldTable>,
    reader: PageReader,
    /// By series of the page: its field and GPU, if it has both.
    known: Vec<Option<(FieldId, Arc<GpuIdentity>)>>,
    gpus: HashMap<GpuIdentity, Arc<GpuIdentity>>,
}

impl DcgmReader {
    fn new(fields: Arc<FieldTable>) -> Self {
        Self { fields, reader: PageReader::new(PageLimits::default()), known: Vec::new(), gpus: HashMap::new() }
    }

    /// Says which fields the exporter does not export: those of the user's file, and those that its stock list leaves out.
    fn name_missing_fields(&self, url: &str) {
        let is_there = |field: &FieldId| self.known.iter().flatten().any(|(known, _)| known == field);
        let missing = |is_asked_for: bool| -> Vec<&str> {
            let absent = self.fields.ids().filter(|field| !is_there(field));
            let wanted = absent.filter(|field| self.fields.is_extra(*field) == is_asked_for);
            wanted.filter_map(|field| self.fields.get(field).dcgm.first()).map(|name| &**name).collect()
        };
        let (asked_for, usual) = (missing(true), missing(false));
        if !asked_for.is_empty() {
            log::warn!("{url} does not export {}: add them to the fields of the exporter", asked_for.join(", "));
        }
        if !usual.is_empty() {
            log::info!("{url} does not export {}", usual.join(", "));
        }
    }

    fn read_page(&mut self, page: &FetchedPage) -> Result<Vec<GpuReading>, SourceError> {
        self.read(&page.body, page.format, page.first_byte)
    }

    fn read(&mut self, body: &[u8], format: PageFormat, at: Mono) -> Result<Vec<GpuReading>, SourceError> {
        let values = self.reader.read(body, format).map_err(|error| SourceError::new(error.to_string()))?.values;
        for series in &self.reader.series()[self.known.len()..] {
            let family = &self.reader.families()[series.family.0 as usize];
            let field = self.fields.by_dcgm_name(&family.name).filter(|_| series.role == SampleRole::Value);
            let gpu =
                identity(&series.labels).map(|gpu| Arc::clone(self.gpus.entry(gpu.clone()).or_insert(Arc::new(gpu))));
            self.known.push(field.zip(gpu));
        }
        let mut readings: Vec<GpuReading> = Vec::new();
        for (series, value) in values {
            let Some((field, gpu)) = self.known.get(series.0 as usize).and_then(Option::as_ref) else { continue };
            let scaled = value * self.fields.get(*field).scale;
            if !scaled.is_finite() {
                continue;
            }
            let place = readings.iter().position(|reading| reading.gpu == *gpu).unwrap_or_else(|| {
                readings.push(GpuReading { gpu: Arc::clone(gpu), at, values: Vec::new() });
                readings.len() - 1
            });
            let known = &mut readings[place].values;
            // The parts of a divided GPU repeat what is true of the whole GPU.
            if !known.iter().any(|(own, _)| own == field) {
                known.push((*field, scaled));
            }
        }
        for reading in &mut readings {
            reading.values.sort_unstable_by_key(|(field, _)| *field);
        }
        readings.sort_by_key(|reading| reading.gpu.index);
        Ok(readings)
    }
}

/// The GPU that the labels of a sample name; `None` without a numeric `gpu`.
fn identity(labels: &Labels) -> Option<GpuIdentity> {
    let text = |name: &str| labels.get(name).filter(|value| !value.is_empty()).map(str::to_owned);
    let index = labels.get("gpu")?.trim().parse().ok()?;
    let mut gpu = GpuIdentity::new(
        Platform::Nvidia,
        index,
        text("UUID").unwrap_or_default(),
        text("modelName").unwrap_or_else(|| "NVIDIA GPU".to_owned()),
    );
    gpu.pci_bus_id = text("pci_bus_id");
    gpu.device = text("device");
    gpu.hostname = text("Hostname");
    gpu.namespace = text("namespace");
    gpu.pod = text("pod");
    Some(gpu)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::extra_fields;

    const PAGE: &str = r#"# HELP DCGM_FI_DEV_POWER_USAGE Power draw (in W).
# TYPE DCGM_FI_DEV_POWER_USAGE gauge
DCGM_FI_DEV_POWER_USAGE{gpu="0",UUID="GPU-a",pci_bus_id="00000000:01:00.0",device="nvidia0",modelName="NVIDIA H200",Hostname="node1",pod="vllm-0",namespace="prod"} 330.5
DCGM_FI_DEV_POWER_USAGE{gpu="1",UUID="GPU-b",device="nvidia1",modelName="NVIDIA H200",Hostname="node1"} 290
DCGM_FI_DEV_POWER_USAGE{gpu="all",UUID="GPU-c"} 1
# TYPE DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION counter
DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{gpu="0",UUID="GPU-a",pci_bus_id="00000000:01:00.0",device="nvidia0",modelName="NVIDIA H200",Hostname="node1",pod="vllm-0",namespace="prod"} 1171784674489
# TYPE DCGM_FI_DEV_FB_USED gauge
DCGM_FI_DEV_FB_USED{gpu="1",UUID="GPU-b",device="nvidia1",modelName="NVIDIA H200",Hostname="node1"} 60000
# TYPE DCGM_FI_PROF_SM_ACTIVE gauge
DCGM_FI_PROF_SM_ACTIVE{gpu="1",UUID="GPU-b",device="nvidia1",modelName="NVIDIA H200",Hostname="node1"} 0.75
DCGM_FI_DEV_GPU_TEMP{gpu="1",UUID="GPU-b",device="nvidia1",modelName="NVIDIA H200",Hostname="node1"} NaN
DCGM_FI_DEV_PCIE_REPLAY_COUNTER{gpu="1",UUID="GPU-b",device="nvidia1",modelName="NVIDIA H200",Hostname="node1"} 7
"#;

    fn read(fields: FieldTable) -> Vec<GpuReading> {
        DcgmReader::new(Arc::new(fields)).read(PAGE.as_bytes(), PageFormat::Prometheus, Mono::from_nanos(5)).unwrap()
    }

    #[test]
    fn a_page_gives_each_gpu_with_its_labels_and_scaled_values() {
        let readings = read(FieldTable::default());
        let [first, second] = &readings[..] else { panic!("{readings:?}") };
        assert_eq!((first.gpu.model.as_str(), first.gpu.uuid.as_str()), ("NVIDIA H200", "GPU-a"));
        assert_eq!((first.gpu.pod.as_deref(), first.gpu.namespace.as_deref()), (Some("vllm-0"), Some("prod")));
        assert_eq!(first.value(FieldId::POWER), Some(330.5));
        assert!((first.value(FieldId::ENERGY).unwrap() - 1_171.784_674_489).abs() < 1e-9);
        assert_eq!(second.value(FieldId::SM_UTILIZATION), Some(75.0));
        assert!((second.value(FieldId::MEMORY_USED).unwrap() - 62.914_56).abs() < 1e-9);
        assert_eq!(second.value(FieldId::TEMPERATURE), None);
    }

    #[test]
    fn further_fields_are_read_if_they_are_asked_for() {
        let extra = extra_fields::parse("DCGM_FI_DEV_PCIE_REPLAY_COUNTER, counter, PCIe retries").unwrap();
        let table = FieldTable::with_extra(extra);
        let id = table.by_dcgm_name("DCGM_FI_DEV_PCIE_REPLAY_COUNTER").unwrap();
        assert_eq!(read(table)[1].value(id), Some(7.0));
    }
}
