//! The `telemetry_data` object of the summary.

use aiperf_clock::{EpochNanos, Nanos};
use aiperf_metrics::{Percentile, Stats};
use serde::Serialize;
use serde_json::{Map, Number, Value, json};

use crate::LocalZone;

/// Which GPU it is; what is not known is left out of files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GpuDescription {
    #[serde(rename = "gpu_index")]
    pub index: u32,
    #[serde(rename = "gpu_uuid")]
    pub uuid: String,
    #[serde(rename = "gpu_model_name")]
    pub model: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pci_bus_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hostname: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", rename = "pod_name")]
    pub pod: Option<String>,
    pub platform: &'static str,
}

/// One GPU in the window of the profiling phase.
#[derive(Debug, Clone, PartialEq)]
pub struct GpuFigures {
    pub gpu: GpuDescription,
    /// Key, title, unit and statistics of each field; the code of the last error of a field that has one.
    pub metrics: Vec<(String, String, String, Stats, Option<u64>)>,
}

/// One source of telemetry.
#[derive(Debug, Clone, PartialEq)]
pub struct GpuSourceFigures {
    pub url: String,
    pub display_name: String,
    pub gpus: Vec<GpuFigures>,
    /// The time between two new values.
    pub update_interval: Option<Nanos>,
    pub reads: u64,
    pub failures: u64,
    pub last_failure: Option<String>,
}

/// The energy of the GPUs of one platform.
#[derive(Debug, Clone, PartialEq)]
pub struct EnergyFigure {
    pub platform: &'static str,
    pub gpus: usize,
    /// Joules, their largest error as a share, and the method; or why there is no figure.
    pub energy: Result<(f64, f64, &'static str), String>,
    pub idle_watts: Option<f64>,
    /// By how much integrated power differs from the counters, as a share of these.
    pub power_against_counter: Option<f64>,
}

/// All of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct GpuTelemetryFigures {
    pub sources: Vec<GpuSourceFigures>,
    pub energy: Vec<EnergyFigure>,
    pub start: EpochNanos,
    pub end: EpochNanos,
}

impl GpuTelemetryFigures {
    pub fn json(&self, zone: &LocalZone) -> Value {
        let reachable = |source: &&GpuSourceFigures| source.reads > 0;
        let urls = |sources: &mut dyn Iterator<Item = &GpuSourceFigures>| -> Value {
            sources.map(|source| source.url.clone()).collect()
        };
        let endpoints: Map<String, Value> = self
            .sources
            .iter()
            .filter(reachable)
            .map(|source| (source.display_name.clone(), json!({"gpus": gpus(&source.gpus)})))
            .collect();
        let errors: Vec<Value> = self.sources.iter().filter_map(error).collect();
        json!({
            "summary": {
                "endpoints_configured": urls(&mut self.sources.iter()),
                "endpoints_successful": urls(&mut self.sources.iter().filter(reachable)),
                "start_time": zone.iso(self.start),
                "end_time": zone.iso(self.end),
                "sources": self.sources.iter().map(source_json).collect::<Vec<_>>(),
                "energy": self.energy.iter().map(|figure| (figure.platform.to_owned(), energy(figure))).collect::<Map<_, _>>(),
            },
            "endpoints": endpoints,
            "error_summary": errors,
        })
    }
}

fn source_json(source: &GpuSourceFigures) -> Value {
    let mut object = Map::new();
    object.insert("url".to_owned(), source.url.clone().into());
    if let Some(interval) = source.update_interval {
        object.insert("update_interval_ms".to_owned(), interval.as_millis_f64().into());
    }
    object.insert("reads".to_owned(), source.reads.into());
    object.insert("failures".to_owned(), source.failures.into());
    Value::Object(object)
}

fn error(source: &GpuSourceFigures) -> Option<Value> {
    let message = source.last_failure.as_ref()?;
    let details = json!({"type": "GpuTelemetryError", "message": format!("{}: {message}", source.url)});
    Some(json!({"error_details": details, "count": source.failures}))
}

fn energy(figure: &EnergyFigure) -> Value {
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    put("gpus", figure.gpus.into());
    match &figure.energy {
        Ok((joules, error, method)) => {
            put("joules", (*joules).into());
            put("error_percent", (error * 100.0).into());
            put("method", (*method).into());
        }
        Err(why) => drop(put("refused", why.clone().into())),
    }
    if let Some(watts) = figure.idle_watts {
        put("idle_watts", watts.into());
    }
    if let Some(share) = figure.power_against_counter {
        put("integrated_power_difference_percent", (share * 100.0).into());
    }
    Value::Object(object)
}

fn gpus(all: &[GpuFigures]) -> Value {
    let mut object = Map::new();
    for figures in all {
        let gpu = &figures.gpu;
        let mut one = Map::new();
        one.insert("gpu_index".to_owned(), gpu.index.into());
        one.insert("gpu_name".to_owned(), gpu.model.clone().into());
        one.insert("gpu_uuid".to_owned(), gpu.uuid.clone().into());
        one.insert("platform".to_owned(), gpu.platform.into());
        let known = [("hostname", &gpu.hostname), ("namespace", &gpu.namespace), ("pod_name", &gpu.pod)];
        for (key, value) in known {
            one.extend(value.as_ref().map(|value| (key.to_owned(), Value::from(value.as_str()))));
        }
        let metrics = figures
            .metrics
            .iter()
            .map(|(key, title, unit, stats, code)| (key.clone(), metric(title, unit, stats, *code)));
        one.insert("metrics".to_owned(), Value::Object(metrics.collect()));
        // Two pods of one page may have GPUs with the same number.
        let name = format!("gpu_{}", gpu.index);
        let name = if object.contains_key(&name) { format!("{name}_{}", gpu.uuid) } else { name };
        object.insert(name, Value::Object(one));
    }
    Value::Object(object)
}

fn metric(title: &str, unit: &str, stats: &Stats, last_code: Option<u64>) -> Value {
    let mut object = Map::new();
    object.insert("unit".to_owned(), unit.into());
    let mut put = |key: &str, value: Option<f64>| {
        object.extend(value.and_then(Number::from_f64).map(|number| (key.to_owned(), Value::Number(number))));
    };
    put("avg", stats.avg);
    for percentile in Percentile::REFERENCE {
        put(percentile.name(), stats.percentile(percentile));
    }
    put("min", stats.min);
    put("max", stats.max);
    put("std", stats.std);
    if let Some(count) = stats.count {
        object.insert("count".to_owned(), count.into());
    }
    if let Some(sum) = stats.sum.and_then(Number::from_f64) {
        object.insert("sum".to_owned(), Value::Number(sum));
    }
    if let Some(code) = last_code {
        object.insert("last_code".to_owned(), code.into());
    }
    object.insert("title".to_owned(), title.into());
    Value::Object(object)
}
