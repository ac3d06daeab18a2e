//! The figures of GPUs as rows, read from `telemetry_data`: that of this run, or of a summary that is rebuilt, which may be one of
//! the reference.

use aiperf_table::csv::{LINE_END, cell, number};
use serde_json::Value;

/// One field of one GPU.
#[derive(Debug, Clone, PartialEq)]
pub struct GpuRow<'a> {
    pub source: &'a str,
    pub index: u64,
    pub name: &'a str,
    pub uuid: &'a str,
    pub platform: &'a str,
    pub hostname: Option<&'a str>,
    pub namespace: Option<&'a str>,
    pub pod: Option<&'a str>,
    pub title: String,
    pub unit: &'a str,
    metric: &'a Value,
}

impl GpuRow<'_> {
    /// A statistic by its name in files.
    pub fn statistic(&self, name: &str) -> Option<f64> {
        self.metric[name].as_f64()
    }
}

/// All rows, GPU by GPU.
pub(crate) fn rows(telemetry: &Value) -> Vec<GpuRow<'_>> {
    let mut found = Vec::new();
    for (source, endpoint) in telemetry["endpoints"].as_object().into_iter().flatten() {
        for gpu in endpoint["gpus"].as_object().into_iter().flatten().map(|(_, gpu)| gpu) {
            for (key, metric) in gpu["metrics"].as_object().into_iter().flatten() {
                let text = |name: &str| gpu[name].as_str();
                found.push(GpuRow {
                    source,
                    index: gpu["gpu_index"].as_u64().unwrap_or_default(),
                    name: text("gpu_name").unwrap_or_default(),
                    uuid: text("gpu_uuid").unwrap_or_default(),
                    platform: text("platform").unwrap_or_default(),
                    hostname: text("hostname"),
                    namespace: text("namespace"),
                    pod: text("pod_name"),
                    title: metric["title"].as_str().map_or_else(|| title_of(key), str::to_owned),
                    unit: metric["unit"].as_str().unwrap_or_default(),
                    metric,
                });
            }
        }
    }
    found
}

/// A title for a key that comes without one: `nvidia_gpu_utilization` is `NVIDIA GPU Utilization`.
fn title_of(key: &str) -> String {
    const SHORT: [&str; 8] = ["nvidia", "amd", "gpu", "sm", "xid", "gfx", "umc", "ecc"];
    let word = |word: &str| {
        if SHORT.contains(&word) {
            return word.to_uppercase();
        }
        let mut letters = word.chars();
        letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
    };
    key.split('_').map(word).collect::<Vec<_>>().join(" ")
}

/// Where a GPU is: a column that is there only if it is known.
type PlaceColumn = for<'a> fn(&GpuRow<'a>) -> Option<&'a str>;

/// The section of the summary CSV, with its header. `statistics`: names of columns, with commas between them.
pub(crate) fn csv_section(telemetry: &Value, statistics: &str) -> String {
    let rows = rows(telemetry);
    let mut header = format!("Endpoint,GPU_Index,GPU_Name,GPU_UUID,Platform,Metric,{statistics},std");
    let places: [(&str, PlaceColumn); 3] =
        [("Hostname", |row| row.hostname), ("Namespace", |row| row.namespace), ("Pod Name", |row| row.pod)];
    let known: Vec<_> = places.into_iter().filter(|(_, place)| rows.iter().any(|row| place(row).is_some())).collect();
    for (name, _) in &known {
        header.push(',');
        header.push_str(name);
    }
    let mut text = header + LINE_END;
    for row in &rows {
        let name = cell(&format!("{} ({})", row.title, row.unit));
        let mut cells = vec![cell(row.source), row.index.to_string(), cell(row.name), cell(row.uuid)];
        cells.extend([cell(row.platform), name]);
        cells.extend(statistics.split(',').chain(["std"]).map(|name| value(row, name)));
        cells.extend(known.iter().map(|(_, place)| cell(place(row).unwrap_or_default())));
        text.push_str(&cells.join(","));
        text.push_str(LINE_END);
    }
    text
}

/// Two decimals; megajoules have six, because a run draws a small part of one.
fn value(row: &GpuRow<'_>, statistic: &str) -> String {
    let value = row.statistic(statistic);
    match value {
        Some(megajoules) if row.unit == "MJ" => format!("{megajoules:.6}"),
        other => number(other),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_summary_of_the_reference_gives_rows_too() {
        let telemetry = json!({"endpoints": {"127.0.0.1:9400": {"gpus": {"gpu_0": {
            "gpu_index": 0, "gpu_name": "NVIDIA H200", "gpu_uuid": "GPU-0", "platform": "nvidia", "hostname": "node",
            "metrics": {"nvidia_gpu_utilization": {"unit": "%", "avg": 61.666, "p50": 90.0},
                        "nvidia_energy_consumption": {"unit": "MJ", "avg": 0.000_744_6}},
        }}}}});
        let text = csv_section(&telemetry, "avg,p50");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines,
            [
                "Endpoint,GPU_Index,GPU_Name,GPU_UUID,Platform,Metric,avg,p50,std,Hostname",
                "127.0.0.1:9400,0,NVIDIA H200,GPU-0,nvidia,NVIDIA GPU Utilization (%),61.67,90.00,,node",
                "127.0.0.1:9400,0,NVIDIA H200,GPU-0,nvidia,NVIDIA Energy Consumption (MJ),0.000745,,,node",
            ]
        );
    }

    #[test]
    fn a_run_without_gpus_has_the_header_only() {
        let text = csv_section(&json!({}), "avg");
        assert_eq!(text.trim_end(), "Endpoint,GPU_Index,GPU_Name,GPU_UUID,Platform,Metric,avg,std");
    }
}
