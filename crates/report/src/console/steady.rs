//! The steady part of a run next to the whole run, as a table.

use aiperf_metrics::{MetricResult, Percentile, Summary, Unsteady};
use aiperf_table::{Align, ConsoleTable, TableCell, TableColumn, Width, grouped, whole};

use super::tables::{Margins, fits, label};
use crate::summary::steady::not_found;

/// Columns that a table takes; a narrow terminal gets the fewest.
const WIDEST: usize = 5;
const NARROW: usize = 3;

/// `None` if there is no steady state.
pub(super) fn table(title: &str, summary: &Summary, width: Width) -> Option<ConsoleTable> {
    let window = summary.steady.as_ref()?.outcome.as_ref().ok()?;
    let mut rows: Vec<&MetricResult> = window.results.iter().collect();
    rows.sort_by_key(|result| result.metric.definition().order.unwrap_or(u16::MAX));
    let forms = [(WIDEST, Margins::Shown), (NARROW, Margins::Shown), (NARROW, Margins::LeftOut)];
    let tables = forms.map(|(columns, margins)| form(title, summary, &rows, columns, margins));
    let fits = tables.iter().position(|table| fits(table, &rows, width));
    tables.into_iter().nth(fits.unwrap_or(forms.len() - 1))
}

fn form(title: &str, summary: &Summary, rows: &[&MetricResult], columns: usize, margins: Margins) -> ConsoleTable {
    let headers = ["Metric", "avg (run)", "avg (steady)", "p99 (run)", "p99 (steady)"];
    let cells = |result: &&MetricResult| {
        let whole = summary.get(result.metric);
        let mut values = [
            whole.and_then(|stats| stats.avg),
            result.stats.avg,
            whole.and_then(|stats| stats.percentile(Percentile::P99)),
            result.stats.percentile(Percentile::P99),
        ]
        .map(TableCell::number);
        let sure = result.confidence.and_then(|confidence| confidence.avg.interval()).zip(result.stats.avg);
        if let Some((interval, avg)) = sure.filter(|_| margins == Margins::Shown) {
            values[1].text.push_str(&format!(" ±{}", grouped(interval.margin(avg))));
        }
        std::iter::once(TableCell::name(label(result))).chain(values).take(columns).collect()
    };
    let headers = headers.iter().take(columns);
    ConsoleTable {
        title: title.to_owned(),
        columns: headers.map(|header| TableColumn { header: (*header).to_owned(), align: Align::Right }).collect(),
        rows: rows.iter().map(cells).collect(),
        flexible: 0,
    }
}

/// Where the steady part lies, or why that cannot be told. That a run drifts is a validity note.
pub(super) fn sentence(summary: &Summary) -> Option<String> {
    let steady = summary.steady.as_ref()?;
    Some(match &steady.outcome {
        Err(Unsteady::Drifts { .. }) => return None,
        Err(unsteady) => not_found(unsteady),
        Ok(window) => format!(
            "Steady state: from {:.1} s to {:.1} s of the run, in which {} requests ended.",
            window.start_offset.as_secs_f64(),
            window.end_offset.as_secs_f64(),
            whole(window.requests)
        ),
    })
}
