//! What became of the requests that the load asked for: a column for each phase.

use aiperf_metrics::PhaseAccounting;

use super::number;
use super::table::{Align, Cell, Column, Table};

type Count = fn(&PhaseAccounting) -> u64;

/// Label, count, and whether a row of zeros is worth its place.
const ROWS: [(&str, Count, bool); 9] = [
    ("Requests Sent", |phase| phase.sent, true),
    ("Requests Completed", |phase| phase.completed, true),
    ("Requests Failed", |phase| phase.errors, true),
    ("Requests Cancelled by the End", |phase| phase.cut, false),
    ("Sessions Begun", |phase| phase.sessions_sent, true),
    ("Sessions Completed", |phase| phase.sessions_completed, true),
    ("Sessions Cancelled", |phase| phase.sessions_cancelled, false),
    ("Arrivals Delayed by the Ceiling", |phase| phase.arrivals_delayed, false),
    ("Arrivals Dropped by the Ceiling", |phase| phase.arrivals_dropped, false),
];

pub(super) fn table(title: String, phases: &[PhaseAccounting]) -> Option<Table> {
    if phases.is_empty() {
        return None;
    }
    let mut columns = vec![Column { header: "Count".to_owned(), align: Align::Right }];
    columns.extend(phases.iter().map(|phase| Column { header: phase.phase.clone(), align: Align::Right }));
    let shown = ROWS.iter().filter(|(_, count, always)| *always || phases.iter().any(|phase| count(phase) > 0));
    let row = |(label, count, _): &(&str, Count, bool)| {
        let cells = phases.iter().map(|phase| Cell::value(number::whole(count(phase))));
        std::iter::once(Cell::name(*label)).chain(cells).collect()
    };
    Some(Table { title, columns, rows: shown.map(row).collect(), flexible: 0 })
}
