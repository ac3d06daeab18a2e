//! What the GPUs of a side did, one by one: means of the profiling phase, as summaries state them.

use serde_json::Value;

const MILLIJOULES_PER_MEGAJOULE: f64 = 1e9;

/// A figure of one GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GpuQuantity {
    Power,
    /// Energy of this GPU alone, for each output token of the whole run.
    EnergyPerOutputToken,
    Utilization,
    MemoryUsed,
}

impl GpuQuantity {
    pub const ALL: [Self; 4] = [Self::Power, Self::EnergyPerOutputToken, Self::Utilization, Self::MemoryUsed];

    /// A name for files.
    pub const fn tag(self) -> &'static str {
        match self {
            Self::Power => "power",
            Self::EnergyPerOutputToken => "energy_per_output_token",
            Self::Utilization => "utilization",
            Self::MemoryUsed => "memory_used",
        }
    }

    /// A name for people.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Power => "Power",
            Self::EnergyPerOutputToken => "Energy per Output Token",
            Self::Utilization => "Utilization",
            Self::MemoryUsed => "Memory Used",
        }
    }

    pub const fn unit(self) -> &'static str {
        match self {
            Self::Power => "W",
            Self::EnergyPerOutputToken => "mJ/token",
            Self::Utilization => "%",
            Self::MemoryUsed => "GB",
        }
    }

    /// The fields of NVIDIA's and AMD's GPUs that it comes from.
    const fn fields(self) -> [&'static str; 2] {
        match self {
            Self::Power => ["nvidia_power_usage", "amd_power"],
            Self::EnergyPerOutputToken => ["nvidia_energy_consumption", "amd_energy_consumption"],
            Self::Utilization => ["nvidia_gpu_utilization", "amd_gfx_activity"],
            Self::MemoryUsed => ["nvidia_memory_used", "amd_memory_used"],
        }
    }

    fn find(self, metrics: &Value, output_tokens: Option<f64>) -> Option<f64> {
        let mean = self.fields().iter().find_map(|field| metrics[field]["avg"].as_f64())?;
        match self {
            Self::EnergyPerOutputToken => {
                let tokens = output_tokens.filter(|tokens| *tokens > 0.0)?;
                Some(mean * MILLIJOULES_PER_MEGAJOULE / tokens)
            }
            _ => Some(mean),
        }
    }
}

/// One GPU of a side.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ComparedGpu {
    uuid: String,
    name: String,
    /// In the order of [`GpuQuantity::ALL`]: the values of all runs that have one.
    values: [Vec<f64>; GpuQuantity::ALL.len()],
}

impl ComparedGpu {
    /// The GPUs of some runs of the same thing.
    pub(crate) fn all<'a>(summaries: impl Iterator<Item = &'a Value>) -> Vec<Self> {
        let mut gpus: Vec<Self> = Vec::new();
        for summary in summaries {
            let tokens = summary["total_osl"]["avg"].as_f64();
            let sources = summary["telemetry_data"]["endpoints"].as_object();
            for gpu in sources.into_iter().flat_map(|sources| sources.values()).flat_map(gpus_of) {
                let text = |name: &str| gpu[name].as_str().unwrap_or_default().to_owned();
                let (uuid, index) = (text("gpu_uuid"), gpu["gpu_index"].as_u64().unwrap_or_default());
                let name = format!("GPU {index} {}", text("gpu_name")).trim_end().to_owned();
                let known = gpus.iter().position(|known| known.uuid == uuid && known.name == name);
                let place = known.unwrap_or_else(|| {
                    gpus.push(Self { uuid, name, values: <[Vec<f64>; 4]>::default() });
                    gpus.len() - 1
                });
                for (quantity, values) in GpuQuantity::ALL.iter().zip(&mut gpus[place].values) {
                    values.extend(quantity.find(&gpu["metrics"], tokens));
                }
            }
        }
        gpus
    }

    fn value(&self, quantity: GpuQuantity) -> Option<f64> {
        let values = &self.values[quantity as usize];
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    }
}

fn gpus_of(source: &Value) -> impl Iterator<Item = &Value> {
    source["gpus"].as_object().into_iter().flat_map(|gpus| gpus.values())
}

/// One figure of one GPU on both sides. There is no verdict on it: a run has one number, and no interval.
#[derive(Debug, Clone, PartialEq)]
pub struct GpuRowPair {
    pub gpu: String,
    pub quantity: GpuQuantity,
    pub baseline: Option<f64>,
    pub candidate: Option<f64>,
}

impl GpuRowPair {
    /// The change as a share of the baseline.
    pub fn change(&self) -> Option<f64> {
        let (baseline, candidate) = (self.baseline.filter(|value| *value != 0.0)?, self.candidate?);
        Some(candidate / baseline - 1.0)
    }

    /// All figures of all GPUs. A GPU is compared with the same GPU, or else with the one at the same place: another machine has
    /// other GPUs.
    pub(crate) fn all(baseline: &[ComparedGpu], candidate: &[ComparedGpu]) -> Vec<Self> {
        let mut left: Vec<&ComparedGpu> = candidate.iter().collect();
        let mut pairs: Vec<(Option<&ComparedGpu>, Option<&ComparedGpu>)> = Vec::new();
        for gpu in baseline {
            let same = left.iter().position(|other| !gpu.uuid.is_empty() && other.uuid == gpu.uuid);
            pairs.push((Some(gpu), same.map(|place| left.remove(place))));
        }
        let mut left = left.into_iter();
        for pair in pairs.iter_mut().filter(|pair| pair.1.is_none()) {
            pair.1 = left.next();
        }
        pairs.extend(left.map(|gpu| (None, Some(gpu))));
        let rows_of = |(a, b): (Option<&ComparedGpu>, Option<&ComparedGpu>)| {
            let gpu = match (a, b) {
                (Some(a), Some(b)) if a.name != b.name => format!("{} / {}", a.name, b.name),
                (Some(gpu), _) | (None, Some(gpu)) => gpu.name.clone(),
                (None, None) => String::new(),
            };
            GpuQuantity::ALL.map(|quantity| Self {
                gpu: gpu.clone(),
                quantity,
                baseline: a.and_then(|gpu| gpu.value(quantity)),
                candidate: b.and_then(|gpu| gpu.value(quantity)),
            })
        };
        let rows = pairs.into_iter().flat_map(rows_of);
        rows.filter(|row| row.baseline.is_some() || row.candidate.is_some()).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn summary(gpus: &[(&str, u64, f64)], tokens: f64) -> Value {
        let gpu = |(uuid, index, watts): &(&str, u64, f64)| {
            json!({"gpu_index": index, "gpu_name": "H200", "gpu_uuid": uuid,
                "metrics": {"nvidia_power_usage": {"unit": "W", "avg": watts}, "nvidia_energy_consumption": {"avg": watts / 1e5}}})
        };
        let all: serde_json::Map<String, Value> =
            gpus.iter().enumerate().map(|(place, one)| (format!("gpu_{place}"), gpu(one))).collect();
        json!({"total_osl": {"avg": tokens}, "telemetry_data": {"endpoints": {"node:9400": {"gpus": all}}}})
    }

    fn rows(a: &[Value], b: &[Value]) -> Vec<(String, &'static str, Option<f64>, Option<f64>)> {
        let all = GpuRowPair::all(&ComparedGpu::all(a.iter()), &ComparedGpu::all(b.iter()));
        all.into_iter().map(|row| (row.gpu, row.quantity.tag(), row.baseline, row.candidate)).collect()
    }

    #[test]
    fn a_gpu_is_compared_with_itself_and_runs_are_averaged() {
        let a = [summary(&[("a", 0, 300.0), ("b", 1, 400.0)], 1e6), summary(&[("a", 0, 500.0), ("b", 1, 400.0)], 1e6)];
        let b = [summary(&[("b", 1, 200.0), ("a", 0, 100.0)], 2e6)];
        let found = rows(&a, &b);
        let expected = |gpu: &str, tag, a, b| (gpu.to_owned(), tag, Some(a), Some(b));
        assert_eq!(
            found,
            [
                expected("GPU 0 H200", "power", 400.0, 100.0),
                expected("GPU 0 H200", "energy_per_output_token", 4.0, 0.5),
                expected("GPU 1 H200", "power", 400.0, 200.0),
                expected("GPU 1 H200", "energy_per_output_token", 4.0, 1.0),
            ]
        );
    }

    #[test]
    fn gpus_of_another_machine_are_compared_by_their_place() {
        let found = rows(&[summary(&[("a", 0, 300.0)], 0.0)], &[summary(&[("x", 3, 150.0), ("y", 4, 10.0)], 0.0)]);
        assert_eq!(
            found,
            [
                ("GPU 0 H200 / GPU 3 H200".to_owned(), "power", Some(300.0), Some(150.0)),
                ("GPU 4 H200".to_owned(), "power", None, Some(10.0)),
            ]
        );
        assert_eq!(rows(&[json!({})], &[json!({})]), []);
    }
}
