//! The table of a run whose results cover several phases: one row for each profiling phase.

use aiperf_metrics::Metric;
use aiperf_protocol::PhaseKind;
use aiperf_table::{ConsoleTable, TableCell, TableColumn, whole};

use crate::{PhaseReport, RunReport};

/// After the name of a phase that the results leave out.
const LEFT_OUT: &str = " (not in results)";

/// A column: its title, a metric and a statistic.
const COLUMNS: [(&str, Metric, &str); 5] = [
    ("sec", Metric::BenchmarkDuration, "avg"),
    ("req/s", Metric::RequestThroughput, "avg"),
    ("TTFT p50 ms", Metric::TimeToFirstToken, "p50"),
    ("latency p50 ms", Metric::RequestLatency, "p50"),
    ("p99 ms", Metric::RequestLatency, "p99"),
];

/// `None` if the results are about one phase.
pub(super) fn table(title: String, report: &RunReport) -> Option<ConsoleTable> {
    if !report.is_joined() {
        return None;
    }
    let phases: Vec<&PhaseReport> = report.phases.iter().filter(|phase| phase.kind == PhaseKind::Profiling).collect();
    let has_value =
        |(_, metric, name): &&(&str, Metric, &str)| phases.iter().any(|phase| phase.statistic(*metric, name).is_some());
    let shown: Vec<_> = COLUMNS.iter().filter(has_value).collect();
    let mut columns = vec![TableColumn::left("Phase"), TableColumn::right("ok"), TableColumn::right("errors")];
    columns.extend(shown.iter().map(|(title, ..)| TableColumn::right(title)));
    let row = |phase: &&PhaseReport| {
        let name = format!("{}{}", phase.name, if phase.in_results { "" } else { LEFT_OUT });
        let mut cells = vec![TableCell::name(name)];
        let counts = [phase.summary.successful, phase.summary.failed];
        cells.extend(counts.map(|count| TableCell::value(whole(count))));
        cells.extend(shown.iter().map(|(_, metric, name)| TableCell::number(phase.statistic(*metric, name))));
        cells
    };
    let rows = phases.iter().map(row).collect();
    Some(ConsoleTable { title, columns, rows, flexible: 0 })
}
