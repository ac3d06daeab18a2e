//! Which tables there are, and what stands in those of metrics.

use aiperf_metrics::{ConsoleGroup, Flags, Metric, MetricResult, Percentile, Stats};

use super::style::{Style, Tone, Width};
use super::table::{Align, Cell, Column, Table};
use super::{errors, goodput, load, number, spec_decode};
use crate::RunReport;

pub(super) const PROGRAM: &str = "aiperf";
/// A header longer than this has its unit on a line of its own.
const LONG_HEADER: usize = 30;
/// Before a name is broken over lines, columns are left out; but a very long name does not cost more of them.
const LONGEST_WHOLE_NAME: usize = 38;
/// Columns to leave out on a narrow console, first to go first.
const EXPENDABLE: [&str; 4] = ["std", "min", "p90", "max"];
const STATISTICS: &[&str] = &["avg", "min", "max", "p99", "p90", "p50", "std"];
/// Groups in the order in which they stand, after those for developers; the main one last but for what adds to it.
const GROUPS: [ConsoleGroup; 8] = [
    ConsoleGroup::Effective,
    ConsoleGroup::Active,
    ConsoleGroup::Usage,
    ConsoleGroup::Schedule,
    ConsoleGroup::Main,
    ConsoleGroup::SpecDecode,
    ConsoleGroup::NvidiaPower,
    ConsoleGroup::AmdPower,
];

pub(super) fn all(report: &RunReport, width: Width, style: Style) -> Vec<String> {
    let summary = &report.profiling.summary;
    let of_group = |group: ConsoleGroup| {
        let mut rows: Vec<_> = summary.results.iter().filter(|result| is_row(result, group)).collect();
        rows.sort_by_key(|result| result.metric.definition().order.unwrap_or(u16::MAX));
        rows
    };
    let with_flag =
        |flag: Flags| summary.results.iter().filter(|r| r.metric.definition().flags.has(flag)).collect::<Vec<_>>();
    let metrics = |title: &str, rows: &[&MetricResult], statistics: &[&'static str]| {
        (!rows.is_empty()).then(|| Block::Table(metric_table(&format!("{PROGRAM} | {title}"), rows, statistics, width)))
    };
    let titled = |group: ConsoleGroup| {
        let title = group.title(report.metrics_title).unwrap_or_default();
        // What follows from the energy of a whole phase is one number.
        let single = matches!(group, ConsoleGroup::NvidiaPower | ConsoleGroup::AmdPower);
        metrics(&title, &of_group(group), if single { &STATISTICS[..1] } else { STATISTICS })
    };
    let mut blocks = vec![
        errors::table(&summary.failures).map(Block::Table),
        metrics("Experimental Metrics", &with_flag(Flags::EXPERIMENTAL), STATISTICS),
        if report.show_trace_timing { titled(ConsoleGroup::HttpTrace) } else { None },
        metrics("Internal Metrics", &with_flag(Flags::INTERNAL), STATISTICS),
    ];
    for group in GROUPS {
        blocks.push(titled(group));
        match group {
            ConsoleGroup::Main => blocks.push(goodput::table(summary).map(Block::Table)),
            ConsoleGroup::SpecDecode => {
                blocks.push(spec_decode::steps(&summary.spec_decode_acceptance).map(Block::Line));
            }
            _ => {}
        }
    }
    blocks.push(load::table(format!("{PROGRAM} | Load"), &report.accounting).map(Block::Table));
    blocks.into_iter().flatten().map(|block| block.render(width, style)).collect()
}

enum Block {
    Table(Table),
    Line(String),
}

impl Block {
    fn render(self, width: Width, style: Style) -> String {
        match self {
            Self::Table(table) => table.render(width, style),
            Self::Line(line) => line,
        }
    }
}

/// Error counts have their own table. A curve that needs a first token is not worth a row when nothing streamed.
fn is_row(result: &MetricResult, group: ConsoleGroup) -> bool {
    let definition = result.metric.definition();
    let flags = definition.flags;
    let hidden = flags.has(Flags::ERRORS) || flags.has(Flags::INTERNAL) || flags.has(Flags::EXPERIMENTAL);
    let empty = flags.has(Flags::PHASES) && result.stats.max == Some(0.0);
    definition.group == group && !hidden && !empty
}

fn metric_table(title: &str, rows: &[&MetricResult], statistics: &[&'static str], width: Width) -> Table {
    let mut statistics = statistics.to_vec();
    let mut expendable = EXPENDABLE.iter();
    let names = rows.iter().map(|result| result.metric.definition().header.len());
    let name = names.max().unwrap_or(0).min(LONGEST_WHOLE_NAME);
    loop {
        let table = table_of(title.to_owned(), rows, &statistics);
        let fits = table.natural_width() <= width.0 || table.rigid_width() + name <= width.0;
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
        let values = statistics.iter().map(|name| {
            let value = statistic(&result.stats, name);
            let cell = number::cell(value);
            if value > Some(0.0) && tells_of_losses(result.metric) { Cell::new(cell.text, Tone::Failure) } else { cell }
        });
        std::iter::once(Cell::name(label(result))).chain(values).collect()
    };
    Table { title, columns, rows: rows.iter().map(cells).collect(), flexible: 0 }
}

fn tells_of_losses(metric: Metric) -> bool {
    matches!(metric, Metric::RequestErrorRate | Metric::CancelledRequestCount)
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
