//! The records as a Parquet table: a row for each request, a column for each field and metric. Rows are gathered and
//! written in groups, so that memory does not grow with the run.

mod column;

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use aiperf_metrics::{Flags, Metric, MetricContext, MetricKind};
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use serde_json::{Map, Value};

pub(crate) use self::column::ParquetColumn;
use crate::folder::paths::with_end;
use crate::{Record, ReportError};

const GROUP_ROWS: usize = 16_384;
/// Values in lists, which may be many for each row.
const GROUP_LIST_VALUES: usize = 1 << 20;

/// Shared by all record threads. The file has its name when it is whole.
#[derive(Debug)]
pub struct RecordTable {
    path: PathBuf,
    part: PathBuf,
    phases: Vec<MetricContext>,
    metrics: Vec<Metric>,
    state: Mutex<TableState>,
}

struct TableState {
    file: SerializedFileWriter<BufWriter<File>>,
    columns: Vec<ParquetColumn>,
    rows: usize,
    list_values: usize,
    failed: bool,
}

/// Fields of the metadata that are columns, by name, type and whether every row has them.
const FIELDS: [(&str, &str, bool); 21] = [
    ("session_num", "INT64", true),
    ("x_request_id", "BINARY", true),
    ("x_correlation_id", "BINARY", true),
    ("conversation_id", "BINARY", true),
    ("turn_index", "INT64", true),
    ("credit_issued_ns", "INT64", true),
    ("request_start_ns", "INT64", true),
    ("request_ack_ns", "INT64", false),
    ("request_end_ns", "INT64", true),
    ("worker_id", "BINARY", true),
    ("record_processor_id", "BINARY", true),
    ("benchmark_phase", "BINARY", true),
    ("phase_index", "INT64", true),
    ("was_cancelled", "BOOLEAN", true),
    ("cancellation_time_ns", "INT64", false),
    ("agent_depth", "INT64", true),
    ("parent_correlation_id", "BINARY", false),
    ("resent", "INT64", false),
    ("error_code", "INT64", false),
    ("error_type", "BINARY", false),
    ("error_message", "BINARY", false),
];

impl RecordTable {
    /// `phases`: the context of each phase, in order of `phase_index`; the last one is that of all that follow.
    pub fn create(path: &Path, phases: &[MetricContext]) -> Result<Self, ReportError> {
        if let Some(dir) = path.parent() {
            fs::create_dir_all(dir).map_err(|source| ReportError::create(dir, source))?;
        }
        let all: Vec<Vec<Metric>> = phases.iter().map(MetricContext::record_metrics).collect();
        let metrics: Vec<Metric> =
            Metric::ALL.iter().copied().filter(|metric| all.iter().any(|some| some.contains(metric))).collect();
        let part = with_end(path, "part");
        let failed = |error: ParquetError| ReportError::write(path, io::Error::other(error));
        let schema = Arc::new(parse_message_type(&message_type(&metrics)).map_err(failed)?);
        let units: Map<String, Value> =
            metrics.iter().map(|metric| (metric.tag().to_owned(), metric.definition().shown.label().into())).collect();
        let note = KeyValue::new("aiperf.units".to_owned(), Value::Object(units).to_string());
        // Times and latencies hardly repeat: looking for repetitions would cost more than it saves.
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_dictionary_enabled(false)
            .set_key_value_metadata(Some(vec![note]))
            .build();
        let file = BufWriter::new(File::create(&part).map_err(|source| ReportError::create(&part, source))?);
        let file = SerializedFileWriter::new(file, schema, Arc::new(properties)).map_err(failed)?;
        let columns = FIELDS.iter().map(|(_, kind, required)| ParquetColumn::new(kind, *required));
        let columns = columns.chain(metrics.iter().map(|metric| ParquetColumn::of_metric(*metric))).collect();
        let state = TableState { file, columns, rows: 0, list_values: 0, failed: false };
        Ok(Self { path: path.to_owned(), part, phases: phases.to_vec(), metrics, state: Mutex::new(state) })
    }

    /// Takes one row. Fails once at most, when the disk first refuses.
    pub fn write(&self, record: &Record<'_>) -> Result<(), ReportError> {
        let index = record.metadata.phase_index as usize;
        let Some(context) = self.phases.get(index).or(self.phases.last()) else { return Ok(()) };
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.failed {
            return Ok(());
        }
        let (fields, metrics) = state.columns.split_at_mut(FIELDS.len());
        put_fields(fields, record);
        for (column, metric) in metrics.iter_mut().zip(&self.metrics) {
            let definition = metric.definition();
            if definition.kind == MetricKind::RecordList {
                column.list(record.values.gaps().iter().map(|gap| definition.show(*gap as f64)));
            } else {
                let value = record.values.get(*metric, context).filter(|_| context.shows(*metric));
                column.number(value.map(|value| definition.show(value)));
            }
        }
        state.rows += 1;
        state.list_values += record.values.gaps().len();
        if state.rows >= GROUP_ROWS || state.list_values >= GROUP_LIST_VALUES {
            return state.flush().map_err(|error| self.failure(&mut state, error));
        }
        Ok(())
    }

    pub fn finish(self) -> Result<(), ReportError> {
        let Self { path, part, state, .. } = self;
        let mut state = state.into_inner().unwrap_or_else(PoisonError::into_inner);
        if state.failed {
            let _ = fs::remove_file(&part);
            return Err(ReportError::write(&path, io::Error::other("it could not be written during the run")));
        }
        let closed = state.flush().and_then(|()| state.file.close().map(drop)).map_err(io::Error::other);
        closed.and_then(|()| fs::rename(&part, &path)).map_err(|source| ReportError::write(&path, source))
    }

    fn failure(&self, state: &mut TableState, error: ParquetError) -> ReportError {
        state.failed = true;
        ReportError::write(&self.path, io::Error::other(error))
    }
}

impl std::fmt::Debug for TableState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TableState").field("rows", &self.rows).finish_non_exhaustive()
    }
}

impl TableState {
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
        (self.rows, self.list_values) = (0, 0);
        Ok(())
    }
}

fn put_fields(columns: &mut [ParquetColumn], record: &Record<'_>) {
    let metadata = record.metadata;
    let failure = record.failure;
    let mut columns = columns.iter_mut();
    let mut next = |put: &dyn Fn(&mut ParquetColumn)| columns.next().map(put);
    next(&|column| column.whole(Some(metadata.session_num)));
    next(&|column| column.text(Some(metadata.x_request_id)));
    next(&|column| column.text(Some(metadata.x_correlation_id)));
    next(&|column| column.text(Some(metadata.conversation_id)));
    next(&|column| column.whole(Some(u64::from(metadata.turn_index))));
    next(&|column| column.whole(Some(metadata.credit_issued_ns.0)));
    next(&|column| column.whole(Some(metadata.request_start_ns.0)));
    next(&|column| column.whole(metadata.request_ack_ns.map(|at| at.0)));
    next(&|column| column.whole(Some(metadata.request_end_ns.0)));
    next(&|column| column.text(Some(metadata.worker_id)));
    next(&|column| column.text(Some(metadata.record_processor_id)));
    next(&|column| column.text(Some(metadata.benchmark_phase.name())));
    next(&|column| column.whole(Some(u64::from(metadata.phase_index))));
    next(&|column| column.flag(metadata.was_cancelled));
    next(&|column| column.whole(metadata.cancellation_time_ns.map(|at| at.0)));
    next(&|column| column.whole(Some(u64::from(metadata.agent_depth))));
    next(&|column| column.text(metadata.parent_correlation_id));
    next(&|column| column.whole(metadata.resent.map(|times| u64::from(times.get()))));
    next(&|column| column.whole(failure.and_then(|failure| failure.code).map(u64::from)));
    next(&|column| column.text(failure.map(|failure| failure.kind.name())));
    next(&|column| column.text(failure.map(|failure| failure.message.as_str())));
}

fn message_type(metrics: &[Metric]) -> String {
    let mut text = String::from("message record {\n");
    for (name, kind, required) in FIELDS {
        let presence = if required { "REQUIRED" } else { "OPTIONAL" };
        let meaning = if kind == "BINARY" { " (STRING)" } else { "" };
        text.push_str(&format!("{presence} {kind} {name}{meaning};\n"));
    }
    for metric in metrics {
        let definition = metric.definition();
        let tag = definition.tag;
        text.push_str(&if definition.kind == MetricKind::RecordList {
            format!("OPTIONAL group {tag} (LIST) {{ REPEATED group list {{ REQUIRED DOUBLE element; }} }}\n")
        } else if definition.flags.has(Flags::WHOLE) {
            format!("OPTIONAL INT64 {tag};\n")
        } else {
            format!("OPTIONAL DOUBLE {tag};\n")
        });
    }
    text.push('}');
    text
}
