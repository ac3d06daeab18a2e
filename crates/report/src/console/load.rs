//! How the requests of the load ended: a column for each phase.

use aiperf_metrics::PhaseAccounting;
use aiperf_table::{ConsoleTable, TableCell, TableColumn, whole};

type CountOf = fn(&PhaseAccounting) -> u64;

/// Label, count, and whether a row of zeros is worth its place.
const ROWS: [(&str, CountOf, bool); 9] = [
    ("Requests Sent", |phase| phase.sent, true),
    ("Requests Completed", |phase| phase.completed, true),
    ("Requests Failed", |phase| phase.errors, true),
    ("Requests Cut Off at the End", |phase| phase.cut, false),
    ("Sessions Started", |phase| phase.sessions_sent, true),
    ("Sessions Completed", |phase| phase.sessions_completed, true),
    ("Sessions Cancelled", |phase| phase.sessions_cancelled, false),
    ("Arrivals Delayed by the Ceiling", |phase| phase.arrivals_delayed, false),
    ("Arrivals Dropped by the Ceiling", |phase| phase.arrivals_dropped, false),
];

pub(super) fn table(title: String, phases: &[PhaseAccounting]) -> Option<ConsoleTable> {
    if phases.is_empty() {
        return None;
    }
    let mut columns = vec![TableColumn::right("Count")];
    columns.extend(phases.iter().map(|phase| TableColumn::right(&phase.phase)));
    let shown = ROWS.iter().filter(|(_, count, always)| *always || phases.iter().any(|phase| count(phase) > 0));
    let row = |(label, count, _): &(&str, CountOf, bool)| {
        let cells = phases.iter().map(|phase| TableCell::value(whole(count(phase))));
        std::iter::once(TableCell::name(*label)).chain(cells).collect()
    };
    Some(ConsoleTable { title, columns, rows: shown.map(row).collect(), flexible: 0 })
}
