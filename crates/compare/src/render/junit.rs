//! The XML of `JUnit`, which CI systems show as tests: one case for each number.

use super::{Page, cells};
use crate::{Comparison, OnUnclear, Row, RowOutcome, Verdict};

pub(super) fn render(page: &Page<'_>) -> String {
    let suites: Vec<Suite> = page.report.comparisons.iter().map(|comparison| suite(page, comparison)).collect();
    let sum = |count: fn(&Suite) -> usize| suites.iter().map(count).sum::<usize>();
    let name = if page.gate.is_some() { "aiperf gate" } else { "aiperf compare" };
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    text.push_str(&format!(
        "<testsuites name=\"{name}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\">\n",
        sum(|suite| suite.tests),
        sum(|suite| suite.failures),
        sum(|suite| suite.skipped)
    ));
    for suite in &suites {
        text.push_str(&suite.text);
    }
    text.push_str("</testsuites>\n");
    text
}

struct Suite {
    tests: usize,
    failures: usize,
    skipped: usize,
    text: String,
}

fn suite(page: &Page<'_>, comparison: &Comparison) -> Suite {
    let unclear_fails = page.gate.is_some_and(|gate| gate.on_unclear == OnUnclear::Fail);
    let (mut failures, mut skipped, mut cases) = (0, 0, String::new());
    for row in &comparison.rows {
        let words = escaped(&sentence(row, page.gate.is_some()));
        let inside = match RowOutcome::of(row) {
            RowOutcome::Regression => {
                failures += 1;
                format!("<failure type=\"regression\" message=\"{words}\"/>")
            }
            RowOutcome::Unclear if unclear_fails && row.verdict != Verdict::Changed => {
                failures += 1;
                format!("<failure type=\"cannot tell\" message=\"{words}\"/>")
            }
            RowOutcome::Unclear => {
                skipped += 1;
                format!("<skipped message=\"{words}\"/>")
            }
            RowOutcome::Passed => format!("<system-out>{words}</system-out>"),
        };
        cases.push_str(&format!(
            "    <testcase classname=\"{}\" name=\"{}\">{inside}</testcase>\n",
            escaped(row.quantity.metric.tag()),
            escaped(&row.quantity.to_string())
        ));
    }
    let mut warnings = String::new();
    for note in &comparison.workload {
        warnings.push_str(&format!("the work differs: {}: {} / {}\n", note.what, note.baseline, note.candidate));
    }
    let tests = comparison.rows.len();
    let mut text = format!(
        "  <testsuite name=\"{}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\">\n{cases}",
        escaped(&format!(
            "{} against {}",
            comparison.candidate.folder.display(),
            page.report.baseline.folder.display()
        ))
    );
    if !warnings.is_empty() {
        text.push_str(&format!("    <system-err>{}</system-err>\n", escaped(warnings.trim_end())));
    }
    text.push_str("  </testsuite>\n");
    Suite { tests, failures, skipped, text }
}

fn sentence(row: &Row, is_gate: bool) -> String {
    let [title, baseline, candidate, change, interval, verdict, find, equal] = cells::row(row, is_gate);
    let why = row.doubt.as_ref().map(|doubt| format!("; {}", doubt.sentence(row.unit))).unwrap_or_default();
    format!(
        "{title}: {verdict}: {baseline} became {candidate}, {change} ({interval}), threshold {}; {} to find {find}, to show equal {equal}{why}",
        cells::limit(row.threshold, row.scale),
        row.unit.name()
    )
}

/// Also without what XML cannot hold at all.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&apos;"),
            '\n' | '\t' => safe.push(letter),
            letter if letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}') => safe.push('\u{fffd}'),
            letter => safe.push(letter),
        }
    }
    safe
}
