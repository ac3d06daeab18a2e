//! For a terminal and for logs.

use aiperf_table::Align::{Left, Right};
use aiperf_table::{Align, aligned};

use super::{Page, cells};
use crate::{Comparison, ComparisonReport};

/// Words begin below each other, numbers end below each other.
const ALIGN: [Align; cells::COLUMNS] = [Left, Right, Right, Right, Right, Left, Right, Right];

pub(super) fn render(page: &Page<'_>) -> String {
    let report = page.report;
    let mut text = format!("baseline   {}\n", cells::side(&report.baseline));
    for comparison in &report.comparisons {
        text.push_str(&format!("candidate  {}\n", cells::side(&comparison.candidate)));
        text.push_str(&body(report, comparison, page.gate.is_some()));
        text.push('\n');
    }
    text.push_str(&cells::legend(report));
    text.push('\n');
    if let Some(gate) = page.gate {
        text.push_str(&format!("\ngate: {}\n", cells::conclusion(report, gate)));
    } else if report.withheld().is_some() {
        text.push_str(&format!("\n{}\n", cells::withheld(report)));
    }
    text
}

fn body(report: &ComparisonReport, comparison: &Comparison, is_gate: bool) -> String {
    let mut text = String::new();
    for caution in cells::cautions(report, comparison) {
        text.push_str(&format!("warning: {}: {}: {}\n", caution.place, caution.code, caution.message));
    }
    for note in &comparison.workload {
        text.push_str(&format!(
            "warning: the workload differs: {}: {} in the baseline, {} in the candidate\n",
            note.what, note.baseline, note.candidate
        ));
    }
    text.push('\n');
    let mut lines = vec![cells::headings(report)];
    lines.extend(comparison.rows.iter().map(|row| cells::row(row, report, is_gate)));
    for line in aligned(&lines, ALIGN) {
        text.push_str(&line);
        text.push('\n');
    }
    if let Some(accuracy) = &comparison.accuracy {
        text.push_str(&format!("\n{}\n", cells::accuracy(accuracy, is_gate)));
        for line in cells::accuracy_tasks(accuracy) {
            text.push_str(&format!("  {line}\n"));
        }
    }
    if !comparison.gpus.is_empty() {
        let mut lines = vec![cells::GPU_HEADINGS.map(ToOwned::to_owned)];
        lines.extend(comparison.gpus.iter().map(cells::gpu_row));
        text.push('\n');
        for line in aligned(&lines, [Left, Right, Right, Right]) {
            text.push_str(&line);
            text.push('\n');
        }
    }
    for remark in cells::remarks(report, &comparison.rows) {
        text.push_str(&format!("note: {remark}\n"));
    }
    for reason in cells::inconclusive_reasons(&comparison.rows, is_gate) {
        text.push_str(&format!("inconclusive: {reason}\n"));
    }
    text
}
