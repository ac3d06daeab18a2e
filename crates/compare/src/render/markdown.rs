//! For a comment on a change, or the summary of a CI job.

use super::{Page, cells};
use crate::Verdict;

pub(super) fn render(page: &Page<'_>) -> String {
    let report = page.report;
    let mut text = match page.gate {
        Some(gate) => format!("## aiperf gate: {}\n\n", cell(&cells::conclusion(report, gate))),
        None => "## aiperf compare\n\n".to_owned(),
    };
    text.push_str(&format!("Baseline {}\n", cell(&cells::side(&report.baseline))));
    for comparison in &report.comparisons {
        text.push_str(&format!("\nCandidate {}\n\n", cell(&cells::side(&comparison.candidate))));
        for note in &comparison.workload {
            let line = format!("{}: {} in the baseline, {} in the candidate", note.what, note.baseline, note.candidate);
            text.push_str(&format!("> **The work differs.** {}\n\n", cell(&line)));
        }
        text.push_str(&format!("| {} |\n|---|---:|---:|---:|---:|---|---:|---:|\n", cells::HEADINGS.join(" | ")));
        for row in &comparison.rows {
            let mut columns = cells::row(row, page.gate.is_some()).map(|text| cell(&text));
            if matches!(row.verdict, Verdict::Worse | Verdict::Better) {
                columns[5] = format!("**{}**", columns[5]);
            }
            text.push_str(&format!("| {} |\n", columns.join(" | ")));
        }
        let doubts = cells::doubts(&comparison.rows);
        if !doubts.is_empty() {
            text.push('\n');
        }
        for doubt in doubts {
            text.push_str(&format!("- cannot tell: {}\n", cell(&doubt)));
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
