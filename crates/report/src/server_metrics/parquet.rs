//! Every value of the profiling phase as a Parquet table: a row for each value and scrape, a row for each bucket of a histogram, a
//! column for each label name.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::Path;
use std::sync::Arc;

use aiperf_clock::Mono;
use aiperf_telemetry::prometheus::{KnownSeries, MetricType, SampleRole};
use aiperf_telemetry::server::{EndpointHistory, MetricReport};
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use parquet::{basic::LogicalType, basic::Repetition, basic::Type as PhysicalType};
use serde_json::json;

use super::ServerMetricsExport;
use crate::ReportError;
use crate::folder::paths::with_end;
use crate::records::ParquetColumn;

const GROUP_ROWS: usize = 65_536;
const SCHEMA_VERSION: &str = "1.0";

/// Columns before and after those of the labels, by name and type.
const BEFORE: [(&str, PhysicalType); 6] = [
    ("endpoint_url", PhysicalType::BYTE_ARRAY),
    ("metric_name", PhysicalType::BYTE_ARRAY),
    ("metric_type", PhysicalType::BYTE_ARRAY),
    ("unit", PhysicalType::BYTE_ARRAY),
    ("description", PhysicalType::BYTE_ARRAY),
    ("timestamp_ns", PhysicalType::INT64),
];
const AFTER: [(&str, PhysicalType); 5] = [
    ("value", PhysicalType::DOUBLE),
    ("sum", PhysicalType::DOUBLE),
    ("count", PhysicalType::DOUBLE),
    ("bucket_le", PhysicalType::BYTE_ARRAY),
    ("bucket_count", PhysicalType::DOUBLE),
];

pub(super) fn write(export: &ServerMetricsExport<'_>, path: &Path) -> Result<(), ReportError> {
    let part = with_end(path, "part");
    let written = write_part(export, path, &part)
        .and_then(|()| fs::rename(&part, path).map_err(|source| ReportError::write(path, source)));
    if written.is_err() {
        let _ = fs::remove_file(&part);
    }
    written
}

fn write_part(export: &ServerMetricsExport<'_>, path: &Path, part: &Path) -> Result<(), ReportError> {
    let failed = |error: ParquetError| ReportError::write(path, io::Error::other(error));
    let labels = label_names(export);
    let schema = Arc::new(schema(&labels).map_err(failed)?);
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_key_value_metadata(Some(metadata(export, &labels)))
        .build();
    let file = BufWriter::new(File::create(part).map_err(|source| ReportError::create(part, source))?);
    let file = SerializedFileWriter::new(file, schema, Arc::new(properties)).map_err(failed)?;
    let column = |kind: PhysicalType| match kind {
        PhysicalType::INT64 => ParquetColumn::whole_numbers(),
        PhysicalType::DOUBLE => ParquetColumn::numbers(),
        _ => ParquetColumn::texts(),
    };
    let kinds = BEFORE.iter().map(|(_, kind)| *kind).chain(labels.iter().map(|_| PhysicalType::BYTE_ARRAY));
    let columns = kinds.chain(AFTER.iter().map(|(_, kind)| *kind)).map(column).collect();
    let mut table = ValueTable { file, columns, rows: 0 };
    for endpoint in export.histories {
        table.put_endpoint(export, endpoint, &labels).map_err(failed)?;
    }
    table.flush().map_err(failed)?;
    table.file.close().map(drop).map_err(failed)
}

/// Names of all labels, sorted.
fn label_names(export: &ServerMetricsExport<'_>) -> BTreeSet<String> {
    let series = export.histories.iter().flat_map(|endpoint| endpoint.reader().series());
    series.flat_map(|known| known.labels.iter().map(|(name, _)| name.to_owned())).collect()
}

/// A label that is called like one of the other columns gets a prefix.
fn column_name(label: &str) -> String {
    let is_taken = BEFORE.iter().chain(&AFTER).any(|(name, _)| *name == label);
    if is_taken { format!("label_{label}") } else { label.to_owned() }
}

fn schema(labels: &BTreeSet<String>) -> Result<Type, ParquetError> {
    let field = |name: &str, kind: PhysicalType| {
        let is_text = kind == PhysicalType::BYTE_ARRAY;
        Type::primitive_type_builder(name, kind)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(is_text.then_some(LogicalType::String))
            .build()
            .map(Arc::new)
    };
    let mut fields = Vec::new();
    for (name, kind) in BEFORE {
        fields.push(field(name, kind)?);
    }
    for label in labels {
        fields.push(field(&column_name(label), PhysicalType::BYTE_ARRAY)?);
    }
    for (name, kind) in AFTER {
        fields.push(field(name, kind)?);
    }
    Type::group_type_builder("schema").with_fields(fields).build()
}

struct ValueTable {
    file: SerializedFileWriter<BufWriter<File>>,
    columns: Vec<ParquetColumn>,
    rows: usize,
}

/// What a row has in its last columns.
#[derive(Default)]
struct RowValue<'a> {
    value: Option<f64>,
    sum: Option<f64>,
    count: Option<f64>,
    bucket: Option<(&'a str, f64)>,
}

impl ValueTable {
    fn put_endpoint(
        &mut self,
        export: &ServerMetricsExport<'_>,
        endpoint: &EndpointHistory,
        labels: &BTreeSet<String>,
    ) -> Result<(), ParquetError> {
        let window = export.metrics.window;
        let by_family = metrics_by_family(export, endpoint);
        let times = endpoint.fetched().updates.iter().filter(|at| **at >= window.start() && **at <= window.end());
        for at in times {
            // The sum and count of a histogram stand in each row of its buckets.
            let mut sums: BTreeMap<(u32, String), (Option<f64>, Option<f64>)> = BTreeMap::new();
            let key = |known: &KnownSeries| (known.family.0, format!("{:?}", known.labels));
            let known = || endpoint.reader().series().iter().zip(endpoint.series());
            for (known, series) in known() {
                let value = series.value_at(*at);
                match known.role {
                    SampleRole::Sum => sums.entry(key(known)).or_default().0 = value,
                    SampleRole::Count => sums.entry(key(known)).or_default().1 = value,
                    _ => {}
                }
            }
            for (known, series) in known() {
                let (Some(value), Some(metric)) =
                    (series.value_at(*at), by_family.get(known.family.0 as usize).copied().flatten())
                else {
                    continue;
                };
                let row = match &known.role {
                    SampleRole::Value => RowValue { value: Some(value), ..RowValue::default() },
                    SampleRole::Bucket(bound) | SampleRole::Quantile(bound) => {
                        let (sum, count) = sums.get(&key(known)).copied().unwrap_or_default();
                        RowValue { sum, count, bucket: Some((bound, value)), ..RowValue::default() }
                    }
                    SampleRole::Sum | SampleRole::Count | SampleRole::Created => continue,
                };
                self.put_row(export, endpoint, metric, known, *at, labels, &row)?;
            }
        }
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "the columns of a row")]
    fn put_row(
        &mut self,
        export: &ServerMetricsExport<'_>,
        endpoint: &EndpointHistory,
        metric: &MetricReport,
        known: &KnownSeries,
        at: Mono,
        labels: &BTreeSet<String>,
        row: &RowValue<'_>,
    ) -> Result<(), ParquetError> {
        let mut columns = self.columns.iter_mut();
        let mut put = |with: &dyn Fn(&mut ParquetColumn)| columns.next().map(with);
        put(&|column| column.text(Some(endpoint.url())));
        put(&|column| column.text(Some(&metric.name)));
        put(&|column| column.text(Some(metric.kind.name())));
        put(&|column| column.text(metric.unit.as_deref()));
        put(&|column| column.text(Some(&metric.description)));
        put(&|column| column.whole(Some(export.epoch(at))));
        for label in labels {
            put(&|column| column.text(known.labels.get(label)));
        }
        put(&|column| column.number(row.value));
        put(&|column| column.number(row.sum));
        put(&|column| column.number(row.count));
        put(&|column| column.text(row.bucket.map(|(bound, _)| bound)));
        put(&|column| column.number(row.bucket.map(|(_, count)| count)));
        self.rows += 1;
        if self.rows >= GROUP_ROWS { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), ParquetError> {
        if self.rows == 0 {
            return Ok(());
        }
        let mut group = self.file.next_row_group()?;
        for column in &mut self.columns {
            let Some(mut writer) = group.next_column()? else { break };
            column.write(&mut writer)?;
            writer.close()?;
        }
        group.close()?;
        self.rows = 0;
        Ok(())
    }
}

/// The metric that each family of an endpoint is reported as.
fn metrics_by_family<'a>(
    export: &'a ServerMetricsExport<'_>,
    endpoint: &EndpointHistory,
) -> Vec<Option<&'a MetricReport>> {
    let by_name: BTreeMap<&str, &MetricReport> =
        export.metrics.metrics.iter().map(|metric| (metric.name.as_str(), metric)).collect();
    let of_family = |name: &str, kind: MetricType| {
        let short = name.strip_suffix("_total").filter(|_| kind == MetricType::Counter);
        short.and_then(|short| by_name.get(short)).or_else(|| by_name.get(name)).copied()
    };
    let families = endpoint.reader().families().iter();
    families.map(|family| of_family(&family.name, family.kind).filter(|metric| !metric.is_info())).collect()
}

fn metadata(export: &ServerMetricsExport<'_>, labels: &BTreeSet<String>) -> Vec<KeyValue> {
    let window = export.metrics.window;
    let urls: Vec<&str> = export.metrics.endpoints.iter().map(|endpoint| endpoint.url.as_str()).collect();
    let mut types: BTreeMap<&str, usize> = BTreeMap::new();
    for metric in &export.metrics.metrics {
        *types.entry(metric.kind.name()).or_default() += 1;
    }
    let config = export.input_config;
    let models: Vec<&str> = config["models"]["items"]
        .as_array()
        .map_or_else(Vec::new, |items| items.iter().filter_map(|item| item["name"].as_str()).collect());
    let concurrency = config["phases"].as_array().and_then(|phases| phases.last()).map(|phase| &phase["concurrency"]);
    let entries = [
        ("schema_version", SCHEMA_VERSION.to_owned()),
        ("version", export.aiperf_version.to_owned()),
        ("benchmark_id", export.benchmark_id.to_owned()),
        ("export_timestamp_utc", crate::LocalZone::utc_seconds(export.anchor.epoch(Mono::now()))),
        ("exporter", "aiperf".to_owned()),
        ("time_filter_start_ns", export.epoch(window.start()).to_string()),
        ("time_filter_end_ns", export.epoch(window.end()).to_string()),
        ("profiling_duration_ns", window.length().0.to_string()),
        ("profiling_duration_seconds", window.length().as_secs_f64().to_string()),
        ("input_config", config.to_string()),
        ("model_names", json!(models).to_string()),
        ("concurrency", concurrency.filter(|value| !value.is_null()).map_or_else(String::new, ToString::to_string)),
        ("endpoint_urls", json!(urls).to_string()),
        ("endpoint_count", urls.len().to_string()),
        ("label_columns", json!(labels).to_string()),
        ("label_count", labels.len().to_string()),
        ("metric_count", export.metrics.metrics.len().to_string()),
        ("metric_type_counts", json!(types).to_string()),
        (
            "schema_note",
            "Values are as the server reports them: counters and buckets are cumulative. A histogram has a row for each bucket of \
             each scrape."
                .to_owned(),
        ),
    ];
    entries.map(|(key, value)| KeyValue::new(format!("aiperf.{key}"), value)).to_vec()
}
