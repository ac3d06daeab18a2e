//! The phases of a run: how their requests ended, and the manifest of a run with more than one.

use aiperf_metrics::PhaseAccounting;
use aiperf_protocol::PhaseKind;
use serde_json::{Value, json};

use crate::summary::json::{error_summary, metric};
use crate::{ArtifactPaths, PhaseReport, RunReport};

/// Keys in alphabetical order, as the reference writes them, then our own.
pub(crate) fn manifest(report: &RunReport, paths: &ArtifactPaths) -> Value {
    let entry = |phase: &PhaseReport| {
        let summary = &phase.summary;
        let mut entry = json!({
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
        });
        if let Some(counts) = report.accounting_of(phase) {
            entry["accounting"] = accounting(counts);
        }
        if phase.kind == PhaseKind::Profiling && !phase.in_results {
            entry["exclude_from_results"] = json!(true);
        }
        entry
    };
    json!({"phases": report.phases.iter().map(entry).collect::<Value>(), "schema_version": 1})
}

/// The results of each profiling phase, for a summary that covers several of them together.
pub(crate) fn results(report: &RunReport) -> Value {
    let of_phase = |phase: &PhaseReport| {
        let summary = &phase.summary;
        let metrics = summary.results.iter().map(|result| (result.metric.tag().to_owned(), metric(result, &[])));
        json!({
            "phase_name": phase.name,
            "phase_index": phase.index,
            "profiling_index": phase.profiling_index,
            "in_results": phase.in_results,
            "start_ns": summary.start.0,
            "end_ns": summary.end.0,
            "successful_request_count": summary.successful,
            "error_request_count": summary.failed,
            "metrics": Value::Object(metrics.collect()),
        })
    };
    report.phases.iter().filter(|phase| phase.kind == PhaseKind::Profiling).map(of_phase).collect()
}

/// How the requests and sessions of a phase ended.
pub fn accounting(phase: &PhaseAccounting) -> Value {
    json!({
        "phase_name": phase.phase,
        "start_ns": phase.started.0,
        "end_ns": phase.ended.0,
        "sent": phase.sent,
        "completed": phase.completed,
        "errors": phase.errors,
        "cancelled": phase.cut,
        "sessions_sent": phase.sessions_sent,
        "sessions_completed": phase.sessions_completed,
        "sessions_cancelled": phase.sessions_cancelled,
        "arrivals_delayed": phase.arrivals_delayed,
        "arrivals_dropped": phase.arrivals_dropped,
    })
}
