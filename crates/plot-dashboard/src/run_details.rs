//! Everything about one run, for the dialog behind a point.

use aiperf_plot::yaml_text;
use serde_json::{Value, json};

use crate::hover::readable;
use crate::known_runs::KnownRun;

/// Statistics in the table of a run.
const STATISTICS: [&str; 6] = ["avg", "p50", "p90", "p99", "min", "max"];

pub(crate) fn details(run: &KnownRun) -> Value {
    let folder = run.found.folder.display().to_string();
    let summary = match &run.summary {
        Ok(summary) => summary,
        Err(problem) => return json!({"id": run.id, "name": folder, "folder": folder, "problem": problem}),
    };
    let parameters: Vec<(&String, String)> =
        summary.columns.iter().map(|(name, value)| (name, value.to_string())).collect();
    let metrics: Vec<Value> = summary
        .metrics
        .iter()
        .map(|(tag, stats)| {
            let value = |stat: &str| stats.values.get(stat).map(|found| readable(found.value)).unwrap_or_default();
            json!({"name": tag, "unit": stats.unit, "values": STATISTICS.map(value)})
        })
        .collect();
    json!({
        "id": run.id,
        "name": summary.name,
        "folder": folder,
        "runs": summary.runs,
        "gpus": summary.gpu_count,
        "parameters": parameters,
        "statistics": STATISTICS,
        "metrics": metrics,
        "config": if summary.input_config.is_null() { String::new() } else { yaml_text(&summary.input_config) },
        "has_requests": run.has_requests(),
    })
}
