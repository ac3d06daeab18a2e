//! Which tables there are, and what stands in those of metrics.

use aiperf_metrics::{ConsoleGroup, Flags, Metric, MetricResult, Percentile, Stats, sample_floor as floor};
use aiperf_table::{ConsoleTable, Emphasis, TableCell, TableColumn, TextStyle, Width, grouped, whole, wrap};

use super::{errors, goodput, gpu, load, nodes, phases, server_metrics, spec_decode, steady};
use crate::RunReport;

pub(super) const PROGRAM: &str = "aiperf";
/// A header longer than this has its unit on a line of its own.
const LONG_HEADER: usize = 30;
/// Before a name is broken over lines, columns are left out; but a very long name does not cost more of them.
const LONGEST_WHOLE_NAME: usize = 38;
/// After a percentile that too few samples support.
const UNSUPPORTED: &str = "*";
/// Columns to leave out on a narrow console, first to go first.
const EXPENDABLE: [&str; 4] = ["std", "min", "p90", "max"];
const STATISTICS: &[&str] = &["avg", "min", "max", "p99", "p90", "p50", "std"];
const GENAI_PERF_STATISTICS: &[&str] = &["avg", "min", "max", "p99", "p90", "p75"];
/// Groups with details, in the order in which they stand: after the main table, the errors and the tables for developers.
const DETAILS: [ConsoleGroup; 8] = [
    ConsoleGroup::Effective,
    ConsoleGroup::Active,
    ConsoleGroup::Usage,
    ConsoleGroup::Schedule,
    ConsoleGroup::SpecDecode,
    ConsoleGroup::ServerTimes,
    ConsoleGroup::NvidiaPower,
    ConsoleGroup::AmdPower,
];

pub(super) fn all(report: &RunReport, width: Width, style: TextStyle) -> Vec<String> {
    let summary = &report.profiling.summary;
    let of_group = |group: ConsoleGroup| {
        let mut rows: Vec<_> = summary.results.iter().filter(|result| is_row(result, group)).collect();
        rows.sort_by_key(|result| result.metric.definition().order.unwrap_or(u16::MAX));
        rows
    };
    let with_flag =
        |flag: Flags| summary.results.iter().filter(|r| r.metric.definition().flags.has(flag)).collect::<Vec<_>>();
    let metrics = |title: &str, rows: &[&MetricResult], statistics: &[&'static str]| {
        (!rows.is_empty())
            .then(|| TableBlock::ConsoleTable(metric_table(&format!("{PROGRAM} | {title}"), rows, statistics, width)))
    };
    let titled = |group: ConsoleGroup| {
        let title = group.title(report.metrics_title).unwrap_or_default();
        // What follows from the energy of a whole phase is one number.
        let single = matches!(group, ConsoleGroup::NvidiaPower | ConsoleGroup::AmdPower);
        metrics(&title, &of_group(group), if single { &STATISTICS[..1] } else { STATISTICS })
    };
    let mut blocks = vec![
        titled(ConsoleGroup::Main),
        report.accuracy.as_ref().map(|accuracy| TableBlock::ConsoleTable(accuracy.table(PROGRAM))),
        phases::table(format!("{PROGRAM} | Phases"), report).map(TableBlock::ConsoleTable),
        nodes::table(format!("{PROGRAM} | Nodes"), report).map(TableBlock::ConsoleTable),
        goodput::table(summary).map(TableBlock::ConsoleTable),
        errors::table(&summary.failures).map(TableBlock::ConsoleTable),
        metrics("Experimental Metrics", &with_flag(Flags::EXPERIMENTAL), STATISTICS),
        if report.show_trace_timing { titled(ConsoleGroup::HttpTrace) } else { None },
        metrics("Internal Metrics", &with_flag(Flags::INTERNAL), STATISTICS),
    ];
    for group in DETAILS {
        blocks.push(titled(group));
        if group == ConsoleGroup::SpecDecode {
            blocks.push(spec_decode::steps(&summary.spec_decode_acceptance).map(TableBlock::Line));
        }
    }
    blocks.extend(
        gpu::tables(report.telemetry_data.as_ref(), STATISTICS).into_iter().map(TableBlock::ConsoleTable).map(Some),
    );
    blocks.extend(genai_perf(report, width).into_iter().map(Some));
    blocks.push(load::table(format!("{PROGRAM} | Load"), &report.accounting).map(TableBlock::ConsoleTable));
    blocks.push(steady::table(&format!("{PROGRAM} | Steady State"), summary, width).map(TableBlock::ConsoleTable));
    if let Some(metrics) = &report.server_metrics {
        blocks.extend(server_metrics::tables(metrics).into_iter().map(TableBlock::ConsoleTable).map(Some));
        let sentences = server_metrics::first_token(report).into_iter().chain(server_metrics::notes(metrics));
        blocks.extend(sentences.map(|sentence| Some(TableBlock::Line(wrap(&sentence, width.0).join("\n")))));
    }
    let mut rendered: Vec<String> = blocks.into_iter().flatten().map(|block| block.render(width, style)).collect();
    rendered.extend(legend(report, &rendered, width));
    rendered.extend(steady::sentence(summary).map(|sentence| wrap(&sentence, width.0).join("\n")));
    rendered
}

/// The metrics by GenAI-Perf's definitions, if its files were asked for.
fn genai_perf(report: &RunReport, width: Width) -> Vec<TableBlock> {
    let Some(results) = report.genai_perf.as_ref().filter(|results| !results.is_empty()) else { return Vec::new() };
    let rows: Vec<&MetricResult> = results.iter().collect();
    let title = format!("GenAI-Perf | {}", report.metrics_title);
    let mut blocks = vec![TableBlock::ConsoleTable(metric_table(&title, &rows, GENAI_PERF_STATISTICS, width))];
    if report.profiling.summary.get(Metric::ReasoningTokenCount).is_some() {
        let remark = "GenAI-Perf does not count reasoning: in its table and files the first token and the output length are \
                      those of the answer alone.";
        blocks.push(TableBlock::Line(wrap(remark, width.0).join("\n")));
    }
    blocks
}

enum TableBlock {
    ConsoleTable(ConsoleTable),
    Line(String),
}

impl TableBlock {
    fn render(self, width: Width, style: TextStyle) -> String {
        match self {
            Self::ConsoleTable(table) => table.render(width, style),
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

/// Whether a table of these rows can be shown with the names of metrics in one piece, or nearly.
pub(super) fn fits(table: &ConsoleTable, rows: &[&MetricResult], width: Width) -> bool {
    let names = rows.iter().map(|result| result.metric.definition().header.len());
    let name = names.max().unwrap_or(0).min(LONGEST_WHOLE_NAME);
    table.natural_width() <= width.0 || table.rigid_width() + name <= width.0
}

fn metric_table(title: &str, rows: &[&MetricResult], statistics: &[&'static str], width: Width) -> ConsoleTable {
    let mut statistics = statistics.to_vec();
    let mut expendable = EXPENDABLE.iter();
    loop {
        // A statistic is worth more than how sure the average is.
        for margins in [Margins::Shown, Margins::LeftOut] {
            let table = table_of(title.to_owned(), rows, &statistics, margins);
            if fits(&table, rows, width) {
                return table;
            }
        }
        match expendable.next() {
            Some(name) => statistics.retain(|statistic| statistic != name),
            None => return table_of(title.to_owned(), rows, &statistics, Margins::LeftOut),
        }
    }
}

/// Whether averages have what may be off after a ±.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Margins {
    Shown,
    LeftOut,
}

fn table_of(title: String, rows: &[&MetricResult], statistics: &[&'static str], margins: Margins) -> ConsoleTable {
    let mut columns = vec![TableColumn::right("Metric")];
    columns.extend(statistics.iter().map(|name| TableColumn::right(name)));
    let cells = |result: &&MetricResult| {
        let values = statistics.iter().map(|name| {
            let value = statistic(&result.stats, name);
            let mut cell = TableCell::number(value);
            cell.text.push_str(&surety(result, name, margins));
            if value > Some(0.0) && tells_of_losses(result.metric) {
                TableCell::new(cell.text, Emphasis::Failure)
            } else {
                cell
            }
        });
        std::iter::once(TableCell::name(label(result))).chain(values).collect()
    };
    ConsoleTable { title, columns, rows: rows.iter().map(cells).collect(), flexible: 0 }
}

/// What stands after a number: how far off it may be, or that too few samples support it.
fn surety(result: &MetricResult, statistic: &str, margins: Margins) -> String {
    let Some(confidence) = &result.confidence else { return String::new() };
    let percentile = Percentile::ALL.into_iter().find(|percentile| percentile.name() == statistic);
    match (percentile, result.stats.avg, confidence.avg.interval()) {
        (Some(percentile), ..) if confidence.percentile(percentile).is_unsupported() => UNSUPPORTED.to_owned(),
        (None, Some(avg), Some(interval)) if statistic == "avg" && margins == Margins::Shown => {
            format!(" ±{}", grouped(interval.margin(avg)))
        }
        _ => String::new(),
    }
}

/// What the signs in tables mean, as far as they are there.
fn legend(report: &RunReport, tables: &[String], width: Width) -> Option<String> {
    let summary = &report.profiling.summary;
    let level = summary.results.iter().find_map(|result| result.confidence)?.level;
    let seen = |sign: &str| tables.iter().any(|table| table.contains(sign));
    let percent = format!("{}%", (1000.0 * level.get()).round() / 10.0);
    let mut parts = Vec::new();
    if seen("±") {
        parts.push(format!("±: {percent} confidence interval of the mean."));
    }
    if seen(UNSUPPORTED) {
        let floor = floor(0.99, level);
        parts.push(format!(
            "{UNSUPPORTED}: too few effective samples for this percentile (p99 needs {}).",
            whole(floor)
        ));
    }
    (!parts.is_empty()).then(|| wrap(&parts.join(" "), width.0).join("\n"))
}

fn tells_of_losses(metric: Metric) -> bool {
    matches!(metric, Metric::RequestErrorRate | Metric::CancelledRequestCount | Metric::ResentRequestCount)
}

fn statistic(stats: &Stats, name: &str) -> Option<f64> {
    match name {
        "avg" => stats.avg,
        "min" => stats.min,
        "max" => stats.max,
        "p99" => stats.percentile(Percentile::P99),
        "p90" => stats.percentile(Percentile::P90),
        "p75" => stats.percentile(Percentile::P75),
        "p50" => stats.percentile(Percentile::P50),
        _ => stats.std,
    }
}

pub(super) fn label(result: &MetricResult) -> String {
    let definition = result.metric.definition();
    let between = if definition.header.len() > LONG_HEADER { '\n' } else { ' ' };
    format!("{}{between}({})", definition.header, definition.shown.label())
}
