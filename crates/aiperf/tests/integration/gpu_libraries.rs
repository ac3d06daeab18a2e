//! GPU telemetry through the libraries of GPU makers. Machines that run tests have no GPU, so the libraries are stand-ins, compiled from
//! C: they show that the functions are called as the makers' headers declare them.

use std::path::{Path, PathBuf};
use std::process::Command;

use aiperf_test_tools::available;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Artifacts, Program, sim};

/// A folder with a library that is compiled from this source; `None` without a C compiler.
fn library(source: &str, name: &str) -> Option<(TempDir, PathBuf)> {
    if !available(&[&["cc", "--version"]]) {
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/gpu_libraries").join(source);
    let compiled = Command::new("cc").args(["-shared", "-fPIC", "-O1", "-o"]).args([&path, &source]).status().unwrap();
    assert!(compiled.success());
    let at = folder.path().to_owned();
    Some((folder, at))
}

fn run(libraries: &Path, words: &str) -> Artifacts {
    let sim = sim("ttft=5&itl=5&osl=10");
    Program::against(&sim, &format!("--streaming --concurrency 2 --osl 10 --benchmark-duration 4 {words}"))
        .env("LD_LIBRARY_PATH", libraries)
        .succeed()
}

fn metrics<'a>(summary: &'a Value, source: &str, gpu: &str) -> &'a Value {
    &summary["telemetry_data"]["endpoints"][source]["gpus"][gpu]["metrics"]
}

fn seconds(summary: &Value) -> f64 {
    let phase = &summary["phase_accounting"][0];
    (phase["end_ns"].as_u64().unwrap() - phase["start_ns"].as_u64().unwrap()) as f64 / 1e9
}

#[test]
fn the_nvidia_library_is_read_and_found_without_the_flag() {
    let Some((_folder, at)) = library("nvml.c", "libnvidia-ml.so.1") else { return };
    for words in ["--gpu-telemetry pynvml", ""] {
        let artifacts = run(&at, words);
        let summary = artifacts.summary();
        let found = metrics(&summary, "pynvml://localhost", "gpu_0");
        let average = |key: &str| found[key]["avg"].as_f64().unwrap_or_else(|| panic!("{key}: {found:#}"));
        assert_eq!(average("nvidia_gpu_utilization").round() as u64, 97);
        assert!((average("nvidia_memory_used") - 64.0).abs() < 1e-9);
        assert!((average("nvidia_temperature") - 61.0).abs() < 1e-9);
        assert!((average("nvidia_memory_clock") - 3201.0).abs() < 1e-9);
        assert!((average("nvidia_power_usage") - 500.0).abs() < 0.1);
        assert!((average("nvidia_throttle_sw_power_cap") - 100.0).abs() < 1e-9);
        assert!(found.get("nvidia_encoder_utilization").is_none());
        let energy = &summary["telemetry_data"]["summary"]["energy"]["nvidia"];
        assert_eq!(energy["method"], "energy_counter", "{energy}");
        let off = (energy["joules"].as_f64().unwrap() / (seconds(&summary) * 500.0) - 1.0).abs() * 100.0;
        assert!(off <= energy["error_percent"].as_f64().unwrap(), "off by {off} %: {energy}");
        assert!(energy["integrated_power_difference_percent"].as_f64().unwrap().abs() < 3.0, "{energy}");
    }
}

#[test]
fn the_amd_library_is_read() {
    let Some((_folder, at)) = library("amd_smi.c", "libamd_smi.so") else { return };
    let artifacts = run(&at, "--gpu-telemetry amdsmi");
    let summary = artifacts.summary();
    let found = metrics(&summary, "amdsmi://localhost", "gpu_1");
    for (key, value) in [
        ("amd_power", 550.0),
        ("amd_gfx_activity", 96.0),
        ("amd_umc_activity", 44.0),
        ("amd_memory_used", 180.0),
        ("amd_temperature", 71.0),
        ("amd_gfx_clock", 2100.0),
        ("amd_memory_clock", 1300.0),
        ("amd_throttle_status", 0.0),
        ("amd_ecc_uncorrectable", 0.0),
    ] {
        assert!((found[key]["avg"].as_f64().unwrap_or(-1.0) - value).abs() < 1e-9, "{key}: {found:#}");
    }
    let joules = summary["amd_total_gpu_energy"]["avg"].as_f64().unwrap();
    assert!((joules / (seconds(&summary) * 1100.0) - 1.0).abs() < 0.03, "{joules}");
    assert!(summary["amd_output_tokens_per_joule"]["ci"]["level"].is_number());
    assert!(summary.get("nvidia_total_gpu_energy").is_none());
}

#[test]
fn a_missing_library_is_explained() {
    let sim = sim("ttft=5&itl=5&osl=10");
    for (library, reason) in [("pynvml", "the NVIDIA driver"), ("amdsmi", "AMD's library")] {
        let ended = Program::against(&sim, &format!("--request-count 2 --gpu-telemetry {library}")).run();
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        // A machine with such a GPU has nothing to explain.
        let is_there =
            ended.artifacts.summary()["telemetry_data"]["endpoints"].as_object().is_some_and(|e| !e.is_empty());
        assert!(is_there || ended.stderr.contains(reason), "{}", ended.stderr);
    }
}
