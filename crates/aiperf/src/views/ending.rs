//! The end of a run, and of each run of a sweep, in the words of views.

use std::path::Path;

use aiperf_experiment::{ExperimentResult, RunResult};
use aiperf_live::{CellProgress, CellState, RunEnd, RunFile, RunState, SummaryRow};
use aiperf_metrics::{ConsoleGroup, Metric, Percentile, Stats, Summary, ValidityNote};
use aiperf_protocol::RunOutcome;
use aiperf_report::{RunReport, WrittenFile};

pub(crate) fn end_of(result: &RunResult, dir: &Path) -> RunEnd {
    end_of_report(&result.report, &result.files.written, dir)
}

/// `written`: the files that were written last.
pub(crate) fn end_of_report(report: &RunReport, written: &[WrittenFile], dir: &Path) -> RunEnd {
    let summary = &report.profiling.summary;
    let log = report.log_file.iter().map(|path| RunFile { label: "Log File".to_owned(), path: relative(path, dir) });
    let files = written.iter().chain(&report.other_files);
    RunEnd {
        outcome: state(report.ending.outcome),
        reason: report.ending.reason.clone(),
        duration: average(summary, Metric::BenchmarkDuration),
        rows: rows(summary),
        files: files.map(|file| shown(file, dir)).chain(log).collect(),
        notes: notes(&report.validity()),
    }
}

/// All runs of a command together.
pub(crate) fn cells_of(result: &ExperimentResult, dir: &Path) -> RunEnd {
    let outcome = if result.was_interrupted {
        RunState::Cancelled
    } else if result.is_enough() && result.is_written {
        RunState::Complete
    } else {
        RunState::Failed
    };
    RunEnd { outcome, files: result.files.written.iter().map(|file| shown(file, dir)).collect(), ..RunEnd::default() }
}

/// A command that ended without a result.
pub(crate) fn failed(error: &anyhow::Error) -> RunEnd {
    RunEnd { outcome: RunState::Failed, reason: Some(format!("{error:#}")), ..RunEnd::default() }
}

/// A finished run of a sweep.
pub(crate) fn cell_of(result: &RunResult, seconds: f64) -> CellProgress {
    let summary = &result.report.profiling.summary;
    let percentile = |metric, percentile| summary.get(metric).and_then(|stats: &Stats| stats.percentile(percentile));
    let all = summary.successful + summary.failed;
    CellProgress {
        state: match state(result.report.ending.outcome) {
            RunState::Complete => CellState::Complete,
            RunState::Cancelled => CellState::Cancelled,
            _ => CellState::Failed,
        },
        seconds,
        requests_per_second: average(summary, Metric::RequestThroughput),
        output_tokens_per_second: average(summary, Metric::OutputTokenThroughput),
        ttft_p50: percentile(Metric::TimeToFirstToken, Percentile::P50),
        ttft_p99: percentile(Metric::TimeToFirstToken, Percentile::P99),
        itl_p50: percentile(Metric::InterTokenLatency, Percentile::P50),
        itl_p99: percentile(Metric::InterTokenLatency, Percentile::P99),
        latency_p50: percentile(Metric::RequestLatency, Percentile::P50),
        latency_p99: percentile(Metric::RequestLatency, Percentile::P99),
        error_share: (all > 0).then(|| summary.failed as f64 / all as f64),
        ..CellProgress::default()
    }
}

/// Each code once.
fn notes(notes: &[ValidityNote]) -> Vec<String> {
    let mut codes: Vec<String> = notes.iter().map(|note| note.code().name().to_owned()).collect();
    codes.dedup();
    codes
}

fn state(outcome: RunOutcome) -> RunState {
    if outcome.is_interrupted() {
        RunState::Cancelled
    } else if outcome.is_complete() {
        RunState::Complete
    } else {
        RunState::Failed
    }
}

fn average(summary: &Summary, metric: Metric) -> Option<f64> {
    summary.get(metric).and_then(|stats| stats.avg)
}

/// The main table of the report.
fn rows(summary: &Summary) -> Vec<SummaryRow> {
    let mut results: Vec<_> =
        summary.results.iter().filter(|result| result.metric.definition().group == ConsoleGroup::Main).collect();
    results.sort_by_key(|result| result.metric.definition().order.unwrap_or(u16::MAX));
    let row = |result: &&aiperf_metrics::MetricResult| {
        let definition = result.metric.definition();
        Some(SummaryRow {
            tag: definition.tag,
            header: definition.header,
            unit: definition.shown.label(),
            avg: result.stats.avg?,
            p50: result.stats.percentile(Percentile::P50),
            p99: result.stats.percentile(Percentile::P99),
        })
    };
    results.iter().filter_map(row).collect()
}

fn shown(file: &WrittenFile, dir: &Path) -> RunFile {
    RunFile { label: file.label.clone(), path: relative(&file.path, dir) }
}

fn relative(path: &Path, dir: &Path) -> String {
    path.strip_prefix(dir).unwrap_or(path).display().to_string()
}
