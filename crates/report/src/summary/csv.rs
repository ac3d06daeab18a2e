//! The summary as CSV: metrics with statistics, then single numbers, rows by tag. What the reference does not have stands in
//! columns after its own. Lines end in CR LF.

use aiperf_metrics::{IntervalSupport, Metric, MetricResult, Percentile, Summary, Unit};
use aiperf_protocol::PhaseKind;
use aiperf_stats::wilson;
use aiperf_table::csv::{LINE_END, cell, number};
use serde_json::Value;

use crate::{AccuracyReport, AskedPercentiles, PhaseReport, RunReport, gpu};

/// What the section of phases has of each: a metric and a statistic.
const PHASE_COLUMNS: [(Metric, &str); 8] = [
    (Metric::BenchmarkDuration, "avg"),
    (Metric::RequestThroughput, "avg"),
    (Metric::OutputTokenThroughput, "avg"),
    (Metric::EffectiveConcurrency, "avg"),
    (Metric::TimeToFirstToken, "p50"),
    (Metric::TimeToFirstToken, "p99"),
    (Metric::RequestLatency, "p50"),
    (Metric::RequestLatency, "p99"),
];

const FIXED: &str = "avg,min,max,sum,p1,p5,p10,p25,p50,p75,p90,p95,p99";

/// The summary of a run. If several phases are measured together, a section at the end has a row for each profiling phase.
pub(crate) fn run_summary(report: &RunReport) -> String {
    let profiling = &report.profiling;
    let ratios = report.accuracy.as_ref().map(accuracy_lines).unwrap_or_default();
    let mut text = tables(&profiling.summary, &profiling.percentiles, report.telemetry_data.as_ref(), ratios);
    if report.is_joined() {
        text.push_str(LINE_END);
        text.push_str(&phase_section(report));
    }
    text
}

fn phase_section(report: &RunReport) -> String {
    let header = std::iter::once("Phase,In Results,Successful,Errors".to_owned());
    let columns = PHASE_COLUMNS.iter().map(|(metric, statistic)| cell(&format!("{} {statistic}", name(*metric))));
    let mut text = header.chain(columns).collect::<Vec<_>>().join(",") + LINE_END;
    for phase in report.phases.iter().filter(|phase| phase.kind == PhaseKind::Profiling) {
        let PhaseReport { summary, in_results, .. } = phase;
        let mut cells = vec![cell(&phase.name), in_results.to_string()];
        cells.extend([summary.successful, summary.failed].map(|count| count.to_string()));
        cells.extend(PHASE_COLUMNS.iter().map(|(metric, statistic)| number(phase.statistic(*metric, statistic))));
        text.push_str(&cells.join(","));
        text.push_str(LINE_END);
    }
    text
}

/// Accuracies as rows of single numbers, with four decimals.
fn accuracy_lines(accuracy: &AccuracyReport) -> Vec<String> {
    let line = |(key, count, of): (String, u64, u64)| {
        let ends = wilson(count, of, accuracy.level).map(|interval| [interval.low, interval.high]);
        let ratio = (of > 0).then(|| count as f64 / of as f64);
        let number = |value: Option<f64>| value.map(|value| format!("{value:.4}")).unwrap_or_default();
        let [low, high] = [0, 1].map(|end| number(ends.map(|ends| ends[end])));
        format!("{},{},{low},{high}", cell(&format!("{key} (ratio)")), number(ratio))
    };
    accuracy.ratios().map(line).collect()
}

/// `telemetry`: the `telemetry_data` of a run with GPU telemetry, which has a (perhaps empty) section for it.
pub(crate) fn summary(summary: &Summary, asked: &AskedPercentiles, telemetry: Option<&Value>) -> String {
    tables(summary, asked, telemetry, Vec::new())
}

/// `ratios`: lines of single numbers that come before those of metrics.
fn tables(summary: &Summary, asked: &AskedPercentiles, telemetry: Option<&Value>, ratios: Vec<String>) -> String {
    let columns = asked.names().fold(String::new(), |text, name| text + "," + &name);
    let mut rows: Vec<_> = summary.results.iter().collect();
    rows.sort_by_key(|result| result.metric.tag());
    let (with_statistics, single): (Vec<_>, Vec<_>) =
        rows.into_iter().partition(|result| result.stats.percentiles.iter().any(Option::is_some));

    let mut sections = Vec::new();
    if !with_statistics.is_empty() {
        let lines = with_statistics.into_iter().map(|result| statistics_line(result, asked));
        let header = format!("Metric,{FIXED}{columns},std,{}", further_columns());
        sections.push(std::iter::once(header).chain(lines).collect::<Vec<_>>());
    }
    if !single.is_empty() || !ratios.is_empty() {
        let line = |result: &MetricResult| {
            let [low, high] = ends(result.confidence.map(|confidence| confidence.avg));
            format!("{},{},{low},{high}", name(result.metric), number(result.stats.avg))
        };
        let header = "Metric,Value,ci_low,ci_high".to_owned();
        sections.push(std::iter::once(header).chain(ratios).chain(single.into_iter().map(line)).collect());
    }
    let mut text: String =
        sections.into_iter().map(|lines| lines.join(LINE_END) + LINE_END).collect::<Vec<_>>().join(LINE_END);
    if let Some(telemetry) = telemetry {
        text.extend([LINE_END, LINE_END]);
        text.push_str(&gpu::csv_section(telemetry, FIXED));
    }
    text
}

fn statistics_line(result: &MetricResult, asked: &AskedPercentiles) -> String {
    let stats = &result.stats;
    let mut cells = vec![name(result.metric)];
    cells.extend([stats.avg, stats.min, stats.max, stats.sum].map(number));
    cells.extend(Percentile::REFERENCE.map(|percentile| number(stats.percentile(percentile))));
    let values = asked.values_of(result.metric);
    cells.extend((0..asked.names().count()).map(|place| number(values.get(place).copied())));
    cells.push(number(stats.std));
    cells.extend(Percentile::RARE.map(|percentile| number(stats.percentile(percentile))));
    cells.extend(ends(result.confidence.map(|confidence| confidence.avg)));
    for percentile in Percentile::ALL {
        cells.extend(ends(result.confidence.map(|confidence| confidence.percentile(percentile))));
    }
    cells.join(",")
}

/// Percentiles that the reference does not have, and both ends of the interval of each statistic.
fn further_columns() -> String {
    let rare = Percentile::RARE.map(|percentile| percentile.name().to_owned());
    let bounded = std::iter::once("avg").chain(Percentile::ALL.map(Percentile::name));
    let bounds = bounded.flat_map(|name| [format!("{name}_ci_low"), format!("{name}_ci_high")]);
    rare.into_iter().chain(bounds).collect::<Vec<_>>().join(",")
}

/// Of an interval; empty if there is none.
fn ends(surety: Option<IntervalSupport>) -> [String; 2] {
    let interval = surety.and_then(|surety| surety.interval());
    [interval.map(|interval| interval.low), interval.map(|interval| interval.high)].map(number)
}

fn name(metric: Metric) -> String {
    let definition = metric.definition();
    let text = match definition.shown {
        Unit::Count | Unit::Requests => definition.header.to_owned(),
        unit => format!("{} ({})", definition.header, unit.label()),
    };
    cell(&text)
}
