//! What servers and GPUs report about themselves, as gauges. GPUs have the names of the hardware conventions.

use aiperf_live::{GpuState, ServerHeadline, Snapshot};

use super::CountedTime;
use crate::message::{KeyValue, MetricData, NumberPoint, NumberValue, OtlpGauge, OtlpMetric};

/// Bytes of a gigabyte in which telemetry counts memory.
const GIGABYTE: f64 = 1e9;

/// A gauge of a GPU: its name, its unit, and its value in that unit.
type GpuGauge = (&'static str, &'static str, &'static str, fn(&GpuState) -> Option<f64>);

const GPU_GAUGES: [GpuGauge; 4] = [
    ("hw.power", "W", "Power of the GPU.", |gpu| gpu.power_watts),
    ("hw.gpu.utilization", "1", "Share of the time in which the GPU was busy.", |gpu| {
        gpu.utilization_percent.map(|percent| percent / 100.0)
    }),
    ("hw.gpu.memory.usage", "By", "Memory of the GPU in use.", |gpu| gpu.memory_used_gb.map(|used| used * GIGABYTE)),
    ("hw.temperature", "Cel", "Temperature of the GPU.", |gpu| gpu.temperature_celsius),
];

/// The last values of servers and GPUs.
pub(crate) fn gauges(snapshot: &Snapshot, interval: CountedTime) -> Vec<OtlpMetric> {
    let servers = snapshot.server.iter().map(|row| server_gauge(row, interval));
    let gpus = GPU_GAUGES.iter().filter_map(|(name, unit, description, read)| {
        let points: Vec<NumberPoint> = snapshot
            .gpus
            .iter()
            .filter_map(|gpu| Some(interval.number(NumberValue::Float(read(gpu)?), gpu_attributes(gpu))))
            .collect();
        (!points.is_empty()).then(|| gauge((*name).to_owned(), unit, description, points))
    });
    servers.chain(gpus).collect()
}

fn server_gauge(row: &ServerHeadline, interval: CountedTime) -> OtlpMetric {
    let point = interval.number(NumberValue::Float(row.value), Vec::new());
    gauge(format!("aiperf.server.{}", row.tag), row.unit, row.title, vec![point])
}

fn gpu_attributes(gpu: &GpuState) -> Vec<KeyValue> {
    let texts = [("hw.id", &gpu.uuid), ("hw.model", &gpu.model), ("aiperf.gpu.source", &gpu.source)];
    let texts = texts.into_iter().filter(|(_, text)| !text.is_empty());
    let mut attributes =
        vec![KeyValue::text("hw.type", "gpu"), KeyValue::int("aiperf.gpu.index", i64::from(gpu.index))];
    attributes.extend(texts.map(|(name, text)| KeyValue::text(name, text.clone())));
    attributes
}

fn gauge(name: String, unit: &str, description: &str, points: Vec<NumberPoint>) -> OtlpMetric {
    OtlpMetric {
        name,
        description: description.to_owned(),
        unit: unit.to_owned(),
        data: Some(MetricData::Gauge(OtlpGauge { points })),
    }
}
