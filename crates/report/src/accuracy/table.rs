//! The table of accuracies: the tasks, and the whole run last.

use aiperf_accuracy::AnswerCounts;
use aiperf_table::{ConsoleTable, TableCell, TableColumn, whole};

use super::{AccuracyReport, OVERALL};

impl AccuracyReport {
    pub(crate) fn table(&self, program: &str) -> ConsoleTable {
        let mut rows: Vec<Vec<TableCell>> = self.tally.tasks().map(|(task, counts)| self.row(task, &counts)).collect();
        rows.push(self.row(OVERALL, &self.tally.overall()));
        let percent = self.level.get() * 100.0;
        let mut columns = vec![TableColumn::right("Task")];
        columns.extend(["Correct", "Total", "Unparsed", "Failed", "Accuracy"].map(TableColumn::right));
        columns.push(TableColumn::right(&format!("{percent}% interval")));
        ConsoleTable { title: format!("{program} | Accuracy: {}", self.benchmark), columns, rows, flexible: 0 }
    }

    fn row(&self, task: &str, counts: &AnswerCounts) -> Vec<TableCell> {
        let percent = |share: f64| format!("{:.2}%", share * 100.0);
        let interval =
            self.interval(counts).map(|interval| format!("{} to {}", percent(interval.low), percent(interval.high)));
        let mut cells = vec![TableCell::name(task)];
        cells.extend(
            [counts.right, counts.total, counts.unparsed, counts.failed].map(|count| TableCell::value(whole(count))),
        );
        cells.push(TableCell::value(counts.accuracy().map_or_else(|| "N/A".to_owned(), percent)));
        cells.push(TableCell::value(interval.unwrap_or_else(|| "N/A".to_owned())));
        cells
    }
}
