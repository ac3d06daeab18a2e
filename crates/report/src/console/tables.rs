//! Which tables there are, and what stands in them.

use aiperf_metrics::{ConsoleGroup, FailureGroup, Flags, MetricResult, Percentile, Stats};

use super::style::{Style, Width};
use super::table::{Align, Column, Table};
use super::{load, number};
use crate::RunReport;

const PROGRAM: &str = "aiperf";
/// A header longer than this has its unit on a line of its own.
const LONG_HEADER: usize = 30;
/// The name of a metric gets at least this much before columns are left out.
const NARROWEST_NAME: usize = 24;
/// Columns to leave out on a narrow console, first to go first.
const EXPENDABLE: [&str; 4] = ["std", "min", "p90", "max"];
const ERROR_ROWS: usize = 20;
const ERROR_MESSAGE_CHARS: usize = 500;

pub(super) fn all(report: &RunReport, width: Width, style: Style) -> Vec<String> {
    let title = report.metrics_title;
    let results = &report.profiling.summary.results;
    let of_group = |group: ConsoleGroup| {
        let mut rows: Vec<_> = results.iter().filter(|result| is_row(result, group)).collect();
        rows.sort_by_key(|result| result.metric.definition().order.unwrap_or(u16::MAX));
        rows
    };
    let with_flag = |flag: Flags| results.iter().filter(|r| r.metric.definition().flags.has(flag)).collect::<Vec<_>>();
    let trace = if report.show_trace_timing { of_group(ConsoleGroup::HttpTrace) } else { Vec::new() };
    let metric_tables = [
        ("Experimental Metrics".to_owned(), with_flag(Flags::EXPERIMENTAL)),
        ("HTTP Trace Timing".to_owned(), trace),
        ("Internal Metrics".to_owned(), with_flag(Flags::INTERNAL)),
        (format!("{title}: Effective"), of_group(ConsoleGroup::Effective)),
        (format!("{title}: Active"), of_group(ConsoleGroup::Active)),
        (format!("{title}: Usage"), of_group(ConsoleGroup::Usage)),
        (format!("{title}: From Schedule"), of_group(ConsoleGroup::Schedule)),
        (title.to_owned(), of_group(ConsoleGroup::Main)),
    ];
    let mut tables = Vec::new();
    if let Some(table) = error_summary(&report.profiling.summary.failures) {
        tables.push(table.render(width, style));
    }
    for (name, rows) in metric_tables {
        if !rows.is_empty() {
            tables.push(metric_table(&format!("{PROGRAM} | {name}"), &rows, width).render(width, style));
        }
    }
    if let Some(table) = load::table(format!("{PROGRAM} | Load"), &report.accounting) {
        tables.push(table.render(width, style));
    }
    tables
}

/// Error counts have their own table. A curve that needs a first token is not worth a row when nothing streamed.
fn is_row(result: &MetricResult, group: ConsoleGroup) -> bool {
    let definition = result.metric.definition();
    let flags = definition.flags;
    let hidden = flags.has(Flags::ERRORS) || flags.has(Flags::INTERNAL) || flags.has(Flags::EXPERIMENTAL);
    let empty = flags.has(Flags::PHASES) && result.stats.max == Some(0.0);
    definition.group == group && !hidden && !empty
}

fn metric_table(title: &str, rows: &[&MetricResult], width: Width) -> Table {
    let mut statistics = vec!["avg", "min", "max", "p99", "p90", "p50", "std"];
    let mut expendable = EXPENDABLE.iter();
    loop {
        let table = table_of(title.to_owned(), rows, &statistics);
        let fits = table.natural_width() <= width.0 || table.rigid_width() + NARROWEST_NAME <= width.0;
        match expendable.next() {
            Some(name) if !fits => statistics.retain(|statistic| statistic != name),
            _ => return table,
        }
    }
}

fn table_of(title: String, rows: &[&MetricResult], statistics: &[&'static str]) -> Table {
    let mut columns = vec![Column { header: "Metric".to_owned(), align: Align::Right }];
    columns.extend(statistics.iter().map(|name| Column { header: (*name).to_owned(), align: Align::Right }));
    let cells = |result: &&MetricResult| {
        let values = statistics.iter().map(|name| number::cell(statistic(&result.stats, name)));
        std::iter::once(label(result)).chain(values).collect()
    };
    Table { title, columns, rows: rows.iter().map(cells).collect(), flexible: 0 }
}

fn statistic(stats: &Stats, name: &str) -> Option<f64> {
    match name {
        "avg" => stats.avg,
        "min" => stats.min,
        "max" => stats.max,
        "p99" => stats.percentile(Percentile::P99),
        "p90" => stats.percentile(Percentile::P90),
        "p50" => stats.percentile(Percentile::P50),
        _ => stats.std,
    }
}

fn label(result: &MetricResult) -> String {
    let definition = result.metric.definition();
    let between = if definition.header.len() > LONG_HEADER { '\n' } else { ' ' };
    format!("{}{between}({})", definition.header, definition.shown.label())
}

fn error_summary(failures: &[FailureGroup]) -> Option<Table> {
    if failures.is_empty() {
        return None;
    }
    let column = |header: &str, align| Column { header: header.to_owned(), align };
    let row = |group: &FailureGroup| {
        let code = group.failure.code.map_or_else(|| "N/A".to_owned(), |code| code.to_string());
        vec![code, one_line(&group.failure.kind), one_line(&group.failure.message), number::whole(group.count)]
    };
    let mut rows: Vec<Vec<String>> = failures.iter().take(ERROR_ROWS).map(row).collect();
    if let Some(rest) = failures.get(ERROR_ROWS..).filter(|rest| !rest.is_empty()) {
        let count: u64 = rest.iter().map(|group| group.count).sum();
        let message = format!("({} more kinds; the JSON export has them all)", rest.len());
        rows.push(vec![String::new(), String::new(), message, number::whole(count)]);
    }
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
        text.chars().take(ERROR_MESSAGE_CHARS).map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    if text.chars().nth(ERROR_MESSAGE_CHARS).is_some() {
        line.push('…');
    }
    line
}
