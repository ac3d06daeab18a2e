//! How many requests met each objective of `--goodput`, and how many met all.

use aiperf_metrics::{Metric, SloResult, Summary};

use super::number;
use super::style::Tone;
use super::table::{Align, Cell, Column, Table};
use super::tables::PROGRAM;

pub(super) fn table(summary: &Summary) -> Option<Table> {
    let all_met = summary.get(Metric::GoodRequestCount)?.avg? as u64;
    let attempted = summary.successful + summary.failed;
    let objective = |slo: &SloResult| {
        let definition = slo.metric.definition();
        let sign = if slo.at_least { "≥" } else { "≤" };
        let limit = number::grouped(slo.limit);
        row(&format!("{} {sign} {limit} {}", definition.header, definition.shown.label()), slo.met, attempted)
    };
    let mut rows: Vec<_> = summary.slos.iter().map(objective).collect();
    rows.push(row("All objectives", all_met, attempted));
    let column = |header: &str| Column { header: header.to_owned(), align: Align::Right };
    Some(Table {
        title: format!("{PROGRAM} | Objectives"),
        columns: vec![column("Objective"), column("Met by"), column("Requests"), column("Share")],
        rows,
        flexible: 0,
    })
}

fn row(name: &str, met: u64, attempted: u64) -> Vec<Cell> {
    let share = if attempted == 0 { 0.0 } else { 100.0 * met as f64 / attempted as f64 };
    let tone = if met == attempted { Tone::Good } else { Tone::Warning };
    vec![
        Cell::name(name),
        Cell::value(number::whole(met)),
        Cell::value(number::whole(attempted)),
        Cell::new(format!("{share:.2}%"), tone),
    ]
}
