//! The manifest of a run with more than one phase.

use serde_json::{Value, json};

use crate::json::error_summary;
use crate::{ArtifactPaths, PhaseReport};

/// Keys in alphabetical order, as the reference writes them.
pub(crate) fn manifest(phases: &[&PhaseReport], paths: &ArtifactPaths) -> Value {
    let entry = |phase: &&PhaseReport| {
        let summary = &phase.summary;
        json!({
            "end_ns": summary.end.0,
            "error_request_count": summary.failed,
            "error_summary": error_summary(&summary.failures),
            "metrics_csv": paths.phase_csv(&phase.name),
            "metrics_json": paths.phase_json(&phase.name),
            "phase_index": phase.index,
            "phase_kind": phase.kind,
            "phase_name": phase.name,
            "profiling_index": phase.profiling_index,
            "start_ns": summary.start.0,
            "successful_request_count": summary.successful,
            "total_request_count": summary.successful + summary.failed,
            "was_cancelled": phase.was_cancelled,
        })
    };
    json!({"phases": phases.iter().map(entry).collect::<Value>(), "schema_version": 1})
}
