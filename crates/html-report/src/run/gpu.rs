//! R14: readings of the GPUs over time, from `gpu_telemetry_export.jsonl`.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};

use aiperf_artifact::Folder;
use serde_json::{Value, json};

use crate::number::shorts;
use crate::run::server::thinned;
use crate::time_bins::TimeBins;

/// Parts of field names, in the order of their charts; other fields are left out.
const FIELDS: [(&str, &str); 8] = [
    ("power_usage", "Power (W)"),
    ("gpu_utilization", "GPU utilization (%)"),
    ("sm_utilization", "SM utilization (%)"),
    ("memory_used", "Memory used (GB)"),
    ("memory_utilization", "Memory utilization (%)"),
    ("temperature", "Temperature (°C)"),
    ("sm_clock", "SM clock (MHz)"),
    ("energy_consumption", "Energy (MJ)"),
];

pub(crate) fn json(folder: &Folder, bins: &TimeBins) -> Value {
    let Ok(file) = File::open(folder.paths().gpu_telemetry()) else { return Value::Null };
    let mut series: BTreeMap<(usize, String), Vec<(f64, f64)>> = BTreeMap::new();
    for line in BufReader::new(file).lines().map_while(Result::ok) {
        let Ok(reading) = serde_json::from_str::<Value>(&line) else { continue };
        // A reading before the window is the baseline of idle power; it would stretch the axis.
        let at = reading["timestamp_ns"].as_u64().filter(|at| *at >= bins.start_ns).map(|at| bins.offset_s(at));
        let Some(at) = at else { continue };
        let gpu = format!(
            "GPU {} {}",
            reading["gpu_index"].as_u64().unwrap_or(0),
            reading["gpu_model_name"].as_str().unwrap_or_default()
        );
        for (key, value) in reading["telemetry_data"].as_object().into_iter().flatten() {
            let field = FIELDS.iter().position(|(part, _)| key.contains(part));
            if let (Some(field), Some(value)) = (field, value.as_f64()) {
                series.entry((field, gpu.clone())).or_default().push((at, value));
            }
        }
    }
    let mut charts: BTreeMap<usize, Vec<Value>> = BTreeMap::new();
    for ((field, gpu), points) in &series {
        let points = thinned(points);
        let line = json!({
            "name": gpu,
            "x": shorts(points.iter().map(|point| point.0)),
            "y": shorts(points.iter().map(|point| point.1)),
        });
        charts.entry(*field).or_default().push(line);
    }
    if charts.is_empty() {
        return Value::Null;
    }
    charts.into_iter().map(|(field, lines)| json!({"name": FIELDS[field].1, "lines": lines})).collect()
}
