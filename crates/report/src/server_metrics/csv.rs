//! The statistics as tables: one block for each type of metric, with an empty line between blocks. Comment lines end in LF, rows in
//! CR LF, as in the reference.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use aiperf_table::csv::{LINE_END, cell};
use aiperf_telemetry::prometheus::MetricType;
use aiperf_telemetry::series::GaugeStatistics;
use aiperf_telemetry::server::{MetricReport, SeriesReport, SeriesStatistics};

use super::ServerMetricsExport;

const SCHEMA_VERSION: &str = "1.0";
/// Every whole number below it is exact.
const LARGEST_WHOLE: f64 = 9_007_199_254_740_992.0;

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
    let mut text = header.join(",") + LINE_END;
    let mut has_rows = false;
    for metric in &metrics {
        let (name, unit) = (cell(&metric.name), cell(metric.unit.as_deref().unwrap_or_default()));
        let description = cell(&metric.description);
        for series in &metric.series {
            has_rows = true;
            let endpoint = cell(host(&series.endpoint_url));
            let _ = write!(text, "{endpoint},{},{name},{unit}", metric.kind.name());
            put_cells(&mut text, &series.statistics, export);
            for label in &labels {
                put(&mut text, &cell(series.labels.get(label).unwrap_or_default()));
            }
            put(&mut text, &description);
            if is_histogram {
                put(&mut text, &cell(&buckets(series)));
            }
            text.push_str(LINE_END);
        }
    }
    has_rows.then_some(text)
}

/// One more cell of a row.
fn put(text: &mut String, cell: &str) {
    text.push(',');
    text.push_str(cell);
}

fn put_numbers(text: &mut String, values: &[f64]) {
    for value in values {
        put_number(text, *value);
    }
}

fn put_number(text: &mut String, value: f64) {
    // A write to a text cannot fail. Whole numbers are most of all, and ten times as quick to write as such.
    let _ = if value.fract() == 0.0 && value.abs() < LARGEST_WHOLE && (value != 0.0 || value.is_sign_positive()) {
        write!(text, ",{}.0000", value as i64)
    } else {
        write!(text, ",{value:.4}")
    };
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

/// The cells of the columns of a block.
fn put_cells(text: &mut String, statistics: &SeriesStatistics, export: &ServerMetricsExport<'_>) {
    match statistics {
        SeriesStatistics::Gauge(gauge) => {
            let all = [gauge.avg, gauge.min, gauge.max, gauge.std].into_iter().chain(gauge.percentiles);
            all.for_each(|value| put_number(text, value));
        }
        SeriesStatistics::Counter { total, rate, slices } => {
            put_numbers(text, &[*total, *rate]);
            match slices {
                Some(spread) => {
                    let all = [spread.avg, spread.min, spread.max, spread.std];
                    put_numbers(text, &all);
                }
                None => text.push_str(",,,,"),
            }
        }
        SeriesStatistics::Histogram(increase) => {
            put_counted(text, increase.count, increase.sum, export);
            for percent in GaugeStatistics::PERCENTILES {
                match increase.percentile(f64::from(percent)) {
                    Some(estimate) => put_number(text, estimate.value),
                    None => put(text, ""),
                }
            }
        }
        SeriesStatistics::Summary { count, sum, quantiles } => {
            put_counted(text, *count, *sum, export);
            let quantiles: Vec<String> = quantiles.iter().map(|(name, value)| format!("{name}={value}")).collect();
            put(text, &quantiles.join(";"));
        }
    }
}

/// Count, sum, their rates and the mean.
fn put_counted(text: &mut String, count: f64, sum: f64, export: &ServerMetricsExport<'_>) {
    let seconds = export.metrics.window.length().as_secs_f64();
    let rate = |amount: f64| if seconds > 0.0 { amount / seconds } else { 0.0 };
    put(text, &format!("{count:.0}"));
    put_numbers(text, &[rate(count), sum, rate(sum)]);
    if count > 0.0 { put_number(text, sum / count) } else { put(text, "") }
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
