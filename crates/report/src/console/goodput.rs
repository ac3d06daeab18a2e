//! How many requests met each objective of `--goodput`, and how many met all.

use aiperf_metrics::{Metric, SloResult, Summary};
use aiperf_table::{ConsoleTable, Emphasis, TableCell, TableColumn, grouped, whole};

use super::tables::PROGRAM;

pub(super) fn table(summary: &Summary) -> Option<ConsoleTable> {
    let all_met = summary.get(Metric::GoodRequestCount)?.avg? as u64;
    let attempted = summary.successful + summary.failed;
    let objective = |slo: &SloResult| {
        let definition = slo.metric.definition();
        let sign = if slo.at_least { "≥" } else { "≤" };
        let limit = grouped(slo.limit);
        row(&format!("{} {sign} {limit} {}", definition.header, definition.shown.label()), slo.met, attempted)
    };
    let mut rows: Vec<_> = summary.slos.iter().map(objective).collect();
    rows.push(row("All objectives", all_met, attempted));
    let column = |header: &str| TableColumn::right(header);
    Some(ConsoleTable {
        title: format!("{PROGRAM} | Objectives"),
        columns: vec![column("Objective"), column("Met by"), column("Requests"), column("Share")],
        rows,
        flexible: 0,
    })
}

fn row(name: &str, met: u64, attempted: u64) -> Vec<TableCell> {
    let share = if attempted == 0 { 0.0 } else { 100.0 * met as f64 / attempted as f64 };
    let tone = if met == attempted { Emphasis::Good } else { Emphasis::Warning };
    vec![
        TableCell::name(name),
        TableCell::value(whole(met)),
        TableCell::value(whole(attempted)),
        TableCell::new(format!("{share:.2}%"), tone),
    ]
}
