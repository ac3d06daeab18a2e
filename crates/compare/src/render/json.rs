//! For programs.

use aiperf_stats::PairedCounts;
use serde_json::{Value, json};

use super::Page;
use crate::{
    AccuracyComparison, Change, Comparison, ComparisonRow, Forecast, Gate, GpuRowPair, OnUnclear, Question, RowOutcome,
    Scale, SideNote, Verdict, Warning,
};

const SCHEMA: &str = "1.3";

pub(super) fn render(page: &Page<'_>) -> String {
    let report = page.report;
    let mut value = json!({
        "schema_version": SCHEMA,
        "aiperf_version": page.version,
        "confidence_level": report.level.get(),
        "interval_confidence_level": report.row_level.get(),
        "bounds": match report.question {
            Question::Changed => "two-sided",
            Question::Worse => "one-sided",
        },
        "no_verdict": report.withheld(),
        "baseline": side(&report.baseline),
        "comparisons": report.comparisons.iter().map(|comparison| compared(comparison, page.gate)).collect::<Vec<_>>(),
    });
    if let Some(gate) = page.gate {
        let on_unclear = if gate.on_unclear == OnUnclear::Pass { "pass" } else { "fail" };
        value["gate"] =
            json!({"outcome": gate.outcome.name(), "on_unclear": on_unclear, "exit_code": gate.exit_code()});
    }
    format!("{value:#}\n")
}

fn side(note: &SideNote) -> Value {
    json!({
        "folder": note.folder.display().to_string(),
        "runs": note.runs,
        "failed_runs": note.failed_runs,
        "requests": note.requests,
        "has_records": note.has_records,
        "unreadable_lines": note.skipped_lines,
        "incomplete": note.no_verdict_reasons,
        "warnings": note.warnings.iter().map(warning).collect::<Vec<_>>(),
    })
}

fn warning(warning: &Warning) -> Value {
    json!({"code": warning.code, "message": warning.message, "runs": warning.runs})
}

fn compared(comparison: &Comparison, gate: Option<Gate>) -> Value {
    let notes = comparison.workload.iter();
    let workload = notes.map(|note| json!({"what": note.what, "baseline": note.baseline, "candidate": note.candidate}));
    let mut value = json!({
        "candidate": side(&comparison.candidate),
        "workload_differences": workload.collect::<Vec<_>>(),
        "metrics": comparison.rows.iter().map(|row| number(row, gate)).collect::<Vec<_>>(),
        "gpus": comparison.gpus.iter().map(gpu).collect::<Vec<_>>(),
    });
    if let Some(accuracy) = &comparison.accuracy {
        value["accuracy"] = answers(accuracy, gate);
    }
    value
}

fn answers(accuracy: &AccuracyComparison, gate: Option<Gate>) -> Value {
    let tasks = accuracy.tasks.iter().map(|task| {
        let mut value = json!({"task": task.task});
        put_pairs(&mut value, &task.pairs);
        value
    });
    let mut value = json!({
        "benchmark": accuracy.benchmark,
        "change": accuracy.change.as_ref().map(change),
        "p_value": accuracy.p_value,
        "threshold": accuracy.threshold.get(),
        "verdict": accuracy.verdict.name(),
        "reason": accuracy.no_pairs,
        "unpaired": accuracy.unpaired,
        "tasks": tasks.collect::<Vec<_>>(),
    });
    put_pairs(&mut value, &accuracy.pairs);
    if gate.is_some() {
        value["gate"] = json!(outcome(accuracy.verdict, accuracy.outcome()));
    }
    value
}

fn put_pairs(value: &mut Value, pairs: &PairedCounts) {
    let is_known = pairs.total() > 0;
    value["questions"] = json!(pairs.total());
    value["baseline"] = json!(is_known.then(|| pairs.first()));
    value["candidate"] = json!(is_known.then(|| pairs.second()));
    value["only_baseline_right"] = json!(pairs.only_first);
    value["only_candidate_right"] = json!(pairs.only_second);
}

fn number(row: &ComparisonRow, gate: Option<Gate>) -> Value {
    let definition = row.quantity.metric.definition();
    let mut value = json!({
        "metric": row.quantity.metric.tag(),
        "statistic": row.quantity.statistic.to_string(),
        "unit": definition.shown.label(),
        "direction": row.direction.name(),
        "baseline": row.baseline,
        "candidate": row.candidate,
        "change": row.change.as_ref().map(change),
        "threshold": row.threshold.get(),
        "detect": row.detect.get(),
        "verdict": row.verdict.name(),
        "reason": row.reason.as_ref().map(|reason| reason.sentence(row.unit)),
        "forecast": row.forecast.map(forecast),
        "none_on_either_side_at_most": row.none_on_either_side.map(|percent| percent / 100.0),
    });
    if gate.is_some() {
        value["gate"] = json!(outcome(row.verdict, RowOutcome::of(row)));
    }
    value
}

/// What a number says to the gate.
fn outcome(verdict: Verdict, outcome: RowOutcome) -> &'static str {
    match outcome {
        _ if verdict == Verdict::Withheld => "no verdict",
        RowOutcome::Passed => "pass",
        RowOutcome::Regression => "regression",
        RowOutcome::Inconclusive => "cannot tell",
    }
}

fn gpu(row: &GpuRowPair) -> Value {
    json!({
        "gpu": row.gpu,
        "metric": row.quantity.tag(),
        "unit": row.quantity.unit(),
        "baseline": row.baseline,
        "candidate": row.candidate,
        "change": row.change(),
    })
}

/// Bounds that there are none of are null.
fn change(change: &Change) -> Value {
    let bounded = change.high.is_finite() && change.low.is_finite();
    let bound = |value: f64| bounded.then_some(value);
    json!({
        "absolute": change.absolute,
        "share": change.share,
        "low": bound(change.low),
        "high": bound(change.high),
        "of": match change.scale {
            Scale::Relative => "baseline",
            Scale::Points => "hundred points",
        },
    })
}

fn forecast(forecast: Forecast) -> Value {
    match forecast {
        Forecast::AtLeast(least) => json!({"unit": "requests", "more_than": least}),
        Forecast::Needs { find, equal, unit } => json!({"unit": unit.name(), "to_find": find, "to_show_equal": equal}),
    }
}
