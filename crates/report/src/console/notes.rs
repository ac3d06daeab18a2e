//! Notes before and after the tables.

use aiperf_metrics::{Severity, ValidityNote};
use aiperf_table::{TextStyle, Width, whole, wrap};

use crate::RunReport;
use crate::validity::Wording;

/// Before the tables: that the numbers are not what was asked for, or why requests failed.
pub(super) fn opening(report: &RunReport, width: Width, style: TextStyle) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(reason) = report.ending.incomplete_reason() {
        // Every planned request was sent, so the results do not cover only a part of the run.
        if !report.profiling.succeeded() && !report.ending.outcome.is_stopped() {
            notes.push(format!("{}\n{reason}", style.warning("aiperf | NO RESULTS")));
        } else {
            notes.push(format!(
                "{}\n{reason}\nThese numbers cover only a part of the run: do not compare them with complete runs.",
                style.warning("aiperf | INCOMPLETE RESULTS")
            ));
        }
    }
    let summary = &report.profiling.summary;
    if !report.profiling.succeeded() && summary.failed + summary.cut_off > 0 {
        let sentence = format!(
            "No request succeeded: {} failed, {} {} cut off. There are no latencies or rates to report.",
            whole(summary.failed),
            whole(summary.cut_off),
            if summary.cut_off == 1 { "was" } else { "were" }
        );
        notes.push(style.failure(&sentence));
    }
    notes.extend(report.validity().iter().filter(|found| explains_failures(found)).map(|f| note(f, width, style)));
    notes
}

/// After the tables: whether the run came to what was asked of it. What follows the first line of a remark are commands to copy:
/// they stay on one line.
pub(super) fn remarks(report: &RunReport, width: Width) -> Option<String> {
    let lines = report.remarks.iter().flat_map(|remark| {
        let (sentence, commands) = remark.split_once('\n').unwrap_or((remark, ""));
        wrap(sentence, width.0).into_iter().chain(commands.lines().map(str::to_owned))
    });
    (!report.remarks.is_empty()).then(|| lines.collect::<Vec<_>>().join("\n"))
}

/// After the tables: what is known of this machine's client.
pub(super) fn certified(report: &RunReport, width: Width) -> Option<String> {
    report.selftest.as_ref().map(|citation| wrap(&citation.sentence(), width.0).join("\n"))
}

/// After the tables: what should make the reader doubt them.
pub(super) fn closing(report: &RunReport, width: Width, style: TextStyle) -> Vec<String> {
    report.validity().iter().filter(|found| !explains_failures(found)).map(|found| note(found, width, style)).collect()
}

/// Warnings about the client.
pub(super) fn of_client(report: &RunReport, width: Width, style: TextStyle) -> Vec<String> {
    let is_wanted =
        |found: &&ValidityNote| found.code().name().starts_with("client") && found.severity() == Severity::Warning;
    report.validity().iter().filter(is_wanted).map(|found| note(found, width, style)).collect()
}

/// These belong next to the table of errors, which comes first.
fn explains_failures(note: &ValidityNote) -> bool {
    matches!(note, ValidityNote::MaxTokensFieldRefused { .. })
}

/// What it is, how bad, and what to do; its code, for those who want to look it up or have it fail a run.
fn note(note: &ValidityNote, width: Width, style: TextStyle) -> String {
    let Wording { statement, advice } = Wording::of(note);
    let (word, doubtful) = match note.severity() {
        Severity::Warning => ("Warning", true),
        Severity::Info => ("Note", false),
    };
    let mut lines = wrap(&format!("{word} [{}]: {statement}", note.code().name()), width.0);
    if doubtful {
        for line in &mut lines {
            *line = style.warning(line);
        }
    }
    lines.extend(wrap(&advice, width.0));
    lines.join("\n")
}
