//! The Parquet table of server metrics: a row for each value and scrape, a row for each bucket of a histogram.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};

use super::server_series::{HistogramPoint, ScrapedSeries, SeriesKey, ServerSeries};
use super::server_summary::ServerMetricKind;
use crate::PlotError;

/// Columns that are not labels.
const PLAIN: [&str; 11] = [
    "endpoint_url",
    "metric_name",
    "metric_type",
    "unit",
    "description",
    "timestamp_ns",
    "value",
    "sum",
    "count",
    "bucket_le",
    "bucket_count",
];

pub(super) fn read(path: &Path) -> Result<ServerSeries, PlotError> {
    let not_readable = |problem: String| PlotError::NotReadable {
        path: path.to_owned(),
        problem: format!("not a Parquet table: {problem}"),
    };
    let file = File::open(path).map_err(|source| PlotError::Read { path: path.to_owned(), source })?;
    let reader = SerializedFileReader::new(file).map_err(|error| not_readable(error.to_string()))?;
    let rows = reader.get_row_iter(None).map_err(|error| not_readable(error.to_string()))?;
    let mut found: BTreeMap<SeriesKey, ScrapedSeries> = BTreeMap::new();
    let mut facts: BTreeMap<String, (ServerMetricKind, String)> = BTreeMap::new();
    for row in rows {
        let row = row.map_err(|error| not_readable(error.to_string()))?;
        add(&row, &mut found, &mut facts);
    }
    Ok(ServerSeries::of_series(found, |name| facts.get(name).cloned().unwrap_or_default()))
}

fn add(
    row: &Row,
    found: &mut BTreeMap<SeriesKey, ScrapedSeries>,
    facts: &mut BTreeMap<String, (ServerMetricKind, String)>,
) {
    let mut texts = BTreeMap::new();
    let mut labels = BTreeMap::new();
    let mut numbers = BTreeMap::new();
    let mut timestamp_ns = 0;
    for (name, field) in row.get_column_iter() {
        match field {
            Field::Str(text) if PLAIN.contains(&name.as_str()) => {
                texts.insert(name.as_str(), text.clone());
            }
            Field::Str(text) => {
                labels.insert(name.strip_prefix("label_").unwrap_or(name).to_owned(), text.clone());
            }
            Field::Double(value) => {
                numbers.insert(name.as_str(), *value);
            }
            Field::Long(value) if name == "timestamp_ns" => timestamp_ns = u64::try_from(*value).unwrap_or_default(),
            Field::TimestampMicros(value) if name == "timestamp_ns" => {
                timestamp_ns = u64::try_from(*value).unwrap_or_default() * 1000;
            }
            Field::Long(value) => {
                numbers.insert(name.as_str(), *value as f64);
            }
            Field::ULong(value) => {
                if name == "timestamp_ns" {
                    timestamp_ns = *value;
                } else {
                    numbers.insert(name.as_str(), *value as f64);
                }
            }
            _ => {}
        }
    }
    let Some(name) = texts.get("metric_name") else { return };
    let text = |column: &str| texts.get(column).cloned().unwrap_or_default();
    facts.entry(name.clone()).or_insert_with(|| (ServerMetricKind::of(Some(&text("metric_type"))), text("unit")));
    let series = found.entry((name.clone(), text("endpoint_url"), labels)).or_default();
    let bucket = texts.get("bucket_le").and_then(|bound| bound.trim_start_matches('+').parse::<f64>().ok());
    match (bucket, numbers.get("value")) {
        (Some(bound), _) => {
            let number = |column: &str| numbers.get(column).copied().unwrap_or_default();
            let count = number("bucket_count");
            match series.histogram.last_mut().filter(|point| point.timestamp_ns == timestamp_ns) {
                Some(point) => point.buckets.push((bound, count)),
                None => series.histogram.push(HistogramPoint {
                    timestamp_ns,
                    buckets: vec![(bound, count)],
                    sum: number("sum"),
                    count: number("count"),
                }),
            }
        }
        (None, Some(value)) => series.values.push((timestamp_ns, *value)),
        (None, None) => {}
    }
}
