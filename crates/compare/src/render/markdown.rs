//! For a comment on a change, or the summary of a CI job.

use super::{Page, cells};
use crate::Verdict;

pub(super) fn render(page: &Page<'_>) -> String {
    let report = page.report;
    let mut text = match page.gate {
        Some(gate) => format!("## aiperf gate: {}\n\n", cell(&cells::conclusion(report, gate))),
        None if report.withheld().is_some() => format!("## aiperf compare: {}\n\n", cell(&cells::withheld(report))),
        None => "## aiperf compare\n\n".to_owned(),
    };
    text.push_str(&format!("Baseline {}\n", cell(&cells::side(&report.baseline))));
    for comparison in &report.comparisons {
        text.push_str(&format!("\nCandidate {}\n\n", cell(&cells::side(&comparison.candidate))));
        for caution in cells::cautions(report, comparison) {
            let line = format!("{}: {}", caution.code, caution.message);
            text.push_str(&format!("> **Warning, {}.** {}\n\n", caution.place, cell(&line)));
        }
        for note in &comparison.workload {
            let line = format!("{}: {} in the baseline, {} in the candidate", note.what, note.baseline, note.candidate);
            text.push_str(&format!("> **The work differs.** {}\n\n", cell(&line)));
        }
        text.push_str(&format!(
            "| {} |\n|---|---:|---:|---:|---:|---|---:|---:|\n",
            cells::headings(report).join(" | ")
        ));
        for row in &comparison.rows {
            let mut columns = cells::row(row, report, page.gate.is_some()).map(|text| cell(&text));
            if matches!(row.verdict, Verdict::Worse | Verdict::Better) {
                columns[5] = format!("**{}**", columns[5]);
            }
            text.push_str(&format!("| {} |\n", columns.join(" | ")));
        }
        if let Some(accuracy) = &comparison.accuracy {
            text.push_str(&format!("\n{}\n", cell(&cells::accuracy(accuracy, page.gate.is_some()))));
            for line in cells::accuracy_tasks(accuracy) {
                text.push_str(&format!("- {}\n", cell(&line)));
            }
        }
        if !comparison.gpus.is_empty() {
            text.push_str(&format!("\n| {} |\n|---|---:|---:|---:|\n", cells::GPU_HEADINGS.join(" | ")));
        }
        for row in &comparison.gpus {
            text.push_str(&format!("| {} |\n", cells::gpu_row(row).map(|text| cell(&text)).join(" | ")));
        }
        let remarks = cells::remarks(report, &comparison.rows);
        let reasons = cells::inconclusive_reasons(&comparison.rows, page.gate.is_some());
        if !reasons.is_empty() || !remarks.is_empty() {
            text.push('\n');
        }
        for remark in remarks {
            text.push_str(&format!("- {}\n", cell(&remark)));
        }
        for reason in reasons {
            text.push_str(&format!("- inconclusive: {}\n", cell(&reason)));
        }
    }
    text.push_str(&format!("\n{}\n", cells::legend(report)));
    text
}

/// Nothing in it ends a cell or begins markup.
fn cell(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        if matches!(letter, '|' | '<' | '*' | '_' | '`' | '[' | '\\') {
            safe.push('\\');
        }
        safe.push(if letter == '\n' { ' ' } else { letter });
    }
    safe
}
