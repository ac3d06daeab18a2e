//! The files of a phase whose load is raised until a limit is broken: a line for each event while the phase runs, a summary at its
//! end, and a list of the phases that have both.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use aiperf_clock::EpochNanos;
use serde::Serialize;
use serde_json::{Number, Value, json};

use crate::ReportError;
use crate::folder::part_file::write_whole;
use crate::folder::{ArtifactPaths, PHASES};
use crate::summary::LocalZone;

/// Version of all three files.
pub const ADAPTIVE_SCALE_SCHEMA: u32 = 2;

/// The phase of a run.
#[derive(Debug, Clone, Serialize)]
pub struct AdaptivePhase {
    pub phase_index: usize,
    pub phase_kind: &'static str,
    pub phase_name: String,
    /// Its place among the profiling phases.
    pub profiling_index: Option<usize>,
}

/// One line of the events file.
#[derive(Debug, Clone, Serialize)]
pub struct AdaptiveEvent {
    pub event: &'static str,
    /// `discover`, `sustain` or `complete`.
    pub phase: &'static str,
    pub reason: String,
    pub accepted_value: Number,
    pub adaptive_iteration: u64,
    pub binding_sla: Option<String>,
    pub boundary_value: Option<Number>,
    pub cancelled: u64,
    pub candidate_value: Number,
    pub completed: u64,
    pub control: ControlValues,
    pub control_value: Number,
    pub control_value_after: Number,
    pub control_value_before: Number,
    pub control_variable: &'static str,
    pub error_count: u64,
    pub errored: u64,
    /// Always null, as in the reference.
    pub fault_window_id: Option<u64>,
    pub first_failing_value: Option<Number>,
    pub in_flight: u64,
    pub last_passing_value: Option<Number>,
    pub phase_end_ts: Option<u64>,
    pub phase_id: String,
    #[serde(flatten)]
    pub of: AdaptivePhase,
    pub phase_start_ts: Option<u64>,
    /// Always null, as in the reference.
    pub run_id: Option<String>,
    pub sample_count: u64,
    pub schema_version: u32,
    pub sent: u64,
    pub sla_bound: f64,
    pub sla_metric: String,
    pub sla_op: &'static str,
    pub sla_passed: Option<bool>,
    pub sla_stat: String,
    pub sla_value: Option<f64>,
    pub sla_values: BTreeMap<String, Option<f64>>,
    pub step_policy: &'static str,
    pub step_size: Option<Number>,
    pub strategy_type: &'static str,
    pub throughput: f64,
    pub timestamp: u64,
    pub timestamp_ns: u64,
    pub timestamp_utc: String,
}

/// The value that holds and the one that was asked for.
#[derive(Debug, Clone, Serialize)]
pub struct ControlValues {
    pub actual_value: Number,
    pub target_value: Number,
}

/// One window that was assessed. Times are in milliseconds; null without a value.
#[derive(Debug, Clone, Serialize)]
pub struct AdaptiveCandidate {
    pub accepted: bool,
    pub adaptive_iteration: u64,
    pub cancelled: u64,
    pub candidate_value: Number,
    pub control_value: Number,
    pub duration_s: f64,
    pub end_ts: String,
    pub error_count: u64,
    pub itl_p50_ms: Option<f64>,
    pub itl_p95_ms: Option<f64>,
    pub itl_p99_ms: Option<f64>,
    pub latency_avg_ms: Option<f64>,
    pub latency_p50_ms: Option<f64>,
    pub latency_p95_ms: Option<f64>,
    pub latency_p99_ms: Option<f64>,
    pub rejection_reason: Option<&'static str>,
    pub request_count: u64,
    pub sla_values: BTreeMap<String, Option<f64>>,
    pub start_ts: String,
    pub success_count: u64,
    pub success_rate: Option<f64>,
    pub throughput_rps: f64,
    pub ttft_p50_ms: Option<f64>,
    pub ttft_p95_ms: Option<f64>,
    pub ttft_p99_ms: Option<f64>,
}

/// What came out.
#[derive(Debug, Clone, Serialize)]
pub struct AdaptiveSummary {
    pub base_step: Option<f64>,
    pub boundary_value: Option<Number>,
    pub candidates: Vec<AdaptiveCandidate>,
    pub completed_reason: &'static str,
    pub control: ControlValues,
    pub control_value: Number,
    pub control_variable: &'static str,
    pub first_failing_value: Option<Number>,
    pub last_passing_value: Option<Number>,
    pub max_step_multiplier: Option<u32>,
    #[serde(flatten)]
    pub of: AdaptivePhase,
    pub result: Value,
    pub schema_version: u32,
    pub sla: Value,
    pub sla_bound: f64,
    pub sla_metric: String,
    pub sla_op: &'static str,
    pub sla_passed_during_sustain: bool,
    pub sla_stat: String,
    /// All limits, as options write them.
    pub sla_filters: Vec<String>,
    /// `completed`, `incomplete` or `failed`.
    pub status: &'static str,
    pub step_percent: Option<f64>,
    pub step_policy: &'static str,
    pub strategy_type: &'static str,
    pub sustain_duration_seconds: f64,
    pub sustain_passed_windows: u64,
    pub sustain_started_at: Option<u64>,
    pub sustain_windows: u64,
    pub throughput: f64,
    pub totals: Value,
}

/// A time as these files write it.
pub fn adaptive_time(at: EpochNanos) -> String {
    format!("{}Z", LocalZone::utc().iso(at))
}

/// The events of one phase, on disk as they happen.
#[derive(Debug)]
pub struct AdaptiveEvents {
    path: PathBuf,
    file: Option<File>,
}

impl AdaptiveEvents {
    /// Replaces the file of an earlier run.
    pub fn create(paths: &ArtifactPaths, phase: &str) -> Result<Self, ReportError> {
        let path = paths.dir().join(relative(phase, "adaptive_scale_events.jsonl"));
        if let Some(dir) = path.parent() {
            fs::create_dir_all(dir).map_err(|source| ReportError::create(dir, source))?;
        }
        let file = File::create(&path).map_err(|source| ReportError::create(&path, source))?;
        Ok(Self { path, file: Some(file) })
    }

    /// Adds one line. After an error nothing more is written, so that no line is missing in between.
    pub fn write(&mut self, event: &AdaptiveEvent) -> Result<(), ReportError> {
        let Some(file) = &mut self.file else { return Ok(()) };
        let mut line = serde_json::to_vec(event).unwrap_or_default();
        line.push(b'\n');
        file.write_all(&line).map_err(|source| {
            self.file = None;
            ReportError::write(&self.path, source)
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Writes the summary of a phase.
pub fn write_adaptive_summary(paths: &ArtifactPaths, summary: &AdaptiveSummary) -> Result<PathBuf, ReportError> {
    let path = paths.dir().join(relative(&summary.of.phase_name, "adaptive_scale_summary.json"));
    write_whole(&path, &pretty(summary))?;
    Ok(path)
}

/// Writes the list of the phases that have these files.
pub fn write_adaptive_manifest(paths: &ArtifactPaths, phases: &[AdaptivePhase]) -> Result<PathBuf, ReportError> {
    let entry = |phase: &AdaptivePhase| {
        json!({
            "events_path": relative(&phase.phase_name, "adaptive_scale_events.jsonl"),
            "phase_index": phase.phase_index,
            "phase_kind": phase.phase_kind,
            "phase_name": phase.phase_name,
            "profiling_index": phase.profiling_index,
            "summary_path": relative(&phase.phase_name, "adaptive_scale_summary.json"),
        })
    };
    let list: Vec<Value> = phases.iter().map(entry).collect();
    let path = paths.adaptive_scale_manifest();
    write_whole(&path, &pretty(&json!({"adaptive_phases": list, "schema_version": ADAPTIVE_SCALE_SCHEMA})))?;
    Ok(path)
}

fn relative(phase: &str, file: &str) -> String {
    format!("{PHASES}/{phase}/{file}")
}

fn pretty(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec_pretty(value).unwrap_or_default()
}
