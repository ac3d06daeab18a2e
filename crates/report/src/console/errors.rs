//! What failed requests said, the most frequent first.

use aiperf_metrics::FailureGroup;

use super::number;
use super::style::Tone;
use super::table::{Align, Cell, Column, Table};
use super::tables::PROGRAM;

const ROWS: usize = 20;
const MESSAGE_CHARS: usize = 500;

pub(super) fn table(failures: &[FailureGroup]) -> Option<Table> {
    if failures.is_empty() {
        return None;
    }
    let mut groups: Vec<&FailureGroup> = failures.iter().collect();
    // Stable: of equally frequent ones the first to appear stays first.
    groups.sort_by_key(|group| std::cmp::Reverse(group.count));
    let row = |group: &&FailureGroup| {
        let code = group.failure.code.map_or(Cell::new("N/A", Tone::Faint), |code| Cell::value(code.to_string()));
        let (kind, message) = (one_line(group.failure.kind.name()), one_line(&group.failure.message));
        let count = Cell::new(number::whole(group.count), Tone::Failure);
        vec![code, Cell::new(kind, Tone::Warning), Cell::value(message), count]
    };
    let mut rows: Vec<Vec<Cell>> = groups.iter().take(ROWS).map(row).collect();
    if let Some(rest) = groups.get(ROWS..).filter(|rest| !rest.is_empty()) {
        let count: u64 = rest.iter().map(|group| group.count).sum();
        let message = format!("({} more kinds; the JSON export has them all)", rest.len());
        rows.push(vec![
            Cell::value(""),
            Cell::value(""),
            Cell::new(message, Tone::Faint),
            Cell::new(number::whole(count), Tone::Failure),
        ]);
    }
    let column = |header: &str, align| Column { header: header.to_owned(), align };
    Some(Table {
        title: format!("{PROGRAM} | Error Summary"),
        columns: vec![
            column("Code", Align::Right),
            column("Type", Align::Right),
            column("Message", Align::Left),
            column("Count", Align::Right),
        ],
        rows,
        flexible: 2,
    })
}

/// A server's words must not break the table or drive the terminal: control characters become spaces, and a page of
/// HTML is cut.
fn one_line(text: &str) -> String {
    let mut line: String =
        text.chars().take(MESSAGE_CHARS).map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    if text.chars().nth(MESSAGE_CHARS).is_some() {
        line.push('…');
    }
    line
}
