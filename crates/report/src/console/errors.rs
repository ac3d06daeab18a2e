//! What failed requests said, the most frequent first.

use aiperf_metrics::FailureGroup;
use aiperf_table::{Align, ConsoleTable, Emphasis, TableCell, TableColumn, whole};

use super::tables::PROGRAM;

const ROWS: usize = 20;
const MESSAGE_CHARS: usize = 500;

pub(super) fn table(failures: &[FailureGroup]) -> Option<ConsoleTable> {
    if failures.is_empty() {
        return None;
    }
    let mut groups: Vec<&FailureGroup> = failures.iter().collect();
    // Stable: of equally frequent ones the first to appear stays first.
    groups.sort_by_key(|group| std::cmp::Reverse(group.count));
    let row = |group: &&FailureGroup| {
        let code = group
            .failure
            .code
            .map_or(TableCell::new("N/A", Emphasis::Faint), |code| TableCell::value(code.to_string()));
        let (kind, message) = (one_line(group.failure.kind.name()), one_line(&group.failure.message));
        let count = TableCell::new(whole(group.count), Emphasis::Failure);
        vec![code, TableCell::new(kind, Emphasis::Warning), TableCell::value(message), count]
    };
    let mut rows: Vec<Vec<TableCell>> = groups.iter().take(ROWS).map(row).collect();
    if let Some(rest) = groups.get(ROWS..).filter(|rest| !rest.is_empty()) {
        let count: u64 = rest.iter().map(|group| group.count).sum();
        let message = format!("({} more kinds; all are in the JSON export)", rest.len());
        rows.push(vec![
            TableCell::value(""),
            TableCell::value(""),
            TableCell::new(message, Emphasis::Faint),
            TableCell::new(whole(count), Emphasis::Failure),
        ]);
    }
    let column = |header: &str, align| TableColumn { header: header.to_owned(), align };
    Some(ConsoleTable {
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
