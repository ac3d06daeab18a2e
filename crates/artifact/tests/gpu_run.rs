//! A run of this program on a machine with an NVIDIA H200, read by NVML while matrix products loaded the GPU for a minute.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the failure")]

use std::fs;
use std::path::{Path, PathBuf};

use aiperf_artifact::{Folder, RebuildOptions, check, rebuild};
use serde_json::Value;

const VERSION: &str = "0.0.0";
const JOULES_PER_MEGAJOULE: f64 = 1e6;

fn run() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/own_runs/gpu_h200")
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

/// Each reading in the profiling phase: its time in seconds and the named field.
fn readings(field: &str, summary: &Value) -> Vec<(f64, f64)> {
    let phase = &summary["phase_accounting"][0];
    let seconds = |key: &str| number(&phase[key]) / 1e9;
    let (start, end) = (seconds("start_ns"), seconds("end_ns"));
    let text = fs::read_to_string(run().join("gpu_telemetry_export.jsonl")).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let all = lines.map(|line| (number(&line["timestamp_ns"]) / 1e9, number(&line["telemetry_data"][field])));
    all.filter(|(at, _)| (start..=end).contains(at)).collect()
}

#[test]
fn the_folder_is_valid_and_a_rebuilt_summary_keeps_the_energy() {
    let folder = Folder::open(&run()).unwrap();
    let checked = check(&folder, VERSION).unwrap();
    let found: Vec<&str> = checked.findings.iter().map(|finding| finding.file.as_str()).collect();
    assert_eq!(
        found,
        [".aiperf_results_ready.json", "inputs.json"],
        "these two are not kept here: {:?}",
        checked.findings
    );
    let rebuilt = rebuild(&folder, &RebuildOptions::default(), VERSION).unwrap();
    let dir = tempfile::tempdir().unwrap();
    rebuilt.write_to(&folder, dir.path());
    let (before, after) = (json(&folder.paths().summary_json()), json(&folder.names_in(dir.path()).summary_json()));
    for tag in ["nvidia_total_gpu_energy", "nvidia_average_gpu_power", "nvidia_output_tokens_per_joule"] {
        let (before, after) = (number(&before[tag]["avg"]), number(&after[tag]["avg"]));
        assert!((before - after).abs() <= 1e-9 * before, "{tag}: {before} and {after}");
    }
    assert_eq!(before["telemetry_data"]["endpoints"], after["telemetry_data"]["endpoints"]);
}

#[test]
fn the_energy_counter_agrees_with_integrated_power_within_two_percent() {
    let summary = json(&Folder::open(&run()).unwrap().paths().summary_json());
    let total = number(&summary["nvidia_total_gpu_energy"]["avg"]);
    let (counter, power) = (readings("nvidia_energy_consumption", &summary), readings("nvidia_power_usage", &summary));
    assert!(power.len() > 150, "{}", power.len());
    let (first, last) = (counter[0], counter[counter.len() - 1]);
    let counted = (last.1 - first.1) * JOULES_PER_MEGAJOULE;
    let integrated: f64 =
        power.windows(2).map(|pair| (pair[1].0 - pair[0].0) * f64::midpoint(pair[0].1, pair[1].1)).sum();
    assert!((counted / integrated - 1.0).abs() < 0.02, "{counted} and {integrated} J");
    // The readings in the phase cover nearly all of it.
    assert!(last.0 - first.0 > 59.0 && (total / counted - 1.0).abs() < 0.02, "{total} and {counted} J");
}
