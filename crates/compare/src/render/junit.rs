//! The XML of `JUnit`, which CI systems show as tests: one case for each number.

use super::{Page, cells};
use crate::{Comparison, ComparisonRow, OnUnclear, RowOutcome, Verdict};

pub(super) fn render(page: &Page<'_>) -> String {
    let suites: Vec<Suite> = page.report.comparisons.iter().map(|comparison| suite(page, comparison)).collect();
    let sum = |count: fn(&Suite) -> usize| suites.iter().map(count).sum::<usize>();
    let name = if page.gate.is_some() { "aiperf gate" } else { "aiperf compare" };
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    text.push_str(&format!(
        "<testsuites name=\"{name}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n",
        sum(|suite| suite.tests),
        sum(|suite| suite.failures),
        sum(|suite| suite.errors),
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
    errors: usize,
    skipped: usize,
    text: String,
}

fn suite(page: &Page<'_>, comparison: &Comparison) -> Suite {
    let unclear_fails = page.gate.is_some_and(|gate| gate.on_unclear == OnUnclear::Fail);
    let (mut failures, mut errors, mut skipped, mut cases) = (0, 0, 0, String::new());
    for row in &comparison.rows {
        let words = escaped(&sentence(row, page));
        let inside = match RowOutcome::of(row) {
            _ if row.verdict == Verdict::Withheld => {
                errors += 1;
                let why = escaped(comparison.withheld.as_deref().unwrap_or_default());
                format!("<error type=\"no verdict\" message=\"no verdict: {why}\"/>")
            }
            RowOutcome::Regression => {
                failures += 1;
                format!("<failure type=\"regression\" message=\"{words}\"/>")
            }
            RowOutcome::Inconclusive if unclear_fails && row.verdict != Verdict::Changed => {
                failures += 1;
                format!("<failure type=\"cannot tell\" message=\"{words}\"/>")
            }
            RowOutcome::Inconclusive => {
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
    if let Some(accuracy) = &comparison.accuracy {
        let words = escaped(&cells::accuracy(accuracy, page.gate.is_some()));
        let inside = match accuracy.outcome() {
            _ if accuracy.verdict == Verdict::Withheld => {
                errors += 1;
                format!("<error type=\"no verdict\" message=\"{words}\"/>")
            }
            RowOutcome::Regression => {
                failures += 1;
                format!("<failure type=\"regression\" message=\"{words}\"/>")
            }
            RowOutcome::Inconclusive if unclear_fails => {
                failures += 1;
                format!("<failure type=\"cannot tell\" message=\"{words}\"/>")
            }
            RowOutcome::Inconclusive => {
                skipped += 1;
                format!("<skipped message=\"{words}\"/>")
            }
            RowOutcome::Passed => format!("<system-out>{words}</system-out>"),
        };
        cases.push_str(&format!("    <testcase classname=\"accuracy\" name=\"accuracy\">{inside}</testcase>\n"));
    }
    let mut warnings = String::new();
    for caution in cells::cautions(page.report, comparison) {
        warnings.push_str(&format!("warning: {}: {}: {}\n", caution.place, caution.code, caution.message));
    }
    for note in &comparison.workload {
        warnings.push_str(&format!("the work differs: {}: {} / {}\n", note.what, note.baseline, note.candidate));
    }
    let tests = comparison.rows.len() + usize::from(comparison.accuracy.is_some());
    let mut text = format!(
        "  <testsuite name=\"{}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\">\n{cases}",
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
    Suite { tests, failures, errors, skipped, text }
}

fn sentence(row: &ComparisonRow, page: &Page<'_>) -> String {
    let [_, _, _, _, bounds_head, _, find_head, equal_head] = cells::headings(page.report);
    let [title, baseline, candidate, change, bounds, verdict, find, equal] =
        cells::row(row, page.report, page.gate.is_some());
    let reason = row.reason.as_ref().filter(|_| page.gate.is_none() || RowOutcome::of(row) != RowOutcome::Passed);
    let why = reason.map(|reason| format!("; {}", reason.sentence(row.unit))).unwrap_or_default();
    let exact = cells::remarks(page.report, std::slice::from_ref(row)).pop().map(|remark| format!("; {remark}"));
    format!(
        "{title}: {verdict}: {baseline} became {candidate}, {change} ({bounds_head} {bounds}), threshold {}; {find_head} {find}, {equal_head} {equal} {}{why}{}",
        cells::limit(row.threshold, row.scale),
        row.unit.name(),
        exact.unwrap_or_default()
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
