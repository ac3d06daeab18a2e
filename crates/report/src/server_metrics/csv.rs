//! The statistics as tables: one block for each type of metric, with an empty line between blocks. Comment lines end in LF, rows in
//! CR LF, as in the reference.

use std::collections::BTreeSet;

use aiperf_table::csv::{LINE_END, cell};
use aiperf_telemetry::prometheus::MetricType;
use aiperf_telemetry::series::GaugeStatistics;
use aiperf_telemetry::server::{MetricReport, SeriesReport, SeriesStatistics};

use super::ServerMetricsExport;

const SCHEMA_VERSION: &str = "1.0";

/// Which metrics stand in a block, and under which columns.
struct Block {
    holds: fn(&MetricReport) -> bool,
    columns: fn() -> Vec<String>,
}

const BLOCKS: [Block; 5] = [
    Block { holds: |metric| metric.kind == MetricType::Gauge && !metric.is_info(), columns: gauge_columns },
    Block { holds: |metric| metric.kind == MetricType::Counter, columns: counter_columns },
    Block {
        holds: |metric| matches!(metric.kind, MetricType::Histogram | MetricType::GaugeHistogram),
        columns: histogram_columns,
    },
    Block { holds: |metric| metric.kind == MetricType::Summary, columns: summary_columns },
    Block {
        holds: |metric| matches!(metric.kind, MetricType::Unknown | MetricType::StateSet) && !metric.is_info(),
        columns: gauge_columns,
    },
];

pub(super) fn document(export: &ServerMetricsExport<'_>) -> String {
    let mut text = format!(
        "# AIPerf Server Metrics Export (CSV)\n# aiperf_version: {}\n# schema_version: {SCHEMA_VERSION}\n\
         # benchmark_id: {}\n# Note: Same benchmark_id and version appear in JSON and Parquet exports\n#\n",
        export.aiperf_version, export.benchmark_id
    );
    let metrics = &export.metrics.metrics;
    let mut blocks: Vec<String> = BLOCKS.iter().filter_map(|one| block(one, export)).collect();
    let info: Vec<&MetricReport> = metrics.iter().filter(|metric| metric.is_info()).collect();
    if !info.is_empty() {
        blocks.push(info_block(&info));
    }
    text.push_str(&blocks.join(LINE_END));
    text
}

fn block(block: &Block, export: &ServerMetricsExport<'_>) -> Option<String> {
    let metrics: Vec<&MetricReport> = export.metrics.metrics.iter().filter(|metric| (block.holds)(metric)).collect();
    let labels: BTreeSet<&str> = metrics
        .iter()
        .flat_map(|metric| &metric.series)
        .flat_map(|series| series.labels.iter().map(|(name, _)| name))
        .collect();
    let is_histogram = metrics.first().is_some_and(|metric| metric.kind == MetricType::Histogram);
    let mut header: Vec<String> = ["Endpoint", "Type", "Metric", "Unit"].map(str::to_owned).to_vec();
    header.extend((block.columns)());
    header.extend(labels.iter().map(|name| cell(name)));
    header.push("Description".to_owned());
    if is_histogram {
        header.push("buckets".to_owned());
    }
    let mut rows = vec![header];
    for metric in &metrics {
        for series in &metric.series {
            let mut row = vec![
                cell(host(&series.endpoint_url)),
                metric.kind.name().to_owned(),
                cell(&metric.name),
                cell(metric.unit.as_deref().unwrap_or_default()),
            ];
            row.extend(cells(&series.statistics, export));
            row.extend(labels.iter().map(|name| cell(series.labels.get(name).unwrap_or_default())));
            row.push(cell(&metric.description));
            if is_histogram {
                row.push(cell(&buckets(series)));
            }
            rows.push(row);
        }
    }
    (rows.len() > 1).then(|| lines(rows))
}

fn lines(rows: Vec<Vec<String>>) -> String {
    rows.into_iter().map(|row| row.join(",") + LINE_END).collect()
}

/// The host and port of a URL.
fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split('/').next().filter(|host| !host.is_empty()).unwrap_or(url)
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn gauge_columns() -> Vec<String> {
    let percentiles = GaugeStatistics::PERCENTILES.map(|percent| format!("p{percent}"));
    names(&["avg", "min", "max", "std"]).into_iter().chain(percentiles).collect()
}

fn counter_columns() -> Vec<String> {
    names(&["total", "rate", "rate_avg", "rate_min", "rate_max", "rate_std"])
}

fn histogram_columns() -> Vec<String> {
    let percentiles = GaugeStatistics::PERCENTILES.map(|percent| format!("p{percent}_estimate"));
    names(&["count", "count_rate", "sum", "sum_rate", "avg"]).into_iter().chain(percentiles).collect()
}

fn summary_columns() -> Vec<String> {
    names(&["count", "count_rate", "sum", "sum_rate", "avg", "quantiles"])
}

fn number(value: f64) -> String {
    format!("{value:.4}")
}

fn cells(statistics: &SeriesStatistics, export: &ServerMetricsExport<'_>) -> Vec<String> {
    let seconds = export.metrics.window.length().as_secs_f64();
    let rate = |amount: f64| number(if seconds > 0.0 { amount / seconds } else { 0.0 });
    let counted = |count: f64, sum: f64| {
        let mean = if count > 0.0 { number(sum / count) } else { String::new() };
        vec![format!("{count:.0}"), rate(count), number(sum), rate(sum), mean]
    };
    match statistics {
        SeriesStatistics::Gauge(gauge) => {
            [gauge.avg, gauge.min, gauge.max, gauge.std].into_iter().chain(gauge.percentiles).map(number).collect()
        }
        SeriesStatistics::Counter { total, rate, slices } => {
            let spread = slices.map(|spread| [spread.avg, spread.min, spread.max, spread.std].map(number));
            [number(*total), number(*rate)].into_iter().chain(spread.unwrap_or_default()).collect()
        }
        SeriesStatistics::Histogram(increase) => {
            let percentiles = GaugeStatistics::PERCENTILES.map(|percent| {
                increase.percentile(f64::from(percent)).map_or_else(String::new, |estimate| number(estimate.value))
            });
            counted(increase.count, increase.sum).into_iter().chain(percentiles).collect()
        }
        SeriesStatistics::Summary { count, sum, quantiles } => {
            let quantiles: Vec<String> = quantiles.iter().map(|(name, value)| format!("{name}={value}")).collect();
            counted(*count, *sum).into_iter().chain([quantiles.join(";")]).collect()
        }
    }
}

fn buckets(series: &SeriesReport) -> String {
    let SeriesStatistics::Histogram(increase) = &series.statistics else { return String::new() };
    let all: Vec<String> = increase.buckets.iter().map(|(bound, count)| format!("{}={count:.0}", bound.text)).collect();
    all.join(";")
}

/// Metrics whose labels are facts: one row for each label.
fn info_block(metrics: &[&MetricReport]) -> String {
    let mut rows = vec![names(&["Endpoint", "Metric", "Key", "Value", "Description"])];
    for metric in metrics {
        for series in &metric.series {
            for (key, value) in series.labels.iter() {
                let endpoint = host(&series.endpoint_url);
                rows.push([endpoint, &metric.name, key, value, &metric.description].map(cell).to_vec());
            }
        }
    }
    lines(rows)
}
